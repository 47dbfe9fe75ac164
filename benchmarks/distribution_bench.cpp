// What a run on several nodes costs: its ticks compared with the bare exchange of as many bytes
// over the same sockets, copies of its state, and what two nodes gain. Nodes are processes. Prints
// the figures and whether the targets are met; exits with 1 if one is not. usage:
// distribution_bench [--rates]   --rates: only what fits the model of the tick rate, as CSV
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "machine.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/exchange/shared_exchange.hpp"
#include "vernier/run/exchange/socket_exchange.hpp"
#include "vernier/run/executive/executive.hpp"

namespace {

using namespace vernier;
using namespace std::chrono_literals;
using Wall = std::chrono::steady_clock;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "distribution_bench: %s\n", why);
  std::exit(2);
}

double microseconds(Wall::duration d) { return 1e-3 * static_cast<double>(d.count()); }

double quantile(std::vector<double> all, double q) {
  if (all.empty()) give_up("nothing was measured");
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), all.begin() + at, all.end());
  return all[static_cast<std::size_t>(at)];
}
double median(const std::vector<double>& all) { return quantile(all, 0.5); }
/// Without the slowest 2 %, in which other programs had the core.
double mean(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  all.resize((all.size() * 98 + 99) / 100);
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

// -- compositions ---------------------------------------------------------------------------------

/// x' = sum(u), y = x by Euler steps, element by element; `direct`: y = x + sum(u) at once; `work`
/// more iterations of something that takes time; a state that is `ballast` longer.
struct Kind {
  std::uint32_t inputs = 1, count = 5;
  bool direct = false;
  std::int64_t work = 0;
  std::size_t ballast = 0;
};

class Trivial final : public Component {
 public:
  explicit Trivial(const Kind& kind) : kind_(kind), x_(kind.count, 1.0), ballast_(kind.ballast) {
    for (std::uint32_t i = 0; i < kind.inputs; ++i) {
      Port p{.name = "u" + std::to_string(i), .count = kind.count};
      p.initial = std::vector<double>(kind.count);
      description_.inputs.push_back(p);
      if (kind.direct) description_.feedthrough.push_back({"y", p.name});
    }
    description_.outputs = {{.name = "y", .count = kind.count}};
    description_.state_bytes = x_.size() * sizeof(double) + ballast_.size();
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    u_.clear();
    for (const Port& p : description_.inputs) u_.push_back(b.real_input(p.name).data());
    y_ = b.real_output("y").data();
  }
  Outcome output(Instant) noexcept override {
    for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i];
    if (!kind_.direct) return Outcome::ok;
    for (const double* u : u_)
      for (std::size_t i = 0; i < x_.size(); ++i) y_[i] += u[i] * 1e-9;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    for (std::int64_t i = 0; i < kind_.work; ++i) x_[0] = x_[0] * 0.999999 + 1e-9;
    const double h = 1e-15 * static_cast<double>((to - from).count());
    for (const double* u : u_)
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += u[i] * h;
    return {to};
  }
  void save(std::span<std::byte> b) const noexcept override {
    std::memcpy(b.data(), x_.data(), x_.size() * sizeof(double));
    std::copy(ballast_.begin(), ballast_.end(), b.end() - static_cast<long>(ballast_.size()));
  }
  void load(std::span<const std::byte> b) noexcept override {
    std::memcpy(x_.data(), b.data(), x_.size() * sizeof(double));
  }

 private:
  Kind kind_;
  Description description_;
  std::vector<const double*> u_;
  double* y_ = nullptr;
  std::vector<double> x_;
  std::vector<std::byte> ballast_;
};

constexpr Duration step = 1ms;
struct Case {
  std::uint32_t nodes = 2;
  std::size_t bytes = 200;   // that each node sends each other in a round
  std::uint32_t rounds = 1;  // of outputs
  std::int64_t work = 0;     // of each part
  std::size_t ballast = 0;   // of each part
  std::uint32_t parts = 5;   // of each node and round
};

