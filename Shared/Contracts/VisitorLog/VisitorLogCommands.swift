extension CommandCatalogue {
  /// The commands of the visitor log.
  package static let visitorlog = CommandCatalogue(
    service: "visitorlog",
    [
      CommandSpec(
        "visitorlog.visitor.register.v1", "Registers a visitor by first name, last name or both.", entity: "visitor",
        [
          .optional("firstName", .line, "the first name"),
          .optional("lastName", .line, "the last name"),
          .newID,
          .optional("registeredAt", .time, "when they were first here; now where absent"),
        ]),
      CommandSpec(
        "visitorlog.visitor.rename.v1", "Changes a visitor's first or last name.", entity: "visitor",
        [
          .required("visitor", .reference("visitor"), "which visitor, by full or last name"),
          .clearable("firstName", .line, "the first name; null for none"),
          .clearable("lastName", .line, "the last name; null for none"),
          .ifSequence,
        ]),
      CommandSpec(
        "visitorlog.visitor.remove.v1", "Removes a visitor and all their visits; a badge comes back.",
        entity: "visitor",
        [.required("visitor", .reference("visitor"), "which visitor, by full or last name"), .ifSequence]),
      CommandSpec(
        "visitorlog.visit.record.v1", "Records that a visitor came in.", entity: "visit",
        [
          .required("visitor", .reference("visitor"), "who, by full or last name"),
          .optional("arrivedAt", .time, "when; now where absent"),
          .optional("again", .bool, "even where the visitor is in already"),
          .newID,
        ]),
      CommandSpec(
        "visitorlog.visit.end.v1", "Records that a visitor went out: names the visit or the visitor.",
        entity: "visit",
        [
          .optional("visit", .id, "which visit"),
          .optional("visitor", .reference("visitor"), "whose open visit"),
          .optional("departedAt", .time, "when; now where absent"),
          .ifSequence,
        ]),
      CommandSpec(
        "visitorlog.visit.edit.v1", "Puts the times of a visit right.", entity: "visit",
        [
          .required("visit", .id, "which visit"),
          .optional("arrivedAt", .time, "when the visitor came"),
          .clearable("departedAt", .time, "when the visitor went; null opens the visit again"),
          .ifSequence,
        ]),
      CommandSpec(
        "visitorlog.visit.remove.v1", "Removes a visit.", entity: "visit",
        [.required("visit", .id, "which visit"), .ifSequence]),
      CommandSpec(
        "visitorlog.badge.add.v1", "Adds a badge.", entity: "badge",
        [.required("number", .name, "its number, unique in the workspace"), .newID]),
      CommandSpec(
        "visitorlog.badge.issue.v1", "Gives a badge to a visitor, who may have one at a time.", entity: "badge",
        [
          .required("visitor", .reference("visitor"), "who gets it"),
          .required("badge", .reference("badge"), "which badge, by number"),
          .optional("transfer", .bool, "take back first what is in the way"),
          .ifSequence,
        ]),
      CommandSpec(
        "visitorlog.badge.return.v1", "Takes a badge back: names the badge or the visitor.", entity: "badge",
        [
          .optional("visitor", .reference("visitor"), "whose badge"),
          .optional("badge", .reference("badge"), "which badge, by number"),
          .ifSequence,
        ]),
      CommandSpec(
        "visitorlog.badge.remove.v1", "Removes a badge that nobody has.", entity: "badge",
        [.required("badge", .reference("badge"), "which badge, by number"), .ifSequence]),
    ])
}
