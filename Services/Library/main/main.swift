import LibraryService
import Foundation
import ServiceKit

exit(
  await Serve.main("library") { context, settings in
    OwnerService<LibraryDomain>.build(context) + [HTTPService("library", context, settings)]
  })
