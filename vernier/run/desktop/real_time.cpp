#include "vernier/run/desktop/real_time.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/realtime/report.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/control.hpp"

namespace vernier::desktop {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using realtime::Histogram;

namespace {

constexpr std::size_t late_of_answer = 1000;  // late frames of an answer

/// As frames.h5 has it.
double in_seconds(std::int64_t ns) noexcept { return static_cast<double>(ns) * 1e-9; }

ordered_json frame_json(const FrameRow& r) {
  ordered_json row{number(r.time),
                   r.number,
                   number(r.wake_up),
                   number(r.cost),
                   number(r.margin),
                   number(r.held),
                   r.late,
                   r.behind,
                   static_cast<int>(r.cause),
                   r.culprit == realtime::nobody ? -1 : static_cast<std::int64_t>(r.culprit)};
  for (const double v : r.parts) row.push_back(number(v));
  return row;
}

ordered_json columns_json(const std::vector<std::string>& parts) {
  ordered_json names{"time", "number", "wake_up", "cost",  "margin",
                     "held", "late",   "behind",  "cause", "culprit"};
  for (const std::string& p : parts) names.push_back("cost_of." + p);
  return names;
}

ordered_json spread_json(const std::string& name, const Histogram& h) {
  ordered_json j{{"name", name}, {"count", h.count()}};
  if (h.count() == 0) return j;
  j["mean"] = h.mean() * 1e-9;
  j["p50"] = in_seconds(h.quantile(0.5));
  j["p99"] = in_seconds(h.quantile(0.99));
  j["p999"] = in_seconds(h.quantile(0.999));
  j["max"] = in_seconds(h.max());
  j["max_frame"] = h.max_frame();
  j["max_time"] = seconds(h.max_time());
  return j;
}

ordered_json buckets_json(const Histogram& h) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < Histogram::buckets; ++i)
    if (h.in_bucket(i) > 0)
      all.push_back(
          {in_seconds(Histogram::lower(i)), in_seconds(Histogram::upper(i) + 1), h.in_bucket(i)});
  return all;
}

/// What a run says of its own timing while it goes on; empty when it does not answer.
ordered_json told_by(const fs::path& run) {
  try {
    ordered_json j = ordered_json::parse(session::ask(run, "real-time"), nullptr, false);
    if (j.is_object()) return j;
  } catch (const ConfigurationError&) {
    // it has just ended
  }
  return ordered_json::object();
}

/// Those with which a run has shared time, in the order of their numbers.
std::vector<realtime::Other> others_in(const record::Manifest& m) {
  static constexpr std::string_view held = "held_by.", late = "late_by.", most = "_max_s";
  const auto value = [&](const std::string& name) {
    for (const auto& [n, v] : m.statistics)
      if (n == name) return v;
    return 0.0;
  };
  std::vector<realtime::Other> all;
  for (const auto& [name, v] : m.statistics) {
    if (!name.starts_with(held) || name.ends_with(most)) continue;
    const std::string who = name.substr(held.size());
    all.push_back(
        {.name = who,
         .held = static_cast<std::uint64_t>(std::max(v, 0.0)),
         .late = static_cast<std::uint64_t>(std::max(value(std::string(late) + who), 0.0)),
         .longest =
             static_cast<std::int64_t>(value(std::string(held) + who + std::string(most)) * 1e9)});
  }
  return all;
}

std::vector<realtime::Other> others_in(const ordered_json& told) {
  std::vector<realtime::Other> all;
  const auto list = told.find("others");
  if (list == told.end() || !list->is_array()) return all;
  for (const ordered_json& o : *list)
    all.push_back({.name = o.value("name", std::string()),
                   .held = o.value("held", std::uint64_t{0}),
                   .late = o.value("late", std::uint64_t{0}),
                   .longest = static_cast<std::int64_t>(o.value("longest_s", 0.0) * 1e9)});
  return all;
}

std::optional<record::ResultReader> results_of(const fs::path& folder) {
  std::error_code none;
  if (!fs::exists(record::results_file(folder), none)) return {};
  return record::ResultReader(folder);
}

}  // namespace

RealTimeView::RealTimeView(const fs::path& run_folder)
    : folder_(run_folder), frames_(run_folder), results_(results_of(run_folder)) {
  if (results_) links_.emplace(*results_);
  if (links_) links_->refresh(*results_);
}

