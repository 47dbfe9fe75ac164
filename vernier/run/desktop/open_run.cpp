#include "vernier/run/desktop/open_run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

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

constexpr std::size_t most_events = 2000;                  // of an answer
constexpr auto often = std::chrono::milliseconds(200);     // to open the file of a live run again
constexpr std::size_t most_bytes = std::size_t{64} << 20;  // of columns, for one run

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

/// The times of the checkpoints, by the names of their files: "t=0300.000.vchk".
std::vector<double> checkpoint_times(const fs::path& run) {
  std::vector<double> times;
  std::error_code failed;
  for (fs::directory_iterator i(run / "checkpoints", failed), end; !failed && i != end;
       i.increment(failed)) {
    const std::string name = i->path().stem().string();
    if (i->path().extension() != ".vchk" || !name.starts_with("t=")) continue;
    if (const auto t = parsed_real(std::string_view(name).substr(2))) times.push_back(*t);
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

OpenRun::OpenRun(fs::path folder, const Catalogue& catalogue)
    : folder_(std::move(folder)),
      catalogue_(catalogue),
      columns_(folder_, most_bytes),
      events_(folder_) {}
OpenRun::~OpenRun() = default;

const record::Signal& OpenRun::signal(std::uint64_t number) const {
  const std::vector<record::Signal>& all = columns_.reader().signals();
  if (number >= all.size())
    refuse("V8103", "the run in " + folder_.string() + " has no signal " + std::to_string(number),
           "reload the page");
  return all[number];
}

const record::Signal& OpenRun::checked(std::uint64_t number, std::uint32_t element) const {
  const record::Signal& s = signal(number);
  if (element >= s.spec.count)
    refuse("V8103", s.spec.path + " has no element " + std::to_string(element), "reload the page");
  return s;
}

void OpenRun::refresh() {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now < refreshed_ + often) return;
  columns_.refresh();
  refreshed_ = now;
  live_ = record::read_manifest(folder_).status == "running";
}

ordered_json OpenRun::description() {
  const record::Manifest m = record::read_manifest(folder_);
  columns_.refresh();
  events_.refresh();
  const record::ResultReader& reader = columns_.reader();
  const bool live = live_ = m.status == "running";
  refreshed_ = {};  // rows may be complete before the manifest is
  ordered_json signals = ordered_json::array();
  double begin = 0.0, complete = 0.0;
  std::set<std::uint64_t> groups;  // that were looked at; the signals of one share their times
  for (const record::Signal& s : reader.signals()) {
    signals.push_back({{"path", s.spec.path},
                       {"unit", s.spec.unit},
                       {"frame", s.spec.frame},
                       {"description", s.spec.description},
                       {"count", s.spec.count},
                       {"scalar", name_of(s.spec.scalar)},
                       {"held", s.spec.held},
                       {"rate", s.rate},
                       {"rows", s.rows}});
    if (s.rows == 0 || !groups.insert(s.group).second) continue;
    const double first = reader.read(s, 0, 1).time[0];
    const double last = reader.read(s, s.rows - 1, 1).time[0];
    begin = groups.size() > 1 ? std::min(begin, first) : first;
    complete = groups.size() > 1 ? std::max(complete, last) : last;
  }
  ordered_json figures = ordered_json::array();
  ordered_json end = nullptr;
  try {
    Diagnostics ignored;
    const composition::Composition c =
        composition::read_composition(folder_ / "inputs" / m.document, catalogue_, ignored);
    for (const composition::Figure& f : c.figures) figures.push_back(figure_json(f, reader));
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
          {"checkpoints", checkpoint_times(folder_)},
          {"figures", std::move(figures)}};
}

std::vector<std::byte> OpenRun::points(std::uint64_t id, std::uint32_t number,
                                       std::uint32_t element, double from, double to,
                                       std::size_t most) {
  refresh();
  const record::Signal& s = checked(number, element);
  bool whole = false;
  const record::Trace trace = columns_.read(s, element, from, to, most, whole);
  return points_message(id, trace.time, trace.values, whole);
}

ordered_json OpenRun::row(const std::vector<std::uint64_t>& signals, double at) {
  refresh();
  ordered_json values = ordered_json::object();
  for (const std::uint64_t number : signals) {
    const auto row = columns_.row(signal(number), at);
    if (!row) continue;
    ordered_json elements = ordered_json::array();
    for (const double v : *row) elements.push_back(desktop::number(v));
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
    one["warning"] = line.cells[2] == "late";
    list.push_back(std::move(one));
  }
  return {{"events", std::move(list)}, {"total", events_.total()}};
}

std::vector<std::pair<std::string, std::uint32_t>> OpenRun::columns(
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& asked) const {
  std::vector<std::pair<std::string, std::uint32_t>> found;
  for (const auto& [number, element] : asked) {
    found.emplace_back(checked(number, element).spec.path, element);
  }
  return found;
}

RealTimeView& OpenRun::real_time() {
  if (!real_time_) real_time_ = std::make_unique<RealTimeView>(folder_);
  return *real_time_;
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
