import Messaging
import SQLite

/// The kit's prepared statements on an owner's file.
struct OwnerStatements {
  let begin, commit, savepoint, release, undo: Statement
  let writeState: Statement
  let insertOutbox, trimOutbox, readOutbox: Statement
  let remember, recall: Statement

  init(_ db: Connection) throws {
    begin = try db.prepare("BEGIN IMMEDIATE")
    commit = try db.prepare("COMMIT")
    savepoint = try db.prepare("SAVEPOINT command")
    release = try db.prepare("RELEASE command")
    undo = try db.prepare("ROLLBACK TO command")
    writeState = try OwnerState.writer(db)
    insertOutbox = try db.prepare(
      """
      INSERT INTO outbox (sequence, id, type, subject, time, workspace, actor, correlation, causation, data)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    trimOutbox = try db.prepare("DELETE FROM outbox WHERE sequence <= ?")
    readOutbox = try db.prepare(
      """
      SELECT sequence, id, type, subject, time, workspace, actor, correlation, causation, data FROM outbox
      WHERE sequence > ? ORDER BY sequence LIMIT ?
      """)
    remember = try db.prepare(
      """
      INSERT INTO remembered_command (workspace, id, content, sequence, answer) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """)
    recall = try db.prepare("SELECT content, answer FROM remembered_command WHERE workspace = ? AND id = ?")
  }

  func insert(_ message: Message, sequence: Int64) throws {
    try insertOutbox.run(
      sequence, message.id.description, message.type, message.subject, message.time.milliseconds, message.workspace,
      message.actor, message.correlationID, message.causationID?.description, UTF8Text(message.data))
  }

  /// The outbox's records behind a sequence, as messages without an epoch: at most so many, and no more once their data
  /// has so many bytes.
  func outbox(after sequence: Int64, atMost limit: Int, bytes most: Int, source: String) throws -> [Message] {
    var messages: [Message] = []
    var bytes = 0
    try readOutbox.forEach(while: { bytes < most }, sequence, limit) { row in
      guard let id = MessageID(row.string(1)) else { throw OwnerFault("an id in the outbox is no UUID") }
      let data = row.bytes(9)
      bytes += data.count
      messages.append(
        Message(
          id: id, source: source, type: row.string(2), subject: row.stringOrNil(3),
          time: Timestamp(milliseconds: row.int64(4)), workspace: row.string(5), actor: row.stringOrNil(6),
          correlationID: row.stringOrNil(7), causationID: row.stringOrNil(8).flatMap(MessageID.init),
          sequence: row.int64(0), data: data))
    }
    return messages
  }
}
