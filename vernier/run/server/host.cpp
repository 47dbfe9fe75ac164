#include "vernier/run/server/host.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstdlib>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/server/detail/host_work.hpp"

namespace vernier::server {
namespace {

constexpr int backlog = 128;
constexpr auto accept_pause = 1s;          // when the system has no descriptors left
constexpr auto goodbye_within = 2s;        // for a peer to close its side after a last message
constexpr auto tolerance = 60s;            // that a network may deliver nothing
constexpr std::size_t most_refusals = 10;  // in the log, each second

std::vector<int> usable_processors() {
  cpu_set_t set;
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return all;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(static_cast<std::size_t>(i), &set)) all.push_back(i);
  return all;
}

}  // namespace

Host::Work::Work(HostSettings s)
    : settings_(std::move(s)),
      scratch_(settings_.folder / "scratch"),
      cache_(settings_.folder / "files", settings_.most_cached),
      processors_(usable_processors()) {
  auto made = net::listening(settings_.listen, backlog);
  if (!made || !loop_)
    throw ConfigurationError("V5630", "the server cannot listen at " + net::text(settings_.listen) +
                                          ": " + (made ? net::system_error() : made.error()));
  listener_ = std::move(*made);
  settings_.listen.port = std::to_string(net::port_of(listener_));
  loop_.watch(listener_.get(), net::readable, listener_key);
  taken_.resize(processors_.size());
}

void Host::Work::serve() {
  while (!stopping_) {
    if (asked_to_drain_ && !draining_) begin_drain();
    if (draining_ && runs_ == 0 && !saying_goodbye()) break;
    const bool busy = !unread_.empty() || !checking_.empty();
    const auto events = loop_.wait(busy ? Clock::time_point{} : net::forever);
    now_ = loop_.now();
    for (const Loop::Event& e : events) take(e);
    for (const std::uint64_t id : std::exchange(unread_, {}))
      if (Visitor* v = find(id)) proceed(*v);
    for (const std::uint64_t id : std::exchange(checking_, {}))
      if (Visitor* v = find(id)) check_files(*v);
    bury();
  }
  for (auto& [id, v] : visitors_) lose(*v);
  visitors_.clear();
}

void Host::Work::log_refusal(const Visitor& v, const std::string& why) {
  if (now_ - refusals_since_ >= 1s) {
    if (refusals_ > most_refusals)
      log(fmt::format("{} more connections were refused", refusals_ - most_refusals));
    refusals_since_ = now_;
    refusals_ = 0;
  }
  if (++refusals_ <= most_refusals) log(v.name + " is refused: " + why);
}

void Host::Work::take(const Loop::Event& e) {
  if (e.key == listener_key) {
    if (e.what == Loop::due) loop_.watch(listener_.get(), net::readable, listener_key);
    return accept_some();
  }
  if (e.key == drain_key) {
    log("the time to drain is over: what still runs is killed");
    stopping_ = true;
    return;
  }
  Visitor* v = find(e.key / watched_count);
  const auto what = static_cast<Watched>(e.key % watched_count);
  if (!v || (what != Watched::wire && !v->run) || (gone(*v) && what != Watched::process)) return;
  if (what == Watched::process) return bury_executor(*v);
  if (what == Watched::disk) return look_at_disk(*v);
  if (what == Watched::channel) {
    if ((e.what & net::writable) != 0) v->run->full_down = false;
    return proceed(*v);
  }
  if (e.what == Loop::due) return expire(*v);
  if ((e.what & net::writable) != 0) {
    v->full = false;
    if (v->run) v->run->full_up = false;
  }
  if (v->run && (e.what & net::hung_up) != 0) leave(*v);
  if (v->question && (e.what & net::hung_up) != 0) return lose(*v);
  proceed(*v);
}

// ---- connections

void Host::Work::accept_some() {
  for (int k = 0; k < net::accepted_at_once; ++k) {
    Descriptor fd = net::accepted(listener_);
    if (!fd) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      loop_.forget(listener_.get());
      loop_.timers().set(listener_key, now_ + accept_pause);
      return;
    }
    const std::uint64_t id = ++last_id_;
    auto v = std::make_unique<Visitor>(id, std::move(fd), settings_, chunks_);
    if (!has_room_for(*v)) continue;
    v->stream.tolerate(tolerance);
    if (settings_.tls) {
      v->stage = Stage::tls;
      v->stream.secure(*settings_.tls);
    }
    loop_.timers().set(key(*v, Watched::wire), now_ + settings_.greet_within);
    watch(*v);
    visitors_.emplace(id, std::move(v));
  }
}

