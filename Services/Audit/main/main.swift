import AuditService
import Foundation
import ServiceKit

exit(
  await Serve.main("audit") { context, settings in
    let audit = AuditService(context)
    return [audit, HTTPService("audit", context, settings, router: audit.router)]
  })
