/* A network plug-in: nodes of a run exchange bytes over TCP, one connection for each pair. Replace
 * the sockets by what your network has. See vernier_network.h.
 *
 * config: nothing, or "loopback": accept connections of this computer only.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "vernier_network.h"

enum { hello_size = VERNIER_NETWORK_KEY + 8, most_strangers = 16 };

typedef struct {
  int listener;
} Node;

typedef struct {
  uint32_t nodes, self;
  int bell;            /* wake() rings it */
  struct pollfd* wait; /* of all peers, and the bell */
  int peer[];          /* the connections; -1: none */
} Joined;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* A poll() that ends at a time. */
static int poll_until(struct pollfd* all, nfds_t count, int64_t until) {
  const int64_t t = now(), left = until > t ? until - t : 0;
  struct timespec limit = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  if (limit.tv_sec > 3600) limit.tv_sec = 3600;
  return ppoll(all, count, &limit, NULL);
}

/* ---- to be reached ------------------------------------------------------------------------- */

static void* open_node(const char* config, const char* host, char* address, size_t address_size,
                       char* error, size_t error_size) {
  const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
  struct addrinfo* at = NULL;
  const int local = strcmp(config, "loopback") == 0;
  if (!local && config[0] != '\0') {
    snprintf(error, error_size, "config is \"%s\"; write loopback, or nothing", config);
    return NULL;
  }
  if (getaddrinfo(local ? "127.0.0.1" : host, "0", &wanted, &at) != 0) {
    snprintf(error, error_size, "%s is no address", host);
    return NULL;
  }
  Node* n = malloc(sizeof *n);
  n->listener = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_storage name;
  socklen_t length = sizeof name;
  char number[NI_MAXHOST], port[NI_MAXSERV];
  const int good = n->listener >= 0 && bind(n->listener, at->ai_addr, at->ai_addrlen) == 0 &&
                   listen(n->listener, 64) == 0 &&
                   getsockname(n->listener, (struct sockaddr*)&name, &length) == 0 &&
                   getnameinfo((struct sockaddr*)&name, length, number, sizeof number, port,
                               sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) == 0;
  freeaddrinfo(at);
  if (good) {
    snprintf(address, address_size, "%s %s", number, port);
    return n;
  }
  snprintf(error, error_size, "cannot listen at %s: %s", host, strerror(errno));
  if (n->listener >= 0) close(n->listener);
  free(n);
  return NULL;
}

static void close_node(void* node) {
  close(((Node*)node)->listener);
  free(node);
}

/* ---- to meet ------------------------------------------------------------------------------- */

/* What each side says first: it knows the key, and which meeting this is. (On a network that others
   can read, prove that the key is known without saying it.) */
static void make_hello(unsigned char* hello, const vernier_network_meeting* m, uint32_t who) {
  memcpy(hello, m->key, VERNIER_NETWORK_KEY);
  memcpy(hello + VERNIER_NETWORK_KEY, &m->epoch, 4);
  memcpy(hello + VERNIER_NETWORK_KEY + 4, &who, 4);
}

/* Who says this, or nobody. */
static uint32_t known(const unsigned char* hello, const vernier_network_meeting* m) {
  uint32_t who;
  unsigned char right[hello_size], differs = 0;
  memcpy(&who, hello + VERNIER_NETWORK_KEY + 4, 4);
  make_hello(right, m, who);
  for (int i = 0; i < hello_size; ++i) differs |= hello[i] ^ right[i];
  return differs == 0 && who < m->nodes && who != m->self ? who : VERNIER_NETWORK_NOBODY;
}

/* A connection on its way; fd -1: none. */
typedef struct {
  int fd;
  int connected;
  uint32_t to; /* this node connects to it; VERNIER_NETWORK_NOBODY: it came */
  size_t sent, got;
  unsigned char said[hello_size], heard[hello_size];
} Guest;

static void begin(Guest* g, int fd, uint32_t to, const vernier_network_meeting* m) {
  const int one = 1;
  *g = (Guest){.fd = fd, .to = to};
  if (fd < 0) return;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  make_hello(g->said, m, m->self);
}

