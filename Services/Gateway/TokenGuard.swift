import Foundation
import HTTP
import Messaging
import ServiceKit
import Synchronization

/// Lets requests in: by their token where there are tokens, from this machine alone where there are none.
final class TokenGuard: Sendable {
  /// Who asks.
  enum Caller: Sendable, Equatable {
    /// No token is needed here.
    case anybody
    case token(String)

    var tokenName: String? { if case .token(let name) = self { name } else { nil } }
  }

  /// The state of the files when they were read: any change of a token changes it.
  private struct Stamp: Equatable {
    private struct File: Equatable {
      var inode: UInt64 = 0
      var size: Int64 = -1
      var seconds = 0
      var nanoseconds = 0

      init(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return }
        inode = UInt64(info.st_ino)
        size = Int64(info.st_size)
        seconds = info.st_mtim.tv_sec
        nanoseconds = info.st_mtim.tv_nsec
      }
    }
    private let main: File
    private let log: File

    init(_ path: String, log: String) {
      main = File(path)
      self.log = File(log)
    }
  }

  private struct Cache {
    var stamp: Stamp?
    var hashes: [(name: String, hash: [UInt8])] = []
  }

  private let tokens: Tokens
  /// SQLite's log of changes beside the file.
  private let log: String
  private let isLocal: Bool
  private let cache = Mutex(Cache())

  /// `host`: the address that is bound.
  init(_ tokens: Tokens, host: String) {
    self.tokens = tokens
    log = tokens.path + "-wal"
    isLocal = BrowserGuard.isLoopback(host)
  }

  /// Throws where the tokens cannot be read, and a `StartupError` where other machines could reach a gateway that knows
  /// no token.
  func checkStart(host: String) throws {
    try tokens.check()
    guard !isLocal, try hashes().isEmpty else { return }
    throw StartupError(
      "\(host) lets other machines in, and there is no token to tell them apart; make one first with "
        + "\"daybook token add NAME\", or bind 127.0.0.1")
  }

  /// Whether requests need a token now.
  func isRequired() throws -> Bool { try !isLocal || !hashes().isEmpty }

  /// Throws `unauthorized` (401) for a missing or wrong token.
  func caller(_ request: Request) throws -> Caller {
    let known = try hashes()
    guard !isLocal || !known.isEmpty else { return .anybody }
    let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      throw Self.unauthorized("This server needs a token: send it as Authorization: Bearer TOKEN.")
    }
    let hash = Digest.sha256(Array(words[1].utf8))
    var found: String?
    // All are compared, each in a time that does not depend on where it differs.
    for (name, other) in known where Digest.constantTimeEqual(hash, other) { found = name }
    guard let found else { throw Self.unauthorized("The token is not known here.") }
    return .token(found)
  }

  private static func unauthorized(_ detail: String) -> Problem {
    Problem(code: "unauthorized", status: 401, detail: detail)
  }

  private func hashes() throws -> [(name: String, hash: [UInt8])] {
    let stamp = Stamp(tokens.path, log: log)
    return try cache.withLock { cache in
      if cache.stamp != stamp {
        cache.hashes = try tokens.hashes()
        cache.stamp = stamp
      }
      return cache.hashes
    }
  }
}
