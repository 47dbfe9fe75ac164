#include "vernier/run/composition/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/detail/assembly.hpp"
#include "vernier/run/composition/detail/events.hpp"
#include "vernier/run/composition/detail/external.hpp"
#include "vernier/run/composition/detail/joints.hpp"
#include "vernier/run/composition/detail/members.hpp"
#include "vernier/run/composition/detail/rings.hpp"

namespace vernier::composition {

namespace {

/// The most rows that one record may request in one step.
constexpr double most_rows = 100'000;

void check_rate(const Record& r, Duration step, Diagnostics& problems) {
  const double rows =
      seconds(step) * static_cast<double>(r.rate.times) / static_cast<double>(r.rate.seconds);
  if (rows <= most_rows) return;
  problems
      .error("V2129",
             "\"" + r.signals + "\" is to be recorded " + exact(std::floor(rows)) +
                 " times in each step of " + exact(seconds(step)) + " s",
             r.place)
      .notes.push_back(
          "at most 100 000 rows a step are kept: record less often, or shorten the step");
}

/// Bytes of a recording above which the user is told before the run.
constexpr double much = 10e9;
/// What a disk usually takes, bytes a second.
constexpr double disk_speed = 200e6;

/// "12 GB", "3.4 TB"
std::string bytes_text(double bytes) {
  const bool tera = bytes >= 1e12;
  return exact(std::round(bytes / (tera ? 1e11 : 1e8)) / 10.0) + (tera ? " TB" : " GB");
}

/// Warns of a recording that would fill the disk.
void check_size(const Composition& c, const detail::Members& members, Diagnostics& problems) {
  double bytes = 0.0;
  const Record* largest = nullptr;
  double most = 0.0;
  for (const Record& r : c.records) {
    double width = 8.0;  // of the time
    const auto add = [&](const detail::Member& m, const std::vector<Port>& ports) {
      for (const Port& p : ports)
        if (p.flow == Flow::signal && matches(r.signals, m.name + "." + p.name))
          width += 8.0 * p.count;
    };
    for (const detail::Member& m : members.list()) {
      add(m, m.outputs);
      add(m, m.inputs);
      add(m, m.states);
    }
    const double rate =
        r.rate.periodic() ? static_cast<double>(r.rate.times) / static_cast<double>(r.rate.seconds)
                          : 1.0 / seconds(c.run.step);
    const double size = seconds(c.run.stop) * rate * width;
    bytes += size;
    if (size > most) {
      most = size;
      largest = &r;
    }
  }
  if (bytes <= much || !largest) return;
  problems
      .warning("V2147",
               "the recording will take about " + bytes_text(bytes) + ", and at least " +
                   exact(std::ceil(bytes / disk_speed / 60.0)) + " min to write",
               largest->place)
      .notes.push_back("record fewer signals or less often, for example every=\"1 s\"");
}

/// What is reported, checked, drawn and recorded must be there.
void check_observations(const Composition& c, const detail::Members& members,
                        Diagnostics& problems) {
  using detail::Wanted;
  for (const Export& e : c.exports) members.find(e.from, Wanted::any, problems);
  for (const Report& r : c.reports) members.find(r.signal, Wanted::watched, problems);
  for (const Check& k : c.checks) members.find(k.signal, Wanted::watched, problems);
  for (const Figure& f : c.figures)
    for (const Curve& curve : f.curves) members.find(curve.signal, Wanted::watched, problems);

  const bool all_made =
      std::all_of(members.list().begin(), members.list().end(), [](const detail::Member& m) {
        return m.made && !(m.component && m.component->description().more_outputs);
      });
  if (!all_made) return;
  std::vector<std::string> paths;
  for (const detail::Member& m : members.list()) {
    for (const Port& p : m.outputs) paths.push_back(m.name + "." + p.name);
    for (const Port& p : m.inputs) paths.push_back(m.name + "." + p.name);
    for (const Port& p : m.states) paths.push_back(m.name + "." + p.name);
  }
  for (const Record& r : c.records) {
    check_rate(r, c.run.step, problems);
    const bool any = std::any_of(paths.begin(), paths.end(),
                                 [&r](const std::string& p) { return matches(r.signals, p); });
    if (any) continue;
    Diagnostic& d = problems.warning(
        "V2128", "\"" + r.signals + "\" matches nothing, so nothing is recorded for it", r.place);
    if (const auto near = closest(r.signals, paths)) d.mark = "did you mean " + *near + "?";
  }
  check_size(c, members, problems);
}

void count_replicas(const Composition& c, Plan& plan) {
  std::map<std::string_view, std::uint32_t> replicas;
  for (const Instance& i : c.instances) replicas[i.name] = i.replicas;
  const auto given = [&](const Part& p) {
    return std::any_of(p.instances.begin(), p.instances.end(),
                       [&](const std::string& i) { return replicas.contains(i); });
  };
  for (Part& p : plan.parts)
    for (const std::string& i : p.instances)
      if (const auto r = replicas.find(i); r != replicas.end())
        p.replicas = std::max(p.replicas, r->second);
  // inputs of the composition are where they are read
  for (const Wire& w : plan.wires) {
    Part& from = plan.parts[w.from_part];
    if (!given(from)) from.replicas = std::max(from.replicas, plan.parts[w.to_part].replicas);
  }
}

}  // namespace

Plan make_plan(const Composition& c, const Catalogue& catalogue, Diagnostics& problems) {
  Plan plan;
  plan.name = c.name;
  plan.step = c.run.step;
  plan.step_rate = c.run.step_rate;
  plan.stop = c.run.stop;
  plan.seed = c.run.seed;
  if (c.run.step <= Duration{})
    throw ConfigurationError("V2013", "step must be longer than zero", c.run.place);

  detail::Members members(c, catalogue, problems);
  detail::Joints joints(c, members, problems);
  const auto links = detail::event_links(c, members, joints.actions(), problems);
  const auto island_of = detail::islands(c, members, joints, problems);
  check_observations(c, members, problems);
  problems.throw_if_errors();

  const detail::Assembly assembly(c, catalogue, members, joints, links, island_of, plan, problems);
  problems.throw_if_errors();
  arrange(plan, problems);
  problems.throw_if_errors();
  detail::warn_of_rings(plan, problems);
  count_replicas(c, plan);
  for (const Part& p : plan.parts) {
    const std::string& unchecked = p.component->description().unchecked;
    if (!unchecked.empty()) problems.warning("V7603", p.name + ": " + unchecked, p.place);
  }
  plan.files = members.sources().files();
  plan.data = members.data();
  return plan;
}

}  // namespace vernier::composition
