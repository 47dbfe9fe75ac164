#include "vernier/run/session/timing.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "vernier/run/realtime/ports.hpp"

namespace vernier::session {

using realtime::FramePacer;
using realtime::Health;
using realtime::Histogram;

namespace {

TimeBase* time_base_of(const composition::Plan& plan) {
  for (const composition::Part& p : plan.parts)
    if (auto* source = dynamic_cast<TimeBaseSource*>(p.component.get()))
      if (TimeBase* base = source->time_base()) return base;
  return nullptr;
}

bool shares_time(const composition::Part& p) {
  const auto* source = dynamic_cast<const PacerSource*>(p.component.get());
  return source && source->withholds_time();
}

/// Who does not wait for the run.
const composition::Part* outside(const composition::Plan& plan) {
  for (const composition::Part& p : plan.parts)
    if (p.component->description().abilities.faces_world && !shares_time(p)) return &p;
  return nullptr;
}

void refuse_to_slip(const composition::Plan& plan) {
  const composition::Part* p = outside(plan);
  if (!p) return;
  Diagnostics problems;
  problems
      .error(
          "V4106",
          fmt::format("late frames cannot slip while {} is attached: external devices do not wait",
                      p->name),
          {})
      .notes.push_back("--late catch-up, elastic or strict keep to the clock");
  throw ConfigurationError(problems);
}

FramePacer::Settings settings_of(const composition::Plan& plan, double rate,
                                 const realtime::LatePolicy& late,
                                 const std::optional<RealTime>& real_time) {
  if (late.kind == realtime::Late::slip) refuse_to_slip(plan);
  FramePacer::Settings s{.grid = realtime::grid_of(plan), .rate = rate, .spin = {}, .late = late};
  // the kernel throttles threads that spin all the time
  if (real_time)
    s.spin = std::min(real_time->spin,
                      Duration(static_cast<std::int64_t>(s.grid.period() / rate * 0.5e9)));
  return s;
}

}  // namespace

bool shares_time(const composition::Plan& plan) {
  return std::any_of(plan.parts.begin(), plan.parts.end(),
                     [](const composition::Part& p) { return shares_time(p); });
}

Timing::Timing(const composition::Plan& plan, double rate, const realtime::LatePolicy& late,
               const std::optional<RealTime>& real_time, TimeBase* base)
    : real_time_(real_time),
      pacer_(settings_of(plan, rate, late, real_time), realtime::system_clock(),
             base          ? base
             : rate == 1.0 ? time_base_of(plan)
                           : nullptr),
      measured_(real_time || shares_time(plan)) {
  if (!real_time_) return;
  realtime::keep_heap();
  for (const composition::Part& p : plan.parts)
    if (auto* owner = dynamic_cast<ThreadOwner*>(p.component.get()))
      owner->set_priority(real_time_->wanted.priority > 0 ? realtime::link_priority : 0);
}

void Timing::attach(executive::Executive& e) {
  if (!measured_) return;
  pacer_.know(e.parts());
  for (const composition::Part& p : e.parts()) {
    names_.push_back(p.name);
    if (auto* ports = dynamic_cast<realtime::FramePorts*>(p.component.get()))
      ports->attach(pacer_, e.parts());
  }
  pacer_.set_sink(this);
}

realtime::NodeFrames* Timing::follow_nodes(const std::vector<composition::Part>& parts) {
  elsewhere_ = true;
  if (!measured_) return nullptr;
  std::vector<std::uint8_t> outside;
  for (const composition::Part& p : parts)
    outside.push_back(p.component->description().abilities.faces_world);
  book_.know(parts.size());
  book_.know_others();
  nodes_ = std::make_unique<realtime::NodeFrames>(std::move(outside), *this);
  return nodes_.get();
}

void Timing::open(const std::filesystem::path& folder, const record::RecorderOptions& o) {
  if (measured_) log_ = std::make_unique<FrameLog>(folder, names_, o);
}

Diagnostics Timing::begin(executive::Executive& e) {
  Diagnostics missing;
  if (!real_time_ || elsewhere_) {
    const std::lock_guard lock(machine_mutex_);
    if (measured_) machine_ = realtime::this_machine();
    return elsewhere_ ? e.take_privileges() : missing;
  }
  scope_ = std::make_unique<realtime::RealTimeScope>(real_time_->wanted, e);
  {
    const std::lock_guard lock(machine_mutex_);
    privileges_ = scope_->privileges();
    machine_ = scope_->machine();
  }
  prioritized_ = scope_->prioritized();
  std::string refused;
  for (const realtime::Privilege& p : privileges_) {
    if (p.granted) continue;
    refused += fmt::format("{}{} ({})", refused.empty() ? "" : ", ", p.name, p.detail);
    const bool priority = p.name == "real-time priority";
    Diagnostic& d = missing.warning(
        priority ? "V4102" : "V4105",
        priority ? "real time without real-time priority; late frames are to be expected"
                 : fmt::format("real time without {}; a frame may have to wait for memory", p.name),
        {});
    d.notes.push_back(p.detail);
    d.notes.push_back("fix: " + p.fix);
  }
  if (refused.empty() || !real_time_->require) return missing;
  scope_.reset();
  Diagnostics problems;
  problems.error("V4103", "real time is required, but not available: " + refused, {})
      .notes.push_back(
          "vernier doctor   shows what to change; without --require-rt the run does what it can");
  throw ConfigurationError(problems);
}

void Timing::end() noexcept {
  scope_.reset();
  if (nodes_) nodes_->flush();
  if (log_) log_->finish();
}

void Timing::enter() noexcept {
  rusage u{};
  getrusage(RUSAGE_THREAD, &u);
  before_ = {u.ru_minflt, u.ru_majflt, u.ru_nvcsw};
}

void Timing::leave() noexcept {
  rusage u{};
  getrusage(RUSAGE_THREAD, &u);
  usage_.minor += u.ru_minflt - before_.minor;
  usage_.major += u.ru_majflt - before_.major;
  usage_.waits += u.ru_nvcsw - before_.waits;
}

void Timing::take(const realtime::Frame& f, std::span<const std::int64_t> costs) noexcept {
  if (nodes_) book_.take(f, costs);
  const realtime::FrameStatistics& s = book().statistics();
  const Pulse p{s.frames, s.late, f.margin, f.margin + f.wake_up + f.cost - s.used.max(),
                s.wake_up.max()};
  std::memcpy(latest_.next(), &p, sizeof p);
  latest_.write();
  if (log_) log_->take(f, costs);
  if (next_) next_->take(f, costs);
}

Pulse Timing::pulse() const {
  const std::lock_guard lock(readers_);
  latest_.read();
  Pulse p;
  std::memcpy(&p, latest_.front(), sizeof p);
  return p;
}

std::string Timing::about() const {
  using nlohmann::ordered_json;
  ordered_json others = ordered_json::array(), machine = ordered_json::array();
  for (const realtime::Other& o : pacer_.others())
    others.push_back({{"name", o.name},
                      {"held", o.held},
                      {"late", o.late},
                      {"longest_s", static_cast<double>(o.longest) * 1e-9}});
  {
    Health h;
    const std::lock_guard lock(machine_mutex_);
    h.machine = machine_;
    h.privileges = privileges_;
    for (const auto& [name, value] : machine_of(h)) machine.push_back({name, value});
  }
  const ordered_json j{{"policy", realtime::text(pacer_.settings().late)},
                       {"parts", names_},
                       {"others", std::move(others)},
                       {"machine", std::move(machine)}};
  // names are those that other programs have given themselves
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::optional<Health> Timing::health(std::uint64_t dropped) const {
  if (!measured_) return {};
  Health h;
  h.grid = pacer_.settings().grid;
  h.rate = pacer_.settings().rate;
  h.spin = pacer_.settings().spin;
  h.late = pacer_.settings().late;
  h.parts = names_;
  h.frames = book().statistics();
  h.shares_time = pacer_.shares_time();
  h.others = pacer_.others();
  h.privileges = privileges_;
  h.machine = machine_;
  h.prioritized = prioritized_;
  h.not_kept = log_ ? log_->statistics().dropped : 0;
  h.dropped = dropped;
  h.minor_faults = usage_.minor;
  h.major_faults = usage_.major;
  h.waits = std::max<std::int64_t>(
      0, usage_.waits - static_cast<std::int64_t>(pacer_.statistics().sleeps));
  h.broken = pacer_.fault().code[0] != '\0';
  if (!nodes_) return h;
  h.nodes = nodes_->nodes();
  h.paths = nodes_->paths();
  h.prioritized = true;
  h.minor_faults = h.major_faults = h.waits = 0;
  for (const realtime::NodeHealth& n : h.nodes) {
    h.prioritized &= n.prioritized;
    h.minor_faults += n.minor_faults;
    h.major_faults += n.major_faults;
    h.waits += n.waits;
    h.dropped += n.dropped;
  }
  h.frames.wall = static_cast<std::int64_t>(static_cast<double>(h.frames.frames) * h.period());
  return h;
}

std::vector<realtime::LinkFigure> link_figures(const executive::Executive& e) {
  std::vector<realtime::LinkFigure> list;
  for (std::size_t i = 0; i < e.parts().size(); ++i) {
    const composition::Part& part = e.parts()[i];
    if (!part.component->description().abilities.faces_world) continue;
    list.push_back(
        {part.name, "ticks without anything new", std::to_string(e.statistics().parts[i].held)});
    for (const executive::PortView& v : e.ports()) {
      const std::string& name = v.port->name;
      // statistics of the connection itself; the other outputs are its payload
      const bool own =
          name.starts_with("link.") || name.starts_with("rsp.") || name.starts_with("shared.");
      if (v.part != i || !v.output || !own || !v.data || v.port->count != 1) continue;
      const std::string unit = v.port->unit == "1" ? "" : " " + v.port->unit;
      list.push_back({part.name, name,
                      v.port->unit == "s" ? realtime::time_text(v.element(0) * 1e9)
                                          : fmt::format("{:.6g}{}", v.element(0), unit)});
    }
  }
  return list;
}

std::vector<std::pair<std::string, double>> figures_of(const Health& h) {
  const realtime::FrameStatistics& f = h.frames;
  const auto number = [](auto v) { return static_cast<double>(v); };
  std::vector<std::pair<std::string, double>> all{
      {"frames", number(f.frames)},
      {"late_frames", number(f.late)},
      {"late_by_work", number(f.late_by[1])},
      {"late_by_wake_up", number(f.late_by[2])},
      {"late_by_wait", number(f.late_by[3])},
      {"late_in_a_row", number(f.in_a_row)},
      {"frames_not_kept", number(h.not_kept)},
      {"load", f.load()},
      {"slipped_s", number(f.slipped) * 1e-9},
      {"minor_faults", number(h.minor_faults)},
      {"major_faults", number(h.major_faults)},
      {"waits", number(h.waits)},
      {"margin_least_s", (h.period() - number(f.used.max())) * 1e-9}};
  if (!h.nodes.empty()) {
    all.emplace_back("late_by_network", number(f.late_by[7]));
    all.emplace_back("late_by_division", number(f.late_by[8]));
  }
  for (const realtime::NodeHealth& n : h.nodes) {
    const std::string name = "node." + n.name + ".";
    all.emplace_back(name + "late_by_work", number(n.late_by_work));
    all.emplace_back(name + "late_by_wake_up", number(n.late_by_wake_up));
    all.emplace_back(name + "wake_up_p99_s", number(n.wake_up.quantile(0.99)) * 1e-9);
    all.emplace_back(name + "wake_up_max_s", number(n.wake_up.max()) * 1e-9);
    all.emplace_back(name + "work_p99_s", number(n.work.quantile(0.99)) * 1e-9);
    all.emplace_back(name + "work_max_s", number(n.work.max()) * 1e-9);
    all.emplace_back(name + "waiting_p99_s", number(n.waiting.quantile(0.99)) * 1e-9);
    all.emplace_back(name + "waiting_max_s", number(n.waiting.max()) * 1e-9);
  }
  if (h.shares_time) {
    all.emplace_back("late_by_federation", number(f.late_by[4]));
    all.emplace_back("late_by_pacing", number(f.late_by[5]));
    for (const realtime::Other& o : h.others) {
      all.emplace_back("held_by." + o.name, number(o.held));
      all.emplace_back("late_by." + o.name, number(o.late));
      all.emplace_back("held_by." + o.name + "_max_s", number(o.longest) * 1e-9);
    }
  }
  const auto spread = [&](const std::string& name, const Histogram& d) {
    all.emplace_back(name + "_p50_s", number(d.quantile(0.5)) * 1e-9);
    all.emplace_back(name + "_p99_s", number(d.quantile(0.99)) * 1e-9);
    all.emplace_back(name + "_p999_s", number(d.quantile(0.999)) * 1e-9);
    all.emplace_back(name + "_max_s", number(d.max()) * 1e-9);
    all.emplace_back(name + "_max_at_s", seconds(d.max_time()));
  };
  spread("wake_up", f.wake_up);
  spread("cost", f.cost);
  for (std::size_t i = 0; i < h.parts.size() && i < f.parts.size(); ++i) {
    all.emplace_back("cost_of." + h.parts[i] + "_p99_s", number(f.parts[i].quantile(0.99)) * 1e-9);
    all.emplace_back("cost_of." + h.parts[i] + "_max_s", number(f.parts[i].max()) * 1e-9);
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> machine_of(const Health& h) {
  std::vector<std::pair<std::string, std::string>> all{
      {"kernel", h.machine.kernel + (h.machine.preempt_rt ? " (PREEMPT_RT)" : "")},
      {"cpus", std::to_string(h.machine.cpus)},
      {"clock", h.machine.clock_source},
      {"isolated CPUs", h.machine.isolated}};
  for (const realtime::Privilege& p : h.privileges)
    all.emplace_back(p.name, (p.granted ? "yes: " : "no: ") + p.detail);
  return all;
}

}  // namespace vernier::session
