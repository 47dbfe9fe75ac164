#include "vernier/run/desktop/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "vernier/base/base64.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/run/desktop/compare_runs.hpp"
#include "vernier/run/desktop/documents.hpp"
#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/open_run.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/desktop/real_time.hpp"
#include "vernier/run/desktop/report_file.hpp"
#include "vernier/run/desktop/scene_files.hpp"

namespace vernier::desktop {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t fewest_points = 250;          // before signals are left out
constexpr std::size_t most_strip = 4000;            // frames
constexpr std::size_t events_kept = 20'000;         // of a run
constexpr std::size_t most_of_a_shape = 2'000'000;  // bytes of a file that a scene names
constexpr std::size_t most_of_a_file = 1'000'000;   // bytes of a document

/// What a run brings, besides curves.
struct Told {
  std::string run;
  fs::path folder;
  ordered_json answers = ordered_json::object();
  std::set<std::size_t> in_figures = {};  // numbers of signals
};

ordered_json all_events(OpenRun& run, std::vector<std::string>& left_out, const std::string& name) {
  ordered_json events = ordered_json::array();
  while (true) {
    ordered_json more = run.events(events.size());
    const std::size_t total = more["total"].get<std::size_t>();
    if (more["events"].empty()) break;
    for (ordered_json& e : more["events"]) events.push_back(std::move(e));
    if (events.size() >= total) break;
    if (events.size() < events_kept) continue;
    left_out.push_back(
        fmt::format("{}: the events after the first {} of {}", name, events.size(), total));
    break;
  }
  return events;
}

/// Documents that are too long are named, not shown.
void shorten(ordered_json& source, std::vector<std::string>& left_out, const std::string& name) {
  if (!source.is_object() || !source.contains("files")) return;
  ordered_json kept = ordered_json::array();
  for (ordered_json& file : source["files"]) {
    if (file.value("text", std::string()).size() <= most_of_a_file) {
      kept.push_back(std::move(file));
    } else {
      left_out.push_back(
          fmt::format("{}: the text of {}", name, file.value("file", std::string())));
    }
  }
  source["files"] = std::move(kept);
}

/// A file that a scene names becomes a part of it.
void embed_files(ordered_json& scene, std::vector<std::string>& left_out, const std::string& name) {
  ordered_json before = scene;
  SceneFiles files;
  files.take(scene);
  for (std::size_t b = 0; scene.contains("bodies") && b < scene["bodies"].size(); ++b) {
    ordered_json& body = scene["bodies"][b];
    for (std::size_t k = 0; body.contains("shapes") && k < body["shapes"].size(); ++k) {
      ordered_json& shape = body["shapes"][k];
      if (!shape.contains("file")) continue;
      const net::WebAnswer file = files.answer("/file/" + shape["file"].get<std::string>());
      if (file.status == 200 && file.body && file.body->size() <= most_of_a_shape) {
        const auto* bytes = reinterpret_cast<const char*>(file.body->data());
        shape["file"] = "data:" + file.type + ";base64," + base64({bytes, file.body->size()});
        continue;
      }
      left_out.push_back(fmt::format("{}: the shape in {}", name,
                                     before["bodies"][b]["shapes"][k]["file"].get<std::string>()));
      shape.erase("file");
    }
  }
}

ordered_json described(Documents& documents, const std::string& what, const fs::path& folder,
                       std::vector<std::string>& left_out) {
  const Documents::Subject subject{folder, true};
  if (what == "automata") return documents.automata(subject);
  if (what == "parameters") return documents.parameters(subject);
  if (what == "source") return documents.source(subject);
  ordered_json scene = documents.scene(subject);
  embed_files(scene, left_out, folder.string());
  return scene;
}

Told told_of(const fs::path& folder, const Catalogue& catalogue, const ReportSettings& s,
             std::vector<std::string>& left_out) {
  OpenRun run(folder, catalogue);
  Told t{.run = folder.string(), .folder = folder};
  ordered_json opened = run.description();
  opened["live"] = false;
  for (const ordered_json& figure : opened["figures"])
    for (const ordered_json& curve : figure["curves"])
      t.in_figures.insert(curve["signal"].get<std::size_t>());
  t.answers["open"] = std::move(opened);
  t.answers["events"] = all_events(run, left_out, t.run);
  Documents documents(catalogue);
  for (const char* what : {"scene", "automata", "parameters", "source"}) {
    try {
      ordered_json answer =
          s.describe ? s.describe(what, folder) : described(documents, what, folder, left_out);
      if (!answer.is_null()) t.answers[what] = std::move(answer);
    } catch (const ConfigurationError& e) {
      left_out.push_back(
          fmt::format("{}: {} ({})", t.run, what, e.diagnostics().list().front().message));
    }
  }
  if (t.answers.contains("source")) shorten(t.answers["source"], left_out, t.run);
  try {
    RealTimeView& view = run.real_time();
    constexpr double ever = std::numeric_limits<double>::max();
    ordered_json frames = view.description(0);
    while (frames["late_frames"].size() < frames["late_kept"].get<std::size_t>()) {
      ordered_json more = view.description(frames["late_frames"].size());
      if (more["late_frames"].empty()) break;
      for (ordered_json& f : more["late_frames"]) frames["late_frames"].push_back(std::move(f));
    }
    frames["live"] = false;
    ordered_json strip = view.strip(-ever, ever, most_strip);
    if (strip["whole"] == false)
      left_out.push_back(
          fmt::format("{}: of {} frames, those that used least and most of each interval are kept",
                      t.run, strip["frames"].get<std::uint64_t>()));
    t.answers["frames"] = std::move(frames);
    t.answers["strip"] = std::move(strip);
  } catch (const ConfigurationError&) {
    // it did not keep time
  }
  return t;
}

/// A signal that may have a curve.
struct Candidate {
  std::size_t run, signal;
  std::uint32_t count;
  bool in_figure;
};

/// One version of a report: how many points, and how many of the candidates.
class Draft {
 public:
  Draft(const std::vector<Told>& told, std::size_t points) : points_(points) {
    for (const Told& t : told) readers_.emplace_back(t.folder);
  }