void RealTimeView::refresh() {
  frames_.refresh();
  if (!results_ || !results_->running()) return;
  results_->refresh();
  links_->refresh(*results_);
}

ordered_json RealTimeView::description(std::uint64_t late) {
  refresh();
  const record::Manifest m = record::read_manifest(folder_);
  const bool live = m.status == "running";
  const ordered_json told = live ? told_by(folder_) : ordered_json::object();
  const std::vector<realtime::Other> others = live ? others_in(told) : others_in(m);
  const realtime::FrameStatistics& s = frames_.statistics();
  const bool shares = s.held.max() > 0 || !others.empty();

  ordered_json figures{spread_json("used", s.used), spread_json("wake_up", s.wake_up),
                       spread_json("cost", s.cost)};
  for (std::size_t p = 0; p < frames_.parts().size(); ++p)
    figures.push_back(spread_json("cost_of." + frames_.parts()[p], s.parts[p]));
  figures.push_back(spread_json("rest", s.rest));
  if (shares) figures.push_back(spread_json("held", s.held));

  ordered_json causes = ordered_json::object();
  for (std::size_t c = 1; c < realtime::causes; ++c)
    causes[std::string(realtime::word(static_cast<realtime::Cause>(c)))] = s.late_by[c];
  ordered_json late_frames = ordered_json::array();
  for (std::size_t i = late; i < frames_.late().size() && late_frames.size() < late_of_answer;
       ++i) {
    const FrameRow& r = frames_.late()[i];
    late_frames.push_back({{"number", r.number},
                           {"time", number(r.time)},
                           {"late_by", number(-r.margin)},
                           {"wake_up", number(r.wake_up)},
                           {"cause", realtime::word(r.cause)},
                           {"words", realtime::blame(r.frame(), frames_.parts(), others)}});
  }
  ordered_json held_by = ordered_json::array();
  for (const realtime::Other& o : others)
    held_by.push_back(
        {{"name", o.name}, {"held", o.held}, {"late", o.late}, {"longest", in_seconds(o.longest)}});
  ordered_json machine = ordered_json::array();
  for (const auto& [name, value] : m.machine) machine.push_back({name, value});
  if (machine.empty() && told.contains("machine")) machine = told["machine"];
  const auto statistic = [&](const char* name) -> ordered_json {
    for (const auto& [n, v] : m.statistics)
      if (n == name) return number(v);
    return nullptr;
  };
  const std::string policy = m.option("late"), rate = m.option("rate");
  const auto row = [](const std::optional<FrameRow>& r) {
    return r ? frame_json(*r) : ordered_json();
  };

  ordered_json j{
      {"live", live},
      {"frames", s.frames},
      {"late", s.late},
      {"in_a_row", s.in_a_row},
      {"causes", std::move(causes)},
      {"policy", policy.empty() ? realtime::text(realtime::LatePolicy{}) : policy},
      {"rate", rate.empty() ? "1" : rate},
      {"real_time", !m.option("rt").empty()},
      {"parts", frames_.parts()},
      {"columns", columns_json(frames_.parts())},
      {"first", row(frames_.first())},
      {"last", row(frames_.last())},
      {"worst", row(frames_.worst())},
      {"figures", std::move(figures)},
      {"histograms", {{"used", buckets_json(s.used)}, {"wake_up", buckets_json(s.wake_up)}}},
      {"late_frames", std::move(late_frames)},
      {"late_kept", frames_.late().size()},
      {"shares_time", shares},
      {"others", std::move(held_by)},
      {"links", links_ ? links_->links() : ordered_json::array()},
      {"federation", links_ ? links_->federation() : ordered_json()},
      {"machine", std::move(machine)},
      {"dropped", statistic("dropped")},
      {"not_kept", statistic("frames_not_kept")},
      {"slipped", statistic("slipped_s")},
      {"load", statistic("load")}};
  if (told.contains("policy")) j["policy"] = told["policy"];
  return j;
}

ordered_json RealTimeView::strip(double from, double to, std::size_t most) {
  refresh();
  const FrameHistory::Strip s = frames_.strip(from, to, most);
  ordered_json rows = ordered_json::array();
  for (const FrameRow& r : s.rows) rows.push_back(frame_json(r));
  return {{"columns", columns_json(frames_.parts())},
          {"rows", std::move(rows)},
          {"frames", s.frames},
          {"whole", s.whole}};
}

}  // namespace vernier::desktop