static void drop(Guest* g) {
  if (g->fd >= 0) close(g->fd);
  g->fd = -1;
}

static int connecting(const char* address) {
  char host[NI_MAXHOST], port[NI_MAXSERV];
  const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  struct addrinfo* to = NULL;
  if (sscanf(address, "%1024s %31s", host, port) != 2 || getaddrinfo(host, port, &wanted, &to) != 0)
    return -1;
  int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && connect(fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
    close(fd);
    fd = -1;
  }
  freeaddrinfo(to);
  return fd;
}

/* As far as it goes: who it is, once both have said who they are; a guest that fails is dropped. */
static uint32_t proceed(Guest* g, const vernier_network_meeting* m) {
  if (!g->connected) {
    int failure = 0;
    socklen_t length = sizeof failure;
    if (getsockopt(g->fd, SOL_SOCKET, SO_ERROR, &failure, &length) != 0 || failure != 0) {
      drop(g);
      return VERNIER_NETWORK_NOBODY;
    }
    g->connected = 1;
  }
  /* who came is told nothing before it is known */
  if (g->to == VERNIER_NETWORK_NOBODY || g->sent == hello_size) {
    const ssize_t n = read(g->fd, g->heard + g->got, hello_size - g->got);
    if (n == 0 || (n < 0 && errno != EAGAIN)) drop(g);
    if (n <= 0) return VERNIER_NETWORK_NOBODY;
    g->got += (size_t)n;
    if (g->got < hello_size) return VERNIER_NETWORK_NOBODY;
    const uint32_t who = known(g->heard, m);
    if (who == VERNIER_NETWORK_NOBODY || (g->to != VERNIER_NETWORK_NOBODY && g->to != who)) {
      drop(g);
      return VERNIER_NETWORK_NOBODY;
    }
    if (g->to != VERNIER_NETWORK_NOBODY) return who;
    /* a new socket has room for it */
    if (send(g->fd, g->said, hello_size, MSG_NOSIGNAL) == hello_size) return who;
    drop(g);
    return VERNIER_NETWORK_NOBODY;
  }
  const ssize_t n = send(g->fd, g->said + g->sent, hello_size - g->sent, MSG_NOSIGNAL);
  if (n < 0 && errno != EAGAIN) drop(g);
  if (n > 0) g->sent += (size_t)n;
  return VERNIER_NETWORK_NOBODY;
}

static void leave(void* joined) {
  Joined* j = joined;
  for (uint32_t i = 0; i < j->nodes; ++i)
    if (j->peer[i] >= 0) close(j->peer[i]);
  if (j->bell >= 0) close(j->bell);
  free(j->wait);
  free(j);
}

