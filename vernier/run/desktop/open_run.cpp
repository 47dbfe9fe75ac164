#include "vernier/run/desktop/open_run.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::desktop {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t most_events = 2000;  // of an answer

const char* scalar_text(const record::SignalSpec& s) {
  switch (s.scalar) {
    case Scalar::real:
      return "real";
    case Scalar::integer:
      return "integer";
    case Scalar::boolean:
      return "boolean";
    case Scalar::byte:
      return "byte";
  }
  return "real";
}

ordered_json figure_json(const composition::Figure& f, const record::ResultReader& reader) {
  ordered_json curves = ordered_json::array();
  for (const composition::Curve& c : f.curves) {
    const std::string path = c.signal.instance + "." + c.signal.port;
    const record::Signal* signal = reader.find(path);
    if (!signal) continue;  // the user recorded something else
    const auto number = static_cast<std::size_t>(signal - reader.signals().data());
    const std::uint32_t last = std::min(c.signal.last, signal->spec.count);
    for (std::uint32_t i = c.signal.first; i < last; ++i) {
      std::string label = c.label.empty() ? path : c.label;
      if (last - c.signal.first > 1) label += "[" + std::to_string(i) + "]";
      ordered_json one{{"signal", number}, {"element", i}, {"label", std::move(label)}};
      if (!c.unit.empty()) one["unit"] = c.unit;
      curves.push_back(std::move(one));
    }
  }
  return {{"name", f.name}, {"title", f.title}, {"y", f.y_label}, {"curves", std::move(curves)}};
}

/// Of every interval of neighbours the smallest and the largest value, in their order.
record::Trace reduced(const record::Trace& all, std::size_t most) {
  record::Trace less;
  const std::size_t n = all.time.size(), intervals = std::max<std::size_t>(1, most / 2);
  const auto put = [&](std::size_t i) {
    less.time.push_back(all.time[i]);
    less.values.push_back(all.values[i]);
  };
  for (std::size_t k = 0; k < intervals; ++k) {
    const std::size_t begin = k * n / intervals, end = (k + 1) * n / intervals;
    if (begin == end) continue;
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (all.values[i] < all.values[low] || std::isnan(all.values[i])) low = i;
      if (all.values[i] > all.values[high]) high = i;
    }
    put(std::min(low, high));
    if (low != high) put(std::max(low, high));
  }
  return less;
}

}  // namespace

OpenRun::OpenRun(fs::path folder, const Catalogue& catalogue)
    : folder_(std::move(folder)), catalogue_(catalogue), reader_(folder_), events_(folder_) {}
OpenRun::~OpenRun() = default;

const record::Signal& OpenRun::signal(std::uint64_t number) const {
  if (number >= reader_.signals().size())
    refuse("V8103", "the run in " + folder_.string() + " has no signal " + std::to_string(number),
           "reload the page");
  return reader_.signals()[number];
}

ordered_json OpenRun::description() {
  reader_.refresh();
  events_.refresh();
  const record::Manifest m = record::read_manifest(folder_);
  const bool live = m.status == "running";
  ordered_json signals = ordered_json::array();
  double begin = 0.0, complete = 0.0;
  bool any = false;
  for (const record::Signal& s : reader_.signals()) {
    signals.push_back({{"path", s.spec.path},
                       {"unit", s.spec.unit},
                       {"frame", s.spec.frame},
                       {"description", s.spec.description},
                       {"count", s.spec.count},
                       {"scalar", scalar_text(s.spec)},
                       {"held", s.spec.held},
                       {"rate", s.rate},
                       {"rows", s.rows}});
    if (s.rows == 0) continue;
    const double first = reader_.read(s, 0, 1).time[0];
    const double last = reader_.read(s, s.rows - 1, 1).time[0];
    begin = any ? std::min(begin, first) : first;
    complete = any ? std::max(complete, last) : last;
    any = true;
  }
  ordered_json figures = ordered_json::array();
  ordered_json end = nullptr;
  try {
    Diagnostics ignored;
    const composition::Composition c =
        composition::read_composition(folder_ / "inputs" / m.document, catalogue_, ignored);
    for (const composition::Figure& f : c.figures) figures.push_back(figure_json(f, reader_));
    if (c.run.stop > Duration{}) end = seconds(c.run.stop);
  } catch (const ConfigurationError&) {
    // a run without its inputs still has its results
  }
  if (const auto until = composition::parsed_time(m.option("until"))) end = seconds(*until);
  return {{"run", folder_.string()},
          {"live", live},
          {"status", m.status},
          {"manifest", ordered_json::parse(record::to_json(m))},
          {"begin", begin},
          {"end", end},
          {"complete", complete},
          {"signals", std::move(signals)},
          {"events", events_.total()},
          {"figures", std::move(figures)}};
}

