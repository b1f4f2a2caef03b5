#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/// What libmicrohttpd refuses beyond that with `STRICT_FOR_CLIENT` 1 (no `Host`, a space in the target) Daybook refuses
/// itself, as a problem.
///
/// It polls. With epoll, libmicrohttpd 0.9.75 takes up to 128 events at a time, and where exactly so many have come it
/// waits for one more before it looks at any of them.
///
/// `MHD_start_daemon` and `MHD_get_connection_info` are variadic: these are the calls that Daybook makes.
static inline struct MHD_Daemon *daybook_http_start(
  int listener, unsigned connections, unsigned per_address, unsigned memory, unsigned idle_seconds, unsigned threads,
  MHD_AccessHandlerCallback access, void *(*uri)(void *, const char *, struct MHD_Connection *),
  MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connection, void *context) {
  return MHD_start_daemon(
    MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, access, context,
    MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
    MHD_OPTION_PER_IP_CONNECTION_LIMIT, per_address, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)memory,
    MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_STRICT_FOR_CLIENT, 0,
    MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 0,
    MHD_OPTION_URI_LOG_CALLBACK, uri, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
    MHD_OPTION_NOTIFY_CONNECTION, connection, context,
    threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads, MHD_OPTION_END);
}
static inline int daybook_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
/// The pointer that the connection callback left there.
static inline void *daybook_http_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// epoll, which Swift's Glibc module does not hold. One-shot: a socket is watched for one event at a time.
static inline int daybook_epoll_make(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int daybook_epoll_bell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int daybook_epoll_watch(int epoll, int socket, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0) return 0;
  return errno == EEXIST ? epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) : -1;
}
static inline void daybook_epoll_ring(int bell) { eventfd_write(bell, 1); }
static inline void daybook_epoll_hush(int bell) {
  eventfd_t value;
  eventfd_read(bell, &value);
}
/// At most `count` tokens of sockets that have something to tell; -1 milliseconds: waits for good.
static inline int daybook_epoll_wait(int epoll, uint64_t *tokens, int count, int milliseconds) {
  struct epoll_event events[64];
  int found = epoll_wait(epoll, events, count < 64 ? count : 64, milliseconds);
  for (int index = 0; index < found; index++) tokens[index] = events[index].data.u64;
  return found;
}
enum {
  daybook_epoll_readable = EPOLLIN | EPOLLRDHUP,
  daybook_epoll_writable = EPOLLOUT,
  daybook_epoll_gone = EPOLLRDHUP,
  daybook_epoll_once = EPOLLONESHOT,
};
