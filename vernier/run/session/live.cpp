#include "vernier/run/session/live.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "vernier/base/text.hpp"
#include "vernier/run/session/control.hpp"

namespace vernier::session {

namespace {

using namespace std::chrono_literals;
using executive::Order;
using executive::OrderAnswer;
using executive::OrderKind;

constexpr std::size_t longest_mark = 1000;
constexpr std::size_t most_got = 100;  // signals of one request: the queue must not fill up

[[noreturn]] void refuse(const char* code, std::string message, const std::string& note) {
  Diagnostics problems;
  problems.error(code, std::move(message), {}).notes.push_back(note);
  throw ConfigurationError(problems);
}

/// Removes the first word from a line and returns it.
std::string_view take_word(std::string_view& line) {
  line = trimmed(line);
  const std::string_view word = line.substr(0, line.find(' '));
  line = trimmed(line.substr(word.size()));
  return word;
}

/// JSON cannot represent values that are not finite.
std::string number(double v) { return std::isfinite(v) ? exact(v) : "null"; }

}  // namespace

std::string Live::answer(std::string_view line) {
  try {
    return carried_out(line);
  } catch (const ConfigurationError& e) {
    return refusal(e.diagnostics().list().front());
  }
}

std::string Live::carried_out(std::string_view line) {
  const std::string_view word = take_word(line);
  if (line.empty()) {
    if (word == "status") return run_.status();
    if (word == "state") return run_.state_text();
    if (word == "freeze") return run_.freeze();
    if (word == "resume") return run_.resume();
    if (word == "stop") return run_.stop();
    if (word == "checkpoint") return run_.checkpoint();
    if (word == "real-time") return run_.real_time();
    if (word == "nodes") return nodes();
  }
  if (word == "get") return get(line);
  if (word == "release" || word == "send")
    return change(word == "send" ? OrderKind::send : OrderKind::release, line, {});
  if (word == "set") {
    const std::string_view path = take_word(line);
    return change(OrderKind::replace, path, line);
  }
  if (word == "step") {
    const auto ticks = parsed_integer(line.empty() ? "1" : line);
    if (ticks && *ticks > 0 && *ticks <= 1'000'000) return run_.step(static_cast<int>(*ticks));
    refuse("V4121", fmt::format("\"{}\" is not a number of ticks", line), "from 1 to 1000000");
  }
  if (word == "rate") {
    const auto rate = parsed_real(line);
    if (rate && *rate > 0.0 && std::isfinite(*rate)) return run_.set_rate(*rate);
    refuse("V4121", fmt::format("\"{}\" is not a rate", line), "a positive number: × real time");
  }
  if (word == "move") {
    // the name of an island's part has a blank
    const std::size_t last = line.rfind(' ');
    if (last != line.npos) return run_.move(trimmed(line.substr(0, last)), line.substr(last + 1));
    refuse("V4121", "move needs a part and a node", "for example move bus b; nodes lists them");
  }
  if (word == "mark") {
    const bool plain =
        std::none_of(line.begin(), line.end(), [](unsigned char c) { return c < 32; });
    if (!line.empty() && line.size() <= longest_mark && plain) return run_.mark(line);
    refuse("V4121", "a mark needs a text of one line, at most 1000 bytes long",
           "for example mark the cable is pulled");
  }
  if (word == "rewind") {
    const auto t = composition::parsed_time(line);
    if (t && *t >= Duration{}) return run_.rewind(Time(*t));
    refuse("V4121", fmt::format("\"{}\" is not a time", line), "for example 12.5 s");
  }
  refuse("V4121", fmt::format("a run does not know \"{}\"", word),
         "status, state, real-time, freeze, resume, stop, step, rate, checkpoint, rewind, nodes, "
         "move, mark, get, set, release, send");
}

std::string Live::nodes() const {
  std::vector<std::string> all;
  for (const auto& [node, parts] : executive_.placement())
    all.push_back(fmt::format("{}: {}", node, parts.empty() ? "nothing" : joined(parts, ", ")));
  return all.empty() ? "one node runs everything" : joined(all, "; ");
}

OrderAnswer Live::wait_for(std::uint64_t order) {
  const auto give_up = std::chrono::steady_clock::now() + patience_;
  while (true) {
    OrderAnswer a = executive_.answer(order);
    if (a.done) return a;
    if (run_.over()) {
      executive_.forget(order);
      refuse("V4121", "the run ended before it could be done", "vernier runs   lists the runs");
    }
    if (std::chrono::steady_clock::now() > give_up) {
      executive_.forget(order);
      refuse("V4122",
             fmt::format("the run has not come to a tick for {} s; it will do what was asked there",
                         exact(std::chrono::duration<double>(patience_).count())),
             "vernier status   shows whether it is frozen");
    }
    std::this_thread::sleep_for(200us);
  }
}

std::string Live::get(std::string_view patterns) {
  std::vector<std::string> paths;
  for (const std::string_view pattern : words(patterns)) {
    const std::size_t before = paths.size();
    for (const executive::PortView& v : executive_.ports()) {
      const bool exact_path = v.path == pattern;
      if (v.port->flow == Flow::stream || !(exact_path || (v.output && matches(pattern, v.path))))
        continue;
      if (std::find(paths.begin(), paths.end(), v.path) == paths.end()) paths.push_back(v.path);
    }
    // an unknown path is refused with a suggestion
    if (paths.size() == before) paths.emplace_back(pattern);
    if (paths.size() > most_got)
      refuse("V4121", fmt::format("\"{}\" names more than {} signals", patterns, most_got),
             "ask for fewer at a time");
  }
  if (paths.empty()) refuse("V4121", "get needs a path or a pattern", "for example get body.omega");
  // a refusal on the way must not leave orders in the queue
  struct Asked {
    executive::Executive& of;
    std::vector<std::uint64_t> orders = {};
    std::size_t answered = 0;
    ~Asked() {
      for (; answered < orders.size(); ++answered) of.forget(orders[answered]);
    }
  } asked{executive_};
  for (const std::string& p : paths)
    asked.orders.push_back(executive_.ask({OrderKind::read, p, {}}));
  std::string values;
  Time at{};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const OrderAnswer a = wait_for(asked.orders[asked.answered++]);
    at = a.at;
    std::vector<std::string> elements;
    for (const double v : a.values) elements.push_back(number(v));
    values += fmt::format("{}\"{}\":[{}]", i ? "," : "", paths[i], joined(elements, ","));
  }
  return fmt::format("{{\"time\":{},\"signals\":{{{}}}}}", exact(seconds(at)), values);
}

std::string Live::change(OrderKind kind, std::string_view path, std::string_view text) {
  Order order{kind, std::string(path), {}};
  if (kind == OrderKind::replace) {
    const executive::PortView* port = executive_.find(path);
    const std::string unit = port ? port->port->unit : "1";
    const auto values = composition::parsed_values(text, unit);
    if (!values && port)
      refuse("V2005", fmt::format("\"{}\" cannot be read as numbers in {}", text, unit),
             "for example set wheel.command 0.02");
    order.values = values.value_or(std::vector<double>{});
  }
  const OrderAnswer a = wait_for(executive_.ask(order));
  if (kind == OrderKind::replace) set_.insert(order.path);
  if (kind == OrderKind::release && set_.erase(order.path) == 0) released_.insert(order.path);
  const char* what = kind == OrderKind::replace   ? "set"
                     : kind == OrderKind::release ? "released"
                                                  : "sent";
  return fmt::format("{} {} at t = {} s", path, what, exact(seconds(a.at)));
}

}  // namespace vernier::session
