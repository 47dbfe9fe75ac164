#include "vernier/run/desktop/compare_runs.hpp"

#include <nlohmann/json.hpp>

#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/record/event_list.hpp"

namespace vernier::desktop {

using nlohmann::ordered_json;

namespace {

void refuse_fewer_than_two(const std::vector<Compared>& runs) {
  if (runs.size() < 2)
    refuse("V8133", "there is nothing to compare: name at least two runs",
           "the first one is the reference, the others are compared with it");
}

ordered_json optional_number(const std::optional<double>& v) {
  return v ? number(*v) : ordered_json();
}

/// The n-th event like this, s.
std::optional<double> event_time(const std::filesystem::path& folder, const Alignment& a) {
  constexpr std::size_t at_once = 1000;
  record::EventList events(folder);
  events.refresh();
  std::uint64_t left = a.n;
  const auto fits = [](const std::string& wanted, const std::string& cell) {
    return wanted.empty() || wanted == cell;
  };
  for (std::uint64_t first = 0; first < events.total(); first += at_once) {
    for (const record::EventList::Line& line : events.lines(first, at_once)) {
      const auto& c = line.cells;  // time, component, kind, from, to
      if (!fits(a.component, c[1]) || !fits(a.kind, c[2]) || !fits(a.from, c[3]) ||
          !fits(a.to, c[4]))
        continue;
      if (--left == 0) return line.time;
    }
  }
  return {};
}

std::optional<double> crossing_time(const record::ResultReader& results, const Alignment& a) {
  const record::Signal* s = results.find(a.signal);
  if (s == nullptr || a.element >= s->spec.count) return {};
  return record::crossing(results, *s, a.element, a.level, a.crossing, a.n);
}

}  // namespace

ordered_json json_of(const record::Comparison& c) {
  ordered_json j{{"within", c.within()},
                 {"only_a", c.only_a},
                 {"only_b", c.only_b},
                 {"signals", ordered_json::array()}};
  for (const record::Difference& d : c.signals) {
    ordered_json one{{"signal", d.signal},
                     {"unit", d.unit},
                     {"within", d.within()},
                     {"compared", d.compared},
                     {"only_a", d.only_a},
                     {"only_b", d.only_b},
                     {"largest", number(d.largest)},
                     {"largest_at_s", d.largest_at},
                     {"largest_element", d.largest_element},
                     {"rms", number(d.rms)},
                     {"diverges_at_s", optional_number(d.diverges_at)}};
    if (!d.problem.empty()) one["problem"] = d.problem;
    j["signals"].push_back(std::move(one));
  }
  return j;
}

ordered_json compared(const std::vector<Compared>& runs, const record::CompareOptions& options) {
  refuse_fewer_than_two(runs);
  ordered_json all = ordered_json::array();
  for (std::size_t i = 1; i < runs.size(); ++i) {
    record::CompareOptions o = options;
    o.shift = runs[i].shift - runs[0].shift;
    ordered_json one = json_of(record::compare(*runs[0].results, *runs[i].results, o));
    one["run"] = runs[i].run;
    one["shift"] = o.shift;
    all.push_back(std::move(one));
  }
  return {{"reference", runs[0].run}, {"comparisons", std::move(all)}};
}

ordered_json differences(const std::vector<Compared>& runs, const std::string& signal,
                         std::uint32_t element, std::size_t most_points) {
  refuse_fewer_than_two(runs);
  const record::ResultReader& first = *runs[0].results;
  const record::Selected chosen =
      first.select({signal + "[" + std::to_string(element) + "]"}).front();
  ordered_json curves = ordered_json::array();
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const record::ResultReader& other = *runs[i].results;
    const record::Signal* s = other.find(chosen.signal->spec.path);
    ordered_json time = ordered_json::array(), value = ordered_json::array();
    if (s != nullptr && element < s->spec.count && s->spec.unit == chosen.signal->spec.unit) {
      const record::Trace d = record::difference(first, *chosen.signal, other, *s, element,
                                                 runs[i].shift - runs[0].shift, most_points);
      for (const double t : d.time) time.push_back(t + runs[0].shift);
      for (const double v : d.values) value.push_back(number(v));
    }
    curves.push_back(
        {{"run", runs[i].run}, {"time", std::move(time)}, {"value", std::move(value)}});
  }
  return {{"signal", signal},
          {"element", element},
          {"unit", chosen.signal->spec.unit},
          {"curves", std::move(curves)}};
}

ordered_json aligned(const std::vector<Compared>& runs, const Alignment& a) {
  ordered_json times = ordered_json::array();
  for (const Compared& r : runs)
    times.push_back(optional_number(a.signal.empty()
                                        ? event_time(r.results->file().parent_path(), a)
                                        : crossing_time(*r.results, a)));
  return {{"times", std::move(times)}};
}

}  // namespace vernier::desktop
