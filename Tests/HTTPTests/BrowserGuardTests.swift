import Testing

@testable import HTTP

@Suite struct BrowserGuardTests {
  @Test(arguments: [
    ("localhost", true), ("localhost:8080", true), ("LOCALHOST.", true), ("daybook.localhost", true),
    ("127.0.0.1:1", true), ("127.1.2.3", true), ("[::1]:8080", true), ("::1", true), ("evil.example", false),
    ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("0.0.0.0", false), ("10.0.0.1", false),
    ("127.0.0.x", false), ("[::2]", false), ("", false),
  ])
  func `only this machine's own names pass on a server that only it reaches`(_ host: String, _ passes: Bool) {
    let request = Request(path: "/", headers: ["host": host])
    #expect((BrowserGuard(checksHost: true).refusal(request) == nil) == passes)
    #expect(BrowserGuard(checksHost: true).refusal(request)?.status ?? 421 == 421)
    #expect(BrowserGuard(checksHost: false).refusal(request) == nil)
  }

  @Test(
    arguments: [
      (["content-type": "application/json"], nil),
      (["content-type": "Application/JSON; charset=UTF-8"], nil),
      (["content-type": "application/json;charset=latin1"], 415),
      (["content-type": "text/plain"], 415),
      (["content-type": "application/x-www-form-urlencoded"], 415),
      ([:], 415),
      (["content-type": "application/json", "origin": "http://localhost:8080"], nil),
      (["content-type": "application/json", "origin": "http://localhost:8081"], 403),
      (["content-type": "application/json", "origin": "https://evil.example"], 403),
      (["content-type": "application/json", "origin": "null"], 403),
      (["content-type": "application/json", "sec-fetch-site": "cross-site"], 403),
      (["content-type": "application/json", "sec-fetch-site": "same-site"], 403),
      (["content-type": "application/json", "sec-fetch-site": "same-origin"], nil),
      (["content-type": "application/json", "sec-fetch-site": "none"], nil),
    ] as [([String: String], Int?)])
  func `a write must be JSON and must not come from a page of another site`(
    _ headers: [String: String], _ status: Int?
  ) {
    var request = Request(method: "POST", path: "/", headers: headers)
    request.headers["host"] = "localhost:8080"
    #expect(BrowserGuard(checksHost: true).refusal(request)?.status == status)
    // What no route takes is refused for that, not for its body; a page of another site may not even ask.
    #expect(
      BrowserGuard(checksHost: true).refusal(request, isTaken: false)?.status == (status == 415 ? nil : status))
  }
}
