import CommandLineClient
import Foundation

exit(await CommandLineClient.run(Array(CommandLine.arguments.dropFirst()), console: .process()))
