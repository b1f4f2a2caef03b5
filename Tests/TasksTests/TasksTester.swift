import TasksService
import TestSupport

/// The real owner over the rules of the task list, with commands named without service and version (`item.add`).
typealias TasksTester = RulesTester<TasksDomain>
