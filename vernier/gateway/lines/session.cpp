#include "vernier/gateway/lines/detail/session.hpp"

#include <cstring>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::lines {
namespace {

// the component answers at once; only the network can delay sending
constexpr std::chrono::seconds send_limit{10};
// how often a wait looks for other clients, and a computation for its peer
constexpr std::chrono::milliseconds look_every{100};
// A longer step is computed in pieces, so that a peer that leaves ends it. Shorter ones keep the
// bits of a local run.
constexpr std::chrono::seconds longest_piece{1000};

bool parsed_id(std::string_view rest, std::uint64_t& id) noexcept {
  Words words(rest);
  const std::string_view word = words.next();
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  return error == std::errc{} && end == word.data() + word.size() && words.next().empty();
}

}  // namespace

LineServer::Session::Session(Component& component, Memory& memory,
                             const channel::Channels& channels, const ServerSettings& settings,
                             net::LineStream connection, int listener)
    : component_(component),
      memory_(memory),
      channels_(channels),
      settings_(settings),
      connection_(std::move(connection)),
      listener_(listener),
      inputs_(channel::size(channels.inputs)),
      outputs_(channel::size(channels.outputs)),
      told_(channels.events_out.size()),
      saves_(static_cast<std::size_t>(kept_saves)) {
  for (Save& s : saves_) {
    s.inputs = inputs_;
    s.events_in.resize(channels.events_in.size());
    s.told = told_;
    s.state.resize(component.description().state_bytes);
  }
}

std::optional<std::string_view> LineServer::Session::next_line(Ending& ending) {
  const auto began = net::Clock::now();
  while (true) {
    const auto line = connection_.receive(net::Clock::now() + look_every);
    if (line) return *line;
    const auto silence = net::Clock::now() - began;
    const auto another_waits = [this] {
      return listener_ >= 0 &&
             net::wait_for(listener_, net::readable, net::Clock::now()).ready != 0;
    };
    switch (line.error()) {
      case net::Trouble::stopped:
        ending = Ending::stopped;
        return {};
      case net::Trouble::closed:
        ending = Ending::closed;
        return {};
      case net::Trouble::too_long:
        error("the line is too long");
        send();
        ending = Ending::refused;
        return {};
      case net::Trouble::timed_out:
        if (!greeted_ && silence >= settings_.greeting) {
          error("HELLO did not come in time");
          send();
          ending = Ending::refused;
          return {};
        }
        if (silence >= settings_.idle && another_waits()) {
          error("silent for too long, and another client waits");
          send();
          ending = Ending::idle;
          return {};
        }
    }
  }
}

LineServer::Ending LineServer::Session::run() {
  while (true) {
    Ending ending = Ending::closed;
    const auto line = next_line(ending);
    if (!line) return ending;
    const auto request = opened(*line);
    composer_.clear();
    silent_ = false;
    if (!request) {
      error("not a verb of the line protocol, version 1");
    } else if (request->verb == Verb::bye) {
      composer_.verb(Verb::bye).end();
      send();
      return Ending::bye;
    } else if (request->verb == Verb::hello) {
      Words words(request->rest);
      words.next();
      const std::string_view version = words.next();
      greeted_ = version == "1";
      if (greeted_) {
        composer_.verb(Verb::hello).word(settings_.name).number(protocol_version).end();
      } else {
        error("this side speaks lines version 1");
      }
    } else if (!greeted_) {
      error("HELLO comes first");
      send();
      return Ending::refused;
    } else {
      answer(*request);
    }
    if (gone_) return *gone_ == net::Trouble::stopped ? Ending::stopped : Ending::closed;
    if (!silent_ && !send()) return Ending::closed;
  }
}

bool LineServer::Session::send() noexcept {
  return !connection_.send(composer_.text(), net::Clock::now() + send_limit);
}

