/* The simulator's side of RSP 1 (formats/rsp/README.md) over scp_client.c in this directory: C99 and POSIX sockets only.
 *
 * Compile it (it includes scp_client.c) or #include it. With -DRSP_MAIN it is a program: a servicer that oscillates in front of a target.
 *
 *     static struct scp_client c;              s.send = s.receive = rsp_numbers(bodies)
 *     struct rsp_run run;
 *     rsp_init(&run, &c, 1, 1, 2, INT64_C(30000000000));     one body, forerun 1/2, 30 s to the initial state
 *     for (n = 0;; ++n) {
 *       while ((r = scp_poll(&c, due)) == SCP_VECTOR) rsp_take(&run);
 *       scp_step(&c, n, due);
 *       scp_receive(&c, NULL);
 *       rsp_begin(&run, n);
 *       rsp_send(&run, bodies, 1);             INIT, STATE or STOP, as required
 *       if (run.simulating) ...                the model advances; else it stays in its initial state
 *     }
 */
#ifndef RSP_CLIENT_C
#define RSP_CLIENT_C
#include "scp_client.c"

#define RSP_MOST_BODIES 8
enum { RSP_READY = 1, RSP_INIT, RSP_INIT_ACK, RSP_INIT_NAK, RSP_STATE, RSP_FEEDBACK, RSP_STOP, RSP_HALTED, RSP_FAULT };
enum { RSP_OFFLINE, RSP_WAITING, RSP_ASKING, RSP_COUNTING, RSP_RUNNING, RSP_STOPPING };
enum { RSP_IDLE, RSP_SERVER_READY, RSP_APPROACHING, RSP_SERVER_RUNNING, RSP_EXTRAPOLATING, RSP_HALTING, RSP_AT_REST, RSP_SERVER_FAULT };

struct rsp_body {
  double position[3], velocity[3]; /* m, m/s */
  double attitude[4];              /* w x y z, from body to reference axes */
  double rate[3];                  /* rad/s, body axes */
};
struct rsp_run {
  struct scp_client *link;
  int bodies, state, simulating, ready;
  int64_t forerun_over, forerun_under, initial_ns;
  int64_t n, run, known_run, asked, stopped, client_step, server_step;
  uint32_t session;
  double out[12 + 13 * RSP_MOST_BODIES];
  struct rsp_body measured[RSP_MOST_BODIES];
  int server;            /* its state */
  double actual_forerun; /* s, of the last command that it used */
  double refusal[3];     /* of the last INIT_NAK: reason, value, limit */
  int64_t runs, commands, refused, malformed, late, extrapolated, rejected;
};

static uint32_t rsp_numbers(int bodies) { return (uint32_t)(12 + 13 * bodies); }

void rsp_init(struct rsp_run *r, struct scp_client *link, int bodies, int64_t forerun_over, int64_t forerun_under, int64_t initial_ns) {
  memset(r, 0, sizeof *r);
  r->link = link;
  r->bodies = bodies;
  r->forerun_over = forerun_over; /* 0 to 1, in at most 1000000 parts */
  r->forerun_under = forerun_under;
  r->initial_ns = initial_ns;
}

static int64_t rsp_up(int64_t a, int64_t b) { return a / b + (a % b > 0); } /* a/b rounded up, b > 0 */

/* Equations (9) to (11) of the EPOS paper in integers, with the client as home in `c`; 0 when the numbers are out of range. */
int rsp_start_of_run(const struct scp_client *c, int64_t now, int64_t initial_ns, int64_t forerun_over, int64_t forerun_under,
                     int64_t *client_step, int64_t *server_step) {
  int64_t rest, whole;
  if (c->s.period_parts > 1000000 || initial_ns < 0 || initial_ns > INT64_C(1000000000000) || forerun_under < 1 ||
      forerun_under > 1000000 || forerun_over < 0 || forerun_over > forerun_under)
    return 0;
  *client_step = now + rsp_up(initial_ns * (int64_t)c->s.period_parts, (int64_t)c->s.period_ns);
  whole = scp_target_step(c, *client_step, &rest);
  *server_step = whole + rsp_up(rest * forerun_under + (forerun_under + forerun_over) * c->over, c->under * forerun_under);
  return 1;
}

