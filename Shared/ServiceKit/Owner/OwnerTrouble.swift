import EventLog
import Messaging
import SQLite

/// What an owner does about an error: wait and claim anew, or stand still until somebody acts.
enum OwnerTrouble {
  /// It may be over soon.
  case passing(String)
  case lasting(String)

  init(_ error: any Error) {
    switch error {
    case LogError.outOfRange(let partition, let offset, let available):
      self = .lasting(
        "the log holds \(available.lowerBound) to \(available.upperBound) of \(partition), not position \(offset): "
          + "records that counted are missing; restore the log, nothing is written until then")
    case let error as LogError: self = .passing(error.description)
    case let error as SQLiteError where error.isFull || error.isRetriable: self = .passing(error.description)
    default: self = .lasting("\(error)")
    }
  }
}