void LineServer::Session::answer(const Line& request) {
  switch (request.verb) {
    case Verb::channels: {
      const auto offer = parsed_channels(request.rest);
      const std::string wrong = offer ? difference(*offer, channels_) : offer.error();
      differs_ = !wrong.empty();
      if (!differs_) {
        composer_.verb(Verb::channels).word(channels_text(channels_)).end();
      } else {
        error(("channels differ: " + wrong).c_str());
      }
      return;
    }
    case Verb::init:
    case Verb::event:
    case Verb::step:
    case Verb::output:
    case Verb::react:
    case Verb::save:
    case Verb::restore:
      break;
    default:
      return error("not a request");
  }
  if (differs_) return error("the channels differ: agree on CHANNELS first");
  if (request.verb == Verb::init) return init(request.rest);
  if (request.verb == Verb::event) return take_event(request.rest);
  if (!started_) return error("INIT comes first");
  switch (request.verb) {
    case Verb::step:
      return step(request.rest);
    case Verb::output:
      return ask_outputs(request.rest);
    case Verb::react:
      return react(request.rest);
    case Verb::save:
      return save(request.rest);
    default:
      return restore(request.rest);
  }
}

void LineServer::Session::error(const char* text) noexcept {
  composer_.clear().verb(Verb::error).word(text).end();
}

bool LineServer::Session::component_failed(Outcome outcome) noexcept {
  if (outcome != Outcome::failed) return false;
  const Fault& fault = component_.fault();
  char text[600], safe[560];
  // only the first line of the message
  const std::string_view sentence(fault.text, std::strcspn(fault.text, "\n"));
  const std::string_view words = shown(sentence, safe);
  const char* who = fault.subject[0] ? fault.subject : settings_.name.c_str();
  std::snprintf(text, sizeof text, "%s %s%.*s", fault.code, sentence.starts_with(' ') ? who : "",
                static_cast<int>(words.size()), safe);
  error(text);
  started_ = false;
  return true;
}

void LineServer::Session::init(std::string_view rest) {
  Words words(rest);
  const auto t = parsed_time(words.next());
  const std::string_view mode = words.next();
  if (!t || (!mode.empty() && mode != "early") || !words.next().empty()) {
    return error("INIT needs a time, and perhaps the word early");
  }
  memory_.reset_inputs();
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i] = 0.0;
  std::fill(told_.begin(), told_.end(), 0);
  for (Save& s : saves_) s.order = 0;
  now_ = *t;
  microstep_ = 0;
  steps_ = 0;
  early_ = mode == "early";
  try {
    int phase = 0;
    while (!component_.initialize(now_, phase)) {
      if (++phase > settings_.microsteps) return error("the component does not settle");
      if (component_failed(component_.output({now_}))) return;
    }
  } catch (const std::exception& problem) {
    char safe[500];
    return error(std::string(shown(problem.what(), safe)).c_str());
  }
  memory_.journal().clear();
  if (component_failed(component_.output({now_}))) return;
  std::copy(memory_.events_out().begin(), memory_.events_out().end(), told_.begin());
  started_ = true;
  done(Verb::done);
}

bool LineServer::Session::take_inputs(std::string_view rest, Time& t) noexcept {
  const Moment m = read_moment(rest, inputs_, {}, {});
  if (m.flaw != Flaw::none) {
    char said[48], text[160];
    const std::string_view word = shown(m.at, said);
    const int n = static_cast<int>(word.size());
    switch (m.flaw) {
      case Flaw::too_few:
      case Flaw::too_many:
        std::snprintf(text, sizeof text, "%zu values, expected %zu", m.found, inputs_.size());
        break;
      case Flaw::time:
        std::snprintf(text, sizeof text, "\"%.*s\" is not a time", n, said);
        break;
      default:
        std::snprintf(text, sizeof text, "value %zu, \"%.*s\", is not a finite number", m.found + 1,
                      n, said);
        break;
    }
    error(text);
    return false;
  }
  memory_.set_inputs(inputs_);
  t = m.time;
  return true;
}

// repeats reactions until the component has settled, when no others take part
bool LineServer::Session::settle() noexcept {
  for (int k = 0; k < settings_.microsteps; ++k) {
    if (component_failed(component_.output({now_, microstep_}))) return false;
    const Outcome outcome = component_.react({now_, microstep_});
    if (component_failed(outcome)) return false;
    if (outcome != Outcome::changed) return true;
    ++microstep_;
  }
  error("the component reacts without end at one time");
  started_ = false;
  return false;
}

