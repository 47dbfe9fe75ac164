#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <optional>

#include "vernier/base/text.hpp"
#include "vernier/model/island/detail/island.hpp"

namespace vernier::island::detail {

namespace {

using integration::Firing;
using integration::Status;

// Appends pieces to a text of bounded length.
class Writer {
 public:
  explicit Writer(Fault& f) noexcept : to_(f.text), left_(sizeof f.text) { f.text[0] = '\0'; }

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, format);
    // The analyzer does not see va_start.
    const int n = std::vsnprintf(to_, left_, format, arguments);  // NOLINT(clang-analyzer-valist*)
    va_end(arguments);
    const std::size_t written = std::min(static_cast<std::size_t>(std::max(n, 0)), left_ - 1);
    to_ += written;
    left_ -= written;
  }

 private:
  char* to_;
  std::size_t left_;
};

void set_code(Fault& f, const char* code) noexcept {
  std::snprintf(f.code, sizeof f.code, "%s", code);
}

void set_state(Fault& f, const hybrid::SystemSpec& spec, std::size_t element) noexcept {
  for (const hybrid::Signal& s : spec.states) {
    if (element < s.count) {
      std::snprintf(f.subject, sizeof f.subject, s.count > 1 ? "%.40s[%zu]" : "%.40s",
                    s.name.c_str(), element);
      return;
    }
    element -= s.count;
  }
}

// The transitions that repeat at the end of `firings`: the shortest cycle that explains the last
// two rounds, otherwise all of them.
std::span<const Firing> cycle(std::span<const Firing> firings) noexcept {
  const auto same = [](const Firing& a, const Firing& b) {
    return a.automaton == b.automaton && a.transition == b.transition;
  };
  for (std::size_t period = 1; 2 * period <= firings.size(); ++period) {
    const auto last = firings.last(period);
    const auto before = firings.last(2 * period).first(period);
    if (std::equal(last.begin(), last.end(), before.begin(), same)) return last;
  }
  return firings;
}

// A condition of the form `name >= 0.01`.
struct Threshold {
  std::string_view name;
  bool above = false;
  double value = 0.0;
};

std::optional<Threshold> threshold(const std::string& condition) noexcept {
  const std::size_t at = condition.find_first_of("<>");
  if (at == std::string::npos || at == 0) return {};
  const std::size_t number = condition.find_first_not_of("<>= ", at);
  if (number == std::string::npos) return {};
  const std::string_view name = trimmed(std::string_view(condition).substr(0, at));
  const auto value = parsed_real(std::string_view(condition).substr(number));
  if (!value || name.empty()) return {};
  return Threshold{name, condition[at] == '>', *value};
}

// The usual remedy: separate two thresholds that meet or overlap.
void add_advice(Writer& w, const hybrid::Transition& a, const hybrid::Transition& b) noexcept {
  w.add("\nusual cause: enter and leave conditions meet. Give them a gap");
  const auto one = threshold(a.condition), two = threshold(b.condition);
  if (!one || !two || one->name != two->name || one->above == two->above) return;
  const double middle = 0.5 * (one->value + two->value);
  const double half = std::max(0.2 * std::abs(middle), 0.6 * std::abs(one->value - two->value));
  if (half == 0.0) return;
  const auto part = [&](const Threshold& t, const char* before) {
    w.add("%s%.*s %s %.3g", before, static_cast<int>(t.name.size()), t.name.data(),
          t.above ? ">" : "<", t.above ? middle + half : middle - half);
  };
  part(*one, ", for example ");
  part(*two, " and ");
}

