#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/detail/page.hpp"
#include "vernier/run/composition/detail/values.hpp"

namespace vernier::composition::detail {
namespace {

using document::Element;

/// The enumerator with the attribute's value; the DTD permits no other.
template <class Kind, std::size_t n>
Kind kind_of(const Element& e, const std::array<std::string_view, n>& names, Kind otherwise) {
  const auto found = std::find(names.begin(), names.end(), trimmed(e.value("kind")));
  return found == names.end() ? otherwise : static_cast<Kind>(found - names.begin());
}

constexpr std::array<std::string_view, 7> report_kinds{"last", "first", "maximum",        "minimum",
                                                       "mean", "rms",   "time_of_maximum"};
constexpr std::array<std::string_view, 4> check_kinds{"constant", "below", "above", "near"};

/// The unit for displaying a value; reports an invalid one.
std::string unit_of(Page& page, const Element& e) {
  std::string unit(trimmed(e.value("unit")));
  if (!unit.empty() && !parsed_unit(unit)) {
    page.error("V2005", fmt::format("\"{}\" is not a unit", unit), page.value_place(e, "unit"))
        .notes.push_back("for example kg*m^2, rad/s, deg, mT or 1");
    unit.clear();
  }
  return unit;
}

/// The unit of the input a stimulus drives; empty when it is an instance's.
std::string_view unit_of_input(const Page& page, const Endpoint& to) {
  if (to.instance != "ext") return {};
  for (const ExternalInput& i : page.composition.inputs) {
    if (i.name == to.port) return i.unit;
  }
  return {};
}

void read_stimulus(Page& page, const Element& e) {
  const Duration at = duration(page, e, "at", {});
  const bool event = e.attribute("event") != nullptr;
  if (event == (e.attribute("input") != nullptr) || event == (e.attribute("value") != nullptr)) {
    page.error("V2014", "<stimulus> needs either an event, or an input and its value",
               page.value_place(e, ""))
        .notes.push_back("for example event=\"telecommand\", or input=\"u\" value=\"0.25\"");
    return;
  }
  Stimulus s;
  s.at = Time(at);
  if (event && is_name(trimmed(e.value("event")))) {
    // a bare label: for all instances that wait for it
    s.to.text = s.to.port = trimmed(e.value("event"));
    s.to.place = page.value_place(e, "event");
    s.to.place.file = page.document.file().string();
    page.composition.stimuli.push_back(std::move(s));
    return;
  }
  const auto to = find_end(page, e, event ? "event" : "input", Side::signal);
  if (!to) return;
  s.to = to->end;
  if (!event) {
    const std::string_view expected = unit_of_input(page, s.to);
    s.value = parsed_numbers(e.value("value"), trimmed(e.value("unit")), expected);
    s.unit = trimmed(e.value("unit"));
    if (const auto read = numbers_text(e.value("value")); read && s.unit.empty())
      s.unit = read->unit;
    if (!s.value) {
      Diagnostic& d =
          page.error("V2005", fmt::format("the value \"{}\" is not a number", e.value("value")),
                     page.value_place(e, "value"));
      add_reason(d, quantity_problem(e.value("value"), expected, 0));
      if (!expected.empty()) d.notes.push_back(fmt::format("{} is in {}", s.to.text, expected));
      return;
    }
  }
  page.composition.stimuli.push_back(std::move(s));
}

void read_record(Page& page, const Element& e) {
  const Rate every = rate(page, e, "every");
  const auto patterns = words(e.value("signals"));
  for (const std::string_view pattern : patterns) {
    Record r{
        .signals = std::string(pattern), .rate = every, .place = page.value_place(e, "signals")};
    r.place.file = page.document.file().string();
    page.composition.records.push_back(std::move(r));
  }
}

void read_report(Page& page, const Element& e) {
  Report r;
  r.name = trimmed(e.value("name"));
  r.kind = kind_of(e, report_kinds, Report::Kind::last);
  r.unit = unit_of(page, e);
  const auto signal = find_end(page, e, "signal", Side::signal);
  if (!signal) return;
  r.signal = signal->end;
  page.composition.reports.push_back(std::move(r));
}

void read_check(Page& page, const Element& e) {
  Check c;
  c.name = trimmed(e.value("name"));
  c.kind = kind_of(e, check_kinds, Check::Kind::constant);
  c.place = e.place;
  c.place.file = page.document.file().string();
  c.limit = quantity(page, e, "limit", 0.0);
  if (const auto read = numbers_text(e.value("limit"))) c.unit = read->unit;
  c.tolerance = quantity(page, e, "tolerance", 0.0);
  if (e.attribute("from")) c.from = Time(duration(page, e, "from", {}));
  const bool needs_limit = c.kind != Check::Kind::constant;
  const bool needs_tolerance = c.kind == Check::Kind::constant || c.kind == Check::Kind::near;
  for (const auto& [needed, what] :
       {std::pair{needs_limit, "limit"}, std::pair{needs_tolerance, "tolerance"}}) {
    const bool given = e.attribute(what) != nullptr;
    if (needed == given) continue;
    page.error(
        "V2016",
        fmt::format("the check \"{}\" is of kind {} and {} {}", c.name, e.value("kind", "constant"),
                    needed ? "needs a" : "has no use for a", what),
        page.value_place(e, given ? what : "name"));
  }
  if (c.tolerance < 0.0) {
    page.error("V2013", "tolerance must not be negative", page.value_place(e, "tolerance"));
  }
  const auto signal = find_end(page, e, "signal", Side::signal);
  if (!signal) return;
  c.signal = signal->end;
  page.composition.checks.push_back(std::move(c));
}

void read_figure(Page& page, const Element& e) {
  Figure f;
  f.name = name_of(page, e, "name");
  f.title = trimmed(e.value("title"));
  f.y_label = trimmed(e.value("y"));
  for (const Figure& other : page.composition.figures) {
    if (other.name != f.name) continue;
    page.error("V2002", fmt::format("there are two figures named \"{}\"", f.name),
               page.value_place(e, "name"));
    return;
  }
  for (const Element& child : e.children) {
    if (child.name != "curve") continue;
    const auto signal = find_end(page, child, "signal", Side::signal);
    const std::string unit = unit_of(page, child);
    if (signal) f.curves.push_back({signal->end, std::string(trimmed(child.value("label"))), unit});
  }
  page.composition.figures.push_back(std::move(f));
}

}  // namespace

void read_settings(Page& page, const Element& root) {
  const Element* first = nullptr;
  for (const Element& e : root.children) {
    if (e.name != "run") continue;
    if (first) {
      page.error("V2012", "there are two elements <run>", page.value_place(e, ""))
          .notes.push_back(fmt::format("the other one is on line {}", first->place.line));
      continue;
    }
    first = &e;
    RunSettings& run = page.composition.run;
    run.place = e.place;
    run.place.file = page.document.file().string();
    run.stop = duration(page, e, "stop", run.stop);
    const Period step = period(page, e, "step", {run.step, run.step_rate});
    run.step = step.time;
    run.step_rate = step.rate;
    if (run.step <= Duration{}) {
      page.error("V2013", "step must be longer than zero", page.value_place(e, "step"));
      run.step = std::chrono::milliseconds(100);
      run.step_rate = {};
    }
    run.island.rtol = positive(page, e, "rtol", run.island.rtol);
    run.island.atol = positive(page, e, "atol", run.island.atol);
    if (e.attribute("integrator")) run.island.integrator = trimmed(e.value("integrator"));
    if (e.attribute("inputs")) run.island.inputs = e.value("inputs");
    if (e.value("arithmetic") == name(Arithmetic::fastest)) run.arithmetic = Arithmetic::fastest;
    if (e.attribute("seed")) {
      const auto seed = parsed_integer(trimmed(e.value("seed")));
      if (seed && *seed >= 0) {
        run.seed = static_cast<std::uint64_t>(*seed);
      } else {
        page.error("V2013", fmt::format("seed must be a whole number, not \"{}\"", e.value("seed")),
                   page.value_place(e, "seed"));
      }
    }
  }
}

void read_observations(Page& page, const Element& root) {
  for (const Element& e : root.children) {
    if (e.name == "stimulus") {
      read_stimulus(page, e);
    } else if (e.name == "record") {
      read_record(page, e);
    } else if (e.name == "report") {
      read_report(page, e);
    } else if (e.name == "check") {
      read_check(page, e);
    } else if (e.name == "figure") {
      read_figure(page, e);
    }
  }
}

}  // namespace vernier::composition::detail
