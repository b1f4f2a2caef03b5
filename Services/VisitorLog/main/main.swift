import Foundation
import ServiceKit
import VisitorLogService

exit(
  await Serve.main("visitorlog") { context, settings in
    Serve.Part(OwnerService<VisitorLogDomain>.build(context), context, settings)
  })