bool Host::Work::has_room_for(const Visitor& newcomer) {
  Visitor *oldest = nullptr, *oldest_of_it = nullptr;
  std::size_t all = 0, strangers = 0, of_it = 0;
  for (const auto& [id, v] : visitors_) {
    if (gone(*v)) continue;
    ++all;
    if (!stranger(*v)) continue;
    if (strangers++ == 0) oldest = v.get();
    if (v->from.ip == newcomer.from.ip && of_it++ == 0) oldest_of_it = v.get();
  }
  const bool full = all >= settings_.most_connections;
  if (of_it >= settings_.most_strangers_of_one && oldest_of_it)
    lose(*oldest_of_it);
  else if ((full || strangers >= settings_.most_strangers) && oldest)
    lose(*oldest);
  else
    return !full;
  return true;
}

void Host::Work::watch(Visitor& v) noexcept {
  std::uint32_t wanted = 0;
  if (v.run && v.stage == Stage::relaying) {
    Run& r = *v.run;
    wanted = (r.left ? 0u : net::hung_up) | (r.left || r.down.room().empty() ? 0u : net::readable) |
             (r.full_up ? net::writable : 0u);
    std::uint32_t other =
        (r.silent || r.up.room().empty() ? 0u : net::readable) | (r.full_down ? net::writable : 0u);
    register_for(r.stream.descriptor(), r.watched, other, key(v, Watched::channel));
  } else if (!gone(v)) {
    wanted = (v.full ? net::writable : 0u) |
             (paused(v) ? 0u : static_cast<std::uint32_t>(net::readable)) |
             (v.question ? static_cast<std::uint32_t>(net::hung_up) : 0u);
  }
  register_for(v.stream.descriptor(), v.watched, wanted, key(v, Watched::wire));
}

void Host::Work::register_for(int fd, std::uint32_t& watched, std::uint32_t wanted,
                              Loop::Key k) noexcept {
  if (watched == wanted) return;
  if (wanted == 0)
    loop_.forget(fd);
  else if (watched == 0)
    loop_.watch(fd, wanted, k);
  else
    loop_.change(fd, wanted, k);
  watched = wanted;
}

bool Host::Work::paused(const Visitor& v) noexcept {
  return v.out.size() > most_owed || (v.transfer && v.transfer->check) || v.question;
}

void Host::Work::expire(Visitor& v) {
  switch (v.stage) {
    case Stage::tls:
    case Stage::greeting:
      log_refusal(v, "it did not say in time who it is");
      return lose(v);
    case Stage::relaying:
      if (!v.run->over) return v.run->executor.kill();
      return lose(v);
    default:
      return v.question ? give_up_question(v) : lose(v);
  }
}

bool Host::Work::gone(const Visitor& v) noexcept {
  return v.stage == Stage::ending || v.stage == Stage::dead;
}

void Host::Work::lose(Visitor& v) {
  if (gone(v)) return;
  v.stage = Stage::ending;
  for (const Watched w : {Watched::wire, Watched::channel, Watched::process, Watched::disk})
    loop_.timers().cancel(key(v, w));
  if (v.watched != 0) loop_.forget(v.stream.descriptor());
  v.stream.close();
  forget_question(v);
  if (v.open) withdraw(v);
  if (!v.run) return die(v);
  if (v.run->watched != 0) loop_.forget(v.run->stream.descriptor());
  v.run->stream.close();
  if (v.run->over) {
    end(v);
    return die(v);
  }
  log(v.run->name + " is killed: its composer is gone");
  v.run->executor.kill();
}

void Host::Work::die(Visitor& v) {
  v.stage = Stage::dead;
  dead_.push_back(v.id);
}

void Host::Work::bury() {
  for (const std::uint64_t id : std::exchange(dead_, {})) visitors_.erase(id);
}

void Host::Work::dismiss(Visitor& v) {
  v.stage = Stage::closing;
  v.transfer.reset();
  forget_question(v);
  if (v.open) withdraw(v);
  loop_.timers().set(key(v, Watched::wire), now_ + goodbye_within);
  send(v);
}

void Host::Work::refuse(Visitor& v, std::string code, std::string why, std::string note) {
  log_refusal(v, why);
  Refusal r{std::move(code), std::move(why), {}};
  if (!note.empty()) r.notes.push_back(std::move(note));
  say(v, HostWord::refused, r);
  dismiss(v);
}

void Host::Work::send(Visitor& v) {
  const State s = v.out.write(v.stream);
  if (s == State::closed) return lose(v);
  v.full = s != State::done;
  if (s == State::done && v.stage == Stage::closing && !std::exchange(v.finished, true))
    v.stream.finish();
  watch(v);
}

// ---- what clients say

