#include "vernier/gateway/link/relay.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/random.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::link {

using net::Clock;

struct Relay::State {
  struct Piece {
    Clock::time_point due;
    std::vector<std::byte> bytes;
    std::size_t sent = 0;
  };
  struct End {
    net::Stream stream;
    std::uint32_t watched = 0;  // monitored events; 0: not yet registered
  };
  /// One direction of one connection.
  struct Way {
    End *from = nullptr, *to = nullptr;
    std::deque<Piece> pieces;
    Clock::time_point last{};
    bool ended = false, done = false;
  };
  struct Pipe {
    Connection connection;
    End near, far;  // towards the client, towards the server
    std::array<Way, 2> ways;
    bool broken = false;  // one end has closed; the other is told unless the network is stalled
    bool cut = false;
  };

  State(net::Address c, net::Address d, std::array<net::Address, 2> at, std::uint64_t seed)
      : targets{std::move(c), std::move(d)}, places(std::move(at)), random(seed) {
    for (std::size_t i = 0; i < 2; ++i) {
      auto made = net::listening(places[i]);
      if (!made) {
        throw ConfigurationError(
            "V5121", "a relay cannot listen at " + text(places[i]) + ": " + made.error());
      }
      listeners[i] = std::move(*made);
    }
    for (const auto& l : listeners) loop.watch(l.get(), net::readable, 0);
    thread = std::thread([this] { run(); });
  }
  ~State() {
    {
      const std::lock_guard hold(guard);
      stopping = true;
    }
    loop.wake();
    thread.join();
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
    // the bytes of one read are one packet: lost or delayed as a whole
    auto when = due(i, w);
    while (!bytes.empty()) {
      std::size_t n = i.piece ? std::min(i.piece, bytes.size()) : bytes.size();
      if (i.ragged) n = 1 + static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
      n = std::min(n, bytes.size());
      w.pieces.push_back({when, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)}});
      bytes = bytes.subspan(n);
      // a short pause between pieces, so that they are read one by one
      if (i.ragged) when = w.last += std::chrono::microseconds(20);
    }
  }

  void read(Pipe& p, std::size_t way) {
    std::array<std::byte, 1u << 16> buffer;
    const net::Stream::Moved m = p.ways[way].from->stream.read(buffer);
    if (m.bytes > 0) add(p, way, std::span(buffer).first(m.bytes));
    if (m.state != net::Stream::State::closed) return;
    (p.ways[way].from->stream.failed() ? p.broken : p.ways[way].ended) = true;
  }

  void write_due(Pipe& p, std::size_t way) {
    Way& w = p.ways[way];
    if (impairment(p.connection, way).stalled) return;
    while (!w.pieces.empty() && w.pieces.front().due <= Clock::now()) {
      Piece& f = w.pieces.front();
      const net::Stream::Moved m = w.to->stream.write(std::span(f.bytes).subspan(f.sent));
      if (m.state == net::Stream::State::closed) p.broken = true;
      passed += m.bytes;
      f.sent += m.bytes;
      if (f.sent < f.bytes.size()) return;
      w.pieces.pop_front();
    }
    if (w.ended && !w.done && w.pieces.empty()) {
      w.to->stream.finish();
      w.done = true;
    }
  }

  void accept(std::size_t which) {
    while (auto near = net::accepted(listeners[which], Clock::now())) {
      if (refusing) continue;
      auto far = net::connected(targets[which], Clock::now() + std::chrono::seconds(1));
      if (!far) continue;
      auto p = std::make_unique<Pipe>();
      p->connection = which == 0 ? Connection::control : Connection::data;
      p->near.stream = net::Stream(std::move(*near));
      p->far.stream = net::Stream(std::move(*far));
      p->ways[0].from = p->ways[1].to = &p->near;
      p->ways[0].to = p->ways[1].from = &p->far;
      pipes.push_back(std::move(p));
    }
  }

  /// A stalled direction still reads a little, as a router would.
  bool reads(const Pipe& p, std::size_t way) {
    const Way& w = p.ways[way];
    return !w.ended && !(impairment(p.connection, way).stalled && w.pieces.size() > 64);
  }

  /// Registers the events for both ends of a pipe; returns when the next piece is due.
  Clock::time_point watch(Pipe& p, Clock::time_point now) {
    auto until = net::forever;
    std::array<std::uint32_t, 2> wanted{};  // near, far
    for (std::size_t way = 0; way < 2; ++way) {
      const Way& w = p.ways[way];
      if (!p.broken && reads(p, way)) wanted[way] |= net::readable;
      if (p.broken || impairment(p.connection, way).stalled || w.pieces.empty()) continue;
      if (w.pieces.front().due <= now)
        wanted[1 - way] |= net::writable;
      else
        until = std::min(until, w.pieces.front().due);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      End& end = i == 0 ? p.near : p.far;
      if (end.watched == wanted[i]) continue;
      if (end.watched != 0) loop.forget(end.stream.descriptor());
      if (wanted[i] != 0) loop.watch(end.stream.descriptor(), wanted[i], 0);
      end.watched = wanted[i];
    }
    return until;
  }

  void run() {
    std::unique_lock hold(guard);
    while (!stopping) {
      const auto now = Clock::now();
      auto until = now + std::chrono::milliseconds(200);
      for (const auto& p : pipes) until = std::min(until, watch(*p, now));
      hold.unlock();
      loop.wait(until);
      hold.lock();
      for (const auto& p : pipes) {
        if (p->broken) continue;
        for (std::size_t way = 0; way < 2; ++way) {
          if (reads(*p, way)) read(*p, way);
          write_due(*p, way);
        }
      }
      std::erase_if(pipes, [this](const auto& p) {
        const bool stalled =
            impairment(p->connection, 0).stalled || impairment(p->connection, 1).stalled;
        const bool ends = p->cut || (p->broken && !stalled) || (p->ways[0].done && p->ways[1].done);
        for (End* e : {&p->near, &p->far}) {
          if (!ends) continue;
          if (e->watched != 0) loop.forget(e->stream.descriptor());
          e->stream.close(p->cut);
        }
        return ends;
      });
      accept(0);
      accept(1);
    }
  }

  std::array<net::Address, 2> targets, places;
  std::array<Descriptor, 2> listeners;
  net::Loop loop;
  std::mutex guard;
  std::array<std::array<Impairment, 2>, 2> impairments{};
  std::vector<std::unique_ptr<Pipe>> pipes;
  Random random;
  std::uint64_t passed = 0;
  bool stopping = false, refusing = false;
  std::thread thread;
};

