// How the robots come to rest when a run ends or freezes.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "vernier/model/facility/facility.hpp"

namespace vernier::facility {
namespace {

/// A joint slower than this fraction of its largest rate stands still. The tracking error of a
/// drive never becomes zero, and positions that are solved anew in each step have rounding errors.
constexpr double still = 1e-6;
const double settled = -std::log(still);

}  // namespace

bool Facility::at_rest() const noexcept {
  const auto slow = [this](const double(&rates)[2][7]) {
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t j = 0; j < 7; ++j)
        if (std::abs(rates[r][j]) > still * installation_.robots[r].joints[j].rate) return false;
    return true;
  };
  // what was commanded, what is on its way through the chain, and the joints themselves
  return slow(state_.speed) && slow(state_.rates) &&
         std::all_of(chain_.begin(), chain_.end(), [&](const Command& c) { return slow(c.rates); });
}

void Facility::begin_rest(Duration leaders) noexcept {
  if (state_.resting != 0) return;
  state_.resting = 1;
  state_.patience = static_cast<std::int64_t>(std::ceil(seconds(leaders) / dt_));
}

Duration Facility::longest_rest() const noexcept {
  double braking = 0.0;
  for (const Robot& r : installation_.robots)
    for (const Joint& j : r.joints)
      if (j.acceleration > 0.0) braking = std::max(braking, j.rate / j.acceleration);
  const double w = installation_.bandwidth * std::min(1.0, installation_.damping);
  const double s = braking + installation_.delay + (w > 0.0 ? settled / w : 0.0) + 4.0 * dt_;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}

std::string Facility::motion() const {
  double most = 0.0;
  std::string what = "the joints stand still";
  for (std::size_t r = 0; r < 2; ++r) {
    const Robot& robot = installation_.robots[r];
    for (std::size_t j = 0; j < 7; ++j) {
      const double v = std::abs(state_.rates[r][j]), limit = robot.joints[j].rate;
      if (limit <= 0.0 || v / limit <= most) continue;
      most = v / limit;
      char text[48];
      std::snprintf(text, sizeof text, " at %.3g %s", v, j == 0 ? "m/s" : "rad/s");
      what = robot.name + " " + robot.joints[j].name + text;
    }
  }
  return what;
}

void Facility::rest_or_move_again(Instant now) noexcept {
  if (state_.resting != 0) {
    const bool homes = state_.mode == Mode::homing,
               follows = state_.mode == Mode::following && state_.patience > 0;
    state_.patience = std::max<std::int64_t>(0, state_.patience - 1);
    // commands that stand still are followed on: nothing moves then
    if (homes || (state_.mode == Mode::following && !follows && !at_rest())) state_.braking = 1;
    return;
  }
  if (state_.braking == 0) return;
  state_.braking = 0;
  if (state_.mode == Mode::homing) begin_homing();
  if (state_.mode == Mode::following) enter(Mode::holding, now);
}

}  // namespace vernier::facility
