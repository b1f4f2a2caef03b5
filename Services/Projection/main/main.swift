import Foundation
import ProjectionService
import ServiceKit

exit(
  await Serve.main(ProjectionService.name) { context, settings in
    let projection = ProjectionService(context)
    return [projection, HTTPService(projection.name, context, settings, router: projection.router)]
  })
