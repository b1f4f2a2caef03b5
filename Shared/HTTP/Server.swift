import CMicroHTTPD
import Dispatch
import Glibc
import Messaging
import Synchronization

/// Why a server does not start, in one plain sentence.
package struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
}

/// An HTTP/1.1 server. Requests are collected within the limits and checked before a handler sees them; no thread
/// waits while a handler works. `stop()` must be called before the last reference goes.
///
/// One thread of libmicrohttpd serves all connections; a request's connection is suspended while its handler
/// runs on Swift's threads, and resumed with the answer.
package final class Server: Sendable {
  /// What was served: the route's pattern (empty where none took it), method, status, seconds from the whole request
  /// to the last byte of the answer. Called on the server's thread: be quick.
  package typealias Observer = @Sendable (_ route: String, _ method: String, _ status: Int, _ seconds: Double) -> Void

  /// The port that is bound.
  package let port: Int
  private let core: ServerCore
  @safe private struct Running: @unchecked Sendable { var daemon: OpaquePointer? }
  private let running: Mutex<Running>

  /// Binds and serves at once. Port 0 takes any free one. Throws where the address is taken, foreign, or not allowed.
  package init(
    host: String = "127.0.0.1", port: Int = 0, limits: Limits = Limits(), observe: Observer? = nil,
    handler: @escaping Handler
  ) throws(ServerError) {
    let listener = try Listener(host: host, port: port)
    self.port = listener.port
    core = ServerCore(limits: limits, observe: observe, handler: handler)
    let context = unsafe Unmanaged.passUnretained(core).toOpaque()
    let daemon = unsafe daybook_http_start(
      listener.descriptor, UInt32(limits.connections), UInt32(limits.connectionsPerAddress), 48 * 1024,
      UInt32(max(1, limits.sending.components.seconds)), 1, accessCallback, targetCallback, completedCallback,
      connectionCallback, context)
    guard let daemon = unsafe daemon else {
      listener.close()
      throw ServerError(description: "the HTTP server at \(host):\(port) did not start")
    }
    running = unsafe Mutex(Running(daemon: daemon))
  }

  /// Takes no more connections, ends streams, waits for the requests under way (at most `patience`, then cancels
  /// their handlers, and answers 503 for those that even then do not end), closes. Safe to call twice.
  package func stop(patience: Duration = .seconds(3)) async {
    let running = self.running.withLock { running in
      defer { unsafe running.daemon = nil }
      return running
    }
    guard let daemon = unsafe running.daemon else { return }
    let listener = unsafe MHD_quiesce_daemon(daemon)
    // Nobody new is let in from here on; the descriptor itself must outlive the daemon.
    shutdown(listener, Int32(SHUT_RDWR))
    core.stop()
    if await !core.drained(within: patience) {
      core.cancel()
      if await !core.drained(within: .milliseconds(500)) {
        core.abandon()
        _ = await core.drained(within: .milliseconds(500))
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        unsafe MHD_stop_daemon(running.daemon)
        if listener >= 0 { close(listener) }
        continuation.resume()
      }
    }
  }
}

/// A bound, listening socket.
private struct Listener {
  let descriptor: Int32
  let port: Int

  init(host: String, port: Int) throws(ServerError) {
    let address: Address
    do throws(TCPSocket.Failure) {
      guard let first = try Address.lookup(host, port, passive: true).first else {
        throw .unreachable("the host \(host) has no address")
      }
      address = first
    } catch {
      throw ServerError(description: "cannot listen at \(host):\(port): the host \(host) is not known")
    }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(address.family, type, 0)
    var on: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard descriptor >= 0, address.bind(descriptor) == 0, listen(descriptor, 1024) == 0 else {
      let code = errno
      if descriptor >= 0 { Glibc.close(descriptor) }
      throw ServerError(description: Self.reason(code, host, port))
    }
    self.port = boundPort(descriptor)
  }

  func close() { Glibc.close(descriptor) }

  private static func reason(_ code: Int32, _ host: String, _ port: Int) -> String {
    switch code {
    case EADDRINUSE: "port \(port) of \(host) is taken by another process; stop it or choose another with --port"
    case EACCES: "port \(port) may not be bound by this user; choose one from 1024 on with --port"
    case EADDRNOTAVAIL: "\(host) is no address of this machine"
    default: "cannot listen at \(host):\(port): \(unsafe String(cString: strerror(code)))"
    }
  }
}

/// The local port of a socket.
func boundPort(_ socket: Int32) -> Int {
  var storage = sockaddr_storage()
  var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
  return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = unsafe getsockname(socket, $0, &size)
    }
    // The port stands at the same place in both families.
    return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      Int(UInt16(bigEndian: unsafe $0.pointee.sin_port))
    }
  }
}
