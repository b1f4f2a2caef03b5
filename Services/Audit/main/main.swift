import AuditService
import Foundation
import ServiceKit

exit(
  await Serve.main("audit") { context, settings in
    let audit = AuditService(context)
    return Serve.Part([audit], router: audit.router, context, settings)
  })