/* Connects to all nodes before this one, and accepts all after it. */
static int meet(Node* node, const vernier_network_meeting* m, Joined* j) {
  const nfds_t own = m->self, count = own + most_strangers;
  Guest* guests = malloc(count * sizeof *guests);
  struct pollfd* all = calloc(count + 2, sizeof *all);
  uint32_t missing = m->nodes - 1;
  unsigned next = 0; /* the place of the next stranger */
  int interrupted = 0;
  for (nfds_t i = 0; i < count; ++i) guests[i].fd = -1;
  while (missing > 0 && !interrupted && now() < m->until) {
    int again = 0; /* somebody is not there yet */
    for (nfds_t i = 0; i < own; ++i) {
      if (guests[i].fd < 0 && j->peer[i] < 0) begin(&guests[i], connecting(m->addresses[i]), (uint32_t)i, m);
      again |= guests[i].fd < 0 && j->peer[i] < 0;
    }
    for (nfds_t i = 0; i < count; ++i) {
      const int hears = guests[i].to == VERNIER_NETWORK_NOBODY || guests[i].sent == hello_size;
      all[i] = (struct pollfd){.fd = guests[i].fd, .events = hears ? POLLIN : POLLOUT};
    }
    all[count] = (struct pollfd){.fd = node->listener, .events = POLLIN};
    all[count + 1] = (struct pollfd){.fd = m->wake, .events = POLLIN};
    const int64_t soon = now() + 2000000;
    poll_until(all, count + 2, again && soon < m->until ? soon : m->until);
    interrupted = m->wake >= 0 && all[count + 1].revents != 0;
    if (all[count].revents != 0) {
      const int fd = accept4(node->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
      Guest* g = &guests[own + next++ % most_strangers]; /* the oldest makes room */
      if (fd >= 0) drop(g), begin(g, fd, VERNIER_NETWORK_NOBODY, m);
      if (fd >= 0) all[g - guests].revents = 0;
    }
    for (nfds_t i = 0; i < count; ++i) {
      if (all[i].revents == 0 || guests[i].fd < 0) continue;
      const uint32_t who = proceed(&guests[i], m);
      if (guests[i].fd < 0 && i < own) { /* not there yet, or in an earlier meeting */
        struct timespec pause = {.tv_nsec = 1000000};
        nanosleep(&pause, NULL);
      }
      if (who == VERNIER_NETWORK_NOBODY) continue;
      if (j->peer[who] >= 0) close(j->peer[who]); /* it has lost its first connection */
      else --missing;
      j->peer[who] = guests[i].fd;
      guests[i].fd = -1;
    }
  }
  for (nfds_t i = 0; i < count; ++i) drop(&guests[i]);
  free(guests);
  free(all);
  return missing == 0 ? 0 : interrupted ? 1 : 2;
}

static void* join(void* node, const vernier_network_meeting* m, uint32_t* missing, char* error,
                  size_t error_size) {
  Joined* j = malloc(sizeof *j + m->nodes * sizeof j->peer[0]);
  j->nodes = m->nodes;
  j->self = m->self;
  j->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  j->wait = calloc(m->nodes + 1, sizeof *j->wait);
  for (uint32_t i = 0; i < m->nodes; ++i) j->peer[i] = -1;
  const int failed = meet(node, m, j);
  if (!failed) return j;
  snprintf(error, error_size, failed == 1 ? "interrupted" : "it did not connect in time");
  if (failed == 2)
    for (uint32_t i = m->nodes; i-- > 0;)
      if (i != m->self && j->peer[i] < 0) *missing = i;
  leave(j);
  return NULL;
}

/* ---- in the loop --------------------------------------------------------------------------- */

static int64_t moved(ssize_t n) {
  if (n > 0) return n;
  return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : VERNIER_NETWORK_LOST;
}

static int64_t take(void* joined, uint32_t peer, void* to, size_t size) {
  return moved(read(((Joined*)joined)->peer[peer], to, size));
}

static int64_t give(void* joined, uint32_t peer, const void* bytes, size_t size) {
  return moved(send(((Joined*)joined)->peer[peer], bytes, size, MSG_NOSIGNAL));
}

static void wait_for(void* joined, const uint8_t* wanted, int64_t until) {
  Joined* j = joined;
  nfds_t count = 1;
  j->wait[0] = (struct pollfd){.fd = j->bell, .events = POLLIN};
  for (uint32_t i = 0; i < j->nodes; ++i) {
    const int events = ((wanted[i] & VERNIER_NETWORK_TAKE) ? POLLIN : 0) | ((wanted[i] & VERNIER_NETWORK_GIVE) ? POLLOUT : 0);
    if (events) j->wait[count++] = (struct pollfd){.fd = j->peer[i], .events = (short)events};
  }
  uint64_t rung;
  if (poll_until(j->wait, count, until) > 0 && j->wait[0].revents != 0 &&
      read(j->bell, &rung, sizeof rung) < 0)
    return;
}

static void wake(void* joined) {
  const uint64_t one = 1;
  const int before = errno;
  if (write(((Joined*)joined)->bell, &one, sizeof one) < 0) errno = before;
  errno = before;
}

const vernier_network* vernier_network_entry(uint32_t version) {
  static const vernier_network table = {.size = sizeof table, .version = VERNIER_NETWORK_VERSION,
      .name = "tcp", .open = open_node, .close = close_node, .join = join, .leave = leave,
      .take = take, .give = give, .wait = wait_for, .wake = wake};
  return version == VERNIER_NETWORK_VERSION ? &table : NULL;
}
