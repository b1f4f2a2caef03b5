package import Messaging
package import SQLite

/// One kind of thing that a domain keeps, as its rules read it.
package protocol Entity {
  /// What people call it: `tag`. Stands in refusals: `There is no tag "urgent".`
  static var kind: String { get }
  var id: MessageID { get }
  /// Its name or title, as others mention it.
  var name: String { get }
  /// The sequence of the last event whose subject it is.
  var sequence: Int64 { get }
  /// What tells it apart from others of the same name: the members beside `id` of a candidate in a refusal.
  var candidate: JSONObject { get }
  /// Reads a row of its finder's statements.
  init(_ row: borrowing Row) throws
}

extension Entity {
  /// Refuses `changed-since` where the command names a sequence (`ifSequence`) and it is not this entity's last.
  package func check(ifSequence: Int64?) throws(Problem) {
    guard let ifSequence, ifSequence != sequence else { return }
    throw .conflict(
      "changed-since",
      "The \(Self.kind) \"\(name)\" has changed: its last event is \(sequence), not \(ifSequence); read it again.",
      ["existing": JSON(id), "sequence": .integer(sequence)])
  }
}

/// Finds the entities of one kind by what a command calls them, inside the owner's transaction.
///
///     tags = try EntityFinder(
///       db,
///       byID: "SELECT id, name, sequence FROM tag WHERE workspace = ?1 AND id = ?2",
///       byName: "SELECT id, name, sequence FROM tag WHERE workspace = ?1 AND key = ?2 ORDER BY created")
///     let tag = try tags.find(reference, in: command.workspace)
package struct EntityFinder<Kind: Entity> {
  private let byID: Statement
  private let byName: Statement?

  /// Both statements give rows that `Kind` reads. `?1` is the workspace, `?2` the id or the unique key of the name; the
  /// order of `byName` is the order of candidates. Without `byName` the kind has no names.
  package init(_ db: Connection, byID: String, byName: String?) throws {
    self.byID = try db.prepare(byID)
    self.byName = try byName.map { sql in try db.prepare(sql) }
  }

  /// The one entity that is meant. Throws `not-found` where there is none in the workspace, `ambiguous` with `count` and
  /// the first candidates where a name fits several.
  package func find(_ reference: Reference, in workspace: String) throws -> Kind {
    guard let found = try findIfAny(reference, in: workspace) else {
      throw Problem.notFound(Kind.kind, reference.description)
    }
    return found
  }

  /// As `find`; nil where there is none.
  package func findIfAny(_ reference: Reference, in workspace: String) throws -> Kind? {
    switch reference {
    case .id(let id): return try byID.first(workspace, id, row: Kind.init)
    case .name(let name):
      var count = 0
      var found: [Kind] = []
      try byName?.forEach(workspace, Text.uniqueKey(name)) { row in
        count += 1
        if found.count < Problem.mostCandidates { found.append(try Kind(row)) }
      }
      guard count <= 1 else {
        throw Problem.ambiguous(
          "\(count) \(Kind.kind)s are called \"\(name)\"; say which by its id.", count: count, found)
      }
      return found.first
    }
  }

  /// The key of a name that is to be unique, where nobody but `except` has it. Otherwise throws the conflict `code`
  /// (`tag-name-taken`) with the holder as `existing`.
  package func freeKey(
    of name: String, in workspace: String, except: MessageID? = nil, code: String, reserved: Set<String> = []
  ) throws -> String {
    let key = Text.uniqueKey(name)
    guard !reserved.contains(key) else {
      throw Problem.invalid("name", "must not be \(name): lists take that word for themselves")
    }
    if let holder = try byName?.first(workspace, key, row: Kind.init), holder.id != except {
      throw Problem.conflict(
        code, "There is a \(Kind.kind) \"\(holder.name)\" already.", ["existing": JSON(holder.id)])
    }
    return key
  }
}

extension Problem {
  /// 409: the command may mean any of `count` entities, of which the first ones are named with what tells them apart.
  package static func ambiguous(_ detail: String, count: Int, _ found: some Sequence<some Entity>) -> Problem {
    let candidates = found.prefix(mostCandidates).map { entity in
      JSON.object(JSONObject(unique: [.init(key: "id", value: JSON(entity.id))] + entity.candidate.members))
    }
    return .conflict("ambiguous", detail, ["count": JSON(count), "candidates": .array(candidates)])
  }

  /// How many of several matches a refusal names.
  package static var mostCandidates: Int { 20 }
}

/// The ids that new entities get.
package struct EntityIDs {
  private let anyHolder: Statement

  /// `tables`: every table of the domain that holds entities, each with the columns `workspace` and `id`.
  package init(_ db: Connection, tables: [String]) throws {
    anyHolder = try db.prepare(
      tables.map { "SELECT 1 FROM \($0) WHERE workspace = ?1 AND id = ?2" }.joined(separator: " UNION ALL "))
  }

  /// The id that a create asks for, or a new one. Throws `id-taken` where any living entity of the workspace has it.
  package func take(_ wanted: MessageID?, in workspace: String) throws -> MessageID {
    guard let wanted else { return .next() }
    guard try anyHolder.first(workspace, wanted, row: { _ in true }) == nil else {
      throw Problem.conflict("id-taken", "The id \(wanted) is in use already.", ["existing": JSON(wanted)])
    }
    return wanted
  }
}
