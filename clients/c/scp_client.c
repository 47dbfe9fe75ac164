/* A client of SCP 1.0 (formats/scp/README.md), in one file of C99 for POSIX sockets. RSP on top of it: rsp_client.c.
 *
 * Compile it (cc -c scp_client.c) or #include it, before the system headers. It allocates nothing, has no thread, and
 * only scp_open() and scp_poll() wait. With -DSCP_MAIN it is a program that sends cos t and prints what it receives.
 *
 *     struct scp_settings s = {"127.0.0.1", "42750", "42751", 100000000, 1, 1, 1, SCP_DOUBLE, SCP_DOUBLE};
 *     static struct scp_client c;
 *     if (scp_open(&c, &s) < 0) puts(c.error);
 *     for (n = 0;; ++n) {
 *       while ((r = scp_poll(&c, start + n * period)) == SCP_VECTOR) {}    until the step is due
 *       if (r < 0) { puts(c.error); ... scp_open again }
 *       scp_step(&c, n, start + n * period);
 *       fresh = scp_receive(&c, measured);
 *       scp_send(&c, desired, 0);
 *     }
 *     scp_close(&c);
 */
#ifndef SCP_CLIENT_C
#define SCP_CLIENT_C
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifndef SCP_MOST_PAYLOAD
#define SCP_MOST_PAYLOAD 65536 /* bytes of a vector; may be set up to 1048576 */
#endif
#define SCP_FRAME (64 + SCP_MOST_PAYLOAD + 4)

enum { SCP_NONE, SCP_DOUBLE, SCP_INT8, SCP_UINT8 };
enum { SCP_HELLO = 1, SCP_HELLO_ACK, SCP_BYE, SCP_DATA = 0x10, SCP_PING = 0x20, SCP_PING_RETURN, SCP_REFERENCE,
       SCP_DELAY, SCP_DELAY_RETURN, SCP_CLOCK = 0x30, SCP_STATS };
/* why a link ended, as negative results: those of BYE, and two that are never sent */
enum { SCP_CLOSING = 1, SCP_BUSY, SCP_VERSION, SCP_DIMENSIONS, SCP_INTERFACE, SCP_KEY, SCP_FRAMING, SCP_TIMEOUT, SCP_TOKEN,
       SCP_LOST = 101, SCP_UNREACHABLE };
enum { SCP_NOTHING = 0, SCP_VECTOR = 1 };
enum { SCP_CONTROL, SCP_VECTORS }; /* the two connections */

struct scp_settings {
  const char *host, *control_port, *data_port; /* null: 127.0.0.1, 42750, 42751 */
  uint64_t period_ns;                          /* sample time of this side: period_ns/period_parts */
  uint32_t period_parts;
  uint32_t send, receive; /* elements of the vectors */
  uint8_t send_element, receive_element;
  const void *key; /* null: none */
  size_t key_bytes;
  uint64_t interface_hash; /* 0: none */
  const char *name;
  uint32_t ping_ms, timeout_ms, delay_ms; /* 0: 100, 1000, 100 */
};
struct scp_header {
  uint8_t minor, type, flags, element, channel;
  uint32_t payload, session;
  uint64_t sequence;
  int64_t step, t_acq, t_trm, echo;
};
struct scp_figure { /* seconds; mean = sum/count */
  uint64_t count;
  double last, sum, most;
};
struct scp_wire {
  int socket;
  uint64_t sent, expected;     /* sequence numbers */
  size_t have, skip, out, gone; /* bytes read, to be thrown away, to be sent, of them sent */
  int64_t partial_since;
  unsigned char in[SCP_FRAME], outgoing[SCP_FRAME > 16384 ? SCP_FRAME : 16384];
};
struct scp_client {
  struct scp_settings s;
  struct scp_wire wire[2];
  uint32_t session, max_payload;
  int up, reason, theirs, fresh, waiting, stepping; /* why it ended, and whether the other side said so */
  char error[192], peer[33];
  uint64_t peer_period_ns;
  uint32_t peer_period_parts, ping_ms, timeout_ms, delay_ms;
  unsigned char nonce[32], server_nonce[32], token[8];
  /* received data, and data to send */
  struct scp_header header;
  unsigned char vector[SCP_MOST_PAYLOAD], next[SCP_MOST_PAYLOAD];
  int64_t received, answers, counted, output_acq, next_acq, next_echo, began;
  int64_t step, next_ping, next_delay, last_answer, pings[16], delays[16];
  /* step correlation: the peer's steps per step of ours are over/under */
  int steps_known;
  int64_t over, under, reference_home, reference_target;
  /* clock correlation: home = target + offset, ns. Uses the exchange with the shortest round trip of each second */
  int clock_known;
  int64_t offset, round_trip, best_trip, best_offset, best_since;
  struct scp_figure send_to_receive, acquisition_to_output, dead_time;
  uint64_t vectors_sent, vectors_received, replaced, misplaced, unknown, unasked, gaps, dropped;
};

/* -- bytes, CRC-32C, SHA-256 (FIPS 180-4) and HMAC (RFC 2104) -- */

