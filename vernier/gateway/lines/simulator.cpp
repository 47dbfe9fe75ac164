#include "vernier/gateway/lines/simulator.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"

namespace vernier::lines {
namespace {

enum Note : std::int32_t { cannot_roll_back = 1, caught_up_late = 2 };

[[noreturn]] void refuse(const char* code, const std::string& message,
                         std::vector<std::string> notes, Category category = Category::input) {
  Diagnostics problems;
  Diagnostic& d = problems.error(code, message, {});
  d.notes = std::move(notes);
  d.category = category;
  throw ConfigurationError(std::move(problems));
}

std::string in_seconds(std::chrono::milliseconds d) {
  return exact(std::chrono::duration<double>(d).count()) + " s";
}

// FNV-1a, continued from h
std::uint64_t hashed(std::string_view text, std::uint64_t h) noexcept {
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}
constexpr std::uint64_t no_history = 0xcbf29ce484222325ull;

template <class T>
void put(std::span<std::byte>& to, std::span<const T> from) noexcept {
  if (from.empty()) return;
  std::memcpy(to.data(), from.data(), from.size_bytes());
  to = to.subspan(from.size_bytes());
}

template <class T>
void take(std::span<const std::byte>& from, std::span<T> to) noexcept {
  if (to.empty()) return;
  std::memcpy(to.data(), from.data(), to.size_bytes());
  from = from.subspan(to.size_bytes());
}

}  // namespace

Simulator::Simulator(channel::Channels channels, SimulatorSettings settings)
    : channels_(std::move(channels)),
      settings_(std::move(settings)),
      description_(channel::described(channels_)) {
  const std::size_t in = channel::size(channels_.inputs), out = channel::size(channels_.outputs);
  if (in > most_elements || out > most_elements) {
    refuse("V5005",
           "\"" + settings_.name + "\" has " + std::to_string(std::max(in, out)) +
               " values in one direction; a line carries at most " + std::to_string(most_elements),
           {"spread them over several connectors"});
  }
  description_.rate = settings_.rate;
  description_.abilities.rewinds = settings_.rollback;
  description_.abilities.faces_world = !settings_.rollback;
  description_.abilities.reacts = settings_.react;
  description_.abilities.stops_early = settings_.early;

  inputs_.resize(in);
  outputs_ = channel::initial_values(channels_.outputs);
  ahead_ = scratch_ = outputs_;
  emitted_.assign(channels_.events_out.size(), 0);
  ahead_events_ = news_ = emitted_;
  sent_.assign(channels_.events_in.size(), 0);
  description_.state_bytes = sizeof(Time) + sizeof(std::uint64_t) +
                             sizeof(double) * outputs_.size() +
                             sizeof(std::int64_t) * (emitted_.size() + sent_.size());
}

Simulator::~Simulator() {
  if (!connection_ || broken_) return;
  const auto soon = net::Clock::now() + std::chrono::milliseconds(200);
  static_cast<void>(connection_->send(composer_.clear().verb(Verb::bye).end().text(), soon));
}

void Simulator::bind(const Bindings& bindings) {
  ports_.bind(channels_, bindings);
  journal_ = &bindings.journal();
}

std::string Simulator::address() const {
  net::Address a = settings_.address;
  if (listener_) a.port = std::to_string(net::port_of(listener_));
  return text(a);
}

void Simulator::open() {
  if (!settings_.listen || listener_) return;
  auto made = net::listening(settings_.address);
  if (!made) {
    refuse("V5102",
           "\"" + settings_.name + "\" cannot listen at " + text(settings_.address) + ": " +
               made.error(),
           {"is another run using it? choose another port"});
  }
  listener_ = std::move(*made);
}

void Simulator::join() {
  const auto deadline = net::Clock::now() + settings_.patience;
  const std::string patience = in_seconds(settings_.patience);
  open();
  if (settings_.notice) {
    settings_.notice("waiting for \"" + settings_.name + "\" at " + address() + " (" + patience +
                     ")");
  }
  if (settings_.listen) {
    auto peer = net::accepted(listener_, deadline);
    if (!peer) {
      refuse("V5103",
             "no simulator connected to \"" + settings_.name + "\" at " + address() + " within " +
                 patience,
             {"start the other side while the run waits, and let it connect to " + address()},
             Category::peer);
    }
    connection_ = std::make_unique<net::LineStream>(std::move(*peer), longest_line);
    return;
  }
  int tries = 0;
  while (true) {
    ++tries;
    auto socket = net::connected(settings_.address, deadline);
    if (socket) {
      connection_ = std::make_unique<net::LineStream>(std::move(*socket), longest_line);
      return;
    }
    if (net::Clock::now() + std::chrono::milliseconds(100) >= deadline) {
      refuse("V5101", "no simulator answers for \"" + settings_.name + "\" at " + address(),
             {std::to_string(tries) + (tries == 1 ? " try" : " tries") + " in " + patience + ": " +
              socket.error() + ". Is it running there?"},
             Category::peer);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::string Simulator::ask(Verb wanted, std::string_view what) {
  const auto deadline = net::Clock::now() + settings_.timeout;
  const std::string request(what);
  auto fail = [&] {
    connection_.reset();
    throw ConfigurationError(fault_.code, fault_.text, {}, fault_.category);
  };
  if (const auto trouble = connection_->send(composer_.text(), deadline)) {
    breaks(*trouble, request.c_str());
    fail();
  }
  auto line = connection_->receive(deadline);
  if (!line) {
    breaks(line.error(), request.c_str());
    fail();
  }
  char buffer[300];
  const auto answer = opened(*line);
  if (answer && answer->verb == wanted) return std::string(answer->rest);
  if (answer && answer->verb == Verb::error) {
    breaks("V5113", (request + ": " + std::string(shown(trimmed(answer->rest), buffer))).c_str());
  } else {
    breaks("V5109",
           ("\"" + std::string(shown(*line, std::span(buffer).first(80))) +
            "\" is not an answer to " + request + "; expected " + std::string(lines::name(wanted)))
               .c_str());
  }
  fail();
  return {};
}

void Simulator::greet() {
  composer_.clear().verb(Verb::hello).word("vernier").number(protocol_version).end();
  const std::string hello = ask(Verb::hello, "HELLO");
  Words words(hello);
  words.next();
  const std::string_view version = words.next();
  if (parsed_integer(version) != protocol_version) {
    connection_.reset();
    char buffer[32];
    refuse("V5104",
           "the simulator \"" + settings_.name + "\" at " + address() + " speaks lines version " +
               (version.empty() ? "none" : std::string(shown(version, buffer))) + ", expected " +
               std::to_string(protocol_version),
           {"it must answer: HELLO name " + std::to_string(protocol_version)});
  }
  composer_.clear().verb(Verb::channels).word(channels_text(channels_)).end();
  const std::string rest = ask(Verb::channels, "CHANNELS");
  const auto offer = parsed_channels(rest);
  const std::string wrong = offer ? difference(*offer, channels_) : offer.error();
  if (!wrong.empty()) {
    connection_.reset();
    refuse(
        "V5105",
        "the simulator \"" + settings_.name + "\" has other channels than the connector: " + wrong,
        {"here:  " + channels_text(channels_)});
  }
}

bool Simulator::initialize(Time start, int phase) {
  if (phase > 0) return true;
  if (broken_) connection_.reset();
  broken_ = false;
  if (!connection_) {
    join();
    greet();
  }
  composer_.clear().verb(Verb::init).time(start);
  if (settings_.early) composer_.word("early");
  composer_.end();
  std::fill(emitted_.begin(), emitted_.end(), 0);
  std::fill(sent_.begin(), sent_.end(), 0);
  std::fill(ahead_events_.begin(), ahead_events_.end(), 0);
  now_ = peer_time_ = start;
  history_ = no_history;
  told_ = false;
  exchange(Verb::init);
  if (broken_) {
    connection_.reset();
    throw ConfigurationError(fault_.code, fault_.text, {}, fault_.category);
  }
  show_ahead();

  rolls_back_ = false;
  if (settings_.rollback) {
    composer_.clear().verb(Verb::save).number(history_).end();
    bool refused = false;
    rolls_back_ = confirmed(Verb::save, refused);
    if (broken_) {
      connection_.reset();
      throw ConfigurationError(fault_.code, fault_.text, {}, fault_.category);
    }
    description_.abilities.rewinds = rolls_back_;
    if (!rolls_back_ && journal_) {
      Entry e;
      e.at = {start};
      e.kind = cannot_roll_back;
      journal_->note(e);
    }
  }
  return true;
}

bool Simulator::breaks(const char* code, const char* text) const noexcept {
  broken_ = true;
  fault_.set(Category::peer, code, "the simulator \"%s\" at t = %.9g s: %s", settings_.name.c_str(),
             seconds(peer_time_), text);
  return false;
}

bool Simulator::breaks(net::Trouble trouble, const char* what) const noexcept {
  char line[160];
  const double limit = std::chrono::duration<double>(settings_.timeout).count();
  switch (trouble) {
    case net::Trouble::timed_out:
      std::snprintf(line, sizeof line, "no answer to %s within %g s", what, limit);
      return breaks("V5108", line);
    case net::Trouble::too_long:
      std::snprintf(line, sizeof line, "the answer to %s is longer than %zu bytes", what,
                    longest_line);
      return breaks("V5109", line);
    case net::Trouble::closed:
    case net::Trouble::stopped:
      break;
  }
  std::snprintf(line, sizeof line, "the connection was closed before it answered %s", what);
  return breaks("V5106", line);
}

void Simulator::report(const Moment& m, const char* what) const noexcept {
  char said[48];
  const std::string_view word = shown(m.at, said);
  const int n = static_cast<int>(word.size());
  const std::size_t wanted = outputs_.size();
  char text[240];
  const char* code = "V5109";
  switch (m.flaw) {
    case Flaw::none:
      return;
    case Flaw::time:
      std::snprintf(text, sizeof text, "\"%.*s\" in its answer to %s is not a time", n, said, what);
      break;
    case Flaw::too_few:
    case Flaw::too_many:
      code = "V5110";
      std::snprintf(text, sizeof text, "its answer to %s has %zu values, expected %zu", what,
                    m.found, wanted);
      break;
    case Flaw::number:
      std::snprintf(text, sizeof text, "value %zu of its answer to %s, \"%.*s\", is not a number",
                    m.found + 1, what, n, said);
      break;
    case Flaw::not_finite:
      code = "V5111";
      std::snprintf(text, sizeof text, "value %zu of its answer to %s, \"%.*s\", is not finite",
                    m.found + 1, what, n, said);
      break;
    case Flaw::label:
      code = "V5115";
      std::snprintf(text, sizeof text, "\"%.*s\" in its answer to %s is not one of its events", n,
                    said, what);
      break;
  }
  breaks(code, text);
}

Simulator::Answer Simulator::exchange(Verb request) noexcept {
  if (broken_ || !connection_) return {};
  const char* what = lines::name(request).data();
  const auto deadline = net::Clock::now() + settings_.timeout;
  if (const auto trouble = connection_->send(composer_.text(), deadline)) {
    breaks(*trouble, what);
    return {};
  }
  auto line = connection_->receive(deadline);
  if (!line) {
    breaks(line.error(), what);
    return {};
  }
  char said[200];
  char text[320];
  const auto answer = opened(*line);
  if (answer && answer->verb == Verb::error) {
    const std::string_view words = shown(answer->rest, said);
    std::snprintf(text, sizeof text, "it answered %s with an error:%.*s", what,
                  static_cast<int>(words.size()), said);
    breaks("V5113", text);
    return {};
  }
  const bool known = answer && (answer->verb == Verb::done ||
                                (request == Verb::react && answer->verb == Verb::changed));
  if (!known) {
    const std::string_view words = shown(*line, std::span(said).first(60));
    std::snprintf(text, sizeof text, "\"%.*s\" is not an answer to %s",
                  static_cast<int>(words.size()), said, what);
    breaks("V5109", text);
    return {};
  }
  std::fill(news_.begin(), news_.end(), 0);
  const Moment moment = read_moment(answer->rest, scratch_, channels_.events_out, news_);
  if (moment.flaw != Flaw::none) {
    report(moment, what);
    return {};
  }
  if (request != Verb::step && moment.time != peer_time_) {
    std::snprintf(text, sizeof text, "its answer to %s is of t = %.9g s", what,
                  seconds(moment.time));
    breaks("V5114", text);
    return {};
  }
  if (request != Verb::output) history_ = hashed(*line, hashed(composer_.text(), history_));
  ahead_ = scratch_;
  for (std::size_t i = 0; i < news_.size(); ++i) ahead_events_[i] += news_[i];
  return {true, answer->verb, moment.time};
}

bool Simulator::confirmed(Verb request, bool& refused) const noexcept {
  if (broken_ || !connection_) return false;
  const char* what = lines::name(request).data();
  const auto deadline = net::Clock::now() + settings_.timeout;
  if (const auto trouble = connection_->send(composer_.text(), deadline)) {
    return breaks(*trouble, what);
  }
  auto line = connection_->receive(deadline);
  if (!line) return breaks(line.error(), what);
  const auto answer = opened(*line);
  if (answer && answer->verb == Verb::ok) return true;
  if (answer && answer->verb == Verb::error) {
    refused = true;
    return false;
  }
  char said[60], text[160];
  const std::string_view words = shown(*line, said);
  std::snprintf(text, sizeof text, "\"%.*s\" is not an answer to %s",
                static_cast<int>(words.size()), said, what);
  return breaks("V5109", text);
}

void Simulator::compose_values(Verb verb, Time t) noexcept {
  ports_.take_inputs(inputs_);
  composer_.verb(verb).time(t);
  for (const double x : inputs_) composer_.real(x);
  composer_.end();
}

void Simulator::compose_events() noexcept {
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    for (; sent_[i] < ports_.happened(i); ++sent_[i]) {
      composer_.verb(Verb::event).word(channels_.events_in[i]).end();
    }
  }
}

void Simulator::show_ahead() noexcept {
  outputs_ = ahead_;
  emitted_ = ahead_events_;
  waiting_ = false;
}

Outcome Simulator::output(Instant at) noexcept {
  if (broken_) return Outcome::failed;
  if (!channels_.feedthrough.empty() && !waiting_ && connection_) {
    composer_.clear();
    compose_values(Verb::output, at.time);
    if (!exchange(Verb::output).good) return Outcome::failed;
    show_ahead();
  }
  ports_.give_outputs(outputs_);
  ports_.give_events(emitted_);
  return waiting_ ? Outcome::held : Outcome::ok;
}

Outcome Simulator::react(Instant at) noexcept {
  if (broken_) return Outcome::failed;
  if (!settings_.react || waiting_) return Outcome::ok;
  composer_.clear();
  compose_events();
  compose_values(Verb::react, at.time);
  const Answer answer = exchange(Verb::react);
  if (!answer.good) return Outcome::failed;
  show_ahead();
  return answer.verb == Verb::changed ? Outcome::changed : Outcome::ok;
}

Advance Simulator::advance(Time from, Time to) noexcept {
  if (broken_ || !connection_) return {from, Outcome::failed};
  if (to <= from) return {from};
  if (to <= peer_time_) {
    // another component cut the step short, and the peer cannot rewind
    now_ = to;
    if (to == peer_time_) show_ahead();
    return {to, Outcome::held};
  }
  if (!waiting_ && peer_time_ != from) {
    breaks("V5116", "it is at another time than the run, and cannot be brought back");
    return {from, Outcome::failed};
  }
  composer_.clear();
  compose_events();
  compose_values(Verb::step, to);
  const Time behind = peer_time_;
  const Answer answer = exchange(Verb::step);
  if (!answer.good) return {from, Outcome::failed};
  if (answer.time > to || answer.time < behind || (answer.time < to && !settings_.early)) {
    char text[160];
    std::snprintf(
        text, sizeof text, "asked to go to %.9g s it went to %.9g s%s", seconds(to),
        seconds(answer.time),
        answer.time > to || answer.time < behind ? "" : "; stopping early is not agreed (early)");
    breaks("V5114", text);
    return {from, Outcome::failed};
  }
  now_ = peer_time_ = answer.time;
  show_ahead();
  return {now_};
}

void Simulator::save(std::span<std::byte> to) const noexcept {
  if (rolls_back_ && !broken_) {
    composer_.clear().verb(Verb::save).number(history_).end();
    bool refused = false;
    if (!confirmed(Verb::save, refused) && refused) {
      breaks("V5116", "it does not save any more");
    }
  }
  put(to, std::span<const Time>(&now_, 1));
  put(to, std::span<const std::uint64_t>(&history_, 1));
  put(to, std::span<const double>(outputs_));
  put(to, std::span<const std::int64_t>(emitted_));
  put(to, std::span<const std::int64_t>(sent_));
}

void Simulator::load(std::span<const std::byte> from) noexcept {
  take(from, std::span<Time>(&now_, 1));
  take(from, std::span<std::uint64_t>(&history_, 1));
  take(from, std::span<double>(outputs_));
  take(from, std::span<std::int64_t>(emitted_));
  if (!connection_) take(from, std::span<std::int64_t>(sent_));
  if (broken_ || !connection_) return;
  if (!rolls_back_) {
    // the peer cannot take back what it was sent
    waiting_ = now_ < peer_time_;
    if (waiting_ && !told_ && journal_) {
      told_ = true;
      Entry e;
      e.at = {now_};
      e.kind = caught_up_late;
      journal_->note(e);
    }
    return;
  }
  take(from, std::span<std::int64_t>(sent_));
  composer_.clear().verb(Verb::restore).number(history_).end();
  bool refused = false;
  if (!confirmed(Verb::restore, refused)) {
    if (refused) breaks("V5116", "it no longer has the state that was saved, and cannot go back");
    return;
  }
  peer_time_ = now_;
  waiting_ = false;
  ahead_ = outputs_;
  ahead_events_ = emitted_;
}

Telling Simulator::tell(const Entry& e) const {
  Telling t;
  t.kind = "link";
  t.warning = true;
  t.reason =
      e.kind == cannot_roll_back
          ? "the simulator cannot roll back: after an event of others its inputs stay held to "
            "the end of the step"
          : "a step was cut short: the simulator is ahead, its outputs are held until the run "
            "has caught up";
  return t;
}

}  // namespace vernier::lines
