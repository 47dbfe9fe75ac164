/* The RSP side of the C client against formats/rsp: a line of standard input is a packet in hexadecimal digits, answered by what it was
 * read as and the packet written again; or "start" and the numbers of equations (9) to (11). */
#include "rsp_client.c"

#include <stdlib.h>

int main(void) {
  static char line[8192];
  static struct scp_client c;
  static struct rsp_run run;
  while (fgets(line, sizeof line, stdin)) {
    struct rsp_body bodies[RSP_MOST_BODIES];
    double v[256];
    uint32_t n, i;
    int count = 0, k;
    if (strncmp(line, "start", 5) == 0) {
      long long x[10], client, server;
      char *at = line + 5;
      int64_t a = 0, b = 0;
      for (k = 0; k < 10; ++k) x[k] = strtoll(at, &at, 10);
      c.s.period_ns = (uint64_t)x[2];
      c.s.period_parts = (uint32_t)x[3];
      c.over = x[4];
      c.under = x[5];
      c.reference_home = x[6];
      c.reference_target = x[7];
      if (!rsp_start_of_run(&c, x[0], x[1], x[8], x[9], &a, &b)) a = b = -1;
      client = a;
      server = b;
      printf("%lld %lld\n", client, server);
      continue;
    }
    if (strncmp(line, "grid", 4) == 0) { /* steps of 0.1 s, against a clock that is 50 ppm slow and then another server's */
      struct scp_grid g = {0, 0, 0};
      c.s.period_ns = 100000000;
      c.s.period_parts = 1;
      for (k = 0; k < 1000; ++k) {
        c.up = c.clock_known = k >= 10;
        c.session = k < 500 ? 7 : 8;
        c.offset = (k < 500 ? INT64_C(123456789) : INT64_C(-987654321)) + 5000 * (int64_t)k;
        printf("%lld ", (long long)(scp_due(&g, &c, 1000, k) - 1000 - 100000000 * (int64_t)k));
      }
      printf("\n");
      continue;
    }
    for (n = 0; n < 256 && strlen(line + 16 * n) >= 16; ++n) {
      uint64_t bits = 0;
      for (i = 0; i < 8; ++i) {
        char two[3] = {line[16 * n + 2 * i], line[16 * n + 2 * i + 1], 0};
        bits |= (uint64_t)strtoul(two, NULL, 16) << 8 * i;
      }
      memcpy(v + n, &bits, 8);
    }
    if (!rsp_decode(v, n, bodies, &count)) {
      printf("none\n");
      continue;
    }
    rsp_init(&run, &c, count, 1, 2, 0);
    run.run = (int64_t)v[2];
    rsp_encode(&run, (int)v[1], (int64_t)v[3], count ? bodies : NULL, v + 6, 6);
    for (i = 0; i < n; ++i) {
      uint64_t bits;
      memcpy(&bits, run.out + i, 8);
      for (k = 0; k < 8; ++k) printf("%02x", (unsigned)(bits >> 8 * k & 255));
    }
    printf("\n");
  }
  return 0;
}