static void scp_put(unsigned char *p, uint64_t v, int bytes) {
  int i;
  for (i = 0; i < bytes; ++i) p[i] = (unsigned char)(v >> 8 * i & 255);
}
static uint64_t scp_get(const unsigned char *p, int bytes) {
  uint64_t v = 0;
  while (bytes-- > 0) v = v << 8 | p[bytes];
  return v;
}
static int64_t scp_signed(const unsigned char *p) {
  const uint64_t v = scp_get(p, 8);
  return v <= INT64_MAX ? (int64_t)v : -(int64_t)(UINT64_MAX - v) - 1;
}
uint32_t scp_crc32c(const void *data, size_t n) {
  const unsigned char *p = (const unsigned char *)data;
  uint32_t crc = 0xFFFFFFFFu;
  int bit;
  while (n-- > 0) {
    crc ^= *p++;
    for (bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

static uint32_t scp_turned(uint32_t v, int n) { return v >> n | v << (32 - n); }
static void scp_sha256_block(uint32_t h[8], const unsigned char *p) {
  /* fractional parts of the cube roots of the first 64 primes */
  static const uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
      0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
      0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
      0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
      0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
      0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64], v[8];
  int i;
  for (i = 0; i < 16; ++i)
    w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
  for (; i < 64; ++i)
    w[i] = w[i - 16] + (scp_turned(w[i - 15], 7) ^ scp_turned(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
           (scp_turned(w[i - 2], 17) ^ scp_turned(w[i - 2], 19) ^ w[i - 2] >> 10);
  memcpy(v, h, sizeof v);
  for (i = 0; i < 64; ++i) {
    const uint32_t a = v[0], e = v[4];
    const uint32_t t1 = v[7] + (scp_turned(e, 6) ^ scp_turned(e, 11) ^ scp_turned(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
    const uint32_t t2 = (scp_turned(a, 2) ^ scp_turned(a, 13) ^ scp_turned(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof v[0]);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (i = 0; i < 8; ++i) h[i] += v[i];
}
/* the digest of two consecutive pieces */
static void scp_sha256(const unsigned char *a, size_t na, const unsigned char *b, size_t nb, unsigned char digest[32]) {
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char block[64];
  const size_t n = na + nb, blocks = (n + 8) / 64 + 1;
  size_t k, i, at;
  for (k = 0; k < blocks; ++k) {
    for (i = 0; i < 64; ++i) {
      at = 64 * k + i;
      block[i] = at < na ? a[at] : at < n ? b[at - na] : at == n ? 0x80 : 0;
    }
    if (k + 1 == blocks)
      for (i = 0; i < 8; ++i) block[63 - i] = (unsigned char)((uint64_t)n * 8 >> 8 * i & 255);
    scp_sha256_block(h, block);
  }
  for (i = 0; i < 32; ++i) digest[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)) & 255);
}
void scp_hmac(const void *key, size_t key_bytes, const void *message, size_t n, unsigned char digest[32]) {
  unsigned char pad[64] = {0};
  int i;
  if (key_bytes > 64)
    scp_sha256((const unsigned char *)key, key_bytes, NULL, 0, pad);
  else if (key_bytes > 0)
    memcpy(pad, key, key_bytes);
  for (i = 0; i < 64; ++i) pad[i] ^= 0x36;
  scp_sha256(pad, 64, (const unsigned char *)message, n, digest);
  for (i = 0; i < 64; ++i) pad[i] ^= 0x36 ^ 0x5c;
  scp_sha256(pad, 64, digest, 32, digest);
}

/* -- frames -- */

/* Writes a frame; returns its length. */
size_t scp_write(const struct scp_header *h, const void *payload, size_t n, unsigned char *to) {
  memset(to, 0, 64);
  memcpy(to, "SCP1\1\0", 6);
  to[5] = h->minor;
  to[6] = h->type;
  to[7] = h->flags;
  scp_put(to + 8, n, 4);
  scp_put(to + 12, h->session, 4);
  scp_put(to + 16, h->sequence, 8);
  scp_put(to + 24, (uint64_t)h->step, 8);
  scp_put(to + 32, (uint64_t)h->t_acq, 8);
  scp_put(to + 40, (uint64_t)h->t_trm, 8);
  scp_put(to + 48, (uint64_t)h->echo, 8);
  to[56] = h->element;
  to[57] = h->channel;
  scp_put(to + 60, scp_crc32c(to, 60), 4);
  if (n > 0) memcpy(to + 64, payload, n);
  if (h->flags & 1) scp_put(to + 64 + n, scp_crc32c(payload, n), 4);
  return 64 + n + (h->flags & 1 ? 4 : 0);
}

static int scp_far(int64_t v) { return v > INT64_C(1) << 60 || v < -(INT64_C(1) << 60); }

/* Decodes a header. Null when it is valid; else what is wrong. */
const char *scp_read_header(const unsigned char *p, struct scp_header *h) {
  memset(h, 0, sizeof *h);
  if (memcmp(p, "SCP1", 4) != 0) return "it does not begin with SCP1";
  if (p[4] != 1) return "it is of another major version";
  if (scp_get(p + 60, 4) != scp_crc32c(p, 60)) return "the checksum of its header is wrong";
  h->minor = p[5];
  h->type = p[6];
  h->flags = p[7];
  h->payload = (uint32_t)scp_get(p + 8, 4);
  h->session = (uint32_t)scp_get(p + 12, 4);
  h->sequence = scp_get(p + 16, 8);
  h->step = scp_signed(p + 24);
  h->t_acq = scp_signed(p + 32);
  h->t_trm = scp_signed(p + 40);
  h->echo = scp_signed(p + 48);
  h->element = p[56];
  h->channel = p[57];
  if (h->element > 3) return "its element type is not known";
  if (scp_far(h->step) || scp_far(h->t_acq) || scp_far(h->t_trm) || scp_far(h->echo))
    return "a time or a step number in it is beyond all bounds";
  return NULL;
}

static int scp_known(int type) {
  return type == SCP_DATA || (type >= SCP_HELLO && type <= SCP_BYE) || (type >= SCP_PING && type <= SCP_DELAY_RETURN) ||
         type == SCP_CLOCK || type == SCP_STATS;
}
static size_t scp_bytes(uint32_t count, int element) { return (size_t)count * (element == SCP_DOUBLE ? 8 : 1); }

int64_t scp_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int scp_fail(struct scp_client *c, int reason, const char *what) {
  int i;
  snprintf(c->error, sizeof c->error, "%s", what);
  for (i = 0; i < 2; ++i) {
    if (c->wire[i].socket >= 0) close(c->wire[i].socket);
    c->wire[i].socket = -1;
  }
  c->up = 0;
  c->reason = reason;
  return -reason;
}

/* Sends queued data on a connection without blocking. If the connection has ended, reading reports why. */
static void scp_flush(struct scp_wire *w) {
  while (w->gone < w->out) {
    const ssize_t n = send(w->socket, w->outgoing + w->gone, w->out - w->gone, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (n < 0) break;
    w->gone += (size_t)n;
  }
  w->gone = w->out = 0;
}

/* Stamps and queues a frame; the time of sending, or 0 when there is no room. */
static int64_t scp_queue(struct scp_client *c, int on, struct scp_header h, const void *payload, size_t n) {
  struct scp_wire *w = &c->wire[on];
  if (w->out + 64 + n + 4 > sizeof w->outgoing) {
    ++c->dropped;
    return 0;
  }
  h.session = c->session;
  h.sequence = w->sent++;
  h.t_trm = scp_now();
  if (n > 0) h.flags |= 1;
  w->out += scp_write(&h, payload, n, w->outgoing + w->out);
  return h.t_trm;
}
static int64_t scp_say(struct scp_client *c, int type, int64_t t_acq, int64_t echo) {
  struct scp_header h = {0};
  h.type = (uint8_t)type;
  h.step = c->step;
  h.t_acq = t_acq;
  h.echo = echo;
  return scp_queue(c, SCP_CONTROL, h, NULL, 0);
}
static void scp_say_bye(struct scp_client *c, int reason, const char *text) {
  unsigned char payload[124];
  struct scp_header h = {0};
  size_t n = strlen(text) > 120 ? 120 : strlen(text);
  int i;
  scp_put(payload, (uint64_t)reason, 4);
  memcpy(payload + 4, text, n);
  h.type = SCP_BYE;
  h.step = c->step;
  for (i = 0; i < 2; ++i) {
    if (c->wire[i].socket < 0) continue;
    scp_queue(c, i, h, payload, 4 + n);
    scp_flush(&c->wire[i]);
  }
}

/* Reads available data; 0, or -1 when the connection has ended. */
static int scp_read(struct scp_wire *w) {
  const size_t room = sizeof w->in - w->have;
  const ssize_t n = room ? recv(w->socket, w->in + w->have, room, MSG_DONTWAIT) : 1;
  if (room && n > 0) w->have += (size_t)n;
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) ? 0 : -1;
}
static void scp_drop(struct scp_wire *w, size_t n) {
  w->have -= n;
  memmove(w->in, w->in + n, w->have);
}

/* The next complete frame: 1, with its bytes at w->in until scp_drop(); 0: none; else -reason. */
static int scp_next(struct scp_client *c, struct scp_wire *w, struct scp_header *h, size_t *bytes) {
  const char *flaw;
  for (;;) {
    const size_t skipped = w->skip < w->have ? w->skip : w->have;
    size_t limit;
    w->skip -= skipped;
    if (skipped) scp_drop(w, skipped);
    if (w->skip > 0 || w->have == 0) return 0;
    if (memcmp(w->in, "SCP1", w->have < 4 ? w->have : 4) != 0) return scp_fail(c, SCP_FRAMING, "it does not begin with SCP1");
    if (w->have < 64) return 0;
    if ((flaw = scp_read_header(w->in, h)) != NULL)
      return scp_fail(c, w->in[4] != 1 ? SCP_VERSION : SCP_FRAMING, flaw);
    limit = h->type == SCP_HELLO || h->type == SCP_HELLO_ACK ? 192
            : h->type == SCP_BYE                             ? 124
            : h->type == SCP_DATA                            ? scp_bytes(c->s.receive, c->s.receive_element)
            : h->type == SCP_CLOCK                           ? 40
            : h->type == SCP_STATS                           ? 112
            : scp_known(h->type) || !c->up                   ? 0
                                                             : c->max_payload;
    if (h->payload > limit) return scp_fail(c, SCP_FRAMING, "its length is not the one its type has");
    *bytes = 64 + (size_t)h->payload + (h->flags & 1 ? 4 : 0);
    if (!scp_known(h->type)) {
      ++c->unknown;
      w->skip = *bytes;
      continue;
    }
    if (w->have < *bytes) return 0;
    if ((h->flags & 1) && scp_get(w->in + 64 + h->payload, 4) != scp_crc32c(w->in + 64, h->payload))
      return scp_fail(c, SCP_FRAMING, "the checksum of its payload is wrong");
    return 1;
  }
}

/* The peer closes the link and gives the reason. */
static int scp_take_bye(struct scp_client *c, const unsigned char *payload, uint32_t n) {
  char text[121] = {0};
  const uint32_t reason = n >= 4 ? (uint32_t)scp_get(payload, 4) : SCP_FRAMING;
  uint32_t i;
  for (i = 4; i < n && i < 124; ++i) text[i - 4] = payload[i] >= 32 && payload[i] < 127 ? (char)payload[i] : '?';
  c->theirs = 1;
  return scp_fail(c, reason >= 1 && reason <= 9 ? (int)reason : SCP_FRAMING, text);
}

/* -- handshake -- */

/* Writes the payload of a HELLO on a connection; returns its length. */
size_t scp_write_hello(const struct scp_client *c, int on, unsigned char *p) {
  unsigned char m[212] = "SCP1 client";
  const size_t name = c->s.name ? strlen(c->s.name) : 0;
  memset(p, 0, 192);
  p[0] = 1;
  p[1] = (unsigned char)(on + 1);
  p[2] = c->s.key ? 1 : 0;
  scp_put(p + 4, SCP_MOST_PAYLOAD, 4);
  scp_put(p + 8, c->s.period_ns, 8);
  scp_put(p + 16, c->s.period_parts, 4);
  scp_put(p + 20, c->s.send, 4);
  scp_put(p + 24, c->s.receive, 4);
  p[28] = c->s.send_element;
  p[29] = c->s.receive_element;
  scp_put(p + 32, c->s.ping_ms, 4);
  scp_put(p + 36, c->s.timeout_ms, 4);
  scp_put(p + 40, c->s.delay_ms, 4);
  if (on == SCP_VECTORS) memcpy(p + 48, c->token, 8);
  scp_put(p + 56, c->s.interface_hash, 8);
  if (name > 0) memcpy(p + 64, c->s.name, name > 31 ? 31 : name);
  memcpy(p + 96, "scp_client.c 1.0", 16);
  if (!c->s.key) return 128;
  memcpy(p + 128, c->nonce, 32);
  if (on == SCP_CONTROL) return 192; /* the server's nonce is not known yet */
  scp_put(m + 16, c->session, 4);
  memcpy(m + 20, c->nonce, 32);
  memcpy(m + 52, c->server_nonce, 32);
  memcpy(m + 84, p, 128);
  scp_hmac(c->s.key, c->s.key_bytes, m, sizeof m, p + 160);
  return 192;
}

static uint64_t scp_gcd(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* Checks the server's answer; 0, or the reason why it does not match. */
static int scp_take_ack(struct scp_client *c, int on, const struct scp_header *h, const unsigned char *p) {
  unsigned char m[212] = "SCP1 server", proof[32];
  uint64_t a, b, g;
  const uint32_t parts = (uint32_t)scp_get(p + 16, 4);
  if (h->payload != (p[2] & 1 ? 192u : 128u) || p[0] != 2 || p[1] != on + 1 || h->session == 0 ||
      (on == SCP_VECTORS && h->session != c->session))
    return scp_fail(c, SCP_FRAMING, "an answer that does not fit the greeting");
  if ((p[2] & 1) != (c->s.key != NULL))
    return scp_fail(c, SCP_KEY, c->s.key ? "a key is given here, and none there" : "a key is wanted there, and none is given here");
  if (scp_get(p + 20, 4) != c->s.receive || scp_get(p + 24, 4) != c->s.send || p[28] != c->s.receive_element ||
      p[29] != c->s.send_element)
    return scp_fail(c, SCP_DIMENSIONS, "it sends or takes other vectors");
  if (c->s.interface_hash && scp_get(p + 56, 8) && scp_get(p + 56, 8) != c->s.interface_hash)
    return scp_fail(c, SCP_INTERFACE, "the interface is another one there");
  c->peer_period_ns = scp_get(p + 8, 8);
  c->peer_period_parts = parts;
  if (parts == 0 || c->peer_period_ns > (UINT64_C(1) << 62) || c->peer_period_ns / parts < 1000 || c->peer_period_ns / parts > UINT64_C(1000000000000))
    return scp_fail(c, SCP_DIMENSIONS, "its sample time is none");
  /* own period over the peer's, in lowest terms */
  g = scp_gcd(c->s.period_ns, c->peer_period_ns);
  a = c->s.period_ns / g;
  b = c->peer_period_ns / g;
  g = scp_gcd(c->s.period_parts, parts);
  if (a > (UINT64_C(1) << 62) / (parts / g) || b > (UINT64_C(1) << 62) / (c->s.period_parts / g))
    return scp_fail(c, SCP_DIMENSIONS, "the ratio of the sample times is no ratio of whole numbers");
  a *= parts / g;
  b *= c->s.period_parts / g;
  g = scp_gcd(a, b);
  if (a / g > INT32_MAX || b / g > INT32_MAX)
    return scp_fail(c, SCP_DIMENSIONS, "the ratio of the sample times is no ratio of whole numbers");
  c->over = (int64_t)(a / g);
  c->under = (int64_t)(b / g);
  c->max_payload = (uint32_t)scp_get(p + 4, 4) < SCP_MOST_PAYLOAD ? (uint32_t)scp_get(p + 4, 4) : SCP_MOST_PAYLOAD;
  c->ping_ms = (uint32_t)scp_get(p + 32, 4);
  c->timeout_ms = (uint32_t)scp_get(p + 36, 4);
  c->delay_ms = (uint32_t)scp_get(p + 40, 4);
  if (!c->ping_ms || !c->delay_ms || c->ping_ms > 3600000 || c->timeout_ms > 3600000 || c->delay_ms > 3600000)
    return scp_fail(c, SCP_FRAMING, "intervals without meaning");
  if (on == SCP_CONTROL) {
    c->session = h->session;
    memcpy(c->token, p + 48, 8);
    if (c->s.key) memcpy(c->server_nonce, p + 128, 32);
  }
  if (c->s.key) {
    unsigned differs = 0, i;
    scp_put(m + 16, c->session, 4);
    memcpy(m + 20, c->nonce, 32);
    memcpy(m + 52, c->server_nonce, 32);
    memcpy(m + 84, p, 128);
    scp_hmac(c->s.key, c->s.key_bytes, m, sizeof m, proof);
    for (i = 0; i < 32; ++i) differs |= (unsigned)(proof[i] ^ p[160 + i]) | (unsigned)(c->server_nonce[i] ^ p[128 + i]);
    if (differs) {
      scp_say_bye(c, SCP_KEY, "the key is not the same on both sides");
      return scp_fail(c, SCP_KEY, "the key is not the same on both sides");
    }
  }
  memcpy(c->peer, p + 64, 32);
  return 0;
}

/* Waits until a connection can be read (or written), at most until `until`; 1 when it can. */
static int scp_wait(int socket_, short events, int64_t until) {
  struct pollfd p;
  const int64_t left = until - scp_now();
  p.fd = socket_;
  p.events = events;
  p.revents = 0;
  return left > 0 && poll(&p, 1, (int)(left / 1000000 + 1)) > 0;
}

static int scp_connect(struct scp_client *c, int on, const char *host, const char *port, int64_t until) {
  struct addrinfo hints, *all = NULL, *a;
  int s = -1, on_ = 1, error = 0;
  socklen_t n = sizeof error;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host, port, &hints, &all) != 0) return scp_fail(c, SCP_UNREACHABLE, "there is no such host");
  for (a = all; a && s < 0; a = a->ai_next) {
    if ((s = socket(a->ai_family, a->ai_socktype, a->ai_protocol)) < 0) continue;
    fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
    fcntl(s, F_SETFD, FD_CLOEXEC);
    error = connect(s, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      error = ETIMEDOUT;
      if (scp_wait(s, POLLOUT, until)) getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &n);
    }
    if (error) {
      close(s);
      s = -1;
    }
  }
  freeaddrinfo(all);
  if (s >= FD_SETSIZE) close(s), s = -1;
  if (s < 0) return scp_fail(c, SCP_UNREACHABLE, strerror(error ? error : EMFILE));
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on_, sizeof on_);
  c->wire[on].socket = s;
  return 0;
}

static int scp_greet(struct scp_client *c, int on, const char *host, const char *port, int64_t until) {
  struct scp_wire *w = &c->wire[on];
  struct scp_header h = {0};
  unsigned char payload[192];
  size_t bytes = 0;
  int r = scp_connect(c, on, host, port, until);
  if (r < 0) return r;
  h.type = SCP_HELLO;
  scp_queue(c, on, h, payload, scp_write_hello(c, on, payload));
  scp_flush(w); /* 260 bytes always fit into a connection that is new */
  for (;;) {
    if ((r = scp_next(c, w, &h, &bytes)) < 0) return r;
    if (r == 1) break;
    if (!scp_wait(w->socket, POLLIN, until)) return scp_fail(c, SCP_TIMEOUT, "the handshake did not end within 2 s");
    if (scp_read(w) < 0) return scp_fail(c, SCP_LOST, "the other side closed the connection during the handshake");
  }
  if (h.type == SCP_BYE) return scp_take_bye(c, w->in + 64, h.payload);
  if (h.type != SCP_HELLO_ACK || h.payload < 128) return scp_fail(c, SCP_FRAMING, "expected HELLO_ACK");
  if ((r = scp_take_ack(c, on, &h, w->in + 64)) < 0) return r;
  scp_drop(w, bytes);
  w->expected = 1;
  return 0;
}

/* Connects and performs the handshake; takes up to four seconds. 0, or the negative reason, with a text in c->error. */
int scp_open(struct scp_client *c, const struct scp_settings *s) {
  int r;
  memset(c, 0, sizeof *c);
  c->s = *s;
  c->wire[0].socket = c->wire[1].socket = -1;
  if (!c->s.host) c->s.host = "127.0.0.1";
  if (!c->s.control_port) c->s.control_port = "42750";
  if (!c->s.data_port) c->s.data_port = "42751";
  if (!c->s.ping_ms) c->s.ping_ms = 100;
  if (!c->s.timeout_ms) c->s.timeout_ms = 1000;
  if (!c->s.delay_ms) c->s.delay_ms = 100;
  if (!c->s.period_parts || c->s.period_ns > (UINT64_C(1) << 62) / c->s.period_parts || c->s.period_ns / c->s.period_parts < 1000 ||
      scp_bytes(s->send, s->send_element) > SCP_MOST_PAYLOAD || scp_bytes(s->receive, s->receive_element) > SCP_MOST_PAYLOAD)
    return scp_fail(c, SCP_DIMENSIONS, "the settings have no meaning: the sample time, or the length of a vector");
  if (s->key) {
    FILE *random = fopen("/dev/urandom", "rb");
    const size_t n = random ? fread(c->nonce, 1, 32, random) : 0;
    if (random) fclose(random);
    if (n != 32) return scp_fail(c, SCP_KEY, "there are no random numbers");
  }
  r = scp_greet(c, SCP_CONTROL, c->s.host, c->s.control_port, scp_now() + INT64_C(2000000000));
  if (r == 0) r = scp_greet(c, SCP_VECTORS, c->s.host, c->s.data_port, scp_now() + INT64_C(2000000000));
  if (r < 0) return r;
  c->up = 1;
  c->began = c->last_answer = c->next_ping = c->next_delay = scp_now();
  return 0;
}

/* -- while the link is up -- */

static void scp_add(struct scp_figure *f, int64_t ns) {
  ++f->count;
  f->last = (double)ns * 1e-9;
  f->sum += f->last;
  if (f->count == 1 || f->last > f->most) f->most = f->last;
}

static int scp_asked(int64_t list[16], int64_t stamp) {
  int i;
  for (i = 0; i < 16 && stamp; ++i) {
    if (list[i] != stamp) continue;
    list[i] = 0;
    return 1;
  }
  return 0;
}
static void scp_remember(int64_t list[16], int64_t stamp) {
  memmove(list + 1, list, 15 * sizeof list[0]);
  list[0] = stamp;
}

/* t1, t4 are ours, T2, T3 the peer's; all within 2^60, so that nothing overflows. */
static void scp_take_exchange(struct scp_client *c, int64_t t1, int64_t T2, int64_t T3, int64_t t4) {
  const int64_t trip = (t4 - t1) - (T3 - T2), twice = (t1 - T2) + (t4 - T3);
  if (T3 < T2 || t4 < t1 || trip < 0) {
    ++c->unasked;
    return;
  }
  c->round_trip = trip;
  if (c->best_since == 0 || t4 - c->best_since >= INT64_C(1000000000)) { /* a new second: the best of the last one holds */
    if (c->best_since) c->offset = c->best_offset;
    c->best_since = t4;
    c->best_trip = INT64_MAX;
  }
  if (trip < c->best_trip) {
    c->best_trip = trip;
    c->best_offset = twice / 2;
  }
  if (!c->clock_known || t4 - c->began < INT64_C(1000000000)) c->offset = c->best_offset;
  c->clock_known = 1;
}

/* Processes a frame received at `now`: SCP_VECTOR, SCP_NOTHING, or a negative reason. */
static int scp_take(struct scp_client *c, int on, const struct scp_header *h, const unsigned char *payload, int64_t now) {
  struct scp_wire *w = &c->wire[on];
  if (h->session != c->session) return scp_fail(c, SCP_FRAMING, "a frame of another session");
  if (h->sequence != w->expected) ++c->gaps;
  w->expected = h->sequence + 1;
  if (h->type == SCP_BYE) return scp_take_bye(c, payload, h->payload);
  if ((h->type == SCP_DATA) != (on == SCP_VECTORS) || h->type == SCP_HELLO || h->type == SCP_HELLO_ACK) {
    ++c->misplaced;
    return SCP_NOTHING;
  }
  switch (h->type) {
    case SCP_DATA:
      if (h->channel != 0) {
        ++c->unknown;
        return SCP_NOTHING;
      }
      if (h->element != c->s.receive_element || h->payload != scp_bytes(c->s.receive, c->s.receive_element)) {
        scp_say_bye(c, SCP_DIMENSIONS, "a vector of another length or type");
        return scp_fail(c, SCP_DIMENSIONS, "a vector of another length or type");
      }
      ++c->vectors_received;
      c->header = *h;
      memcpy(c->vector, payload, h->payload);
      c->received = now;
      c->fresh = 1;
      if (h->echo) c->answers = h->echo;
      if (c->clock_known) scp_add(&c->send_to_receive, now - (c->offset + h->t_trm));
      return SCP_VECTOR;
    case SCP_PING:
      scp_say(c, SCP_PING_RETURN, 0, h->t_trm);
      break;
    case SCP_PING_RETURN:
      if (scp_asked(c->pings, h->echo))
        c->last_answer = now;
      else
        ++c->unasked;
      break;
    case SCP_REFERENCE:
      c->reference_home = c->step + c->stepping; /* what comes before the first step belongs to its beginning */
      c->reference_target = h->step;
      c->steps_known = 1;
      break;
    case SCP_DELAY:
      scp_say(c, SCP_DELAY_RETURN, now, h->t_trm);
      break;
    case SCP_DELAY_RETURN:
      if (scp_asked(c->delays, h->echo))
        scp_take_exchange(c, h->echo, h->t_acq, h->t_trm, now);
      else
        ++c->unasked;
      break;
    default: /* CLOCK and STATS are for displays */
      break;
  }
  return SCP_NOTHING;
}

/* Sends what is due, and what could not be sent before. */
static int scp_tick(struct scp_client *c, int64_t now) {
  int i;
  if (now - c->last_answer > c->timeout_ms * INT64_C(1000000)) {
    scp_say_bye(c, SCP_TIMEOUT, "no ping was answered");
    return scp_fail(c, SCP_TIMEOUT, "no ping was answered");
  }
  if (now >= c->next_ping) {
    scp_remember(c->pings, scp_say(c, SCP_PING, 0, 0));
    c->next_ping = now + c->ping_ms * INT64_C(1000000);
  }
  if (now >= c->next_delay) { /* ten times as often in the first two seconds */
    const int64_t interval = c->delay_ms * INT64_C(1000000), often = interval / 10 > 10000000 ? interval / 10 : 10000000;
    scp_remember(c->delays, scp_say(c, SCP_DELAY, 0, 0));
    c->next_delay = now + (now - c->began < INT64_C(2000000000) && often < interval ? often : interval);
  }
  if (c->waiting && c->wire[SCP_VECTORS].out == 0) {
    struct scp_header h = {0};
    h.type = SCP_DATA;
    h.step = c->step;
    h.t_acq = c->next_acq;
    h.echo = c->next_echo;
    h.element = c->s.send_element;
    scp_queue(c, SCP_VECTORS, h, c->next, scp_bytes(c->s.send, c->s.send_element));
    c->waiting = 0;
    ++c->vectors_sent;
  }
  for (i = 0; i < 2; ++i) scp_flush(&c->wire[i]);
  return 0;
}

/* Serves the link until `until` (scp_now()'s clock), at least once. Returns at once with SCP_VECTOR when a vector was
 * received (in c->vector, with its c->header), SCP_NOTHING at that time, or a negative reason when the link has ended. */
int scp_poll(struct scp_client *c, int64_t until) {
  if (!c->up) return -c->reason;
  for (;;) {
    fd_set reads, writes;
    struct timespec rest;
    struct scp_header h;
    size_t bytes = 0;
    int64_t now = scp_now(), wake = until;
    int i, r;
    for (i = 0; i < 2; ++i) {
      struct scp_wire *w = &c->wire[i];
      while ((r = scp_next(c, w, &h, &bytes)) == 1) {
        r = scp_take(c, i, &h, w->in + 64, now);
        if (r < 0) return r;
        scp_drop(w, bytes);
        if (r == SCP_VECTOR) return (r = scp_tick(c, now)) < 0 ? r : SCP_VECTOR;
      }
      if (r < 0) return r;
      if (w->have == 0 && w->skip == 0)
        w->partial_since = 0;
      else if (w->partial_since == 0)
        w->partial_since = now;
      else if (now - w->partial_since > INT64_C(1000000000))
        return scp_fail(c, SCP_FRAMING, "a frame did not end within a second");
    }
    if ((r = scp_tick(c, now)) < 0) return r;
    if (c->next_ping < wake) wake = c->next_ping;
    if (c->next_delay < wake) wake = c->next_delay;
    wake = wake > (now = scp_now()) ? wake - now : 0;
    rest.tv_sec = (time_t)(wake / 1000000000);
    rest.tv_nsec = (long)(wake % 1000000000);
    FD_ZERO(&reads);
    FD_ZERO(&writes);
    for (i = 0; i < 2; ++i) {
      FD_SET(c->wire[i].socket, &reads);
      if (c->wire[i].out > 0) FD_SET(c->wire[i].socket, &writes);
    }
    r = pselect((c->wire[0].socket > c->wire[1].socket ? c->wire[0].socket : c->wire[1].socket) + 1, &reads, &writes, NULL, &rest, NULL);
    if (r <= 0 && scp_now() >= until) return SCP_NOTHING;
    for (i = 0; i < 2 && r > 0; ++i)
      if (FD_ISSET(c->wire[i].socket, &reads) && scp_read(&c->wire[i]) < 0)
        return scp_fail(c, SCP_LOST, "the peer closed the connection without BYE");
  }
}

/* Step n begins, planned for `planned`: tells the peer. */
void scp_step(struct scp_client *c, int64_t n, int64_t planned) {
  c->step = n;
  c->stepping = 1;
  c->output_acq = 0;
  if (c->up) scp_say(c, SCP_REFERENCE, planned, 0);
}

/* Copies the newest vector to `to` (null: only marks it as output): 1 when it is new, 0 when it is the last again. */
int scp_receive(struct scp_client *c, void *to) {
  const int64_t now = scp_now();
  uint32_t i;
  for (i = 0; to && i < c->s.receive; ++i) {
    if (c->s.receive_element == SCP_DOUBLE) {
      const uint64_t bits = scp_get(c->vector + 8 * i, 8);
      memcpy((double *)to + i, &bits, 8);
    } else {
      ((unsigned char *)to)[i] = c->vector[i];
    }
  }
  if (!c->fresh) return 0;
  c->fresh = 0;
  c->output_acq = c->header.t_acq;
  if (c->clock_known) scp_add(&c->acquisition_to_output, now - (c->offset + c->header.t_acq));
  if (c->answers >= c->began && c->answers <= now && c->answers != c->counted) {
    c->counted = c->answers;
    scp_add(&c->dead_time, now - c->answers);
  }
  return 1;
}

/* Sends a vector, acquired at `acquired` (0: now). It replaces one that could not be sent yet. 0, or a negative reason. */
int scp_send(struct scp_client *c, const void *vector, int64_t acquired) {
  uint32_t i;
  if (!c->up) return -c->reason;
  if (c->waiting) ++c->replaced;
  for (i = 0; i < c->s.send; ++i) {
    if (c->s.send_element == SCP_DOUBLE) {
      uint64_t bits;
      memcpy(&bits, (const double *)vector + i, 8);
      scp_put(c->next + 8 * i, bits, 8);
    } else {
      c->next[i] = ((const unsigned char *)vector)[i];
    }
  }
  c->next_acq = acquired ? acquired : scp_now();
  c->next_echo = c->output_acq;
  c->waiting = 1;
  return scp_tick(c, scp_now());
}

/* over/under times k, rounded down; *rest is the remainder over `under`. */
static int64_t scp_scaled(int64_t k, int64_t over, int64_t under, int64_t *rest) {
  int64_t whole = k / under, part = k % under;
  if (part < 0) {
    part += under;
    --whole;
  }
  if (whole > (INT64_C(1) << 61) / over || whole < -((INT64_C(1) << 61) / over)) { /* out of range */
    *rest = 0;
    return whole < 0 ? -(INT64_C(1) << 61) : INT64_C(1) << 61;
  }
  *rest = part * over % under;
  return whole * over + part * over / under;
}
/* Equation (1) of the EPOS paper: the peer's step at our step n, rounded down, with the remainder over c->under. */
int64_t scp_target_step(const struct scp_client *c, int64_t n, int64_t *rest) {
  return scp_scaled(n - c->reference_home, c->over, c->under, rest) + c->reference_target;
}

/* Steps that follow the server's clock; all zero at the start, and kept when a link is re-established. */
struct scp_grid {
  uint32_t session;
  int64_t offset, shift;
};
/* When step n is due; step 0 was at `start`. Call it once per step: the grid follows changes of the clock offset,
 * by at most a thousandth of a period per step. */
int64_t scp_due(struct scp_grid *g, const struct scp_client *c, int64_t start, int64_t n) {
  const int64_t most = (int64_t)(c->s.period_ns / c->s.period_parts / 1000);
  int64_t rest;
  if (c->up && c->clock_known) {
    int64_t change = g->session == c->session ? c->offset - g->offset : 0; /* another server's clock is followed from here on */
    if (g->session != c->session) g->offset = c->offset;
    change = change > most ? most : change < -most ? -most : change;
    g->session = c->session;
    g->offset += change;
    g->shift += change;
  }
  return start + scp_scaled(n, (int64_t)c->s.period_ns, (int64_t)c->s.period_parts, &rest) + g->shift;
}

void scp_close(struct scp_client *c) {
  if (c->up) scp_say_bye(c, SCP_CLOSING, "");
  scp_fail(c, SCP_CLOSING, "");
}

#ifdef SCP_MAIN
#include <math.h>
#include <stdlib.h>
/* usage: scp_client HOST[:PORT] [--data PORT] [--rate HZ] [--seconds S] [--send N] [--receive N] [--key FILE] [--again]
 * Sends cos t in every element and prints what it receives; --again: reconnects when the link is lost. */
int main(int argc, char **argv) {
  static struct scp_client c;
  static unsigned char key[4096];
  static double out[SCP_MOST_PAYLOAD / 8], in[SCP_MOST_PAYLOAD / 8];
  struct scp_settings s = {NULL, NULL, NULL, 0, 1, 1, 1, SCP_DOUBLE, SCP_DOUBLE, NULL, 0, 0, "scp_client.c", 0, 0, 0};
  double rate = 10, seconds = 5;
  char host[256] = "127.0.0.1", next_port[16], *colon;
  int64_t start, n = 0;
  int i, again = 0, r, losses = 0;
  for (i = 1; i < argc; ++i) {
    const char *v = i + 1 < argc ? argv[i + 1] : "";
    if (strncmp(argv[i], "--", 2) != 0) {
      snprintf(host, sizeof host, "%s", argv[i]);
      continue;
    }
    if (strcmp(argv[i], "--again") == 0) {
      again = 1;
      continue;
    }
    if (strcmp(argv[i], "--data") == 0) s.data_port = v;
    else if (strcmp(argv[i], "--rate") == 0) rate = atof(v);
    else if (strcmp(argv[i], "--seconds") == 0) seconds = atof(v);
    else if (strcmp(argv[i], "--send") == 0) s.send = (uint32_t)atoi(v);
    else if (strcmp(argv[i], "--receive") == 0) s.receive = (uint32_t)atoi(v);
    else if (strcmp(argv[i], "--key") == 0) {
      FILE *f = fopen(v, "rb");
      s.key_bytes = f ? fread(key, 1, sizeof key, f) : 0;
      s.key = key;
      if (f) fclose(f);
    } else rate = 0;
    ++i;
  }
  if ((colon = strrchr(host, ':')) != NULL) {
    *colon = 0;
    s.control_port = colon + 1;
    snprintf(next_port, sizeof next_port, "%d", atoi(s.control_port) + 1);
    if (!s.data_port) s.data_port = next_port;
  }
  if (!(rate >= 0.001 && rate <= 1000) || (s.key && s.key_bytes == 0)) {
    fprintf(stderr, "scp_client: an option has no meaning; the head of main() lists them\n");
    return 2;
  }
  s.host = host;
  s.period_ns = (uint64_t)(1e9 / rate + 0.5);
  while ((r = scp_open(&c, &s)) < 0) {
    if (!again || losses++ > 50) goto failed;
    poll(NULL, 0, 100);
  }
  start = scp_now();
  for (n = 0; (double)n < seconds * rate; ++n) {
    const int64_t due = start + n * (int64_t)s.period_ns;
    while ((r = scp_poll(&c, due)) == SCP_VECTOR) {
    }
    if (r < 0) {
      fprintf(stderr, "lost (%d): %s\n", -r, c.error);
      ++losses;
      while (again && (r = scp_open(&c, &s)) < 0 && (double)(scp_now() - start) * 1e-9 < seconds) poll(NULL, 0, 100);
      if (r < 0) goto failed;
    }
    scp_step(&c, n, due);
    r = scp_receive(&c, in);
    for (i = 0; i < (int)s.send; ++i) out[i] = cos((double)n / rate);
    if (scp_send(&c, out, 0) < 0) continue; /* the next poll says why */
  }
  i = c.send_to_receive.count > 0;
  printf("{\"peer\": \"%.32s\", \"sent\": %llu, \"received\": %llu, \"losses\": %d, \"last\": %.9g, \"offset\": %.9f, "
         "\"round_trip\": %.9f, \"send_to_receive\": %.9f, \"acquisition_to_output\": %.9f, \"dead_time\": %.9f, \"target_step\": %lld}\n",
         c.peer, (unsigned long long)c.vectors_sent, (unsigned long long)c.vectors_received, losses, s.receive ? in[0] : 0.0,
         (double)c.offset * 1e-9, (double)c.round_trip * 1e-9, i ? c.send_to_receive.sum / (double)c.send_to_receive.count : 0.0,
         c.acquisition_to_output.count ? c.acquisition_to_output.sum / (double)c.acquisition_to_output.count : 0.0,
         c.dead_time.count ? c.dead_time.sum / (double)c.dead_time.count : 0.0,
         (long long)(c.steps_known ? scp_target_step(&c, c.step, &start) : 0));
  scp_close(&c);
  return 0;
failed:
  fprintf(stderr, "scp_client: %s%s (%d)\n", c.theirs ? "the peer reports: " : "", c.error, -r);
  return 1;
}
#endif
#endif
