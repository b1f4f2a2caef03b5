import VisitorLogService
import Foundation
import ServiceKit

exit(
  await Serve.main("visitorlog") { context, settings in
    OwnerService<VisitorLogDomain>.build(context) + [HTTPService("visitorlog", context, settings)]
  })
