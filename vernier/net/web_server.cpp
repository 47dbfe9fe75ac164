#include "vernier/net/web_server.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/net/framing.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::net {
namespace {

using namespace std::chrono_literals;
using websocket::Code;
using websocket::Kind;
using State = Stream::State;

constexpr Loop::Key listener_key = 0;
constexpr auto farewell = 2s;            // for a peer to close its side after a last message
constexpr auto accept_pause = 1s;        // when the system has no descriptors left
constexpr std::size_t most_rounds = 16;  // reads of one connection before others are served

constexpr std::string_view forbidden_page =
    "<!doctype html><title>Vernier</title><p>Open the address that <code>vernier desktop</code> "
    "printed: it contains the token.</p>\n";

SharedBytes shared(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

/// With every answer: no other page may show this one, run in it or learn its address.
const std::vector<http::Field>& guards() {
  static const std::vector<http::Field> fields = {
      {"Content-Security-Policy",
       "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
       "connect-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
       "frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Frame-Options", "DENY"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  return fields;
}

}  // namespace

class WebServer::Work {
 public:
  Work(Descriptor listener, Settings s, WebSite& site)
      : settings_(std::move(s)),
        access_(settings_.access),
        site_(site),
        listener_(std::move(listener)) {
    if (!loop_) throw ConfigurationError("V8101", "the desktop cannot serve: " + system_error());
    loop_.watch(listener_.get(), readable, listener_key);
  }

  void serve() {
    Clock::time_point again = loop_.now();
    while (!stopping_.load()) {
      const auto events = loop_.wait(unread_.empty() ? again : loop_.now());
      now_ = loop_.now();
      for (const Loop::Event& e : events) take(e);
      for (const Client c : std::exchange(unread_, {})) {
        if (Connection* one = find(c)) read(*one);
      }
      again = site_.serve(now_);
      write_all();
      bury();
    }
    for (auto& [id, c] : connections_) {
      if (c->stage == Stage::open) say_goodbye(*c, Code::going_away, "the server has ended");
    }
    write_all();
  }

  void stop() noexcept {
    stopping_.store(true);
    loop_.wake();
  }
  void wake() noexcept { loop_.wake(); }

  void answer(Client id, WebAnswer a) {
    Connection* c = find(id);
    if (!c || c->stage != Stage::answering) return;
    put(*c, std::move(a));
    proceed(*c);
  }

  void send(Client id, Kind kind, Bytes content) {
    Connection* c = find(id);
    if (c && c->stage == Stage::open) put_frame(*c, kind, content);
  }

  bool send_live(Client id, Bytes content) {
    Connection* c = find(id);
    if (!c || c->stage != Stage::open) return true;
    if (c->out.size() > settings_.most_waiting) return false;
    put_frame(*c, Kind::binary, content);
    return true;
  }

  void hold(Client id, bool held) {
    Connection* c = find(id);
    if (!c || c->held == held) return;
    c->held = held;
    update_pause(*c);
  }

  void close(Client id, Code code, std::string_view reason) {
    Connection* c = find(id);
    if (c && c->stage == Stage::open) say_goodbye(*c, code, reason);
  }

 private:
  enum class Stage { tls, head, answering, open, closing, dead };

  struct Connection {
    Connection(Client number, Descriptor fd, Chunks& chunks, std::size_t longest)
        : id(number),
          wire(std::move(fd)),
          out(chunks),
          messages(websocket::Side::server, longest) {}

    Client id;
    Stream wire;
    Outbox out;
    Inbox in{0};
    websocket::Receiver messages;
    Stage stage = Stage::head;
    Role role = Role::none;
    bool head_only = false;   // the request in work is HEAD
    bool keep = true;         // the connection, after this answer
    bool was_opened = false;  // the site knows it
    bool full = false;        // the socket takes no more now
    bool held = false, paused = false;
    bool finished = false;    // our sending side is closed
    bool ended = false;       // the peer's is
    bool registered = false;  // with the loop
    bool dirty = false;       // in `dirty_`
    std::uint32_t watched = 0;
    Clock::time_point since{};    // when this stage began, or its request
    Clock::time_point heard{};    // bytes arrived
    Clock::time_point drained{};  // output was accepted, or there was none
    Clock::time_point beaten{};   // the last ping
  };

  Connection* find(Client id) {
    const auto at = connections_.find(id);
    return at == connections_.end() || at->second->stage == Stage::dead ? nullptr
                                                                        : at->second.get();
  }

  // ---- accepting

  void take(const Loop::Event& e) {
    if (e.key == listener_key) {
      if (e.what == Loop::due) loop_.watch(listener_.get(), readable, listener_key);
      accept_some();
      return;
    }
    Connection* c = find(e.key);
    if (!c) return;
    if (e.what == Loop::due) return look_after(*c);
    if ((e.what & writable) != 0) {
      c->full = false;
      mark_dirty(*c);
    }
    if (c->ended && (e.what & hung_up) != 0) return lose(*c);
    if ((e.what & (readable | hung_up)) != 0 || c->stage == Stage::tls) read(*c);
    // what a paused peer has sent is not read to its end
    if (Connection* still = find(e.key); still && still->paused && (e.what & hung_up) != 0)
      hang_up(*still);
  }

  void accept_some() {
    for (int k = 0; k < accepted_at_once; ++k) {
      Descriptor fd = accepted(listener_);
      if (!fd) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
          loop_.forget(listener_.get());
          loop_.timers().set(listener_key, now_ + accept_pause);
        }
        return;
      }
      if (connections_.size() >= settings_.most_connections && !make_room()) continue;
      const Client id = ++last_client_;
      auto c = std::make_unique<Connection>(id, std::move(fd), chunks_, settings_.longest_message);
      c->since = c->heard = c->drained = c->beaten = now_;
      c->wire.tolerate(settings_.stalled);
      if (settings_.tls) {
        c->stage = Stage::tls;
        c->wire.secure(*settings_.tls);
      }
      watch(*c);
      loop_.timers().set(id, now_ + settings_.head_within);
      connections_.emplace(id, std::move(c));
    }
  }

  /// Closes the connection that has been without a WebSocket for longest. False: all have one.
  bool make_room() {
    Connection* oldest = nullptr;
    for (auto& [id, c] : connections_) {
      if (c->stage == Stage::dead) return true;
      const bool open = c->stage == Stage::open || c->stage == Stage::answering;
      if (!open && (!oldest || c->heard < oldest->heard)) oldest = c.get();
    }
    if (oldest) lose(*oldest);
    bury();
    return oldest != nullptr;
  }

  void watch(Connection& c) noexcept {
    const std::uint32_t wanted =
        (c.ended ? 0u : hung_up) | (c.paused || c.ended ? 0u : readable) | (c.full ? writable : 0u);
    if (c.registered && c.watched == wanted) return;
    if (std::exchange(c.registered, true))
      loop_.change(c.wire.descriptor(), wanted, c.id);
    else
      loop_.watch(c.wire.descriptor(), wanted, c.id);
    c.watched = wanted;
  }

  // ---- reading

  void read(Connection& c) {
    if (c.stage == Stage::tls && !shaken(c)) return;
    // what was received while it was paused comes first, and may pause it again
    if (!c.in.content().empty()) proceed(c);
    for (std::size_t round = 0; !c.paused && !c.ended && c.stage != Stage::dead; ++round) {
      if (round == most_rounds) {
        unread_.push_back(c.id);
        return;
      }
      const Stream::Moved m = c.wire.read(c.in.room());
      if (m.state == State::closed) return hang_up(c);
      if (m.state != State::done) return;
      if (c.stage == Stage::head && c.in.content().empty()) c.since = now_;
      c.in.add(m.bytes);
      c.heard = now_;
      proceed(c);
    }
  }

  bool shaken(Connection& c) {
    const State s = c.wire.shake();
    if (s == State::closed) lose(c);
    if (s != State::done) {
      c.full = s == State::wait_to_write;
      if (c.stage != Stage::dead) watch(c);
      return false;
    }
    c.stage = Stage::head;
    c.full = false;
    watch(c);
    return true;
  }

  /// The peer sends no more. A file that it asked for before is still sent.
  void hang_up(Connection& c) {
    const bool owed = c.stage == Stage::answering || (c.out.size() > 0 && c.stage != Stage::open);
    if (!owed || c.wire.failed()) return lose(c);
    c.keep = false;
    c.ended = true;
    if (c.stage == Stage::head) c.stage = Stage::closing;
    watch(c);
  }

  /// Takes requests and messages from what was received.
  void proceed(Connection& c) {
    Bytes rest = c.in.content();
    const std::size_t before = rest.size();
    while (!c.paused && take_one(c, rest)) {
    }
    if (c.stage == Stage::closing) rest = {};  // nobody reads it any more
    if (rest.size() != before) c.in.keep(rest);
    if (c.in.content().empty()) c.in.shrink(0);
    if (c.stage != Stage::dead) look_after(c);
  }

  /// False: there is no whole one.
  bool take_one(Connection& c, Bytes& rest) {
    if (c.stage == Stage::head) {
      http::Request r;
      int status = 0;
      const http::Read got = http::take_request(rest, r, status);
      if (got == http::Read::more) return false;
      if (got == http::Read::refused) {
        refuse(c, status);
        return false;
      }
      serve_request(c, r);
      return true;
    }
    if (c.stage != Stage::open) return false;
    websocket::Message m;
    const auto got = c.messages.take(rest, m);
    if (got == websocket::Receiver::Got::more) return false;
    if (got == websocket::Receiver::Got::refused) {
      say_goodbye(c, c.messages.refusal(), "this is not what the protocol says");
      return false;
    }
    take_message(c, std::move(m));
    return true;
  }

  void take_message(Connection& c, websocket::Message m) {
    switch (m.kind) {
      case Kind::text:
        return site_.received(c.id, std::move(m.content));
      case Kind::binary:
        return say_goodbye(c, Code::not_supported, "messages are text");
      case Kind::ping:
        return put_frame(c, Kind::pong, std::as_bytes(std::span(m.content)));
      case Kind::pong:
        return;
      case Kind::close:
        return say_goodbye(c, m.code == Code::no_code ? Code::normal : m.code, {});
    }
  }

  // ---- requests

  void serve_request(Connection& c, const http::Request& r) {
    c.head_only = r.head;
    c.keep = r.keeps_alive();
    c.since = now_;
    c.stage = Stage::answering;
    const WebAccess::Entry entry = access_.admit(r);
    if (entry.redirect)
      return put(
          c, {.status = entry.status,
              .fields = {
                  {"Location", "/"}, {"Set-Cookie", entry.cookie}, {"Cache-Control", "no-store"}}});
    if (entry.role == Role::none) return refuse(c, entry.status);
    c.role = entry.role;
    if (r.path() == settings_.socket_path) return upgrade(c, r);
    if (auto a = site_.file(c.id, r, c.role)) {
      const std::string* known = r.field("if-none-match");
      if (a->status == 200 && !a->tag.empty() && known && http::names_tag(*known, a->tag)) {
        a->status = 304;
        a->body = nullptr;
      }
      return put(c, std::move(*a));
    }
    update_pause(c);  // the next request waits for its answer
  }

  void upgrade(Connection& c, const http::Request& r) {
    const std::string* key = r.field("sec-websocket-key");
    const std::string* version = r.field("sec-websocket-version");
    if (!r.lists("upgrade", "websocket") || !r.lists("connection", "upgrade") || !version ||
        *version != "13") {
      c.keep = false;
      return put(c, {.status = 426,
                     .fields = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}}});
    }
    const std::vector<std::string_view> known = vernier::words(settings_.subprotocol);
    const auto spoken = std::find_if(known.begin(), known.end(), [&r](std::string_view word) {
      return r.lists("sec-websocket-protocol", word);
    });
    if (r.head || !key || !websocket::valid_key(*key) || (!known.empty() && spoken == known.end()))
      return refuse(c, 400);
    std::vector<http::Field> fields = {{"Upgrade", "websocket"},
                                       {"Connection", "Upgrade"},
                                       {"Sec-WebSocket-Accept", websocket::accept_key(*key)}};
    if (!known.empty()) fields.push_back({"Sec-WebSocket-Protocol", std::string(*spoken)});
    c.stage = Stage::open;
    c.was_opened = true;
    put_text(c, http::response_head(101, fields));
    site_.opened(c.id, c.role);
  }

  /// One that is not served; the connection ends with it.
  void refuse(Connection& c, int status) {
    c.keep = false;
    const std::string page = status == 403 ? std::string(forbidden_page)
                                           : "<!doctype html><title>Vernier</title><p>" +
                                                 std::string(http::reason(status)) + "</p>\n";
    WebAnswer a{.status = status, .body = shared(page)};
    if (status == 405) a.fields.push_back({"Allow", "GET, HEAD"});
    put(c, std::move(a));
  }

  void put(Connection& c, WebAnswer a) {
    const std::size_t size = a.body ? a.body->size() : 0;
    std::vector<http::Field> fields = guards();
    fields.insert(fields.end(), a.fields.begin(), a.fields.end());
    if (size > 0) fields.push_back({"Content-Type", a.type});
    if (a.status != 304) fields.push_back({"Content-Length", std::to_string(size)});
    if (!a.tag.empty()) fields.push_back({"ETag", a.tag});
    if (!c.keep) fields.push_back({"Connection", "close"});
    c.since = now_;
    c.stage = c.keep ? Stage::head : Stage::closing;
    put_text(c, http::response_head(a.status, fields));
    if (size > 0 && !c.head_only) c.out.put(a.body);
    update_pause(c);
  }

  // ---- writing

  void mark_dirty(Connection& c) {
    if (!std::exchange(c.dirty, true)) dirty_.push_back(c.id);
  }
  void put_text(Connection& c, std::string_view text) {
    put_bytes(c, std::as_bytes(std::span(text)));
  }
  void put_bytes(Connection& c, Bytes bytes) {
    if (c.out.size() == 0) c.drained = now_;
    c.out.put(bytes);
    mark_dirty(c);
    update_pause(c);
  }
  void put_frame(Connection& c, Kind kind, Bytes content) {
    put_bytes(c, websocket::frame_head(kind, content.size()));
    put_bytes(c, content);
  }
  void say_goodbye(Connection& c, Code code, std::string_view reason) {
    const std::string content = websocket::close_content(code, reason);
    put_frame(c, Kind::close, std::as_bytes(std::span(content)));
    c.stage = Stage::closing;
    c.since = now_;
    tell_closed(c);
  }

  void write_all() {
    while (!dirty_.empty()) {
      const Client id = dirty_.back();
      dirty_.pop_back();
      Connection* c = find(id);
      if (!c) continue;
      c->dirty = false;
      write(*c);
    }
  }

  void write(Connection& c) {
    if (c.stage == Stage::tls) return;
    const std::size_t before = c.out.size();
    const State s = c.out.write(c.wire);
    if (c.out.size() < before || before == 0) c.drained = now_;
    if (s == State::closed) return lose(c);
    c.full = s != State::done;
    if (s == State::done && c.stage == Stage::closing && !std::exchange(c.finished, true)) {
      if (c.ended) return lose(c);
      c.wire.finish();
      c.since = now_;
    }
    watch(c);
    update_pause(c);
    look_after(c);
  }

  /// Nothing is read from a client for which much is waiting, and none of its requests is taken
  /// before the one in work is answered.
  void update_pause(Connection& c) {
    const bool paused = c.held || c.stage == Stage::answering ||
                        (c.stage != Stage::closing && c.out.size() > settings_.most_waiting);
    if (paused == c.paused || c.stage == Stage::dead) return;
    c.paused = paused;
    watch(c);
    if (paused) return;
    c.heard = now_;  // nobody listened meanwhile
    // what was received already is not reported again
    unread_.push_back(c.id);
  }

  // ---- time

  /// Ends what has lasted too long, and sets the timer for the next look.
  void look_after(Connection& c) {
    Clock::time_point until = forever;
    const auto expired = [&](Clock::time_point at) {
      until = std::min(until, at);
      return now_ >= at;
    };
    bool over = c.out.size() > 0 && expired(c.drained + settings_.stalled);
    switch (c.stage) {
      case Stage::tls:
        over |= expired(c.since + settings_.head_within);
        break;
      case Stage::head:
        // the first request, and one that has begun, must be complete soon
        over |= c.in.content().empty() && c.role != Role::none
                    ? expired(c.heard + settings_.idle)
                    : expired(c.since + settings_.head_within);
        break;
      case Stage::open:
        if (!c.paused) {
          over |= expired(c.heard + settings_.stalled);
          if (expired(std::max(c.heard, c.beaten) + settings_.stalled / 3)) {
            c.beaten = now_;
            until = std::min(until, now_ + settings_.stalled / 3);
            put_frame(c, Kind::ping, {});
          }
        }
        break;
      case Stage::closing:
        over |= c.finished && expired(c.since + farewell);
        break;
      case Stage::answering:
      case Stage::dead:
        break;
    }
    if (over) return lose(c);
    if (until == forever)
      loop_.timers().cancel(c.id);
    else
      loop_.timers().set(c.id, std::max(until, now_ + 10ms));
  }

  // ---- ends

  void tell_closed(Connection& c) {
    if (std::exchange(c.was_opened, false)) site_.closed(c.id);
  }

  void lose(Connection& c) {
    if (c.stage == Stage::dead) return;
    c.stage = Stage::dead;
    loop_.forget(c.wire.descriptor());
    loop_.timers().cancel(c.id);
    dead_.push_back(c.id);
    tell_closed(c);
  }

  void bury() {
    for (const Client id : std::exchange(dead_, {})) connections_.erase(id);
  }

  Settings settings_;
  WebAccess access_;
  WebSite& site_;
  Descriptor listener_;
  Loop loop_;
  Chunks chunks_;  // must outlive the connections
  std::map<Client, std::unique_ptr<Connection>> connections_;
  std::vector<Client> dirty_, unread_, dead_;
  Client last_client_ = 0;
  Clock::time_point now_ = Clock::now();
  std::atomic<bool> stopping_{false};
};

WebServer::WebServer(Descriptor listener, Settings s, WebSite& site)
    : work_(std::make_unique<Work>(std::move(listener), std::move(s), site)) {}
WebServer::~WebServer() = default;

void WebServer::serve() { work_->serve(); }
void WebServer::stop() noexcept { work_->stop(); }
void WebServer::wake() noexcept { work_->wake(); }
void WebServer::answer(Client c, WebAnswer a) { work_->answer(c, std::move(a)); }
void WebServer::send(Client c, std::string_view text) {
  work_->send(c, Kind::text, std::as_bytes(std::span(text)));
}
void WebServer::send(Client c, Bytes binary) { work_->send(c, Kind::binary, binary); }
bool WebServer::send_live(Client c, Bytes binary) { return work_->send_live(c, binary); }
void WebServer::hold(Client c, bool held) { work_->hold(c, held); }
void WebServer::close(Client c, Code code, std::string_view reason) {
  work_->close(c, code, reason);
}

}  // namespace vernier::net
