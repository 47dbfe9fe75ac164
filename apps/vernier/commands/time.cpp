#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/kernel/frames/dates.hpp"
#include "vernier/kernel/frames/names.hpp"
#include "vernier/kernel/frames/standard.hpp"

namespace vernier::app {
namespace {

using frames::Origin;
using frames::Scale;
using nlohmann::ordered_json;

struct TimeRequest {
  std::vector<std::string> words;  // an instant, or names of frames
  std::string at, ephemeris;
  double dut1 = 0.0;
  bool json = false;
};

frames::Epoch asked_instant(const std::string& text, double dut1) {
  if (text.empty() || text == "now") {
    const std::int64_t ns =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    constexpr std::int64_t giga = 1'000'000'000;
    return frames::instant(
        frames::reading_since(Origin::unix, frames::exact_seconds(ns / giga, ns % giga, giga)),
        Scale::utc);
  }
  if (const auto e = frames::parsed_instant(text, dut1)) return *e;
  Diagnostics problems;
  problems.error("V1842", "\"" + text + "\" is no instant", {}).notes = {
      "a date: 2026-06-01T12:00:00.5Z, 2026-06-01 12:00 TT; of UTC from 1972 to 2199",
      "a count: MJD 61192.5, JD 2461193 TDB, J2000 833587269.184, UNIX 1780315200, GPS 2421 129618",
      "scales: TAI, TT, UTC, UT1, TDB, TCG, GPS"};
  throw ConfigurationError(problems);
}

int show_time(const TimeRequest& a) {
  const frames::Epoch e = asked_instant(joined(a.words, " "), a.dut1);
  const auto shown = [&](Scale s) { return frames::date_text(reading(e, s, a.dut1), 9); };
  const auto utc = reading(e, Scale::utc), tt = reading(e, Scale::tt);
  const frames::Seconds gps = since(Origin::gps, reading(e, Scale::gps));
  constexpr std::int64_t week = 7 * frames::day_seconds;
  const std::int64_t weeks = gps.whole >= 0 ? gps.whole / week : -((week - 1 - gps.whole) / week);
  const std::string of_week = frames::second_text({gps.whole - weeks * week, gps.attoseconds}, 9);
  const auto days = [&](Origin o, const frames::Reading& r) { return day_text(since(o, r), 12); };
  const auto seconds = [&](Origin o, const frames::Reading& r) {
    return second_text(since(o, r), 9);
  };
  constexpr Scale scales[] = {Scale::utc, Scale::tai, Scale::tt, Scale::tdb,
                              Scale::tcg, Scale::gps, Scale::ut1};
  if (a.json) {
    ordered_json j;
    for (const Scale s : scales) j[std::string(name_of(s))] = shown(s);
    j["leap_seconds"] = frames::leap_seconds(e);
    j["JD"] = {{"UTC", days(Origin::julian, utc)}, {"TT", days(Origin::julian, tt)}};
    j["MJD"] = {{"UTC", days(Origin::mjd, utc)}, {"TT", days(Origin::mjd, tt)}};
    j["TJD"] = {{"UTC", days(Origin::tjd, utc)}, {"TT", days(Origin::tjd, tt)}};
    j["J2000_s"] = seconds(Origin::j2000, tt);
    j["scenario_time_s"] = seconds(Origin::tjd, tt);
    j["UNIX_s"] = seconds(Origin::unix, utc);
    j["GPS"] = {{"week", weeks}, {"seconds", of_week}};
    fmt::print("{}\n", j.dump(2));
    return status::good;
  }
  Table t;
  for (const Scale s : scales) {
    std::string note;
    if (s == Scale::tai) note = fmt::format("{} leap seconds", frames::leap_seconds(e));
    if (s == Scale::ut1) note = fmt::format("with UT1 - UTC = {} s", exact(a.dut1));
    t.row({std::string(name_of(s)), shown(s), note});
  }
  t.row({"", "", ""});
  t.row({"JD", days(Origin::julian, utc) + " UTC", days(Origin::julian, tt) + " TT"});
  t.row({"MJD", days(Origin::mjd, utc) + " UTC", days(Origin::mjd, tt) + " TT"});
  t.row({"TJD", days(Origin::tjd, utc) + " UTC", days(Origin::tjd, tt) + " TT"});
  t.row({"TJDS", seconds(Origin::tjd, tt) + " s", "TT since TJD 0: scenario time of SpaceFOM"});
  t.row({"J2000", seconds(Origin::j2000, tt) + " s", "TT since 2000-01-01T12:00"});
  t.row({"UNIX", seconds(Origin::unix, utc) + " s", ""});
  t.row({"GPS", fmt::format("week {}", weeks), of_week + " s"});
  fmt::print("{}", t.text("  "));
  return status::good;
}

frames::FrameTree::Index asked_frame(const frames::FrameTree& tree, const std::string& name) {
  const auto found = tree.find(name);
  if (found != frames::FrameTree::none) return found;
  std::vector<std::string> known;
  for (const auto& f : frames::standard_frames()) known.emplace_back(f.name);
  Diagnostics problems;
  Diagnostic& d = problems.error("V1841", "there is no standard frame " + name, {});
  if (const auto near = closest(name, known)) d.notes.push_back("did you mean " + *near + "?");
  if (const auto n = frames::parsed_frame_name(name); !n)
    d.notes.push_back(
        fmt::format("nor is it a frame's name by SpaceFOM's rules: {}, at character {}",
                    n.error().message, n.error().position + 1));
  d.notes.emplace_back("all of them: vernier frames");
  throw ConfigurationError(problems);
}

void print_below(const frames::FrameTree& tree, frames::FrameTree::Index i, int level) {
  const auto& about = frames::standard_frames()[static_cast<std::size_t>(i)].about;
  fmt::print("{}  {}\n",
             padded(std::string(static_cast<std::size_t>(2 * level), ' ') + tree.name(i), 36),
             about);
  for (frames::FrameTree::Index k = 0; k < tree.size(); ++k) {
    if (tree.parent(k) == i) print_below(tree, k, level + 1);
  }
}

int show_frames(const TimeRequest& a) {
  frames::FrameTree tree = frames::StandardFrames::tree();
  if (a.words.empty()) {
    if (a.json) {
      ordered_json j = ordered_json::array();
      for (const auto& f : frames::standard_frames())
        j.push_back({{"name", f.name}, {"parent", f.parent}, {"about", f.about}});
      fmt::print("{}\n", j.dump(2));
    } else {
      print_below(tree, 0, 0);
    }
    return status::good;
  }
  const auto subject = asked_frame(tree, a.words[0]);
  const auto observer =
      a.words.size() > 1 ? asked_frame(tree, a.words[1]) : std::max(tree.parent(subject), 0);
  const frames::Epoch e = asked_instant(a.at, a.dut1);
  frames::StandardFrames::Settings settings{.dut1 = a.dut1};
  settings.ephemeris =
      a.ephemeris.empty() ? frames::Ephemeris::installed() : frames::Ephemeris::load(a.ephemeris);
  const bool measured = settings.ephemeris.has_value();
  if (!frames::StandardFrames(std::move(settings)).update(tree, e)) {
    throw ConfigurationError(
        "V1843",
        fmt::format("nothing says where the bodies are on {}{}",
                    frames::date_text(reading(e, Scale::tt), 0).substr(0, 10),
                    measured ? ": the ephemeris does not cover it" : ": ERFA has 1900 to 2100"));
  }
  frames::FrameState s;
  tree.resolve(subject, observer, s);
  const auto q = frames::wire_attitude(s.attitude, frames::WireAttitude::parent_to_own);
  if (a.json) {
    const auto list = [](const frames::Vector3& v) { return ordered_json{v[0], v[1], v[2]}; };
    const ordered_json j = {{"frame", tree.name(subject)},
                            {"relative_to", tree.name(observer)},
                            {"scenario_time", frames::scenario_time(e)},
                            {"position", list(s.position)},
                            {"velocity", list(s.velocity)},
                            {"acceleration", list(s.acceleration)},
                            {"attitude_quaternion", q},
                            {"angular_velocity", list(s.rate)},
                            {"angular_acceleration", list(s.angular_acceleration)}};
    fmt::print("{}\n", j.dump(2));
    return status::good;
  }
  fmt::print("{} relative to {}, {} TT\n\n", tree.name(subject), tree.name(observer),
             frames::date_text(reading(e, Scale::tt)));
  Table t;
  const auto row = [&](const char* what, const frames::Vector3& v, const char* unit) {
    t.row({what, fmt::format("{:.16g}", v[0]), fmt::format("{:.16g}", v[1]),
           fmt::format("{:.16g}", v[2]), unit});
  };
  row("position", s.position, "m, axes of the second");
  row("velocity", s.velocity, "m/s");
  row("acceleration", s.acceleration, "m/s²");
  row("angular velocity", s.rate, "rad/s, axes of the first");
  row("its derivative", s.angular_acceleration, "rad/s²");
  fmt::print("{}", t.text("  "));
  fmt::print(
      "  attitude   {:.16g}  {:.16g}  {:.16g}  {:.16g}   scalar first, second's axes to first's\n",
      q[0], q[1], q[2], q[3]);
  return status::good;
}

std::shared_ptr<TimeRequest> declare_moment(CLI::App& app) {
  auto asked = std::make_shared<TimeRequest>();
  app.add_option("--dut1", asked->dut1, "UT1 - UTC in seconds, from the IERS; 0")
      ->check(CLI::Range(-0.9, 0.9).description(""))
      ->type_name("SECONDS");
  app.add_flag("--json", asked->json, "as JSON");
  return asked;
}

}  // namespace

Action declare_time(CLI::App& app) {
  const auto asked = declare_moment(app);
  app.add_option("instant", asked->words,
                 "2026-06-01T12:00Z, 'MJD 61192.5 TT', 'GPS 2421 129618', now (default: now)")
      ->type_name("");
  return [asked](const Invocation&) { return show_time(*asked); };
}

Action declare_frames(CLI::App& app) {
  const auto asked = declare_moment(app);
  app.add_option(
         "frames", asked->words,
         "a frame, and the frame it is relative to (default: its parent); no frame: the tree")
      ->expected(0, 2)
      ->type_name("");
  app.add_option("--at", asked->at, "when, as for vernier time (default: now)")
      ->type_name("INSTANT");
  app.add_option("--ephemeris", asked->ephemeris,
                 "a binary ephemeris of JPL (DE405); default: VERNIER_EPHEMERIS")
      ->type_name("FILE");
  return [asked](const Invocation&) { return show_frames(*asked); };
}

}  // namespace vernier::app
