import Contracts
import Messaging
import Testing

struct CatalogueTests {
  static let all = CommandCatalogue.all.flatMap(\.commands)

  @Test func `every service has its catalogue, and no type stands twice`() {
    #expect(Set(CommandCatalogue.all.map(\.service)) == ["library", "visitorlog", "tasks"])
    #expect(Set(Self.all.map(\.type)).count == Self.all.count)
  }

  @Test(arguments: all) func `a command is of its service, has a version, and names each field once`(spec: CommandSpec)
  {
    #expect(CommandCatalogue.command(spec.type)?.type == spec.type)
    #expect(EventType.split(spec.type).version >= 1)
    #expect(Set(spec.fields.map(\.name)).count == spec.fields.count)
    #expect(spec.doc.hasSuffix("."))
  }

  @Test(arguments: [
    ("tasks.item.ad.v1", "tasks.item.add.v1"), ("tasks.tags.create.v1", "tasks.tag.create.v1"),
    ("task.item.add.v1", "tasks.item.add.v1"), ("tasks.item.add", "tasks.item.add.v1"),
  ])
  func `an unknown command is refused with the nearest`(type: String, nearest: String) {
    let problem = CommandCatalogue.unknownType(type)
    #expect(problem.errors.map(\.field) == ["type"])
    #expect(problem.detail.hasSuffix("did you mean \(nearest)?"))
  }
}
