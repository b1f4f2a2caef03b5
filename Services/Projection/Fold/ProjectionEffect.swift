import Contracts
import Messaging
package import SQLite
package import ServiceKit

/// Folds the events of the three services into the read model. Decisions change no row.
package final class ProjectionEffect: FollowerEffect {
  package static var migrator: Migrator { ReadModelSchema.migrator }
  package static var foldVersion: Int { ReadModelSchema.revision }
  package static var tables: [ComparedTable] { ReadModelSchema.tables }

  private let partitionCount: Int
  private let context: FoldContext
  private let tasks: TasksFold
  private let library: LibraryFold
  private let visitors: VisitorLogFold

  /// Prepares its statements on a file that has the tables.
  package init(_ db: Connection, partitionCount: Int) throws {
    self.partitionCount = partitionCount
    context = try FoldContext(db, partitionCount: partitionCount)
    tasks = try TasksFold(context)
    library = try LibraryFold(context)
    visitors = try VisitorLogFold(context)
  }

  package static func knows(type: String) -> Bool {
    do throws(ContractError) {
      switch type.prefix(while: { $0 != "." }) {
      case "tasks": _ = try TasksEvent.contract.upcast(type: type, data: [:])
      case "library": _ = try LibraryEvent.contract.upcast(type: type, data: [:])
      case "visitorlog": _ = try VisitorLogEvent.contract.upcast(type: type, data: [:])
      default: return false
      }
      return true
    } catch {
      if case .unreadable = error { return true }
      return false
    }
  }

  package func apply(_ record: ValidRecord, of partition: ServicePartition) throws {
    let message = record.message
    guard !message.endsCommand else { return }
    let data = try JSON(parsing: message.data)
    let place = FoldPlace(
      workspace: message.workspace, sequence: record.sequence, partitionCount: partitionCount)
    switch partition.service {
    case "tasks": try tasks.fold(TasksEvent(type: message.type, data: data), at: place)
    case "library": try library.fold(LibraryEvent(type: message.type, data: data), at: place)
    case "visitorlog": try visitors.fold(VisitorLogEvent(type: message.type, data: data), at: place)
    default: throw ContractError.unknownType(message.type)
    }
  }

  package func willCommit() throws { try context.counts.write() }
  package func didRollBack() {
    context.counts.drop()
    context.origins.drop()
  }
}
