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

/// What a token of `endings` holds of a text at most, in bytes.
#define DAYBOOK_ENDING 24

/// The FTS5 tokenizer `endings`: of every word, which ends at a space, each ending is a token, so that a part of a word
/// is the beginning of a token. What is longer than `DAYBOOK_ENDING` is cut.
///
/// A text to be indexed stands behind a letter, the lowest of four. Before each token stands the one that says where in
/// the text it is: 0, it is the whole text; 1, the text begins with it; 2, no letter or digit is before it; 3, anywhere
/// else. What is not ASCII counts as a letter. A text in a query is one token as it stands.
static int daybook_endings_tokenize(
  Fts5Tokenizer *self, void *context, int flags, const char *text, int count,
  int (*take)(void *, int, const char *, int, int, int)) {
  (void)self;
  if (flags & FTS5_TOKENIZE_QUERY) return count > 0 ? take(context, 0, text, count, 0, count) : SQLITE_OK;
  char token[1 + DAYBOOK_ENDING];
  for (int at = 1, end = 1; at < count; at++) {
    if (end < at) end = at;
    while (end < count && text[end] != ' ') end++;
    // A character begins here.
    if (at == end || (text[at] & 0xc0) == 0x80) continue;
    unsigned char before = (unsigned char)text[at - 1];
    int isInside = (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z') || before >= 0x80;
    int length = end - at, place = isInside ? 3 : 2;
    if (at == 1) place = end == count && length <= DAYBOOK_ENDING ? 0 : 1;
    if (length > DAYBOOK_ENDING) {
      length = DAYBOOK_ENDING;
      while (length > 0 && (text[at + length] & 0xc0) == 0x80) length--;
    }
    token[0] = (char)(text[0] + place);
    for (int i = 0; i < length; i++) token[1 + i] = text[at + i];
    int code = take(context, 0, token, 1 + length, at, at + length);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}
static int daybook_endings_create(void *context, const char **arguments, int count, Fts5Tokenizer **self) {
  (void)arguments;
  (void)count;
  // There is nothing to keep; FTS5 wants something that is not null.
  *self = (Fts5Tokenizer *)context;
  return SQLITE_OK;
}
static void daybook_endings_delete(Fts5Tokenizer *self) { (void)self; }

/// Makes `endings` known to a connection.
static int daybook_add_endings(sqlite3 *db) {
  fts5_api *api = 0;
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  code = sqlite3_finalize(statement);
  if (code != SQLITE_OK) return code;
  if (!api) return SQLITE_ERROR;
  fts5_tokenizer endings = {daybook_endings_create, daybook_endings_delete, daybook_endings_tokenize};
  return api->xCreateTokenizer(api, "endings", (void *)api, &endings, 0);
}
