import Foundation
import GatewayService
import ServiceKit

exit(await Serve.main("gateway", check: GatewayService.checkStart, build: GatewayService.part))