struct Divided {
  composition::Plan plan;
  std::vector<std::uint32_t> nodes;  // by part
};

/// In each round every part of a node reads its likes on all other nodes: those of the round
/// before, directly; in the first round those of the last.
Divided divided(const Case& c) {
  Divided d;
  d.plan.step = step;
  const auto count = static_cast<std::uint32_t>(c.bytes / 8 / c.parts);
  const auto index = [&](std::uint32_t round, std::uint32_t node, std::uint32_t i) {
    return (round * c.nodes + node) * c.parts + i;
  };
  for (std::uint32_t r = 0; r < c.rounds; ++r)
    for (std::uint32_t node = 0; node < c.nodes; ++node)
      for (std::uint32_t i = 0; i < c.parts; ++i) {
        composition::Part p;
        p.name = "p" + std::to_string(index(r, node, i));
        p.prefix = p.name + ".";
        p.component = std::make_unique<Trivial>(Kind{.inputs = std::max(1u, c.nodes - 1),
                                                     .count = count,
                                                     .direct = r > 0,
                                                     .work = c.work,
                                                     .ballast = c.ballast});
        d.plan.parts.push_back(std::move(p));
        d.nodes.push_back(node);
        for (std::uint32_t peer = 0, input = 0; peer < c.nodes; ++peer) {
          if (peer == node) continue;
          composition::Wire w;
          w.from_part = index(r > 0 ? r - 1 : c.rounds - 1, peer, i);
          w.to_part = index(r, node, i);
          w.to = input++;
          w.count = count;
          d.plan.wires.push_back(w);
        }
      }
  Diagnostics problems;
  composition::arrange(d.plan, problems);
  problems.throw_if_errors();
  return d;
}

// -- nodes ----------------------------------------------------------------------------------------

enum class Over { tcp, unix_sockets, shared };
const char* name(Over over) {
  return over == Over::tcp ? "tcp" : over == Over::shared ? "shared" : "unix";
}

/// Where all nodes begin the next phase together.
class Barrier {
 public:
  explicit Barrier(unsigned nodes) {
    pthread_barrierattr_t how;
    pthread_barrierattr_init(&how);
    pthread_barrierattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    void* const at =
        mmap(nullptr, sizeof *all_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) give_up("no memory");
    all_ = static_cast<pthread_barrier_t*>(at);
    pthread_barrier_init(all_, &how, nodes);
  }
  ~Barrier() { munmap(all_, sizeof *all_); }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  void wait() { pthread_barrier_wait(all_); }

 private:
  pthread_barrier_t* all_ = nullptr;
};

/// The connections of one node. `sockets` remain those of the exchange: the bare exchange uses the
/// same ones.
struct Seat {
  std::uint32_t self = 0;
  std::unique_ptr<exchange::Exchange> exchange;
  std::vector<int> sockets;  // to each peer; of shared memory none
};

std::array<net::Stream, 2> socket_pair(Over over) {
  if (over == Over::unix_sockets) {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
      give_up("no sockets");
    return {net::Stream(Descriptor(fds[0])), net::Stream(Descriptor(fds[1]))};
  }
  const auto listener = net::listening({"127.0.0.1", "0"});
  if (!listener) give_up("cannot listen");
  auto near = net::connected({"127.0.0.1", std::to_string(net::port_of(*listener))}, net::forever);
  auto far = net::accepted(*listener, net::forever);
  if (!near || !far) give_up("cannot connect");
  return {net::Stream(std::move(*near)), net::Stream(std::move(*far))};
}

