#include "vernier/run/realtime/doctor.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/permissions.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::app {
namespace {

using realtime::MachineFinding;

struct DoctorRequest {
  std::string document;
  double seconds = 10.0;
  std::optional<int> cpu;
  bool json = false;
  Permissions permissions;
};

const composition::Part* outside(const composition::Plan& plan) {
  for (const composition::Part& p : plan.parts)
    if (p.component->description().abilities.faces_world) return &p;
  return nullptr;
}

/// Runs a composition for a while without keeping anything.
MachineFinding cost_of(session::Prepared prepared, const session::RealTime& real_time) {
  const std::string name = prepared.composition.name;
  if (const composition::Part* p = outside(prepared.plan)) {
    return {MachineFinding::Level::warning, "cost of a frame",
            fmt::format("{}: not measured, because {} is connected to an external device or "
                        "process and would act on it",
                        name, p->name),
            "", "a run with --rt measures it"};
  }
  Diagnostics problems;
  session::Session session(std::move(prepared), {.real_time = real_time, .keep = false}, problems);
  const session::Summary s = session.run();
  MachineFinding f = realtime::judged_cost(*s.real_time, name);
  if (s.fault)
    f = {MachineFinding::Level::bad, f.name, f.value, s.fault->message, "vernier run shows more"};
  return f;
}

void show_machine(const MachineFinding& f) {
  const bool color = color_on_output();
  const char* const sign[] = {"✓", "⚠", "✗"};
  const char* const paint[] = {"\033[32m", "\033[33m", "\033[31m"};
  const auto level = static_cast<std::size_t>(f.level);
  fmt::print("  {}{}{} {} {}\n", color ? paint[level] : "", sign[level], color ? "\033[0m" : "",
             padded(f.name, 22), f.value);
  if (!f.why.empty()) fmt::print("      why   {}\n", f.why);
  if (!f.fix.empty()) fmt::print("      fix   {}\n", f.fix);
}

nlohmann::ordered_json machine_as_json(const realtime::Machine& m,
                                       const std::vector<MachineFinding>& all,
                                       const realtime::Verdict& v) {
  static constexpr const char* words[] = {"good", "warning", "bad"};
  nlohmann::ordered_json j{{"fit", v.fit},
                           {"verdict", v.words},
                           {"machine", {{"host", m.host}, {"cpus", m.cpus}, {"kernel", m.kernel}}}};
  j["findings"] = nlohmann::ordered_json::array();
  for (const MachineFinding& f : all)
    j["findings"].push_back({{"level", words[static_cast<std::size_t>(f.level)]},
                             {"name", f.name},
                             {"value", f.value},
                             {"why", f.why},
                             {"fix", f.fix}});
  return j;
}

int doctor(const DoctorRequest& a) {
  const Duration how_long(static_cast<std::int64_t>(a.seconds * 1e9));
  session::RealTime real_time;
  if (a.cpu) real_time.wanted.cpu = *a.cpu;
  std::optional<session::Prepared> prepared;
  double period = 4e6;  // ns
  if (!a.document.empty()) {
    Diagnostics problems;
    prepared = session::prepare(a.document, {.until = how_long, .frames = true},
                                running_catalogue(a.permissions), problems);
    period = realtime::grid_of(prepared->plan).period() * 1e9;
  }
  const realtime::Health idle =
      realtime::measured(Duration(static_cast<std::int64_t>(period)), how_long, real_time.wanted);
  const realtime::Machine& m = idle.machine;
  std::vector<MachineFinding> all = realtime::examined(m, idle.privileges);
  all.push_back(realtime::judged_wake_up(idle.frames.wake_up, period, a.seconds));
  if (prepared) all.push_back(cost_of(std::move(*prepared), real_time));
  const realtime::Verdict v = realtime::concluded(all, period);
  if (a.json) {
    fmt::print("{}\n", machine_as_json(m, all, v).dump(
                           2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print("machine  {} · {} CPUs · Linux {}{} · {}\n", m.host, m.cpus, m.kernel,
               m.preempt_rt ? " (PREEMPT_RT)" : "", byte_text(static_cast<double>(m.memory)));
    for (const MachineFinding& f : all) show_machine(f);
    fmt::print("verdict  {}\n", v.words);
  }
  return v.fit ? status::good : status::broken_check;
}

}  // namespace

Action declare_doctor(CLI::App& app) {
  auto asked = std::make_shared<DoctorRequest>();
  app.add_option("--for", asked->document, "measure what a frame of this composition costs, too")
      ->type_name("FILE");
  app.add_option("--seconds", asked->seconds, "how long each measurement takes (10)")
      ->type_name("N")
      ->check(CLI::Range(0.1, 3600.0).description(""));
  app.add_option("--cpu", asked->cpu, "the CPU that the run will be on")
      ->type_name("N")
      ->check(CLI::Range(0, 100'000).description(""));
  declare_permissions(app, asked->permissions, true);
  app.add_flag("--json", asked->json, "print one JSON object");
  app.footer("Exit status: 0 fit for real time, 2 bad input, 3 not fit.");
  return [asked](const Invocation&) { return doctor(*asked); };
}

}  // namespace vernier::app
