import Foundation
import ServiceKit
import TasksService

exit(
  await Serve.main("tasks") { context, settings in
    Serve.Part(OwnerService<TasksDomain>.build(context), context, settings)
  })
