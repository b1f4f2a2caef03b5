import Foundation
import GatewayService
import ServiceKit

exit(
  await Serve.main("gateway") { context, settings in
    var options = GatewayService.Options()
    options.host = settings.host
    let gateway = GatewayService(
      context, options: options, projection: try Backend.remote("projection", url: settings.projection),
      audit: try Backend.remote("audit", url: settings.audit))
    let http = HTTPService(
      "gateway", host: settings.host, port: settings.port, metrics: context.metrics, logger: context.logger,
      handler: gateway.handler)
    return [gateway, http]
  })