void LineServer::Session::step(std::string_view rest) noexcept {
  Time to{};
  if (!take_inputs(rest, to)) return;
  if (to <= now_) return error("STEP must go forward");
  auto looked = net::Clock::now();
  while (true) {
    const Time end = std::min(to, now_ + Duration(longest_piece));
    const Advance a = component_.advance(now_, end);
    if (component_failed(a.outcome)) return;
    const bool stopped = a.reached < end;  // at an event
    if (stopped && a.reached <= now_) {
      // an event at the start of the step: time does not advance until it has been handled
      if (early_ || !settle()) break;
    } else {
      now_ = a.reached;
      microstep_ = 0;
      if (now_ == to || (stopped && early_)) break;
      if (stopped && !settle()) return;
    }
    if (const auto t = net::Clock::now(); now_ == end || t - looked >= look_every) {
      looked = t;
      gone_ = connection_.ended();
      if (gone_) return;
    }
  }
  if (!started_) return;
  ++steps_;
  memory_.journal().clear();
  if (component_failed(component_.output({now_, microstep_}))) return;
  done(Verb::done);
}

void LineServer::Session::ask_outputs(std::string_view rest) noexcept {
  Time t{};
  if (!take_inputs(rest, t)) return;
  if (t != now_) return error("OUTPUT is for the present time");
  if (component_failed(component_.output({now_, microstep_}))) return;
  done(Verb::done);
}

void LineServer::Session::react(std::string_view rest) noexcept {
  Time t{};
  if (!take_inputs(rest, t)) return;
  if (t != now_) return error("REACT is for the present time");
  const Outcome outcome = component_.react({now_, microstep_});
  if (component_failed(outcome)) return;
  memory_.journal().clear();
  if (outcome == Outcome::changed) ++microstep_;
  if (component_failed(component_.output({now_, microstep_}))) return;
  done(outcome == Outcome::changed ? Verb::changed : Verb::done);
}

void LineServer::Session::take_event(std::string_view rest) noexcept {
  Words words(rest);
  const std::size_t i = find(channels_.events_in, words.next());
  if (i == channels_.events_in.size()) return error("no such event");
  ++memory_.events_in()[i];
  silent_ = true;
}

void LineServer::Session::save(std::string_view rest) noexcept {
  std::uint64_t id = 0;
  if (!parsed_id(rest, id)) return error("SAVE needs a number");
  if (!component_.description().abilities.rewinds) return error("this component cannot rewind");
  // replace the save with the same number, or the oldest
  Save* slot = &saves_.front();
  for (Save& s : saves_) {
    if (s.order != 0 && s.id == id) {
      slot = &s;
      break;
    }
    if (s.order < slot->order) slot = &s;
  }
  slot->id = id;
  slot->order = ++saved_;
  slot->now = now_;
  slot->microstep = microstep_;
  slot->inputs = inputs_;
  slot->told = told_;
  std::copy(memory_.events_in().begin(), memory_.events_in().end(), slot->events_in.begin());
  component_.save(slot->state);
  composer_.verb(Verb::ok).end();
}

void LineServer::Session::restore(std::string_view rest) noexcept {
  std::uint64_t id = 0;
  if (!parsed_id(rest, id)) return error("RESTORE needs a number");
  const auto found = std::find_if(saves_.begin(), saves_.end(),
                                  [&](const Save& s) { return s.order != 0 && s.id == id; });
  if (found == saves_.end()) return error("nothing was saved under this number, or it is too old");
  now_ = found->now;
  microstep_ = found->microstep;
  inputs_ = found->inputs;
  told_ = found->told;
  memory_.set_inputs(inputs_);
  std::copy(found->events_in.begin(), found->events_in.end(), memory_.events_in().begin());
  component_.load(found->state);
  composer_.verb(Verb::ok).end();
}

void LineServer::Session::done(Verb verb) noexcept {
  std::size_t at = 0;
  bool good = memory_.get_outputs(outputs_, at);
  for (std::size_t i = 0; good && i < outputs_.size(); ++i) {
    at = i;
    good = std::isfinite(outputs_[i]);
  }
  if (!good) {
    char text[160];
    std::snprintf(text, sizeof text, "output value %zu cannot be sent: not finite or too large",
                  at + 1);
    started_ = false;
    return error(text);
  }
  composer_.verb(verb).time(now_);
  for (const double x : outputs_) composer_.real(x);
  const auto counts = memory_.events_out();
  bool any = false;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (; told_[i] < counts[i]; ++told_[i]) {
      if (!any) composer_.verb(Verb::event);
      any = true;
      composer_.word(channels_.events_out[i]);
    }
  }
  composer_.end();
}

}  // namespace vernier::lines
