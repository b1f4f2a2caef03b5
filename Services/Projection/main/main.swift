import Foundation
import ProjectionService
import ServiceKit

exit(
  await Serve.main(ProjectionService.name) { context, settings in
    let projection = ProjectionService(context)
    return Serve.Part([projection], router: projection.router, context, settings)
  })
