#include "vernier/gateway/link/relay.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/random.hpp"

namespace vernier::link {

using channel::Clock;
using channel::Descriptor;

struct Relay::State {
  struct Piece {
    Clock::time_point due;
    std::vector<std::byte> bytes;
    std::size_t sent = 0;
  };
  /// One way of one connection.
  struct Way {
    int from = -1, to = -1;
    std::deque<Piece> pieces;
    Clock::time_point last{};
    bool ended = false, done = false;
  };
  struct Pipe {
    Connection connection;
    Descriptor near, far;  // towards the client, towards the server
    std::array<Way, 2> ways;
    bool broken = false;  // one end has gone; the other hears of it unless the network is stalled
    bool cut = false;
  };

  State(channel::Address c, channel::Address d, std::array<channel::Address, 2> at,
        std::uint64_t seed)
      : targets{std::move(c), std::move(d)}, places(std::move(at)), random(seed) {
    for (std::size_t i = 0; i < 2; ++i) {
      auto made = channel::listening(places[i]);
      if (!made) {
        throw ConfigurationError(
            "V5121", "a relay cannot listen at " + text(places[i]) + ": " + made.error());
      }
      listeners[i] = std::move(*made);
    }
    wake = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    thread = std::thread([this] { run(); });
  }
  ~State() {
    {
      const std::lock_guard hold(guard);
      stopping = true;
    }
    nudge();
    thread.join();
  }
  void nudge() const {
    const std::uint64_t one = 1;
    static_cast<void>(!write(wake.get(), &one, sizeof one));
  }
  Impairment& impairment(Connection c, std::size_t way) {
    return impairments[c == Connection::control ? 0 : 1][way];
  }

  Clock::time_point due(const Impairment& i, Way& w) {
    double d = i.network ? drawn_delay(*i.network, random) : i.delay;
    if (i.jitter > 0.0) d += i.jitter * random.normal();
    if (i.loss > 0.0 && random.uniform() < i.loss) d += i.retransmission;
    if (i.reorder > 0.0 && random.uniform() < i.reorder) d += i.overtaken;
    const auto t = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::max(d, 0.0)));
    return w.last = std::max(w.last, t);
  }

  void add(Pipe& p, std::size_t way, std::span<const std::byte> bytes) {
    Way& w = p.ways[way];
    const Impairment& i = impairment(p.connection, way);
    // what was read at once is one packet: it is lost or late as a whole
    auto when = due(i, w);
    while (!bytes.empty()) {
      std::size_t n = i.piece ? std::min(i.piece, bytes.size()) : bytes.size();
      if (i.ragged) n = 1 + static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
      n = std::min(n, bytes.size());
      w.pieces.push_back({when, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)}});
      bytes = bytes.subspan(n);
      // a moment between pieces, so that they are read one by one
      if (i.ragged) when = w.last += std::chrono::microseconds(20);
    }
  }

  void read(Pipe& p, std::size_t way) {
    std::array<std::byte, 1u << 16> buffer;
    const ssize_t n = recv(p.ways[way].from, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
      add(p, way, std::span(buffer).first(static_cast<std::size_t>(n)));
    } else if (n == 0) {
      p.ways[way].ended = true;
    } else if (errno != EAGAIN && errno != EINTR) {
      p.broken = true;
    }
  }

  void write_due(Pipe& p, std::size_t way) {
    Way& w = p.ways[way];
    if (impairment(p.connection, way).stalled) return;
    while (!w.pieces.empty() && w.pieces.front().due <= Clock::now()) {
      Piece& f = w.pieces.front();
      const ssize_t n = ::send(w.to, f.bytes.data() + f.sent, f.bytes.size() - f.sent,
                               MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0) {
        p.broken = p.broken || (errno != EAGAIN && errno != EINTR);
        return;
      }
      passed += static_cast<std::uint64_t>(n);
      f.sent += static_cast<std::size_t>(n);
      if (f.sent < f.bytes.size()) return;
      w.pieces.pop_front();
    }
    if (w.ended && !w.done && w.pieces.empty()) {
      shutdown(w.to, SHUT_WR);
      w.done = true;
    }
  }

  void accept(std::size_t which) {
    while (auto near = channel::accepted(listeners[which], Clock::now())) {
      if (refusing) continue;
      auto far = channel::connected(targets[which], Clock::now() + std::chrono::seconds(1));
      if (!far) continue;
      auto p = std::make_unique<Pipe>();
      p->connection = which == 0 ? Connection::control : Connection::data;
      p->near = std::move(*near);
      p->far = std::move(*far);
      p->ways[0].from = p->ways[1].to = p->near.get();
      p->ways[0].to = p->ways[1].from = p->far.get();
      pipes.push_back(std::move(p));
    }
  }

  void run() {
    std::unique_lock hold(guard);
    while (!stopping) {
      std::vector<pollfd> all{{wake.get(), POLLIN, 0},
                              {listeners[0].get(), POLLIN, 0},
                              {listeners[1].get(), POLLIN, 0}};
      auto until = Clock::now() + std::chrono::milliseconds(200);
      for (const auto& p : pipes) {
        if (p->broken) continue;
        for (std::size_t way = 0; way < 2; ++way) {
          const Way& w = p->ways[way];
          const bool stalled = impairment(p->connection, way).stalled;
          // one that is stalled reads no more than a little, as a router would
          const bool reads = !w.ended && !(stalled && w.pieces.size() > 64);
          all.push_back({w.from, static_cast<short>(reads ? POLLIN : 0), 0});
          const bool writes = !stalled && !w.pieces.empty();
          const bool due_now = writes && w.pieces.front().due <= Clock::now();
          all.push_back({w.to, static_cast<short>(due_now ? POLLOUT : 0), 0});
          if (writes && !due_now) until = std::min(until, w.pieces.front().due);
        }
      }
      hold.unlock();
      const auto left = std::chrono::ceil<std::chrono::nanoseconds>(until - Clock::now()).count();
      const timespec timeout{0, static_cast<long>(std::clamp<std::int64_t>(left, 0, 999'999'999))};
      ppoll(all.data(), static_cast<nfds_t>(all.size()), &timeout, nullptr);
      hold.lock();
      std::uint64_t count = 0;
      static_cast<void>(!::read(wake.get(), &count, sizeof count));
      for (const auto& p : pipes) {
        if (p->broken) continue;
        for (std::size_t way = 0; way < 2; ++way) {
          const bool stalled = impairment(p->connection, way).stalled;
          if (!p->ways[way].ended && !(stalled && p->ways[way].pieces.size() > 64)) read(*p, way);
          write_due(*p, way);
        }
      }
      std::erase_if(pipes, [this](const auto& p) {
        const bool stalled =
            impairment(p->connection, 0).stalled || impairment(p->connection, 1).stalled;
        return p->cut || (p->broken && !stalled) || (p->ways[0].done && p->ways[1].done);
      });
      accept(0);
      accept(1);
    }
  }

  std::array<channel::Address, 2> targets, places;
  std::array<Descriptor, 2> listeners;
  Descriptor wake;
  std::mutex guard;
  std::array<std::array<Impairment, 2>, 2> impairments{};
  std::vector<std::unique_ptr<Pipe>> pipes;
  Random random;
  std::uint64_t passed = 0;
  bool stopping = false, refusing = false;
  std::thread thread;
};