static void rsp_leave(struct rsp_run *r, int state) {
  r->simulating = r->ready = 0;
  r->state = state;
}
static void rsp_halt(struct rsp_run *r) {
  r->simulating = 0;
  r->stopped = r->n;
  r->state = RSP_STOPPING;
}
static int rsp_since(const struct rsp_run *r, int64_t step, int64_t seconds) {
  return (double)(r->n - step) * (double)r->link->s.period_ns >= (double)seconds * 1e9 * (double)r->link->s.period_parts;
}
/* An integer within limits. */
static int rsp_whole(double x, double least, double most) { return x >= least && x <= most && x == (double)(int64_t)x; }

/* Decodes the packet in a vector; 0 when it is invalid. Servers send neither accelerations nor reference axes. */
int rsp_decode(const double *v, uint32_t n, struct rsp_body *bodies, int *count) {
  uint32_t i, end;
  int b, k;
  if (n < 12 || v[0] != 1.0 || !rsp_whole(v[1], 1, 9) || !rsp_whole(v[2], 0, 4503599627370496.0) ||
      !rsp_whole(v[3], -9007199254740992.0, 9007199254740992.0) || !rsp_whole(v[4], 0, RSP_MOST_BODIES) || v[5] != 0.0)
    return 0;
  *count = (int)v[4];
  end = rsp_numbers(*count);
  if (n < end) return 0;
  for (i = 0; i < end; ++i)
    if (!(v[i] >= -1e300 && v[i] <= 1e300)) return 0; /* not a number, or infinite */
  for (b = 0; b < *count; ++b) {
    double norm = 0.0;
    memcpy(&bodies[b], v + 12 + 13 * b, 13 * sizeof(double));
    for (k = 0; k < 4; ++k) norm += bodies[b].attitude[k] * bodies[b].attitude[k];
    if (!(norm >= 1.0 - 2e-6 && norm <= 1.0 + 2e-6)) return 0;
  }
  return 1;
}

static int64_t rsp_count(double x) { return rsp_whole(x, 0, 9007199254740992.0) ? (int64_t)x : 0; }

/* A vector was received: scp_poll() returned SCP_VECTOR. */
void rsp_take(struct rsp_run *r) {
  double v[12 + 19 * RSP_MOST_BODIES];
  struct rsp_body bodies[RSP_MOST_BODIES];
  const uint32_t n = r->link->s.receive < sizeof v / sizeof v[0] ? r->link->s.receive : (uint32_t)(sizeof v / sizeof v[0]);
  const int active = r->state == RSP_COUNTING || r->state == RSP_RUNNING || r->state == RSP_STOPPING;
  int count = 0, kind;
  int64_t run;
  uint32_t i;
  for (i = 0; i < n; ++i) {
    const uint64_t bits = scp_get(r->link->vector + 8 * i, 8);
    memcpy(v + i, &bits, 8);
  }
  if (!rsp_decode(v, n, bodies, &count) || v[1] == RSP_INIT || v[1] == RSP_STATE || v[1] == RSP_STOP) {
    ++r->malformed;
    return;
  }
  kind = (int)v[1];
  run = (int64_t)v[2];
  if (count == r->bodies) memcpy(r->measured, bodies, (size_t)count * sizeof bodies[0]);
  if (kind == RSP_READY || kind == RSP_FEEDBACK) r->known_run = run > r->known_run ? run : r->known_run;
  switch (kind) {
    case RSP_READY:
      r->server = RSP_SERVER_READY;
      if (active && run >= r->run) rsp_leave(r, RSP_WAITING);
      if (r->state == RSP_WAITING) r->ready = 1;
      break;
    case RSP_FEEDBACK:
      if (!(v[6] >= 0.0 && v[6] <= 7.0)) break;
      r->server = (int)v[6];
      r->actual_forerun = v[7];
      r->extrapolated = rsp_count(v[8]);
      r->late = rsp_count(v[9]);
      r->rejected = rsp_count(v[10]);
      if (r->state == RSP_WAITING) {
        r->ready = r->server == RSP_SERVER_READY;
        break;
      }
      if (run != r->run) break;
      /* the announcement may have been replaced in transit: this feedback implies it */
      if (r->state == RSP_ASKING && r->server >= RSP_APPROACHING && r->server <= RSP_EXTRAPOLATING) r->state = RSP_COUNTING;
      if ((r->state == RSP_COUNTING || r->state == RSP_RUNNING) && (r->server == RSP_HALTING || r->server == RSP_SERVER_FAULT)) rsp_halt(r);
      if (active && (r->server == RSP_IDLE || r->server == RSP_SERVER_READY || r->server == RSP_AT_REST)) rsp_leave(r, RSP_WAITING);
      break;
    case RSP_INIT_ACK:
      if (r->state == RSP_ASKING && run == r->run) r->state = RSP_COUNTING;
      break;
    case RSP_INIT_NAK:
      if (run != r->run || (r->state != RSP_ASKING && r->state != RSP_STOPPING)) break;
      if (r->state == RSP_ASKING) {
        ++r->refused;
        memcpy(r->refusal, v + 6, sizeof r->refusal);
      }
      rsp_leave(r, RSP_WAITING);
      break;
    case RSP_HALTED:
      r->server = RSP_AT_REST;
      if (active && run == r->run) rsp_leave(r, RSP_WAITING);
      break;
    default: /* a fault of the facility */
      r->server = RSP_SERVER_FAULT;
      r->ready = 0;
      if (active || r->state == RSP_ASKING) rsp_leave(r, RSP_WAITING);
      break;
  }
}

