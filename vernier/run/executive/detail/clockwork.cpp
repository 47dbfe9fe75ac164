#include "vernier/run/executive/detail/clockwork.hpp"

#include <algorithm>

namespace vernier::executive::detail {

std::uint32_t Clockwork::group(std::uint32_t cluster, Rate r, Duration offset) {
  if (!r.periodic()) offset = {};
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (groups_[g].cluster == cluster && groups_[g].rate == r && groups_[g].offset == offset)
      return static_cast<std::uint32_t>(g);
  groups_.push_back({.cluster = cluster, .rate = r, .offset = offset});
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void Clockwork::start(Time start) noexcept {
  start_ = base_ = start;
  next_base_ = base_after(start);
  for (Group& g : groups_) {
    if (!g.rate.periodic()) continue;
    g.k = first_tick(g.rate, std::max(Time{}, start - g.offset));
    g.next = tick(g.rate, g.k) + g.offset;
  }
}

bool Clockwork::enter(Time now) noexcept {
  if (next_base_ == now) {
    base_ = now;
  } else if (next_base_ < now) {
    base_ = step_rate_.periodic() ? tick(step_rate_, first_tick(step_rate_, now + Duration(1)) - 1)
                                  : base_ + step_ * ((now - base_) / step_);
  } else {
    return base_ == now;
  }
  next_base_ = base_after(base_);
  return base_ == now;
}

std::int64_t Clockwork::base_number(Time now) const noexcept {
  if (base_ != now) return -1;
  return step_rate_.periodic() ? first_tick(step_rate_, base_) : (base_ - start_) / step_;
}

Time Clockwork::base_after(Time base) const noexcept {
  return step_rate_.periodic() ? tick(step_rate_, first_tick(step_rate_, base + Duration(1)))
                               : base + step_;
}

void Clockwork::all_due() noexcept {
  for (Group& g : groups_) g.due = true;
}

}  // namespace vernier::executive::detail
