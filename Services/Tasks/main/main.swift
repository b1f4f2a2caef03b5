import Foundation
import ServiceKit
import TasksService

exit(
  await Serve.main("tasks") { context, settings in
    OwnerService<TasksDomain>.build(context) + [HTTPService("tasks", context, settings)]
  })
