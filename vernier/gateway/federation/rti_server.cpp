#include "vernier/gateway/federation/rti_server.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/hello.hpp"
#include "vernier/gateway/federation/rti_transport.hpp"
#include "vernier/net/liveness.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::federation {
namespace {

using Clock = RtiTransport::Clock;
using namespace std::chrono_literals;

constexpr std::size_t read_size = 128u << 10;

Descriptor listener_or_throw(Result<Descriptor, std::string> made, const std::string& where) {
  if (made) return std::move(*made);
  throw ConfigurationError("V5300", "the RTI cannot listen at " + where + ": " + made.error());
}

constexpr int most_waiting = 256;  // listen queue; a whole federation may connect at once

}  // namespace

struct RtiServer::State {
  /// One federate's connection.
  struct Session final : Peer {
    enum class Stage { tls, hello, open, closing, dead };

    Session(State& s, Descriptor fd)
        : server(s),
          wire(std::move(fd)),
          name(net::peer_name(wire.descriptor())),
          hello(s.settings.key) {}

    void put(const Frame& f) override {
      if (stage != Stage::open) return;
      outbox.put(f);
      touch();
    }
    void say(Bytes bytes) {
      outbox.put(bytes);
      touch();
    }
    void give_up(std::string_view why) override { server.given_up.emplace_back(this, why); }
    /// So much is waiting to be sent to it that its senders must wait.
    bool behind() const noexcept { return outbox.size() > server.settings.backlog; }
    void touch() {
      if (!dirty) server.dirty.push_back(this);
      dirty = true;
      if (counted || !behind()) return;
      counted = true;
      ++server.behind;
      taken = server.now;
    }
    std::size_t backlog() const noexcept override { return outbox.size(); }

    State& server;
    net::Stream wire;
    std::string name;
    HelloFromFederate hello;
    Stage stage = Stage::hello;
    Connection connection = 0;
    net::Outbox outbox{server.chunks};
    net::Inbox rest{0};  // the part of an incomplete frame that has arrived
    net::Liveness life{server.now};
    Clock::time_point taken = server.now, deadline{};
    std::uint32_t watched = 0;  // the poll events it is registered for
    Kind next{};                // the frame it is paused at
    int buffered = 0;           // bytes received while paused
    bool dirty = false;         // there is output to write
    bool full = false;          // the socket accepts no more output now
    bool counted = false;       // counted in `behind`
    bool hung_up = false;       // the peer has closed its sending side
    bool paused = false;        // not read from: it or others must catch up first
    bool ending = false;        // closes after the last output
    bool left = false;          // the federate has disconnected properly
    bool more = false;  // its TLS session may hold decrypted bytes, which poll does not report
  };
  using Stage = Session::Stage;

  State(ServerSettings s, std::unique_ptr<Exchange> e)
      : settings(std::move(s)), exchange(std::move(e)) {
    if (!loop) throw ConfigurationError("V5300", "the RTI cannot listen: " + net::system_error());
    if (!settings.certificate.empty()) {
      std::string why;
      tls = net::Tls::of_server(settings.certificate, settings.certificate_key, why);
      if (!tls) throw ConfigurationError("V5301", "the RTI cannot use its certificate: " + why);
    }
    if (!settings.path.empty())
      listeners.push_back(listener_or_throw(net::listening_at(settings.path, most_waiting),
                                            "unix:" + settings.path));
    if (!settings.listen.empty()) listen_on_tcp();
    listen(true);
  }
  ~State() {
    if (!settings.path.empty()) unlink(settings.path.c_str());
  }

  void listen(bool on) noexcept {
    if (on == listens) return;
    listens = on;
    for (const Descriptor& l : listeners) {
      if (on)
        loop.watch(l.get(), net::readable, no_session);
      else
        loop.forget(l.get());
    }
  }
  void listen_on_tcp() {
    const auto address = net::parsed_address(settings.listen);
    if (!address)
      throw ConfigurationError("V5300", "the RTI cannot listen at \"" + settings.listen +
                                            "\": write HOST:PORT, for example 127.0.0.1:14321");
    listeners.push_back(
        listener_or_throw(net::listening(*address, most_waiting), net::text(*address)));
    tcp = net::text({address->host, std::to_string(net::port_of(listeners.back()))});
  }