Relay::Relay(channel::Address control, channel::Address data, std::uint64_t seed)
    : Relay(std::move(control), std::move(data), {"127.0.0.1", "0"}, {"127.0.0.1", "0"}, seed) {}
Relay::Relay(channel::Address control, channel::Address data, channel::Address listen_control,
             channel::Address listen_data, std::uint64_t seed)
    : state_(std::make_unique<State>(std::move(control), std::move(data),
                                     std::array{std::move(listen_control), std::move(listen_data)},
                                     seed)) {}
Relay::~Relay() = default;

channel::Address Relay::control() const {
  return {state_->places[0].host, std::to_string(channel::port_of(state_->listeners[0]))};
}
channel::Address Relay::data() const {
  return {state_->places[1].host, std::to_string(channel::port_of(state_->listeners[1]))};
}

void Relay::impair(Connection c, Direction d, const Impairment& i) {
  const std::lock_guard hold(state_->guard);
  state_->impairment(c, static_cast<std::size_t>(d)) = i;
  state_->nudge();
}

void Relay::impair(const Impairment& i) {
  for (const Connection c : {Connection::control, Connection::data}) {
    for (const Direction d : {Direction::to_server, Direction::to_client}) impair(c, d, i);
  }
}

void Relay::cut() {
  const std::lock_guard hold(state_->guard);
  for (const auto& p : state_->pipes) {
    const linger at_once{1, 0};
    for (const Descriptor* d : {&p->near, &p->far}) {
      setsockopt(d->get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    p->cut = true;
  }
  state_->nudge();
}

void Relay::refuse(bool refusing) {
  const std::lock_guard hold(state_->guard);
  state_->refusing = refusing;
}

void Relay::inject(Connection c, Direction d, std::span<const std::byte> bytes) {
  const std::lock_guard hold(state_->guard);
  for (const auto& p : state_->pipes) {
    if (p->connection == c && !p->cut) state_->add(*p, static_cast<std::size_t>(d), bytes);
  }
  state_->nudge();
}

std::uint64_t Relay::passed() const {
  const std::lock_guard hold(state_->guard);
  return state_->passed;
}

}  // namespace vernier::link
