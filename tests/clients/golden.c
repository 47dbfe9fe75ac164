/* The C client against the frames in formats/scp: reads a folder's frames from standard input, one in hexadecimal to a line,
 * and writes each as the client writes it again, or what is wrong with it. "hello" makes the greetings that frames.py makes. */
#include "scp_client.c"

static int value(int c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

static void show(const unsigned char *p, size_t n) {
  size_t i;
  for (i = 0; i < n; ++i) printf("%02x", p[i]);
  printf("\n");
}

int main(void) {
  static char line[8192];
  static unsigned char in[4096], out[4096];
  static struct scp_client c;
  unsigned char digest[32];
  if (scp_crc32c("123456789", 9) != 0xE3069283u) return 1;
  /* RFC 4231, cases 2 and 6: a short key, and one that is longer than a block */
  scp_hmac("Jefe", 4, "what do ya want for nothing?", 28, digest);
  show(digest, 32);
  memset(in, 0xaa, 131);
  scp_hmac(in, 131, "Test Using Larger Than Block-Size Key - Hash Key First", 54, digest);
  show(digest, 32);
  while (fgets(line, sizeof line, stdin)) {
    struct scp_header h = {0};
    size_t n = 0;
    const char *flaw;
    if (strncmp(line, "hello", 5) == 0) {
      const int data = line[5] == '2';
      memset(&c, 0, sizeof c);
      c.s.period_ns = 100000000;
      c.s.period_parts = 3;
      c.s.send = 26;
      c.s.receive = 3;
      c.s.send_element = c.s.receive_element = SCP_DOUBLE;
      c.s.ping_ms = c.s.delay_ms = 100;
      c.s.timeout_ms = 1000;
      c.s.interface_hash = UINT64_C(0xFEDCBA9876543210);
      c.s.name = "simulator";
      if (data) c.session = 0x1234ABCD, scp_put(c.token, UINT64_C(0x0123456789ABCDEF), 8);
      show(in, scp_write_hello(&c, data, in));
      continue;
    }
    for (; value(line[2 * n]) >= 0 && value(line[2 * n + 1]) >= 0; ++n)
      in[n] = (unsigned char)(value(line[2 * n]) * 16 + value(line[2 * n + 1]));
    flaw = n < 64 ? "short" : scp_read_header(in, &h);
    if (!flaw && h.payload > 1024) flaw = "long";
    if (!flaw && (h.flags & 1) && scp_get(in + 64 + h.payload, 4) != scp_crc32c(in + 64, h.payload)) flaw = "checksum of the payload";
    if (flaw)
      printf("! %s\n", flaw);
    else
      show(out, scp_write(&h, in + 64, h.payload, out));
  }
  return 0;
}