/// Runs `work` as every node, node 0 in this process. A node that fails ends all.
void as_nodes(Over over, std::uint32_t nodes, const std::function<void(Seat&, Barrier&)>& work) {
  std::vector<std::vector<net::Stream>> rows(nodes);
  for (auto& row : rows) row.resize(nodes);
  Descriptor memory;
  if (over == Over::shared) {
    auto made = exchange::made_memory(nodes);
    if (!made) give_up(made.error().c_str());
    memory = std::move(*made);
  } else {
    for (std::uint32_t i = 0; i < nodes; ++i)
      for (std::uint32_t j = 0; j < i; ++j) {
        auto ends = socket_pair(over);
        rows[i][j] = std::move(ends[0]);
        rows[j][i] = std::move(ends[1]);
      }
  }
  Barrier barrier(nodes);
  const auto as = [&](std::uint32_t self) {
    Seat seat{.self = self, .exchange = {}, .sockets = {}};
    if (over == Over::shared) {
      auto made = exchange::SharedExchange::of(self, memory);
      if (!made) give_up(made.error().c_str());
      seat.exchange = std::move(*made);
    } else {
      for (const net::Stream& s : rows[self]) seat.sockets.push_back(s.descriptor());
      seat.exchange = std::make_unique<exchange::SocketExchange>(self, std::move(rows[self]));
    }
    for (auto& row : rows) row.clear();
    work(seat, barrier);
    barrier.wait();  // nobody leaves while another still receives
  };
  std::fflush(stdout);
  std::vector<pid_t> others;
  for (std::uint32_t self = 1; self < nodes; ++self) {
    const pid_t parent = getpid(), child = fork();
    if (child < 0) give_up("no process");
    if (child > 0) {
      others.push_back(child);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::atexit([] { kill(getppid(), SIGTERM); });  // of give_up()
    if (getppid() == parent) as(self);
    _exit(0);
  }
  as(0);
  for (const pid_t p : others) waitpid(p, nullptr, 0);
}

// -- what is measured -----------------------------------------------------------------------------

/// Takes the time of every tick.
class TickTimes final : public Pacer {
 public:
  explicit TickTimes(std::size_t most) { at_.reserve(most); }
  void begin() noexcept { at_.clear(); }
  Outcome wait_for(Time) noexcept override {
    at_.push_back(Wall::now());
    return Outcome::ok;
  }
  /// Between each two.
  void append_to(std::vector<double>& all) const {
    for (std::size_t i = 1; i < at_.size(); ++i) all.push_back(microseconds(at_[i] - at_[i - 1]));
  }

 private:
  std::vector<Wall::time_point> at_;
};

void set_blocking(const Seat& seat, bool blocks) {
  for (std::uint32_t peer = 0; peer < seat.sockets.size(); ++peer) {
    if (peer == seat.self) continue;
    const int flags = fcntl(seat.sockets[peer], F_GETFL);
    fcntl(seat.sockets[peer], F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
  }
}

/// Sends to all, then receives from all: waits in the system, or asks again and again.
void exchange_bare(const Seat& seat, std::vector<char>& bytes, bool asks) {
  const auto size = static_cast<ssize_t>(bytes.size());
  for (std::uint32_t peer = 0; peer < seat.sockets.size(); ++peer)
    if (peer != seat.self &&
        send(seat.sockets[peer], bytes.data(), bytes.size(), MSG_NOSIGNAL) != size)
      give_up("a bare frame was not sent");
  for (std::uint32_t peer = 0; peer < seat.sockets.size(); ++peer) {
    for (ssize_t n = 0; peer != seat.self && n < size;) {
      const ssize_t more =
          recv(seat.sockets[peer], bytes.data() + n, static_cast<std::size_t>(size - n), 0);
      if (asks && more < 0 && errno == EAGAIN)
        sched_yield();
      else if (more <= 0)
        give_up("a bare frame was not received");
      else
        n += more;
    }
  }
}

void run_ticks(executive::Executive& run, int ticks) {
  if (run.run_until(run.now() + ticks * step) != executive::Ending::reached)
    give_up(rendered(run.fault()).c_str());
}

/// Keeps this process on one core, until it ends.
class Pinned {
 public:
  explicit Pinned(std::uint32_t node) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(node % static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) give_up("cannot choose a core");
  }
  ~Pinned() { sched_setaffinity(0, sizeof before_, &before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_;
};

/// Times of ticks, us; and by turn the mean of a tick, which counts: on a core that two nodes
/// share, every other tick finds the frames there.
struct Times {
  std::vector<double> all, means;
  void add(const std::vector<double>& turn) {
    all.insert(all.end(), turn.begin(), turn.end());
    means.push_back(mean(turn));
  }
};
struct Measured {
  Times bare, asking, run;
  std::vector<double> ratios;  // of run to bare, by turn
};

/// Turns of bare exchanges and of ticks, so that disturbances affect both.
Measured measured(Over over, const Case& c, int ticks, int repetitions, bool pinned = false) {
  constexpr std::size_t heads = 32;  // of the exchange and of the executive
  Measured all;
  as_nodes(over, c.nodes, [&](Seat& seat, Barrier& barrier) {
    std::optional<Pinned> core;
    if (pinned) core.emplace(seat.self);
    Divided d = divided(c);
    TickTimes times(static_cast<std::size_t>(ticks));
    std::vector<Pacer*> pacers;
    if (seat.self == 0) pacers.push_back(&times);
    executive::Executive run(std::move(d.plan), pacers,
                             {.exchange = seat.exchange.get(), .nodes = d.nodes});
    run.initialize();
    run_ticks(run, ticks);
    std::vector<char> frame(heads + c.bytes);
    for (int k = 0; k < repetitions; ++k) {
      for (const bool asks : {false, true}) {
        barrier.wait();
        set_blocking(seat, !asks);
        std::vector<double> turn;
        for (int i = 0; i < ticks && over != Over::shared; ++i) {
          const auto began = Wall::now();
          for (std::uint32_t r = 0; r < c.rounds; ++r) exchange_bare(seat, frame, asks);
          turn.push_back(microseconds(Wall::now() - began));
        }
        if (!turn.empty()) (asks ? all.asking : all.bare).add(turn);
      }
      barrier.wait();
      times.begin();
      run_ticks(run, ticks);
      if (seat.self != 0) continue;
      std::vector<double> turn;
      times.append_to(turn);
      all.run.add(turn);
      if (over != Over::shared) all.ratios.push_back(all.run.means.back() / all.bare.means.back());
    }
  });
  return all;
}

// -- figures --------------------------------------------------------------------------------------

int failures = 0;

void verdict(const char* what, double value, bool most, double bound) {
  const bool ok = most ? value <= bound : value >= bound;
  std::printf("%-58s %8.2f   %s %-5.2f %s\n", what, value, most ? "<=" : ">=", bound,
              ok ? "ok" : "NOT");
  failures += !ok;
}

void ticks_of_trivial_parts() {
  std::printf("a tick of trivial parts, 200 B to every other node: us\n");
  std::printf("%-8s %5s %10s %8s %8s %10s %8s %8s %8s %10s\n", "over", "nodes", "bare: mean", "p50",
              "p99", "polling", "tick: mean", "p50", "p99", "tick/bare");
  std::array<double, 2> ratios{};
  double tcp = 0.0, shared = 0.0;
  for (const Over over : {Over::tcp, Over::unix_sockets, Over::shared}) {
    for (const std::uint32_t nodes : {2u, 4u}) {
      const Measured m = measured(over, {.nodes = nodes}, 2000, 21);
      const double tick = median(m.run.means), p50 = median(m.run.all),
                   p99 = quantile(m.run.all, 0.99);
      if (over == Over::shared) {
        std::printf("%-8s %5u %10s %8s %8s %10s %8.1f %8.1f %8.1f\n", name(over), nodes, "", "", "",
                    "", tick, p50, p99);
        if (nodes == 2) shared = tick;
        continue;
      }
      const double ratio = median(m.ratios);
      std::printf("%-8s %5u %10.1f %8.1f %8.1f %10.1f %8.1f %8.1f %8.1f %10.2f\n", name(over),
                  nodes, median(m.bare.means), median(m.bare.all), quantile(m.bare.all, 0.99),
                  median(m.asking.means), tick, p50, p99, ratio);
      if (over != Over::tcp) continue;
      ratios[nodes / 4] = ratio;
      if (nodes == 2) tcp = tick;
    }
  }
  std::printf("\n%-58s %8s   %s\n", "figure", "value", "required");
  verdict("a tick of two nodes over TCP / bare exchange", ratios[0], true, 1.5);
  verdict("a tick of four nodes over TCP / bare exchange", ratios[1], true, 1.6);
  verdict("a tick of two nodes over TCP / shared memory", tcp / shared, false, 2.0);
}

/// Copies the state and sends it to the process at the other end, as an executor does.
class Sender final : public executive::Keeper {
 public:
  Sender(const executive::Executive& run, int to) : run_(run), to_(to) {}
  void keep(Time) noexcept override {
    run_.save_into(state_);
    bytes_.clear();
    ByteWriter w(bytes_);
    w(state_.time.time_since_epoch().count(), static_cast<std::uint32_t>(state_.sections.size()));
    for (const executive::Section& section : state_.sections) w(section.path, section.bytes);
    for (Bytes rest = bytes_; !rest.empty();) {
      const ssize_t n = write(to_, rest.data(), rest.size());
      if (n <= 0) give_up("a copy of the state was not sent");
      rest = rest.subspan(static_cast<std::size_t>(n));
    }
  }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  const executive::Executive& run_;
  int to_;
  executive::Snapshot state_;
  std::vector<std::byte> bytes_;
};

/// A process that receives copies of the state from all nodes, as a composer does. It has time: it
/// does not push nodes off their cores.
class Receiver {
 public:
  Receiver() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) give_up("no sockets");
    to_ = Descriptor(ends[0]);
    process_ = fork();
    if (process_ != 0) {
      close(ends[1]);
      return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    to_.reset();
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);
    std::vector<char> room(1 << 16);
    while (read(ends[1], room.data(), room.size()) > 0) {
    }
    _exit(0);
  }
  ~Receiver() {
    to_.reset();
    waitpid(process_, nullptr, 0);
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  int descriptor() const { return to_.get(); }

 private:
  Descriptor to_;
  pid_t process_ = -1;
};

/// Turns with and without copies.
void copies_of_the_state() {
  constexpr int every = 100, ticks = 5'000, repetitions = 60;
  std::vector<double> with, without, ratios;
  std::size_t bytes = 0;
  Receiver receiver;
  as_nodes(Over::tcp, 2, [&](Seat& seat, Barrier& barrier) {
    Divided d = divided({.ballast = 360, .parts = 25});
    executive::Executive run(std::move(d.plan), {},
                             {.exchange = seat.exchange.get(), .nodes = d.nodes});
    run.initialize();
    Sender sender(run, receiver.descriptor());
    const auto turn = [&](executive::Keeper* keeper) {
      run.keep_every(every, keeper);
      barrier.wait();
      const auto began = Wall::now();
      run_ticks(run, ticks);
      return microseconds(Wall::now() - began) / ticks;
    };
    for (int k = 0; k < repetitions; ++k) {
      without.push_back(turn(nullptr));
      with.push_back(turn(&sender));
      ratios.push_back(with.back() / without.back());
    }
    bytes = sender.bytes();
  });
  std::printf(
      "\ncopies of the state, %zu bytes of each of two nodes over TCP: %.2f us a tick with, %.2f "
      "without\n",
      bytes, median(with), median(without));
  verdict("% of a run for a copy every 100 ticks", 100.0 * (median(ratios) - 1.0), true, 2.0);
}

/// How many iterations of a part take this long; counted once, so that all runs do the same work.
std::int64_t iterations(double seconds) {
  constexpr std::int64_t tried = 2'000'000;
  std::vector<double> spans;
  for (int k = 0; k < 7; ++k) {
    const auto began = Wall::now();
    volatile double x = 1.0;
    double y = x;
    for (std::int64_t i = 0; i < tried; ++i) y = y * 0.999999 + 1e-9;
    x = y;
    spans.push_back(1e-6 * microseconds(Wall::now() - began));
  }
  return static_cast<std::int64_t>(static_cast<double>(tried) * seconds / median(spans));
}

void heavy_parts() {
  constexpr int ticks = 10, repetitions = 9;
  std::vector<double> gains, one, two;
  const std::int64_t work = iterations(10e-3);
  as_nodes(Over::tcp, 2, [&](Seat& seat, Barrier& barrier) {
    const Pinned core(seat.self);
    const auto chain = [&] {
      composition::Plan plan;
      plan.step = step;
      for (std::uint32_t i = 0; i < 4; ++i) {
        composition::Part p;
        p.name = "p" + std::to_string(i);
        p.prefix = p.name + ".";
        p.component = std::make_unique<Trivial>(Kind{.work = work});
        plan.parts.push_back(std::move(p));
        composition::Wire w;
        w.from_part = i;
        w.to_part = (i + 1) % 4;
        w.count = 5;
        plan.wires.push_back(w);
      }
      Diagnostics problems;
      composition::arrange(plan, problems);
      problems.throw_if_errors();
      return plan;
    };
    executive::Executive whole(chain());
    executive::Executive half(chain(), {},
                              {.exchange = seat.exchange.get(), .nodes = {0, 0, 1, 1}});
    whole.initialize();
    half.initialize();
    for (int k = 0; k < repetitions; ++k) {
      barrier.wait();
      auto began = Wall::now();
      if (seat.self == 0) run_ticks(whole, ticks);
      const double alone = microseconds(Wall::now() - began) / ticks;
      barrier.wait();
      began = Wall::now();
      run_ticks(half, ticks);
      const double shared = microseconds(Wall::now() - began) / ticks;
      one.push_back(alone);
      two.push_back(shared);
      gains.push_back(alone / shared);
    }
  });
  std::printf("\nfour parts of 10 ms: %.1f ms a tick on one node, %.1f ms on two\n",
              1e-3 * median(one), 1e-3 * median(two));
  verdict("two nodes of one core each / one node", median(gains), false, 1.9);
}

/// For the model of the tick rate. `best`: the lowest of the means of a turn, which other programs
/// on the machine disturb least. Each node stays on one core.
void rates() {
  std::printf("over,nodes,bytes,rounds,work,best,p50,p99\n");
  const auto line = [](Over over, const Case& c) {
    const Measured m = measured(over, c, 200, 25, true);
    std::printf("%s,%u,%zu,%u,%lld,%.2f,%.2f,%.2f\n", name(over), c.nodes, c.bytes, c.rounds,
                static_cast<long long>(c.work), quantile(m.run.means, 0.0), median(m.run.all),
                quantile(m.run.all, 0.99));
  };
  for (const Over over : {Over::tcp, Over::shared}) {
    for (const std::uint32_t nodes : {1u, 2u, 3u, 4u, 6u, 8u})
      for (const std::size_t bytes : {200u, 4000u, 16'000u}) line(over, {nodes, bytes});
    for (const std::uint32_t nodes : {1u, 2u, 4u})
      for (const std::uint32_t rounds : {2u, 4u}) line(over, {nodes, 200, rounds});
    for (const std::uint32_t nodes : {1u, 2u, 4u})
      for (const std::int64_t work : {5'000, 20'000}) line(over, {nodes, 200, 1, work});
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string_view(arguments[1]) == "--rates") {
    rates();
    return 0;
  }
  std::printf("%s\n\n", bench::machine().c_str());
  ticks_of_trivial_parts();
  copies_of_the_state();
  heavy_parts();
  return failures ? 1 : 0;
}
