import Messaging
import Testing

struct DigestTests {
  /// The examples of FIPS 180-4, and the digest of nothing.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `SHA-256 of known texts`(text: String, hex: String) {
    #expect(Digest.hex(Digest.sha256(Array(text.utf8))) == hex)
  }

  @Test func `bytes are compared whole`() {
    #expect(Digest.constantTimeEqual([1, 2], [1, 2]))
    #expect(Digest.constantTimeEqual([], []))
    #expect(!Digest.constantTimeEqual([1, 2], [1, 3]))
    #expect(!Digest.constantTimeEqual([1, 2], [1]))
  }
}
