#include "vernier/run/session/frame_log.hpp"

namespace vernier::session {
namespace {

constexpr std::size_t own_reals = 4;  // before those of the components

double in_seconds(std::int64_t ns) noexcept { return static_cast<double>(ns) * 1e-9; }

}  // namespace

FrameLog::FrameLog(const std::filesystem::path& folder, const std::vector<std::string>& parts,
                   record::RecorderOptions options)
    : reals_(own_reals + parts.size()), integers_(3), booleans_(2) {
  std::vector<std::string> paths;
  std::vector<const void*> data;
  const auto add = [&](const std::string& name, Scalar scalar, const void* at, std::string what) {
    Port p;
    p.name = name;
    p.unit = scalar == Scalar::real ? "s" : "1";
    p.scalar = scalar;
    p.description = std::move(what);
    ports_.push_back(std::move(p));
    paths.push_back("frame." + name);
    data.push_back(at);
  };
  add("number", Scalar::integer, &integers_[0], "which frame");
  add("wake_up", Scalar::real, &reals_[0], "actual minus intended beginning");
  add("cost", Scalar::real, &reals_[1], "from its beginning to the end of its work");
  add("margin", Scalar::real, &reals_[2], "from the end of its work to its deadline");
  add("late", Scalar::boolean, &booleans_[0], "its margin is negative");
  add("behind", Scalar::boolean, &booleans_[1], "an earlier frame kept it");
  add("cause", Scalar::integer, &integers_[1],
      "of a late frame: 1 work, 2 wake-up, 3 wait, 4 federation, 5 pacing, 7 network, 8 a move or "
      "a loss");
  add("culprit", Scalar::integer, &integers_[2],
      "number of the component to blame, or -1; of causes 4 and 5: of the federate, in the order "
      "of "
      "held_by in manifest.json");
  add("held", Scalar::real, &reals_[3], "for how long others with whom it shares time kept it");
  for (std::size_t i = 0; i < parts.size(); ++i)
    add("cost_of." + parts[i], Scalar::real, &reals_[own_reals + i],
        "what component " + std::to_string(i) + " cost");
  record::RecordGroup group;
  views_.resize(ports_.size());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    views_[i].path = paths[i];
    views_[i].port = &ports_[i];
    views_[i].output = true;
    views_[i].data = data[i];
    group.ports.push_back(&views_[i]);
  }
  options.file = "frames.h5";
  options.events = false;
  options.live = false;
  options.remarks = {};
  tap_ = recorder_.begin(folder, {group}, options, {}).front().observer;
}

FrameLog::~FrameLog() { recorder_.finish(); }

void FrameLog::take(const realtime::Frame& f, std::span<const std::int64_t> costs) noexcept {
  integers_[0] = f.number;
  integers_[1] = static_cast<std::int64_t>(f.cause);
  integers_[2] = f.culprit == realtime::nobody ? -1 : static_cast<std::int64_t>(f.culprit);
  reals_[0] = in_seconds(f.wake_up);
  reals_[1] = in_seconds(f.cost);
  reals_[2] = in_seconds(f.margin);
  reals_[3] = in_seconds(f.held);
  booleans_[0] = f.late;
  booleans_[1] = f.behind;
  for (std::size_t i = 0; i + own_reals < reals_.size() && i < costs.size(); ++i)
    reals_[own_reals + i] = in_seconds(costs[i]);
  tap_->sample({f.time}, true);
}

}  // namespace vernier::session