std::uint64_t OpenRun::first_row(const record::Signal& s, double time) const {
  std::uint64_t low = 0, high = s.rows;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (reader_.read(s, middle, 1).time[0] < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::vector<std::byte> OpenRun::points(std::uint64_t id, std::uint32_t number,
                                       std::uint32_t element, double from, double to,
                                       std::size_t most) {
  if (reader_.running()) reader_.refresh();
  const record::Signal& s = signal(number);
  if (element >= s.spec.count)
    refuse("V8103", s.spec.path + " has no element " + std::to_string(element), "reload the page");
  std::uint64_t first = first_row(s, from);
  if (first > 0) --first;
  const std::uint64_t last = std::min(s.rows, first_row(s, to) + 1);
  const record::Series rows = reader_.read(s, first, last > first ? last - first : 0);
  record::Trace trace{.time = rows.time, .values = std::vector<double>(rows.time.size())};
  for (std::size_t i = 0; i < rows.time.size(); ++i)
    trace.values[i] = rows.values[i * s.spec.count + element];
  const bool whole = trace.time.size() <= most;
  if (!whole) trace = reduced(trace, most);
  return points_message(id, trace.time, trace.values, whole);
}

ordered_json OpenRun::row(const std::vector<std::uint64_t>& signals, double at) {
  if (reader_.running()) reader_.refresh();
  ordered_json values = ordered_json::object();
  for (const std::uint64_t number : signals) {
    const record::Signal& s = signal(number);
    const std::uint64_t after = first_row(s, std::nextafter(at, INFINITY));
    if (after == 0) continue;
    ordered_json elements = ordered_json::array();
    for (const double v : reader_.read(s, after - 1, 1).values)
      elements.push_back(desktop::number(v));
    values[std::to_string(number)] = std::move(elements);
  }
  return {{"values", std::move(values)}};
}

ordered_json OpenRun::events(std::uint64_t after) {
  events_.refresh();
  static constexpr const char* names[] = {"component", "kind",   "from",
                                          "to",        "reason", "transition"};
  ordered_json list = ordered_json::array();
  for (const record::EventList::Line& line : events_.lines(after, most_events)) {
    ordered_json one{{"time", line.time}};
    for (std::size_t i = 0; i < std::size(names); ++i) one[names[i]] = line.cells[i + 1];
    list.push_back(std::move(one));
  }
  return {{"events", std::move(list)}, {"total", events_.total()}};
}

std::vector<std::pair<std::string, std::uint32_t>> OpenRun::columns(
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& asked) const {
  std::vector<std::pair<std::string, std::uint32_t>> found;
  for (const auto& [number, element] : asked) {
    const record::Signal& s = signal(number);
    if (element >= s.spec.count)
      refuse("V8103", s.spec.path + " has no element " + std::to_string(element),
             "reload the page");
    found.emplace_back(s.spec.path, element);
  }
  return found;
}

OpenRun& OpenRuns::at(const fs::path& folder) {
  const auto found =
      std::find_if(runs_.begin(), runs_.end(), [&](const auto& r) { return r.first == folder; });
  if (found != runs_.end()) {
    std::rotate(found, found + 1, runs_.end());
    return *runs_.back().second;
  }
  auto made = std::make_unique<OpenRun>(folder, catalogue_);
  if (runs_.size() == most) runs_.erase(runs_.begin());
  runs_.emplace_back(folder, std::move(made));
  return *runs_.back().second;
}

void OpenRuns::forget(const fs::path& folder) {
  std::erase_if(runs_, [&](const auto& r) { return r.first == folder; });
}

}  // namespace vernier::desktop
