import Foundation
import LibraryService
import ServiceKit

exit(
  await Serve.main("library") { context, settings in
    Serve.Part(OwnerService<LibraryDomain>.build(context), context, settings)
  })
