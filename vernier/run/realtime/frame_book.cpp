#include <algorithm>

#include "vernier/run/realtime/frame.hpp"

namespace vernier::realtime {

FrameBook::FrameBook() { statistics_.late_frames.reserve(kept_late); }

void FrameBook::know(std::size_t parts) {
  last_costs_.resize(parts);
  statistics_.parts.resize(parts);
}

void FrameBook::take(const Frame& f, std::span<const std::int64_t> costs) noexcept {
  FrameStatistics& s = statistics_;
  if (f.slept) s.wake_up.add(f.wake_up, f.number, f.time);
  s.cost.add(f.cost, f.number, f.time);
  s.used.add(f.wake_up + f.cost, f.number, f.time);
  std::int64_t of_parts = 0;
  for (std::size_t i = 0; i < std::min(costs.size(), last_costs_.size()); ++i) {
    if (costs[i] > 0) s.parts[i].add(costs[i], f.number, f.time);
    of_parts += costs[i];
    last_costs_[i] = costs[i];
  }
  if (!last_costs_.empty()) s.rest.add(f.cost - of_parts - f.held, f.number, f.time);
  if (others_) s.held.add(f.held, f.number, f.time);
  ++s.frames;
  s.behind += f.behind;
  s.late += f.late;
  s.late_by[static_cast<std::size_t>(f.cause)] += f.late;
  s.busy += f.cost;
  s.worst_lag = std::max(s.worst_lag, f.wake_up);
  late_in_a_row_ = f.late ? late_in_a_row_ + 1 : 0;
  s.in_a_row = std::max(s.in_a_row, late_in_a_row_);
  if (f.late && s.late_frames.size() < kept_late) s.late_frames.push_back(f);
  last_ = f;
}

}  // namespace vernier::realtime