  ordered_json runs(const std::vector<Told>& told, std::span<const Candidate> kept) {
    std::vector<ordered_json> columns(told.size(), ordered_json::array());
    for (const Candidate& c : kept) {
      const record::Signal& s = readers_[c.run].signals()[c.signal];
      for (std::uint32_t e = 0; e < c.count; ++e) {
        const record::Trace t = readers_[c.run].trace(s, e, points_);
        const bool whole = t.time.size() >= s.rows;
        reduced_ |= !whole;
        columns[c.run].push_back(
            {c.signal, e, whole, numbers_.add_times(t.time), numbers_.add(t.values)});
      }
    }
    ordered_json all = ordered_json::array();
    for (std::size_t i = 0; i < told.size(); ++i)
      all.push_back(
          {{"run", told[i].run}, {"answers", told[i].answers}, {"columns", std::move(columns[i])}});
    return all;
  }

  /// Comparison of the first run with the others, and curves of the differences.
  void compare(const std::vector<Told>& told, std::span<const Candidate> kept, ordered_json& to) {
    if (told.size() < 2) return;
    std::vector<Compared> all;
    for (std::size_t i = 0; i < told.size(); ++i) all.push_back({told[i].run, &readers_[i]});
    to["compare"] = compared(all, {});
    ordered_json& list = to["differences"] = ordered_json::array();
    for (const Candidate& c : kept) {
      if (c.run != 0) continue;
      const std::string path = readers_[0].signals()[c.signal].spec.path;
      for (std::uint32_t e = 0; e < c.count; ++e) {
        ordered_json found = differences(all, path, e, points_ / 2);
        ordered_json curves = ordered_json::array();
        for (const ordered_json& curve : found["curves"]) {
          std::vector<double> time = curve["time"], value;
          for (const ordered_json& v : curve["value"])
            value.push_back(v.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                        : v.get<double>());
          curves.push_back({curve["run"], numbers_.add_times(time), numbers_.add(value)});
        }
        list.push_back({{"signal", path},
                        {"element", e},
                        {"unit", found["unit"]},
                        {"curves", std::move(curves)}});
      }
    }
  }

  const ReportNumbers& numbers() const noexcept { return numbers_; }
  bool reduced() const noexcept { return reduced_; }

 private:
  std::vector<record::ResultReader> readers_;
  ReportNumbers numbers_;
  std::size_t points_;
  bool reduced_ = false;
};

std::vector<Candidate> candidates(const std::vector<Told>& told) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const ordered_json& signals = told[i].answers["open"]["signals"];
    for (std::size_t k = 0; k < signals.size(); ++k)
      all.push_back(
          {i, k, signals[k]["count"].get<std::uint32_t>(), told[i].in_figures.contains(k)});
  }
  // what is left out first comes last: no figure shows it, and it has many elements
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    if (a.in_figure != b.in_figure) return a.in_figure;
    return a.count < b.count;
  });
  return all;
}

}  // namespace

Report report_of(const std::vector<fs::path>& folders, const Catalogue& catalogue, const Page& page,
                 const ReportSettings& s) {
  std::vector<std::string> left_out;
  std::vector<Told> told;
  for (const fs::path& f : folders) told.push_back(told_of(f, catalogue, s, left_out));
  const std::vector<Candidate> all = candidates(told);

  std::size_t points = s.most_points, kept = all.size();
  while (true) {
    const std::span<const Candidate> list(all.data(), kept);
    Draft draft(told, points);
    ordered_json j{{"report", 1},
                   {"title", s.title},
                   {"date", s.date},
                   {"version", s.version},
                   {"command", s.command}};
    j["runs"] = draft.runs(told, list);
    draft.compare(told, list, j);
    Report r{.html = {}, .left_out = left_out};
    if (draft.reduced())
      r.left_out.push_back(fmt::format(
          "curves have about {} points: of each interval the smallest and the largest value",
          points));
    for (std::size_t i = kept; i < all.size(); ++i)
      r.left_out.push_back(fmt::format(
          "{}: the curve of {}", told[all[i].run].run,
          told[all[i].run].answers["open"]["signals"][all[i].signal]["path"].get<std::string>()));
    j["left_out"] = r.left_out;
    r.html = report_html(s.title, report_data(j, draft.numbers()), page);
    if (r.html.size() <= s.most_bytes) return r;

    // the numbers need about as many bytes as there are points and curves
    const double too_much = static_cast<double>(r.html.size()) / static_cast<double>(s.most_bytes);
    if (points > fewest_points) {
      points = std::max(fewest_points,
                        static_cast<std::size_t>(0.9 * static_cast<double>(points) / too_much));
    } else if (kept > 0) {
      kept = std::min(kept - 1, static_cast<std::size_t>(static_cast<double>(kept) / too_much));
    } else {
      refuse("V8134",
             fmt::format(
                 "a report of {} bytes has no room for the page with the events and documents of "
                 "the runs: these need {} MB",
                 s.most_bytes, r.html.size() / 1'000'000 + 1),
             "--size 20MB   allows more; without real-time frames or long documents it is smaller");
    }
  }
}

}  // namespace vernier::desktop