  void watch(Session& s) noexcept {
    const std::uint32_t wanted =
        net::hung_up | (s.paused ? 0u : net::readable) | (s.full ? net::writable : 0u);
    if (s.watched == wanted || s.stage == Stage::dead) return;
    const auto key = std::bit_cast<net::Loop::Key>(&s);
    if (s.watched == 0)
      loop.watch(s.wire.descriptor(), wanted, key);
    else
      loop.change(s.wire.descriptor(), wanted, key);
    s.watched = wanted;
  }
  void log(const std::string& line) const {
    if (settings.log) settings.log(line);
  }

  // ---- accepting

  void accept_some() {
    for (const Descriptor& l : listeners) {
      for (int k = 0; k < net::accepted_at_once; ++k) {
        Descriptor fd = net::accepted(l);
        if (!fd) {
          // Out of descriptors: a connection that has not greeted makes room after this round. If
          // there is none, stop accepting until a connection may have closed.
          if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM) && !make_room(nullptr))
            listen(false);
          break;
        }
        sessions.push_back(std::make_unique<Session>(*this, std::move(fd)));
        ++living;
        Session& s = *sessions.back();
        s.wire.tolerate(std::max<std::chrono::milliseconds>(settings.tolerate, 1s));
        s.deadline = now + settings.greet_within;
        watch(s);
        const bool local = !settings.path.empty() && &l == &listeners.front();
        if (tls && !local) {
          s.stage = Stage::tls;
          s.wire.secure(*tls);
        }
        if (living > settings.most_connections && !make_room(&s))
          refuse(s, "the RTI has all the " + std::to_string(settings.most_connections) +
                        " connections it may have");
      }
    }
  }

  /// Closes the connection that has kept the RTI waiting longest for its greeting, except `but`.
  /// False: there is none.
  bool make_room(const Session* but) {
    for (const auto& s : sessions) {
      if (s.get() == but || (s->stage != Stage::tls && s->stage != Stage::hello)) continue;
      if (turned_away++ == 0)
        log(s->name + " is refused: it did not say who it is, and others need the connection");
      lose(*s, {});
      return true;
    }
    return false;
  }

  /// Sends the reason, and waits a little for the peer to read it.
  void refuse(Session& s, const std::string& why) {
    if (s.stage == Stage::dead || s.stage == Stage::closing) return;
    log(s.name + " is refused: " + why);
    dismiss(s, why);
  }
  void dismiss(Session& s, const std::string& why) {
    if (s.stage == Stage::dead || s.stage == Stage::closing) return;
    if (s.stage != Stage::tls) {
      std::vector<std::byte> last;
      write(last, Lost{why});
      s.say(last);
    }
    leave(s, why);
  }
  void leave(Session& s, const std::string& why) {
    const bool joined = s.stage == Stage::open;
    s.stage = Stage::closing;
    s.ending = true;
    s.deadline = now + 1s;
    s.touch();
    if (joined) exchange->close(s.connection, why);
  }
  /// The connection can no longer be used.
  void lose(Session& s, const std::string& why) {
    if (s.stage == Stage::dead) return;
    if (s.stage == Stage::open) {
      if (!s.left) {
        log(s.name + " is gone: " + why);
      } else if (settings.verbose) {
        log(s.name + " has disconnected");
      }
      s.stage = Stage::dead;
      exchange->close(s.connection, why);
    }
    s.stage = Stage::dead;
    --living;
    loop.forget(s.wire.descriptor());
    some_dead = true;
  }

  // ---- receiving

  /// Reads from a session into the shared buffer, after what is left of an incomplete frame.
  void read(Session& s) {
    s.more = false;
    if (s.stage == Stage::tls && !shaken(s)) return;
    s.more = read_once(s) && s.wire.secured() && s.stage != Stage::dead;
    // one at a time, so that a busy sender does not delay the others
    if (s.more && !s.paused) unread.push_back(&s);
  }
  /// True: there may be more.
  bool read_once(Session& s) {
    net::Inbox* inbox = &shared;
    if (const std::size_t kept = s.rest.content().size(); kept > read_size / 2) {
      inbox = &s.rest;  // a long frame grows in its own buffer
    } else {
      shared.keep(s.rest.content());
      if (kept > 0) s.rest.keep({});
    }
    const std::span<std::byte> room = inbox->room();
    const net::Stream::Moved m = s.wire.read(room);
    inbox->add(m.bytes);
    if (m.bytes > 0) s.life.hear(now);
    if (m.state == net::Stream::State::closed) s.hung_up = true;
    Bytes all = inbox->content();
    const bool good = s.stage == Stage::closing || take(s, all);
    if (s.stage == Stage::open || s.stage == Stage::hello) s.rest.keep(all);
    if (inbox == &s.rest) s.rest.shrink(std::max(read_size, 2 * all.size()));
    if (!good) refuse(s, "malformed message from the federate");
    if (m.state == net::Stream::State::closed) lose(s, s.wire.why());
    return m.bytes == room.size();
  }

  /// Takes all complete frames, or those until the session must wait; false: they are malformed.
  bool take(Session& s, Bytes& all) {
    Bytes frame;
    while (true) {
      const Bytes from = all;
      const net::Cut cut =
          next_frame(all, frame, s.stage == Stage::open ? longest_request : longest_hello);
      if (cut == net::Cut::more) return true;
      if (cut == net::Cut::malformed) return false;
      if (s.stage == Stage::open) {
        const Kind kind = front(frame).kind;
        if (kind == Kind::alive) continue;
        if (must_wait(s, kind)) {
          all = from;
          pause(s, kind);
          return true;
        }
        s.left = s.left || kind == Kind::leave;
        if (kind == Kind::hello || !exchange->take(s.connection, frame)) return false;
      } else {
        if (!greeted(s, frame)) return true;
      }
    }
  }

  bool greeted(Session& s, Bytes frame) {
    std::vector<std::byte> reply;
    const Greeting g = s.hello.take(frame, reply);
    s.say(reply);
    if (g == Greeting::refused) {
      log(s.name + " is refused: " + s.hello.why());
      leave(s, s.hello.why());
      return false;
    }
    if (g == Greeting::done) {
      s.stage = Stage::open;
      s.connection = exchange->open(s);
      if (settings.verbose) log(s.name + " has connected: " + s.hello.program());
    }
    return true;
  }

  bool shaken(Session& s) {
    const net::Stream::State state = s.wire.shake();
    if (state == net::Stream::State::done) s.stage = Stage::hello;
    if (state == net::Stream::State::closed) {
      log(s.name + " is refused: TLS: " + s.wire.why());
      lose(s, s.wire.why());
    }
    const bool full = state == net::Stream::State::wait_to_write;
    if (s.full != full) {
      s.full = full;
      watch(s);
    }
    return state == net::Stream::State::done;
  }

  // ---- sending

  void flush_dirty() {
    // losing a connection while writing may queue messages for others
    for (std::size_t i = 0; i < dirty.size(); ++i) flush(*dirty[i]);
    dirty.clear();
  }
  void flush(Session& s) {
    s.dirty = false;
    if (s.stage == Stage::dead || s.stage == Stage::tls) return;
    const std::size_t before = s.outbox.size();
    const net::Stream::State state = s.outbox.write(s.wire);
    if (before != s.outbox.size()) {
      s.life.say(now);
      s.taken = now;
      drained = true;
    }
    if (s.counted && !s.behind()) {
      s.counted = false;
      --behind;
    }
    if (state == net::Stream::State::closed) return lose(s, s.wire.why());
    const bool full = state != net::Stream::State::done;
    if (full != s.full) {
      s.full = full;
      watch(s);
    }
    if (!full && s.ending) {
      s.ending = false;
      s.wire.finish();
    }
  }

  // ---- flow control

  /// A connection whose peer has closed its sending side is read to the end, which the system's
  /// buffers bound. A federate that keeps requesting without reading its answers must wait too, but
  /// at a much higher limit than senders to others: it can read once it cannot send.
  bool must_wait(const Session& s, Kind next) const noexcept {
    if ((behind == 0 && !exchange->crowded()) || s.hung_up) return false;
    return s.outbox.size() > 8 * settings.backlog ||
           exchange->pressing(s.connection, next, settings.backlog, false) != 0;
  }
  void pause(Session& s, Kind next) {
    s.next = next;
    s.buffered = 0;
    s.paused = true;
    paused.push_back(&s);
    watch(s);
  }
  bool may_go_on(const Session& s) const noexcept {
    if (s.stage != Stage::open || s.hung_up) return true;
    const std::size_t half = settings.backlog / 2;
    return !s.behind() && exchange->pressing(s.connection, s.next, half, true) == 0;
  }
  /// True: there may be more to do at once.
  bool resume() {
    const bool crowd = exchange->crowded();
    if (paused.empty() || (!drained && !crowd && !crowded)) return false;
    drained = false;
    crowded = crowd;
    std::vector<Session*> ready;
    std::erase_if(paused, [&](Session* s) {
      if (!may_go_on(*s)) return false;
      ready.push_back(s);
      return true;
    });
    for (Session* s : ready) go_on(*s);
    flush_dirty();
    return !ready.empty();
  }
  /// Continues with the frames at which the session was paused; reads more only after those.
  void go_on(Session& s) {
    s.paused = false;
    s.life.hear(now);
    watch(s);
    if (s.stage != Stage::open) return;
    Bytes all = s.rest.content();
    const bool good = take(s, all);
    if (s.stage == Stage::open) s.rest.keep(all);
    s.rest.shrink(read_size);
    if (!good) return refuse(s, "malformed message from the federate");
    if (s.more && !s.paused) unread.push_back(&s);
  }
  /// A session paused because of itself is not read, but more incoming bytes show that its peer is
  /// alive. One paused because of another may be unable to send anything.
  void listen_to_paused(Session& s) {
    int bytes = 0;
    if (!s.behind() || ioctl(s.wire.descriptor(), FIONREAD, &bytes) != 0 || bytes != s.buffered)
      s.life.hear(now);
    s.buffered = bytes;
  }

  void tick() {
    listen(true);
    if (turned_away > 1)
      log(std::to_string(turned_away - 1) + " more connections were closed to make room");
    turned_away = 0;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      Session& s = *sessions[i];
      switch (s.stage) {
        case Stage::tls:
        case Stage::hello:
          if (now > s.deadline) refuse(s, "it did not say in time who it is");
          break;
        case Stage::closing:
          if (now > s.deadline) lose(s, {});
          break;
        case Stage::open:
          if (s.paused) listen_to_paused(s);
          if (s.life.silent(now, settings.tolerate))
            refuse(s, "it has been silent for too long");
          else if (s.behind() && now - s.taken > settings.patience)
            refuse(s, "it has not taken any of the " + std::to_string(s.outbox.size() >> 20) +
                          " MB of callbacks that wait for it for " +
                          std::to_string(settings.patience.count() / 1000) +
                          " s: it should evoke callbacks, or the RTI have more --patience");
          else if (now > s.life.beat() && s.outbox.size() == 0)
            s.put(alive);
          break;
        case Stage::dead:
          break;
      }
    }
  }

  void bury() {
    if (!some_dead) return;
    some_dead = false;
    for (auto* list : {&paused, &unread})
      std::erase_if(*list, [](const Session* s) { return s->stage == Stage::dead; });
    std::erase_if(sessions, [this](const std::unique_ptr<Session>& s) {
      if (s->stage == Stage::dead && s->counted) --behind;
      return s->stage == Stage::dead;
    });
    drained = true;
  }

  void round(Clock::time_point until) {
    const bool at_once = again || !unread.empty();
    const auto events = loop.wait(at_once ? Clock::time_point{} : until);
    now = loop.now();
    bool coming = false, ticks = false;
    for (const net::Loop::Event& e : events) {
      if (e.key == no_session) {
        coming = true;
        continue;
      }
      if (e.key == ticking) {
        ticks = true;
        continue;
      }
      auto* s = std::bit_cast<Session*>(e.key);
      if (s->stage == Stage::dead) continue;
      if ((e.what & net::writable) != 0 && s->stage != Stage::tls) s->touch();
      if ((e.what & net::hung_up) != 0) s->hung_up = true;
      const bool comes = (e.what & net::readable) != 0 || s->stage == Stage::tls;
      if (!comes || (s->paused && !s->hung_up)) continue;
      if (s->paused) {
        std::erase(paused, s);
        go_on(*s);
      }
      if (!s->more) read(*s);
    }
    for (Session* s : std::exchange(unread, {}))
      if (s->stage != Stage::dead && !s->paused) read(*s);
    if (coming) accept_some();
    dismiss_given_up();
    flush_dirty();
    if (ticks) {
      loop.timers().set(ticking, now + 250ms);
      if (exchange->pulses()) exchange->pulse();
      dismiss_given_up();
      tick();
      flush_dirty();
    }
    bury();
    again = resume();
  }
  void dismiss_given_up() {
    for (const auto& [s, why] : std::exchange(given_up, {})) dismiss(*s, why);
  }

  void serve() {
    now = Clock::now();
    loop.timers().set(ticking, now);
    while (!stopping) round(net::forever);
    std::vector<std::byte> last;
    write(last, Lost{"the RTI has ended"});
    for (const auto& s : sessions) {
      if (s->stage != Stage::open && s->stage != Stage::hello) continue;
      s->stage = Stage::closing;
      s->say(last);
      s->ending = true;
      s->deadline = now + 1s;
    }
    flush_dirty();
    for (const auto until = Clock::now() + 1s; !sessions.empty() && now < until;) round(now + 20ms);
  }

  const ServerSettings settings;
  std::unique_ptr<Exchange> exchange;
  std::shared_ptr<net::Tls> tls;
  static constexpr net::Loop::Key no_session = 0, ticking = 1;  // listeners, a timer
  net::Loop loop;
  std::vector<Descriptor> listeners;  // that of the Unix socket first
  std::string tcp;
  std::atomic<bool> stopping{false};

  Clock::time_point now = Clock::now();
  net::Chunks chunks;
  net::Inbox shared{2 * read_size};
  const Frame alive = frame(Alive{});
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<Session*> dirty, paused, unread;
  std::vector<std::pair<Session*, std::string>> given_up;
  std::size_t living = 0;       // sessions that are not dead
  std::size_t turned_away = 0;  // to make room, since the last line in the log about it
  std::size_t behind = 0;       // how many sessions are
  bool drained = false;         // output was written since the paused sessions were checked
  bool crowded = false;         // the value at the last check
  bool again = false;           // there is more to do without waiting
  bool some_dead = false;
  bool listens = false;
};

RtiServer::RtiServer(ServerSettings s, std::unique_ptr<Exchange> e)
    : state_(std::make_unique<State>(std::move(s), std::move(e))) {}
RtiServer::~RtiServer() = default;

std::vector<std::string> RtiServer::addresses() const {
  std::vector<std::string> all;
  if (!state_->tcp.empty()) all.push_back((state_->tls ? "tls://" : "tcp://") + state_->tcp);
  if (!state_->settings.path.empty()) all.push_back("unix://" + state_->settings.path);
  return all;
}

void RtiServer::serve() { state_->serve(); }

void RtiServer::stop() noexcept {
  state_->stopping = true;
  state_->loop.wake();
}

}  // namespace vernier::federation
