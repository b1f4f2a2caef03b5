import CommandLineClient
import Foundation

// As bytes: `CommandLine.arguments` puts something else in the place of what is not UTF-8.
let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
  CommandLine.unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
}
exit(await CommandLineClient.run(bytes: arguments, console: .process()))
