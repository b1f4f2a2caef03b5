package import SQLite

/// The lock of a data file; it lives beside the databases, where the log needs it too.
package typealias FileLock = SQLite.FileLock
/// Why a process does not start.
package typealias StartupError = SQLite.StartupError
