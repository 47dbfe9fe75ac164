#include "apps/vernier/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/vernier/background.hpp"
#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/progress.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/composition/time_text.hpp"
#include "vernier/run/realtime/ports.hpp"
#include "vernier/run/session/continuation.hpp"

namespace vernier::app {
namespace {

using session::Result;
using session::Summary;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

std::string plural(std::size_t n, const std::string& what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string rate_text(const composition::RunSettings& run) {
  const std::int64_t ns = run.step.count();
  if (run.step_rate.periodic() && run.step_rate.seconds == 1)
    return fmt::format("at {} Hz", run.step_rate.times);
  if (!run.step_rate.periodic() && ns > 0 && 1'000'000'000 % ns == 0)
    return fmt::format("at {} Hz", 1'000'000'000 / ns);
  return fmt::format("in steps of {}", composition::step_text(run.step, run.step_rate));
}

void show_first_line(const session::Prepared& p, const session::Options& o) {
  const composition::Composition& c = p.composition;
  std::size_t components = 0;
  for (const composition::Instance& i : c.instances) components += i.type != realtime::frame_type;
  fmt::print("vernier {} · {} · {} · {} s {}, {}\n\n", version(), c.name,
             plural(components, "component"), exact(seconds(c.run.stop)), rate_text(c.run),
             session::pace_text(p, o));
}

void show_line(const char* word, const std::string& text, double time) {
  const std::size_t w = width(text);
  fmt::print("  {:<9} {}{} {:.2f} s\n", word, text, std::string(w < 54 ? 54 - w : 1, ' '), time);
}

std::string checked_text(const session::Prepared& p) {
  const composition::Composition& c = p.composition;
  const std::size_t models = std::max<std::size_t>(c.documents.size(), 1) -
                             (c.instances.size() == 1 && c.documents.size() == 1 ? 0 : 1);
  return fmt::format("composition, {}, {}, units", plural(models, "document"),
                     plural(c.connections.size(), "connection"));
}

std::string ready_text(const session::Session& s) {
  std::size_t signals = 0;
  for (const executive::PortView& port : s.executive().ports()) signals += port.output;
  const Duration rest = s.executive().longest_rest();
  return fmt::format("{}, initial conditions consistent{}", plural(signals, "signal"),
                     rest > Duration{}
                         ? fmt::format("; comes to rest within {:.3g} s at its end", seconds(rest))
                         : "");
}

std::string value_text(double v, const std::string& unit) {
  return unit == "1" ? short_number(v) : short_number(v) + " " + unit;
}

/// Name, value and where it comes from, in columns.
void show_findings(const Summary& s, const std::string& warnings, int decimals) {
  std::vector<std::array<std::string, 3>> rows;
  for (const session::ReportResult& r : s.reports)
    rows.push_back({r.name, value_text(r.value, r.unit), r.signal});
  for (const session::CheckResult& c : s.checks) {
    rows.push_back(
        {(!c.seen  ? "– "
          : c.kept ? "✓ "
                   : "✗ ") +
             c.name,
         words_of(c) + (c.kept ? "" : fmt::format(" (at t = {:.{}f} s)", c.at, decimals)),
         c.signal});
  }
  std::size_t names = 8, values = 0;
  for (const auto& r : rows) {
    names = std::max(names, width(r[0]));
    values = std::max(values, std::min<std::size_t>(width(r[1]), 40));
  }
  for (const auto& r : rows)
    fmt::print("  {}   {}   ({})\n", padded(r[0], names), padded(r[1], values), r[2]);
  if (!warnings.empty()) fmt::print("  {}   {}\n", padded("warnings", names), warnings);
  if (!rows.empty() || !warnings.empty()) fmt::print("\n");
}

void show_ending(const Summary& s) {
  const std::string pace = fmt::format("{} ({} × real time)", elapsed_text(s.wall),
                                       short_number(std::round(s.factor() * 100.0) / 100.0));
  const std::string rest =
      s.rest ? fmt::format("; it came to rest in {:.3g} s", seconds(*s.rest)) : "";
  switch (s.result) {
    case Result::finished:
    case Result::broken_check:
      fmt::print("\nfinished in {}{}{}\n\n", pace, rest,
                 s.result == Result::finished ? "" : "; a check failed");
      break;
    case Result::interrupted:
      fmt::print(
          "\ninterrupted at t = {} s after {}{}; the step was finished and the files are "
          "closed\n\n",
          exact(seconds(s.reached)), pace, rest);
      break;
    case Result::failed:
      fmt::print("\nfailed at t = {} s after {}{}; the files are closed\n\n",
                 exact(seconds(s.reached)), pace,
                 s.fault && s.fault->code == "V4123" ? "; it did not come to rest" : rest);
      break;
  }
  std::fflush(stdout);
  if (s.fault) fmt::print(stderr, "{}\n", rendered(*s.fault, {.color = color_on_errors()}));
  if (s.recorded.failure.empty() && s.recorded.dropped > 0) {
    fmt::print("  {} samples found no room and were not recorded\n\n", s.recorded.dropped);
  }
}

/// How well time was kept: the verdict, and the cost of the components.
void show_real_time(const realtime::Health& h) {
  fmt::print("  {}\n\n", realtime::verdict(h));
  const std::size_t most = 12;
  std::size_t names = 16;
  for (const std::string& name : h.parts) names = std::max(names, width(name));
  fmt::print("  {}{:>11}{:>11}{:>11}{:>11}   worst at\n", padded("", names), "p50", "p99", "p99.9",
             "max");
  const auto line = [&](const std::string& name, const realtime::Histogram& d) {
    const auto text = [](std::int64_t ns) {
      const std::string t = realtime::time_text(static_cast<double>(ns));
      return std::string(width(t) < 11 ? 11 - width(t) : 0, ' ') + t;
    };
    if (d.count() == 0) return;
    fmt::print("  {}{}{}{}{}   t = {:.{}f} s\n", padded(name, names), text(d.quantile(0.5)),
               text(d.quantile(0.99)), text(d.quantile(0.999)), text(d.max()),
               seconds(d.max_time()), h.decimals());
  };
  line("wake-up", h.frames.wake_up);
  line("time used", h.frames.used);
  for (std::size_t i = 0; i < std::min(most, h.parts.size()); ++i)
    line(h.parts[i], h.frames.parts[i]);
  if (h.shares_time) line("federation", h.frames.held);
  if (h.parts.size() > most) fmt::print("  … all components are in report.html\n");
  fmt::print("\n");
  std::size_t shown = 0;
  for (const realtime::Frame& f : h.frames.late_frames) {
    if (++shown > 5) break;
    fmt::print("  frame {} at t = {:.{}f} s was late by {}: {}\n", f.number, seconds(f.time),
               h.decimals(), realtime::time_text(static_cast<double>(-f.margin)),
               realtime::blame(f, h));
  }
  if (h.frames.late > 5) fmt::print("  … all late frames are in frames.h5\n");
  if (h.near_throttling()) {
    fmt::print(
        "  the loop used {:.0f} % of a CPU: the kernel stops real-time threads at {:.0f} %\n",
        h.frames.load() * 100.0, h.machine.throttle() * 100.0);
  }
  if (shown > 0 || h.near_throttling()) fmt::print("\n");
}

/// A signal to look at first: one in a figure, else in a report, else any.
std::string first_signal(const session::Session& s) {
  const composition::Composition& c = s.composition();
  for (const composition::Figure& f : c.figures) {
    for (const composition::Curve& curve : f.curves)
      return curve.signal.instance + "." + curve.signal.port;
  }
  for (const composition::Record& r : c.records) {
    for (const executive::PortView& p : s.executive().ports()) {
      if (p.output && p.port->flow == Flow::signal && matches(r.signals, p.path)) return p.path;
    }
  }
  return {};
}

void show_results(const session::Session& s, const Summary& summary) {
  const std::filesystem::path& folder = s.folder();
  if (folder.empty() || !std::filesystem::exists(folder)) return;
  std::string files;
  for (const char* name :
       {"results.h5", "events.csv", "frames.h5", "report.html", "manifest.json"}) {
    std::error_code none;
    const auto size = std::filesystem::file_size(folder / name, none);
    if (none) continue;
    files += fmt::format(
        "{}{}{}", files.empty() ? "" : " · ", name,
        std::string_view(name) == "results.h5" ? " " + byte_text(static_cast<double>(size)) : "");
  }
  fmt::print("  results   {}/      {}\n", folder.string(), files);
  for (const std::filesystem::path& f : summary.files) fmt::print("            {}\n", f.string());
  const std::string signal = first_signal(s);
  if (!signal.empty()) fmt::print("  next      vernier plot {} {}\n", folder.string(), signal);
  if (!s.composition().figures.empty()) {
    fmt::print("            vernier plot {} --figures\n", folder.string());
  } else {
    fmt::print("            vernier info {}\n", folder.string());
  }
}

nlohmann::ordered_json summary_json(const session::Session& session, const Summary& s,
                                    const Diagnostics& problems) {
  static constexpr const char* words[] = {"finished", "check failed", "failed", "interrupted"};
  nlohmann::ordered_json j{{"composition", session.composition().name},
                           {"version", std::string(version())},
                           {"status", words[static_cast<std::size_t>(s.result)]},
                           {"exit_status", session::exit_status(s)},
                           {"folder", session.folder().string()},
                           {"from_s", seconds(s.from)},
                           {"reached_s", seconds(s.reached)},
                           {"wall_s", s.wall},
                           {"times_real_time", s.factor()},
                           {"events", s.recorded.events},
                           {"late", s.statistics.late},
                           {"dropped", s.recorded.dropped}};
  if (s.longest_rest > Duration{}) {
    j["rest_s"] = seconds(s.rest.value_or(Duration{}));
    j["longest_rest_s"] = seconds(s.longest_rest);
  }
  const auto number = [](double v) {
    return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json();
  };
  if (s.real_time) {
    nlohmann::ordered_json& rt = j["real_time"];
    rt["verdict"] = realtime::verdict(*s.real_time);
    for (const auto& [name, value] : session::figures_of(*s.real_time)) rt[name] = number(value);
    for (const auto& [name, value] : session::machine_of(*s.real_time)) rt["machine"][name] = value;
  }
  j["reports"] = nlohmann::ordered_json::array();
  for (const session::ReportResult& r : s.reports) {
    j["reports"].push_back(
        {{"name", r.name}, {"signal", r.signal}, {"value", number(r.value)}, {"unit", r.unit}});
  }
  j["checks"] = nlohmann::ordered_json::array();
  for (const session::CheckResult& c : s.checks) {
    j["checks"].push_back({{"name", c.name},
                           {"signal", c.signal},
                           {"kept", c.kept},
                           {"worst", number(c.worst)},
                           {"allowed", c.allowed},
                           {"at_s", c.at},
                           {"unit", c.unit}});
  }
  j["checkpoints"] = nlohmann::ordered_json::array();
  for (const auto& file : s.checkpoints) j["checkpoints"].push_back(file.string());
  j["files"] = nlohmann::ordered_json::array();
  for (const auto& file : s.files) j["files"].push_back(file.string());
  j["warnings"] = nlohmann::ordered_json::array();
  for (const Diagnostic& d : problems.list())
    j["warnings"].push_back({{"code", d.code}, {"message", d.message}});
  if (s.fault) {
    j["fault"] = {
        {"code", s.fault->code}, {"message", s.fault->message}, {"notes", s.fault->notes}};
  }
  return j;
}

}  // namespace

namespace {

/// How many warnings there were, and where they are.
std::string warnings_text(std::size_t warnings, const Progress& progress) {
  if (warnings == 0) return {};
  return fmt::format("{}, see above{}", warnings, progress.hid_events() ? " and events.csv" : "");
}

/// Which parts run on which node; empty: there is one only.
std::string nodes_text(const session::Session& s) {
  std::string all;
  for (const auto& [node, parts] : s.executive().placement())
    all += fmt::format(
        "{:<9} {:<10} {}\n", all.empty() ? "nodes" : "", node,
        parts.empty() ? "nothing yet; takes over when another is lost" : joined(parts, ", "));
  return all;
}

/// A link in the folder of a run that was rewound, to the run that continues it.
void link_next(const std::filesystem::path& before, const std::filesystem::path& now) {
  std::error_code ignored;
  if (before.empty() || now.empty()) return;
  std::filesystem::create_symlink(std::filesystem::path("..") / now.filename(), before / "next",
                                  ignored);
}

/// Takes over the run that is to be continued. False: it has ended by itself.
bool take_over(session::Continuation& c, const session::Prepared& prepared, bool standby,
               Show show) {
  session::check_continuable(c, prepared.plan);
  const std::string folder = c.folder.string();
  if (standby && show != Show::json) {
    fmt::print(stderr, "waiting for {}; Ctrl-C ends this\n", folder);
    std::fflush(stderr);
  }
  if (!session::take_over(c, standby, prepared.plan)) {
    if (show == Show::json)
      fmt::print("{}\n",
                 nlohmann::ordered_json{{"folder", folder}, {"status", c.manifest.status}}.dump(
                     2, ' ', false, nlohmann::json::error_handler_t::replace));
    else
      fmt::print("{} has ended by itself: {}\n", folder, c.manifest.status);
    std::fflush(stdout);
    return false;
  }
  if (show == Show::everything) {
    fmt::print("  {:<9} {}\n", "continues",
               c.checkpoint.empty() ? "from its beginning" : c.checkpoint.filename().string());
    std::fflush(stdout);
  }
  return true;
}

/// One run, which continues `before`, unless that is empty; `rewind` becomes where somebody wants
/// it to begin again.
Shown run_once(const std::filesystem::path& document, session::Options options,
               const Catalogue& types, Show show, const EventChoice& events,
               const std::filesystem::path& before, std::optional<std::filesystem::path>& rewind,
               bool standby) {
  const bool talk = show == Show::everything;
  Diagnostics problems;
  Stopwatch checking;
  session::Prepared prepared = session::prepare(document, options.changes, types, problems);
  if (talk) {
    show_first_line(prepared, options);
    show_line("checked", checked_text(prepared), checking.seconds());
    std::fflush(stdout);
  }
  Progress progress(events);
  const composition::RunSettings& settings = prepared.composition.run;
  const int decimals = composition::time_decimals(settings.step, settings.stop);
  std::size_t names = 10;
  for (const composition::Instance& i : prepared.composition.instances)
    names = std::max(names, width(i.name));
  progress.set_format(decimals, std::min<std::size_t>(names, 32));
  if (talk) options.on_event = [&progress](const record::Event& e) { progress.event(e); };
  std::size_t lacking = 0;
  options.on_warnings = [&](const Diagnostics& missing) {
    progress.hold([&] {
      lacking += missing.warnings();
      print_problems(missing);
    });
  };

  if (options.continuation && !take_over(*options.continuation, prepared, standby, show)) return {};
  Stopwatch readying;
  session::Session session(std::move(prepared), std::move(options), problems);
  std::optional<Interruptible> guard;
  guard.emplace([](void* whom) noexcept { static_cast<session::Session*>(whom)->request_stop(); },
                &session);
  if (talk) {
    show_line("ready", ready_text(session), readying.seconds());
    if (const std::string nodes = nodes_text(session); !nodes.empty()) fmt::print("{}", nodes);
    fmt::print("\n");
    std::fflush(stdout);
    if (!problems.list().empty()) print_problems(problems);
  }
  link_next(before, session.folder());
  Background::settle(session.folder());

  if (talk) progress.follow(session);
  const Summary summary = session.run();
  progress.finish();
  guard.reset();
  rewind = summary.rewind;
  Shown shown;
  shown.status = session::exit_status(summary);
  shown.folder = session.folder();
  switch (show) {
    case Show::everything:
      show_ending(summary);
      if (summary.real_time) show_real_time(*summary.real_time);
      show_findings(summary,
                    warnings_text(problems.warnings() + progress.warnings() + lacking, progress),
                    decimals);
      show_results(session, summary);
      break;
    case Show::folder:
      if (summary.fault)
        fmt::print(stderr, "{}", rendered(*summary.fault, {.color = color_on_errors()}));
      if (!session.folder().empty()) fmt::print("{}\n", session.folder().string());
      break;
    case Show::json:
      fmt::print("{}\n",
                 summary_json(session, summary, problems)
                     .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      break;
  }
  std::fflush(stdout);
  return shown;
}

}  // namespace

Shown run_and_show(const std::filesystem::path& document, session::Options options,
                   const Catalogue& types, Show show, const EventChoice& events, bool standby) {
  std::filesystem::path before;
  while (true) {
    std::optional<std::filesystem::path> rewind;
    Shown shown = run_once(document, options, types, show, events, before, rewind, standby);
    if (!rewind) return shown;
    before = shown.folder;
    options.from = *rewind;
    options.continuation.reset();
  }
}

}  // namespace vernier::app
