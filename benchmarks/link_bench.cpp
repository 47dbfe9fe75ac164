// The quality of a link: the clock estimates over three simulated hours, and the delays on this
// machine's loopback. usage: link_bench [seconds of the delay measurement]
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "vernier/gateway/link/grid.hpp"
#include "vernier/gateway/link/link.hpp"
#include "vernier/gateway/link/network_model.hpp"

namespace {

using namespace vernier;
using namespace vernier::link;

constexpr std::int64_t millisecond = 1'000'000;

std::int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}
void sleep_until(std::int64_t t) {
  const timespec until{static_cast<time_t>(t / 1'000'000'000),
                       static_cast<long>(t % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}
/// Real-time priority for the calling thread, if permitted.
bool hurry(int priority) {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  sched_param p{};
  p.sched_priority = priority;
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &p) == 0;
}

int missed = 0;

const char* verdict(bool holds) {
  missed += !holds;
  return holds ? "ok" : "NOT";
}

struct Summary {
  double rms = 0.0, p99 = 0.0, most = 0.0, mean = 0.0;
};
Summary summary(std::vector<double> e) {
  if (e.empty()) return {};
  Summary s;
  for (const double x : e) s.rms += x * x, s.mean += x;
  const auto n = static_cast<double>(e.size());
  std::sort(e.begin(), e.end());
  return {std::sqrt(s.rms / n), e[e.size() * 99 / 100], e.back(), s.mean / n};
}

// -- clocks --

void clocks() {
  std::printf(
      "error of the clock estimate over 3 h, 10 ppm with wander, after the first minute, in µs "
      "(rms / 99 %% / most)\n");
  std::printf("%-6s %-34s %-28s %-28s\n", "", "mean of all (paper)", "filter, 1 exchange/s",
              "filter, best of 10 each second");
  for (const Network network : {Network::lan, Network::app, Network::epos, Network::wan}) {
    std::printf("%-6s", std::string(name(network)).c_str());
    for (const int method : {0, 1, 2}) {
      ClockPair pair({.network = network, .interval = method == 2 ? 0.1 : 1.0});
      net::MeanOffset mean;
      net::ClockFilter filter;
      std::vector<double> e;
      while (pair.now() < 10'800.0) {
        const net::ClockExchange x = pair.next();
        mean.add(x);
        filter.add(x);
        if (pair.now() < 60.0) continue;
        const std::int64_t offset = method == 0 ? mean.offset() : filter.estimate().offset_at(x.t4);
        const double truth = pair.true_offset(static_cast<double>(x.t4) * 1e-9);
        e.push_back(std::abs(static_cast<double>(offset) * 1e-9 - truth) * 1e6);
      }
      const Summary s = summary(e);
      char text[64];
      std::snprintf(text, sizeof text, "%.1f / %.1f / %.1f", s.rms, s.p99, s.most);
      std::printf(" %-*s", method == 0 ? 34 : 28, text);
      if (network == Network::epos && method == 2) std::printf("%s (150)", verdict(s.most < 150.0));
    }
    std::printf("\n");
  }
}

void forerun() {
  ClockPair pair({.network = Network::epos, .skew = 10e-6});
  net::ClockFilter filter;
  StepGrid grid;
  grid.begin({100'000'000, 1}, 0, 0);
  double first = 0.0, worst = 0.0, last = 0.0;
  while (pair.now() < 10'800.0) {
    filter.add(pair.next());
    const double t = static_cast<double>(grid.next(filter.estimate(), grid.due())) * 1e-9;
    const double server = t - pair.true_offset(t);
    if (grid.step() == 1) first = server;
    last = server - first - 0.1 * static_cast<double>(grid.step() - 1);
    worst = std::max(worst, std::abs(last));
  }
  std::printf(
      "forerun of 50 ms after 3 h at 10 ppm: changed by %.3f ms (%.2f %%), at most %.3f ms; "
      "without "
      "synchronisation by %.1f ms; %s (1 %%)\n",
      last * 1e3, std::abs(last) / 0.05 * 100, worst * 1e3, 10e-6 * 10'800 * 1e3,
      verdict(std::abs(last) <= 0.01 * 0.05));
}

// -- loopback --

constexpr std::size_t vector_size = 17;  // with the header 200 bytes

/// Half of the mean round-trip time of 200 bytes over TCP, one every 4 ms as on the link, in s.
double half_round_trip(double span) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof a;
  if (bind(listener, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0 || listen(listener, 1) != 0)
    std::abort();
  getsockname(listener, reinterpret_cast<sockaddr*>(&a), &size);
  std::thread echo([&] {
    hurry(60);
    const int s = accept(listener, nullptr, nullptr);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char buffer[200];
    while (recv(s, buffer, sizeof buffer, MSG_WAITALL) == sizeof buffer) {
      static_cast<void>(!send(s, buffer, sizeof buffer, MSG_NOSIGNAL));
    }
  });
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(s, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0) std::abort();
  double sum = 0.0;
  std::thread ping([&] {
    hurry(80);
    char buffer[200] = {};
    const std::int64_t begin = now();
    const int count = static_cast<int>(span / 4e-3);
    for (int k = 0; k < count; ++k) {
      sleep_until(begin + k * 4 * millisecond);
      const std::int64_t t = now();
      static_cast<void>(!send(s, buffer, sizeof buffer, MSG_NOSIGNAL));
      static_cast<void>(recv(s, buffer, sizeof buffer, MSG_WAITALL));
      sum += static_cast<double>(now() - t) * 1e-9 / count;
    }
  });
  ping.join();
  shutdown(s, SHUT_RDWR);
  echo.join();
  return sum / 2.0;
}

void delays(double span) {
  Settings server_settings;
  server_settings.role = Role::server;
  server_settings.control = server_settings.data = {"127.0.0.1", "0"};
  server_settings.period = {4'000'000, 1};
  server_settings.send = server_settings.receive = vector_size;
  server_settings.priority = 60;
  Link server(server_settings);
  server.open();
  Settings client_settings = server_settings;
  client_settings.role = Role::client;
  client_settings.control = server.control_address();
  client_settings.data = server.data_address();
  client_settings.period = {100'000'000, 1};
  Link client(client_settings);
  server.start();
  client.start();
  while (client.state() != LinkState::up || server.state() != LinkState::up)
    sleep_until(now() + millisecond);

  bool real_time = false;
  std::vector<double> to_client, to_server, to_output, dead;
  const std::int64_t begin = now() + 20 * millisecond;
  const std::int64_t end = begin + static_cast<std::int64_t>(span * 1e9);
  std::thread fast([&] {
    real_time = hurry(80);
    std::vector<double> v(vector_size);
    for (std::int64_t k = 0; begin + k * 4 * millisecond < end; ++k) {
      const std::int64_t planned = begin + k * 4 * millisecond;
      sleep_until(planned);
      server.begin_step(k, planned);
      const Received& r = server.receive();
      if (r.fresh) {
        // both sides use the same clock: the time stamps are exact
        to_server.push_back(static_cast<double>(r.received - r.sent) * 1e-9);
        to_output.push_back(static_cast<double>(r.output - r.acquired) * 1e-9);
        if (r.answers != 0) dead.push_back(static_cast<double>(r.output - r.answers) * 1e-9);
      }
      server.send(v);
    }
  });
  std::thread slow([&] {
    hurry(80);
    std::vector<double> v(vector_size);
    for (std::int64_t k = 0;; ++k) {
      // the phase relative to the server's steps passes through all values, as with two clocks
      const std::int64_t planned =
          begin + k * 100 * millisecond + (k * 370'000) % (4 * millisecond);
      if (planned >= end) break;
      sleep_until(planned);
      client.begin_step(k, planned);
      const Received& r = client.receive();
      if (r.fresh) to_client.push_back(static_cast<double>(r.received - r.sent) * 1e-9);
      client.send(v);
    }
  });
  fast.join();
  slow.join();
  const double raw = half_round_trip(std::min(span, 10.0));
  std::printf("loopback, 250 Hz and 10 Hz, %.0f s, %s\n", span,
              real_time ? "SCHED_FIFO" : "normal policy");
  const auto line = [](const char* what, std::vector<double> v, double unit, const char* of,
                       double bound) {
    const Summary s = summary(std::move(v));
    std::printf("  %-28s mean %8.1f µs  99 %% %8.1f µs  most %9.1f µs   %.2f %s, %s (%.2f)\n", what,
                s.mean * 1e6, s.p99 * 1e6, s.most * 1e6, s.mean / unit, of,
                verdict(s.mean <= bound * unit), bound);
  };
  std::printf("  %-28s mean %8.1f µs\n", "half a raw round trip", raw * 1e6);
  line("send to receive, to client", to_client, raw, "half round trips", 2.0);
  line("send to receive, to server", to_server, raw, "half round trips", 2.0);
  line("acquisition to output", to_output, 4e-3, "server steps", 0.75);
  line("dead time", dead, 4e-3, "server steps", 1.25);
  const Quality q = server.status().quality;
  std::printf(
      "  the link's own figures: send to receive %.1f µs, acquisition to output %.1f µs, dead time "
      "%.1f µs; "
      "lost %llu, replaced %llu\n",
      q.send_to_receive.mean * 1e6, q.acquisition_to_output.mean * 1e6, q.dead_time.mean * 1e6,
      static_cast<unsigned long long>(q.counters.losses),
      static_cast<unsigned long long>(q.counters.replaced));
}

}  // namespace

int main(int count, char** arguments) {
  clocks();
  forerun();
  delays(count > 1 ? std::atof(arguments[1]) : 30.0);
  return missed == 0 ? 0 : 1;
}
