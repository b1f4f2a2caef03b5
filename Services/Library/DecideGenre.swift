import Contracts
import Messaging
import SQLite
import ServiceKit

extension LibraryDomain {
  func addGenre(_ command: Command) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let name = fields.required("name", Fields.name, else: "")
    let wanted = fields.optional("id", Fields.id)
    try fields.finish()

    let key = try freeGenreKey(name, in: command.workspace)
    let id = try ids.take(wanted, in: command.workspace)
    return Accepted(id, [.genreAdded(.init(id: id, name: name, key: key))])
  }

  func renameGenre(_ command: Command) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("genre", Fields.reference, else: .name(""))
    let name = fields.required("name", Fields.name, else: "")
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let genre = try genres.find(reference, in: command.workspace)
    try genre.check(ifSequence: ifSequence)
    let key = try freeGenreKey(name, in: command.workspace, except: genre.id)
    guard let change = Changed(from: genre.name, to: name) else { return Accepted(genre.id, []) }
    return Accepted(genre.id, [.genreRenamed(.init(id: genre.id, key: key, name: change))])
  }

  /// Its books lose it first, one event each; they stay.
  func removeGenre(_ command: Command) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("genre", Fields.reference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let genre = try genres.find(reference, in: command.workspace)
    try genre.check(ifSequence: ifSequence)
    let cleared = try db.statement("SELECT id, title FROM book WHERE workspace = ? AND genre = ? ORDER BY created")
      .map(command.workspace, genre.id) { row in
        LibraryEvent.bookGenreCleared(.init(book: Named(id: try row.id(0), name: row.string(1)), genre: genre.named))
      }
    return Accepted(genre.id, cleared + [.genreRemoved(.init(last: genre.named, books: cleared.count))])
  }

  /// The genre that a book names. Throws `unknown-genre` with the nearest where none has the name: a genre comes to be
  /// only by its own command, so that a typing error makes none.
  func knownGenre(_ reference: Reference, in workspace: String) throws -> Named {
    if let genre = try genres.findIfAny(reference, in: workspace) { return genre.named }
    guard case .name(let name) = reference else { throw Problem.notFound(Genre.kind, reference.description) }
    let all = try db.statement("SELECT id, name FROM genre WHERE workspace = ? ORDER BY key")
      .map(workspace) { Named(id: try $0.id(0), name: $0.string(1)) }
    let nearest = Text.nearest(to: name, among: all, by: \.name)
    throw Problem.conflict(
      "unknown-genre",
      "There is no genre \"\(name)\"; "
        + (nearest.map { "did you mean \"\($0.name)\"?" } ?? "add it first."),
      ["nearest": nearest.json])
  }

  /// A genre's name is unique in its workspace, whatever its letter case; `none` and `any` are what lists take in its place.
  private func freeGenreKey(_ name: String, in workspace: String, except: MessageID? = nil) throws -> String {
    try genres.freeKey(
      of: name, in: workspace, except: except, code: "genre-name-taken", reserved: ["none", "any"])
  }
}