// ` switches … between "hold" and "fire"`, with the conditions of the transitions; `meet`: they may
// hold at once.
void add_cycle(Fault& fault, Writer& w, const hybrid::SystemSpec& spec,
               std::span<const Firing> turns, const char* what, bool meet) noexcept {
  const auto automaton_of = [&](const Firing& f) -> const hybrid::Automaton& {
    return spec.automata[static_cast<std::size_t>(f.automaton)];
  };
  const auto transition_of = [&](const Firing& f) -> const hybrid::Transition& {
    return automaton_of(f).transitions[static_cast<std::size_t>(f.transition)];
  };
  std::snprintf(fault.subject, sizeof fault.subject, "%.60s",
                automaton_of(turns.front()).name.c_str());
  w.add(" %s", what);
  const int last = static_cast<int>(turns.size()) - 1;
  for (int k = 0; k <= last && k < 8; ++k) {
    const Firing& f = turns[static_cast<std::size_t>(k)];
    const char* between = last == 0 ? " in" : k == 0 ? " between" : k == last ? " and" : ",";
    w.add("%s \"%s\"", between,
          automaton_of(f).locations[static_cast<std::size_t>(f.from)].c_str());
  }
  for (int k = 0; k <= last && k < 8; ++k) {
    const hybrid::Transition& t = transition_of(turns[static_cast<std::size_t>(k)]);
    w.add("%s%s: %s", k == 0 ? " (transition " : "; ", t.name.c_str(), t.condition.c_str());
  }
  w.add(")");
  if (meet) add_advice(w, transition_of(turns.front()), transition_of(turns.back()));
}

}  // namespace

void describe_failure(Fault& fault, const integration::Arrival& arrival, double time,
                      const integration::Integrator& integrator,
                      const hybrid::SystemSpec& spec) noexcept {
  Firing recent[32];
  const std::span<const Firing> firings(recent, integrator.recent(recent));
  Writer w(fault);
  char what[96];
  switch (arrival.status) {
    case Status::arrived:
    case Status::event:
      break;
    case Status::not_finite:
      set_code(fault, "V3107");
      set_state(fault, spec, integrator.culprit());
      w.add(" became %s at t = %.9g s", integrator.infinite() ? "infinite" : "not-a-number", time);
      break;
    case Status::undecided:
      set_code(fault, "V3107");
      if (spec.automata.size() == 1)
        std::snprintf(fault.subject, sizeof fault.subject, "%.60s", spec.automata[0].name.c_str());
      w.add(" cannot decide a transition at t = %.9g s: its condition is not-a-number", time);
      break;
    case Status::step_too_small:
      set_code(fault, "V3105");
      set_state(fault, spec, integrator.culprit());
      w.add(
          " cannot be integrated within the tolerances at t = %.9g s\nusual cause: the solution "
          "has "
          "a kink or a pole there, or rtol and atol are too small",
          time);
      break;
    case Status::too_many_steps:
      set_code(fault, "V3106");
      set_state(fault, spec, integrator.culprit());
      w.add(
          " needs more than 1 000 000 steps of integration for one step of the run, at t = %.9g s",
          time);
      if (integrator.fastest() > 0.0)
        w.add("\nit follows its own changes in about %.2g s", 1.0 / integrator.fastest());
      w.add(
          "\nusual cause: the system is stiff; use integrator=\"rodas\". Or rtol and atol are too "
          "small");
      break;
    case Status::instantaneous_loop:
      set_code(fault, "V3110");
      std::snprintf(what, sizeof what, "switches 1 000 times at t = %.9g s", time);
      if (!firings.empty()) add_cycle(fault, w, spec, cycle(firings), what, true);
      break;
    case Status::accumulation: {
      set_code(fault, "V3111");
      const double ahead = integrator.zeno().ahead();
      const double limit = time + ahead;
      const bool converges = ahead > 0.0 && ahead < 1e-3;
      std::snprintf(what, sizeof what,
                    converges
                        ? "switches ever faster towards t = %.12g s"
                        : "switches more than 100 times in one step of the run, at t = %.9g s",
                    converges ? limit : time);
      if (!firings.empty()) add_cycle(fault, w, spec, cycle(firings), what, false);
      w.add(
          "\nusual cause: no location describes what happens after that time, such as \"lies on "
          "the floor\". Add one, or continue with zeno=\"warn\" on the <island>");
      break;
    }
  }
}

}  // namespace vernier::island::detail
