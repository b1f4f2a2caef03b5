import Dispatch
import Glibc

/// A socket address (IPv4 or IPv6), as the resolver gave it.
struct Address: Sendable {
  let family: Int32
  private let bytes: [UInt8]

  /// The addresses of a host, in the system's order. On a thread of its own: the resolver blocks.
  static func resolve(_ host: String, _ port: Int) async throws(TCPSocket.Failure) -> [Address] {
    let result: Result<[Address], TCPSocket.Failure> = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result { () throws(TCPSocket.Failure) in try lookup(host, port, passive: false) })
      }
    }
    return try result.get()
  }

  /// As `resolve`, on the calling thread; `passive` for an address to bind.
  static func lookup(_ host: String, _ port: Int, passive: Bool) throws(TCPSocket.Failure) -> [Address] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
    var first: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &first)
    guard code == 0 else {
      throw .unreachable("the host \(host) is not known (\(unsafe String(cString: gai_strerror(code))))")
    }
    defer { unsafe freeaddrinfo(first) }
    var addresses: [Address] = []
    var next = unsafe first
    while let info = unsafe next {
      if let address = unsafe info.pointee.ai_addr {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(info.pointee.ai_addrlen)))
        addresses.append(Address(family: unsafe info.pointee.ai_family, bytes: bytes))
      }
      unsafe next = info.pointee.ai_next
    }
    return addresses
  }

  /// `connect(2)`.
  func connect(_ descriptor: Int32) -> Int32 { unsafe call(descriptor, { unsafe Glibc.connect($0, $1, $2) }) }
  /// `bind(2)`.
  func bind(_ descriptor: Int32) -> Int32 { unsafe call(descriptor, { unsafe Glibc.bind($0, $1, $2) }) }

  private func call(_ descriptor: Int32, _ body: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes {
      unsafe body(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
  }
}
