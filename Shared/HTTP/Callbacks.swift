import CMicroHTTPD
import Glibc

// What libmicrohttpd calls. The context is the server's core; an exchange is kept by the request's pointer from the
// target callback to the completed callback, a link by the connection's pointer from its start to its end.

private func core(_ context: UnsafeMutableRawPointer) -> ServerCore {
  unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
}

private func link(_ connection: OpaquePointer) -> Link? {
  unsafe daybook_http_socket_context(connection).map { unsafe Unmanaged<Link>.fromOpaque($0).takeUnretainedValue() }
}

let targetCallback:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
    _, target, connection in
    guard let target = unsafe target, let connection = unsafe connection else { return nil }
    let bytes = unsafe Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    return unsafe Unmanaged.passRetained(
      Exchange(ConnectionHandle(connection), target: bytes, start: UInt(bitPattern: target))
    ).toOpaque()
  }

let accessCallback:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
    UnsafePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> MHD_Result = { context, connection, _, method, version, data, size, request in
    guard let context = unsafe context, let connection = unsafe connection, let method = unsafe method,
      let version = unsafe version, let size = unsafe size, let request = unsafe request?.pointee
    else { return .NO }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue()
    let body = unsafe UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size.pointee)
    unsafe size.pointee = 0
    // The version stands behind the target and the space after it: a target that is shorter than what lies between was
    // cut at a NUL.
    let length = UInt(bitPattern: version) &- exchange.start &- 1
    return unsafe core(context).access(
      exchange, link(connection), method: String(cString: method), version: String(cString: version), length: length,
      body: body)
  }

let completedCallback:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    MHD_RequestTerminationCode
  ) -> Void = { context, connection, request, _ in
    guard let context = unsafe context, let connection = unsafe connection, let pointer = unsafe request?.pointee
    else { return }
    unsafe request?.pointee = nil
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
    unsafe core(context).completed(exchange, link(connection))
  }

let connectionCallback:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    MHD_ConnectionNotificationCode
  ) -> Void = { context, connection, place, code in
    guard let context = unsafe context, let connection = unsafe connection, let place = unsafe place else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
      let link = unsafe core(context).opened(socket: daybook_http_socket(connection))
      unsafe place.pointee = unsafe Unmanaged.passRetained(link).toOpaque()
    } else if let pointer = unsafe place.pointee {
      unsafe place.pointee = nil
      unsafe core(context).closed(Unmanaged<Link>.fromOpaque(pointer).takeRetainedValue())
    }
  }

let readCallback: @convention(c) (UnsafeMutableRawPointer?, UInt64, UnsafeMutablePointer<CChar>?, Int) -> Int = {
  context, _, buffer, limit in
  guard let context = unsafe context, let buffer = unsafe buffer else { return -2 }
  return unsafe Unmanaged<StreamBody>.fromOpaque(context).takeUnretainedValue().read(into: buffer, atMost: limit)
}

let releaseCallback: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
  guard let context = unsafe context else { return }
  unsafe Unmanaged<StreamBody>.fromOpaque(context).takeRetainedValue().release()
}

extension ConnectionHandle {
  /// The request's headers in order, repeated ones too. Bytes that are not UTF-8 become replacement characters.
  var fields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    unsafe withUnsafeMutablePointer(to: &fields) { list in
      _ = unsafe MHD_get_connection_values_n(
        pointer, .HEADER_KIND,
        { list, _, name, nameSize, value, valueSize in
          let list = unsafe list?.assumingMemoryBound(to: [(name: String, value: String)].self)
          unsafe list?.pointee.append((text(name, nameSize), text(value, valueSize)))
          return .YES
        }, list)
    }
    return fields
  }
}

private func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
  unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count), as: UTF8.self)
}
