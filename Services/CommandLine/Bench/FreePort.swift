import Foundation

/// For a process that is told its port before it starts.
package enum FreePort {
  struct Failure: Error, CustomStringConvertible { let description = "there is no free port" }

  /// A port of 127.0.0.1 that nobody listens on now.
  package static func find() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard bound else { throw Failure() }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
