#include "vernier/run/realtime/ports.hpp"

#include <algorithm>
#include <limits>

#include "vernier/base/text.hpp"
#include "vernier/component/port_name.hpp"
#include "vernier/run/realtime/report.hpp"

namespace vernier::realtime {
namespace {

double in_seconds(std::int64_t ns) noexcept { return static_cast<double>(ns) * 1e-9; }

}  // namespace

FramePorts::FramePorts(std::vector<std::string> names) : names_(std::move(names)) {
  const auto real = [this](std::string name, std::string what) {
    description_.outputs.push_back(
        {.name = std::move(name), .unit = "s", .description = std::move(what)});
  };
  const auto whole = [this](std::string name, Scalar scalar, std::string what) {
    description_.outputs.push_back(
        {.name = std::move(name), .scalar = scalar, .description = std::move(what)});
  };
  whole("number", Scalar::integer, "the last frame that is over");
  real("wake_up", "its actual minus its intended beginning");
  real("cost", "from its beginning to the end of its work");
  real("margin", "from the end of its work to its deadline");
  real("lag", "how far the run is behind the clock");
  whole("late", Scalar::boolean, "its margin is negative");
  whole("late_frames", Scalar::integer, "late frames so far");
  whole("cause", Scalar::integer,
        "of a late frame: 1 work, 2 wake-up, 3 wait, 4 federation, 5 pacing, 6 another node");
  real("held", "for how long others with whom it shares time kept it");
  for (const std::string& name : names_) real("cost_of." + name, "what " + name + " cost in it");
}

void FramePorts::attach(const FramePacer& p, const std::vector<composition::Part>& parts) {
  pacer_ = &p;
  noted_ = 0;
  for (const composition::Part& part : parts) part_names_.push_back(part.name);
  parts_.assign(names_.size(), nobody);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    for (std::uint32_t k = 0; k < parts.size(); ++k) {
      const auto& in_it = parts[k].instances;
      if (std::find(in_it.begin(), in_it.end(), names_[i]) != in_it.end()) parts_[i] = k;
    }
  }
}

void FramePorts::bind(const Bindings& b) {
  journal_ = &b.journal();
  number_ = b.integer_output("number");
  wake_up_ = b.real_output("wake_up");
  cost_ = b.real_output("cost");
  margin_ = b.real_output("margin");
  lag_ = b.real_output("lag");
  late_ = b.byte_output("late");
  late_frames_ = b.integer_output("late_frames");
  cause_ = b.integer_output("cause");
  held_ = b.real_output("held");
  costs_.clear();
  for (const std::string& name : names_)
    costs_.push_back(b.real_output(PortName{"cost_of.", name}));
}

Outcome FramePorts::output(Instant) noexcept {
  const Frame f = pacer_ ? pacer_->last() : Frame{};
  number_[0] = f.number;
  wake_up_[0] = in_seconds(f.wake_up);
  cost_[0] = in_seconds(f.cost);
  margin_[0] = pacer_ ? in_seconds(f.margin) : std::numeric_limits<double>::infinity();
  lag_[0] = in_seconds(std::max<std::int64_t>(0, -f.margin));
  late_[0] = f.late;
  late_frames_[0] = pacer_ ? static_cast<std::int64_t>(pacer_->statistics().late) : 0;
  cause_[0] = static_cast<std::int64_t>(f.cause);
  held_[0] = in_seconds(f.held);
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const std::uint32_t part = i < parts_.size() ? parts_[i] : nobody;
    costs_[i][0] = pacer_ && part < pacer_->book().last_costs().size()
                       ? in_seconds(pacer_->book().last_costs()[part])
                       : 0.0;
  }
  return Outcome::ok;
}

Advance FramePorts::advance(Time, Time to) noexcept {
  if (!pacer_ || pacer_->statistics().late == noted_ || noted_ >= kept_late) return {to};
  noted_ = pacer_->statistics().late;
  const Frame& f = pacer_->last();
  // what tells of it is another thread: it gets numbers alone
  journal_->note({.at = {f.time},
                  .kind = f.behind,
                  .from = static_cast<std::int32_t>(f.cause),
                  .to = static_cast<std::int32_t>(f.number & 0x7fffffff),
                  .item = f.culprit == nobody ? -1 : static_cast<std::int32_t>(f.culprit),
                  .values = {static_cast<double>(-f.margin), static_cast<double>(f.wake_up)}});
  return {to};
}

Telling FramePorts::tell(const Entry& e) const {
  Frame f;
  f.behind = e.kind != 0;
  f.cause = static_cast<Cause>(e.from);
  f.culprit = e.item < 0 ? nobody : static_cast<std::uint32_t>(e.item);
  f.wake_up = static_cast<std::int64_t>(e.values[1]);
  Telling t;
  t.kind = "late";
  t.to = "frame " + std::to_string(e.to);
  t.reason =
      "by " + time_text(e.values[0]) + ": " +
      (pacer_ ? blame(f, part_names_, pacer_->others(), pacer_->nodes()) : blame(f, part_names_));
  t.warning = true;
  return t;
}

void add_to(Catalogue& c) {
  Type t;
  t.name = frame_type;
  t.summary = "the frames of a real-time run as signals";
  t.parameters = {{.name = "components",
                   .kind = ParameterKind::text,
                   .initial = "",
                   .description = "names of components whose costs are wanted"}};
  t.component = [](const Parameters& p) {
    std::vector<std::string> names;
    for (const std::string_view w : words(p.text("components"))) names.emplace_back(w);
    return std::make_unique<FramePorts>(std::move(names));
  };
  c.add(std::move(t));
}

}  // namespace vernier::realtime
