package import Messaging
import SQLite

/// The one row of an owner's state, as the last transaction left it.
package struct OwnerState: Sendable, Equatable {
  /// The offset of the next command to decide.
  package var commandPosition: Int64 = 0
  /// The sequence of the last event or decision; 0 before the first.
  package var lastSequence: Int64 = 0
  /// Its time: no later one is before it.
  package var lastTime = Timestamp(milliseconds: 0)
  /// The offset of the next record to read in the own event partition. Stands directly behind a decision or a claim.
  package var mark: Int64 = 0
  /// The epoch that holds at the mark.
  package var markEpoch: Int64 = 0
  /// The last record before the mark that counts.
  package var markedSequence: Int64 = 0
  package var markedID: MessageID?

  static func read(_ db: Connection) throws -> OwnerState {
    try db.prepare(
      """
      SELECT command_position, last_sequence, last_time, mark, mark_epoch, marked_sequence, marked_id FROM owner_state
      """
    ).first { row in
      OwnerState(
        commandPosition: row.int64(0), lastSequence: row.int64(1), lastTime: Timestamp(milliseconds: row.int64(2)),
        mark: row.int64(3), markEpoch: row.int64(4), markedSequence: row.int64(5),
        markedID: row.stringOrNil(6).flatMap(MessageID.init))
    } ?? OwnerState()
  }

  static func writer(_ db: Connection) throws -> Statement {
    try db.prepare(
      """
      UPDATE owner_state SET command_position = ?, last_sequence = ?, last_time = ?, mark = ?, mark_epoch = ?,
        marked_sequence = ?, marked_id = ?
      """)
  }

  func write(_ statement: Statement) throws {
    try statement.run(
      commandPosition, lastSequence, lastTime.milliseconds, mark, markEpoch, markedSequence, markedID?.description)
  }
}