void Host::Work::proceed(Visitor& v) {
  if (gone(v)) return;
  if (v.stage == Stage::tls) {
    const State s = v.stream.shake();
    if (s == State::closed) {
      log_refusal(v, "TLS: " + v.stream.why());
      return lose(v);
    }
    v.full = s == State::wait_to_write;
    if (s != State::done) return watch(v);
    v.stage = Stage::greeting;
  }
  if (v.stage == Stage::relaying) return relay(v);
  if (v.out.size() > 0) send(v);
  for (std::size_t round = 0; !gone(v) && !paused(v); ++round) {
    if (v.stage == Stage::relaying) return relay(v);
    if (round == most_rounds) return unread_.push_back(v.id);
    const net::Stream::Moved m = v.stream.read(v.in.room());
    if (m.state == State::closed) return lose(v);
    if (m.state != State::done) break;
    v.in.add(m.bytes);
    take_frames(v);
  }
  if (!gone(v)) watch(v);
}

void Host::Work::take_frames(Visitor& v) {
  Bytes rest = v.in.content(), frame;
  const auto taken = [&v] {
    return v.stage == Stage::greeting ||
           ((v.stage == Stage::asking || v.stage == Stage::attached) && !paused(v));
  };
  while (taken()) {
    const std::size_t longest = v.stage == Stage::greeting ? longest_greeting : longest_request;
    const net::Cut cut = net::next_frame(rest, frame, frame_head, longest);
    if (cut == net::Cut::more) break;
    if (cut == net::Cut::malformed) {
      if (v.stage == Stage::greeting) return lose(v);
      return refuse(v, "V5637", "what the client sent is no request");
    }
    if (v.stage == Stage::greeting)
      greet(v, frame);
    else
      answer(v, frame);
  }
  if (gone(v)) return;
  if (v.stage == Stage::closing) rest = {};
  if (v.stage == Stage::relaying) {
    // a client waits before it speaks to its executor
    if (!v.run->down.add(rest)) return lose(v);
    rest = {};
  }
  v.in.keep(rest);
  v.in.shrink(64u << 10);
  if (v.stage != Stage::relaying && v.out.size() > 0) send(v);
}

void Host::Work::greet(Visitor& v, Bytes frame) {
  frame_.clear();
  const Greeting g = v.greeting.take(frame, frame_);
  v.out.put(Bytes(frame_));
  if (g == Greeting::refused) {
    log_refusal(v, v.greeting.why());
    return v.out.size() > 0 ? dismiss(v) : lose(v);
  }
  if (g == Greeting::done) {
    v.stage = Stage::asking;
    loop_.timers().set(key(v, Watched::wire), now_ + settings_.idle);
  }
}

void Host::Work::answer(Visitor& v, Bytes frame) {
  const auto improper = [&] { refuse(v, "V5637", "what the client sent is no request"); };
  const HostWord word = word_of(frame);
  if (v.stage == Stage::attached) {
    const auto said = word == HostWord::said ? content_of<NumberedLine>(frame) : std::nullopt;
    return said ? take_answer(v, *said) : improper();
  }
  loop_.timers().set(key(v, Watched::wire), now_ + settings_.idle);
  const bool alone = frame.size() == frame_head;
  if (word == HostWord::info && alone) return say(v, HostWord::about, about());
  if (word == HostWord::runs && alone) return say(v, HostWord::hosted, hosted());
  if (word == HostWord::ping) {
    if (const auto token = content_of<std::uint64_t>(frame)) return pong(v, *token);
  } else if (word == HostWord::files) {
    if (auto files = content_of<std::vector<FileId>>(frame))
      return begin_files(v, std::move(*files));
  } else if (word == HostWord::piece) {
    if (const auto piece = content_of<Piece>(frame)) return take_piece(v, *piece);
  } else if (word == HostWord::execute) {
    if (const auto wanted = content_of<Execute>(frame)) return execute(v, *wanted);
  } else if (word == HostWord::attach) {
    if (auto a = content_of<Attach>(frame)) return attach(v, std::move(*a));
  } else if (word == HostWord::control) {
    if (auto c = content_of<ControlLine>(frame)) return ask(v, std::move(*c));
  }
  improper();
}

void Host::Work::pong(Visitor& v, std::uint64_t token) {
  const auto ns = [](auto since) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  };
  say(v, HostWord::pong,
      Pong{token, ns(Clock::now().time_since_epoch()),
           ns(std::chrono::system_clock::now().time_since_epoch())});
}

About Host::Work::about() const {
  About a = settings_.about;
  double load = 0.0;
  if (getloadavg(&load, 1) == 1) a.load = load;
  a.runs = static_cast<std::uint32_t>(runs_);
  a.draining = draining_;
  return a;
}

Host::Host(HostSettings s) : work_(std::make_unique<Work>(std::move(s))) {}
Host::~Host() = default;
std::string Host::address() const { return work_->address(); }
void Host::serve() { work_->serve(); }
void Host::drain() noexcept { work_->drain(); }
void Host::stop() noexcept { work_->stop(); }

}  // namespace vernier::server