/* Step n begins; call it after rsp_take() for all received vectors. */
void rsp_begin(struct rsp_run *r, int64_t n) {
  r->n = n;
  /* a new session is another server, or one that has lost our run */
  if (r->state != RSP_OFFLINE && (!r->link->up || r->link->session != r->session)) rsp_leave(r, RSP_OFFLINE);
  if (r->state == RSP_OFFLINE && r->link->up) {
    r->session = r->link->session;
    r->state = RSP_WAITING;
  }
  if (r->state == RSP_ASKING && rsp_since(r, r->asked, 2)) {
    ++r->refused;
    rsp_leave(r, RSP_WAITING);
  }
  if (r->state == RSP_COUNTING && n >= r->client_step) {
    r->simulating = 1; /* the model is in its initial state in this step, and leaves it after */
    if (n > r->client_step) {
      ++r->runs;
      r->state = RSP_RUNNING;
    }
  }
  if (r->state == RSP_STOPPING && rsp_since(r, r->stopped, 10)) rsp_leave(r, RSP_WAITING);
}

/* Ends the run. */
void rsp_stop(struct rsp_run *r) {
  if (r->state == RSP_ASKING || r->state == RSP_COUNTING || r->state == RSP_RUNNING) rsp_halt(r);
}

/* Writes a packet into r->out. */
void rsp_encode(struct rsp_run *r, int kind, int64_t step, const struct rsp_body *bodies, const double *arguments, int count) {
  memset(r->out, 0, sizeof r->out);
  r->out[0] = 1.0;
  r->out[1] = kind;
  r->out[2] = (double)r->run;
  r->out[3] = (double)step;
  r->out[4] = bodies ? r->bodies : 0;
  memcpy(r->out + 6, arguments, (size_t)count * sizeof(double));
  if (bodies) memcpy(r->out + 12, bodies, (size_t)r->bodies * sizeof bodies[0]);
}

/* Sends the packet of this step; `want`: start a run as soon as the facility is ready. Returns 0, or a negative reason of SCP. */
int rsp_send(struct rsp_run *r, const struct rsp_body *bodies, int want) {
  const struct scp_client *c = r->link;
  double arguments[5] = {0};
  if (r->state == RSP_WAITING && r->ready && want && c->steps_known &&
      rsp_start_of_run(c, r->n, r->initial_ns, r->forerun_over, r->forerun_under, &r->client_step, &r->server_step)) {
    r->run = (r->run > r->known_run ? r->run : r->known_run) + 1;
    r->asked = r->n;
    arguments[0] = (double)r->server_step;
    arguments[1] = (double)c->s.period_ns;
    arguments[2] = (double)c->s.period_parts;
    arguments[3] = (double)r->forerun_over / (double)r->forerun_under;
    arguments[4] = (double)r->initial_ns * 1e-9;
    rsp_encode(r, RSP_INIT, r->client_step, bodies, arguments, 5); /* does not change while it is repeated */
    r->state = RSP_ASKING;
  }
  if (r->state == RSP_RUNNING) {
    int64_t rest;
    const int64_t whole = scp_scaled(r->n - r->client_step, c->over, c->under, &rest);
    arguments[0] = (double)(r->server_step + whole) + (double)rest / (double)c->under;
    rsp_encode(r, RSP_STATE, r->n, bodies, arguments, 1);
    ++r->commands;
  } else if (r->state == RSP_STOPPING) {
    rsp_encode(r, RSP_STOP, r->n, NULL, arguments, 0);
  } else if (r->state != RSP_ASKING) {
    return 0;
  }
  return scp_send(r->link, r->out, 0);
}

