import Messaging

/// Every kind of entity, in the order of help.
enum Nouns {
  static let all: [Noun] = [project, item, tag, book, author, genre, visitor, visit, badge]

  static func named(_ name: String) -> Noun? { all.first { $0.name == name } }

  /// Lists inside an entity, and how their rows are shown.
  static let inner: [String: Noun] = ["items": item, "visits": visit]

  /// A noun of the tree: its list, its view, and its verbs.
  static func node(_ noun: Noun, _ verbs: [Verb], more: [CommandNode] = []) -> CommandNode {
    CommandNode(
      name: noun.name, synonyms: [noun.plural], summary: noun.summary, section: noun.section,
      children: [noun.listNode, noun.viewNode] + verbs.map(\.node) + more)
  }

  static var nodes: [CommandNode] {
    [
      node(project, projectVerbs), node(item, itemVerbs), node(tag, tagVerbs), node(book, bookVerbs),
      node(author, authorVerbs), node(genre, genreVerbs), node(visitor, visitorVerbs), node(visit, visitVerbs),
      node(badge, badgeVerbs),
    ]
  }
}
