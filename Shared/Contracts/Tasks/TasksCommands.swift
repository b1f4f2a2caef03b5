extension CommandCatalogue {
  /// The commands of the task list.
  package static let tasks = CommandCatalogue(
    service: "tasks",
    [
      CommandSpec(
        "tasks.project.create.v1", "Makes a project.", entity: "project",
        [
          .required("name", .name, "its name, unique in the workspace"),
          .optional("place", .name, "where it happens"),
          .optional("startsOn", .day, "its first day"),
          .optional("endsOn", .day, "its last day, not before the first"),
          .newID,
          .optional("createdAt", .time, "when it was made; now where absent"),
        ]),
      CommandSpec(
        "tasks.project.edit.v1", "Changes the fields of a project that are named.", entity: "project",
        [
          .required("project", .reference("project"), "which project"),
          .optional("name", .name, "its new name"),
          .clearable("place", .name, "where it happens; null clears it"),
          .clearable("startsOn", .day, "its first day; null clears it"),
          .clearable("endsOn", .day, "its last day; null clears it"),
          .ifSequence,
        ]),
      CommandSpec(
        "tasks.project.delete.v1", "Deletes a project, and its items with it unless told otherwise.",
        entity: "project",
        [
          .required("project", .reference("project"), "which project"),
          .optional(
            "items", .choice(["delete", "keep", "refuse"]),
            "what becomes of its items: delete (where absent), keep them without a project, or refuse where it has any"
          ),
          .ifSequence,
        ]),
      CommandSpec(
        "tasks.item.add.v1", "Adds an item.", entity: "item",
        [
          .required("title", .name, "what is to be done"),
          .optional("note", .note, "more about it"),
          .optional("project", .reference("project"), "the project it belongs to"),
          .optional("tags", .names, "its tags by name; those that do not exist are made"),
          .optional("dueOn", .day, "the day it is due"),
          .optional("completedAt", .time, "when it was done, where it is"),
          .newID,
          .optional("createdAt", .time, "when it was written down; now where absent"),
        ]),
      CommandSpec(
        "tasks.item.edit.v1", "Changes the fields of an item that are named.", entity: "item",
        [
          .required("item", .reference("item"), "which item"),
          .optional("title", .name, "its new title"),
          .clearable("note", .note, "more about it; null clears it"),
          .clearable("dueOn", .day, "the day it is due; null clears it"),
          .ifSequence,
        ]),
      CommandSpec(
        "tasks.item.complete.v1", "Marks an item as done.", entity: "item",
        [.required("item", .reference("item"), "which item"), .ifSequence]),
      CommandSpec(
        "tasks.item.reopen.v1", "Marks an item as still to be done.", entity: "item",
        [.required("item", .reference("item"), "which item"), .ifSequence]),
      CommandSpec(
        "tasks.item.move.v1", "Moves an item to another project, or to none.", entity: "item",
        [
          .required("item", .reference("item"), "which item"),
          .required("project", .reference("project"), "where to; null for no project", clearable: true),
          .ifSequence,
        ]),
      CommandSpec(
        "tasks.item.delete.v1", "Deletes an item.", entity: "item",
        [.required("item", .reference("item"), "which item"), .ifSequence]),
      CommandSpec(
        "tasks.item.delete-completed.v1", "Deletes all items of a project that are done.", entity: "item",
        [
          .required(
            "project", .reference("project"), "whose items: a project, null for those in none, or \"any\" for all",
            clearable: true)
        ]),
      CommandSpec(
        "tasks.tag.create.v1", "Makes a tag.", entity: "tag",
        [
          .required("name", .name, "its name, unique in the workspace"),
          .optional("ensure", .bool, "be content with a tag of that name that is there already"),
          .newID,
        ]),
      CommandSpec(
        "tasks.tag.rename.v1", "Gives a tag another name.", entity: "tag",
        [
          .required("tag", .reference("tag"), "which tag"), .required("name", .name, "its new name"), .ifSequence,
        ]),
      CommandSpec(
        "tasks.tag.assign.v1", "Puts a tag on an item.", entity: "item",
        [
          .required("item", .reference("item"), "which item"), .required("tag", .reference("tag"), "which tag"),
          .optional("ensure", .bool, "make the tag where none has that name"), .ifSequence,
        ]),
      CommandSpec(
        "tasks.tag.unassign.v1", "Takes a tag off an item.", entity: "item",
        [
          .required("item", .reference("item"), "which item"), .required("tag", .reference("tag"), "which tag"),
          .ifSequence,
        ]),
      CommandSpec(
        "tasks.tag.delete.v1", "Deletes a tag; items that have it stay.", entity: "tag",
        [.required("tag", .reference("tag"), "which tag"), .ifSequence]),
    ])
}