#ifdef RSP_MAIN
#include <math.h>
#include <stdlib.h>
/* usage: rsp_client HOST[:PORT] [--data PORT] [--rate HZ] [--forerun NU] [--initial S] [--duration S]
 * A servicer that oscillates in front of a fixed target, as examples/rsp/facility.xml expects. */
int main(int argc, char **argv) {
  static struct scp_client c;
  static struct rsp_run run;
  struct scp_grid grid = {0, 0, 0};
  struct scp_settings s = {NULL, NULL, NULL, 0, 1, 0, 0, SCP_DOUBLE, SCP_DOUBLE, NULL, 0, 0, "rsp_client.c", 0, 0, 0};
  struct rsp_body bodies[2] = {{{0, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}}, {{2, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}}};
  double rate = 10, forerun = 0.5, initial = 5, duration = 10, t = 0, farthest = 0;
  char host[256] = "127.0.0.1", next_port[16], *colon;
  int64_t start, n;
  int i, ended = 0, r;
  for (i = 1; i < argc; ++i) {
    const char *v = i + 1 < argc ? argv[i + 1] : "";
    if (strncmp(argv[i], "--", 2) != 0) {
      snprintf(host, sizeof host, "%s", argv[i]);
      continue;
    }
    if (strcmp(argv[i], "--data") == 0) s.data_port = v;
    else if (strcmp(argv[i], "--rate") == 0) rate = atof(v);
    else if (strcmp(argv[i], "--forerun") == 0) forerun = atof(v);
    else if (strcmp(argv[i], "--initial") == 0) initial = atof(v);
    else if (strcmp(argv[i], "--duration") == 0) duration = atof(v);
    else rate = 0;
    ++i;
  }
  if ((colon = strrchr(host, ':')) != NULL) {
    *colon = 0;
    s.control_port = colon + 1;
    snprintf(next_port, sizeof next_port, "%d", atoi(s.control_port) + 1);
    if (!s.data_port) s.data_port = next_port;
  }
  if (!(rate >= 0.001 && rate <= 1000) || !(forerun >= 0 && forerun <= 1)) {
    fprintf(stderr, "rsp_client: an option has no meaning; the head of main() lists them\n");
    return 2;
  }
  s.host = host;
  s.period_ns = (uint64_t)(1e9 / rate + 0.5);
  s.send = s.receive = rsp_numbers(2);
  if ((r = scp_open(&c, &s)) < 0) goto failed;
  rsp_init(&run, &c, 2, (int64_t)(forerun * 1e6 + 0.5), 1000000, (int64_t)(initial * 1e9));
  start = scp_now();
  for (n = 0; !(ended && run.state <= RSP_WAITING) && (double)n < (initial + duration + 30) * rate; ++n) {
    const int64_t due = scp_due(&grid, &c, start, n); /* on the server's clock, so that the forerun lasts */
    while ((r = scp_poll(&c, due)) == SCP_VECTOR) rsp_take(&run);
    if (r < 0) goto failed;
    scp_step(&c, n, due);
    scp_receive(&c, NULL);
    rsp_begin(&run, n);
    if (run.simulating && t >= duration) {
      rsp_stop(&run);
      ended = 1;
    }
    /* x = 0.1 cos 0.4 t; in its initial state before the run begins */
    bodies[0].position[0] = 0.1 * cos(0.4 * t);
    bodies[0].velocity[0] = -0.04 * sin(0.4 * t);
    rsp_send(&run, bodies, !ended);
    if (run.simulating) t += (double)s.period_ns * 1e-9;
    if (run.state == RSP_RUNNING) farthest = fmax(farthest, fabs(run.measured[0].position[0]));
  }
  printf("{\"ended\": %s, \"state\": %d, \"runs\": %lld, \"commands\": %lld, \"late\": %lld, \"extrapolated\": %lld, \"refused\": %lld, "
         "\"rejected\": %lld, \"malformed\": %lld, \"forerun\": %.9f, \"farthest\": %.9f}\n",
         ended ? "true" : "false", run.state, (long long)run.runs, (long long)run.commands, (long long)run.late, (long long)run.extrapolated,
         (long long)run.refused, (long long)run.rejected, (long long)run.malformed, run.actual_forerun, farthest);
  scp_close(&c);
  return ended ? 0 : 1;
failed:
  fprintf(stderr, "rsp_client: %s%s (%d)\n", c.theirs ? "the peer reports: " : "", c.error, -r);
  return 1;
}
#endif
#endif