Relay::Relay(net::Address control, net::Address data, std::uint64_t seed)
    : Relay(std::move(control), std::move(data), {"127.0.0.1", "0"}, {"127.0.0.1", "0"}, seed) {}
Relay::Relay(net::Address control, net::Address data, net::Address listen_control,
             net::Address listen_data, std::uint64_t seed)
    : state_(std::make_unique<State>(std::move(control), std::move(data),
                                     std::array{std::move(listen_control), std::move(listen_data)},
                                     seed)) {}
Relay::~Relay() = default;

net::Address Relay::control() const {
  return {state_->places[0].host, std::to_string(net::port_of(state_->listeners[0]))};
}
net::Address Relay::data() const {
  return {state_->places[1].host, std::to_string(net::port_of(state_->listeners[1]))};
}

void Relay::impair(Connection c, Direction d, const Impairment& i) {
  const std::lock_guard hold(state_->guard);
  state_->impairment(c, static_cast<std::size_t>(d)) = i;
  state_->loop.wake();
}

void Relay::impair(const Impairment& i) {
  for (const Connection c : {Connection::control, Connection::data}) {
    for (const Direction d : {Direction::to_server, Direction::to_client}) impair(c, d, i);
  }
}

void Relay::cut() {
  const std::lock_guard hold(state_->guard);
  for (const auto& p : state_->pipes) p->cut = true;
  state_->loop.wake();
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
  state_->loop.wake();
}

std::uint64_t Relay::passed() const {
  const std::lock_guard hold(state_->guard);
  return state_->passed;
}

}  // namespace vernier::link
