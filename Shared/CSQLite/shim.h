#include <sqlite3.h>

/// `SQLITE_TRANSIENT` is a cast that Swift cannot import.
static inline int daybook_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
  return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}
static inline int daybook_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
/// Binds bytes in place: they must stay there until the statement is reset.
static inline int daybook_bind_blob_in_place(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}
/// `sqlite3_db_config` is variadic: these are the switches Daybook sets.
static inline int daybook_set_defensive(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
/// `sqlite3_config` is variadic: SQLite keeps no count of its memory, which costs a lock at every allocation.
static inline int daybook_without_memory_status(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
