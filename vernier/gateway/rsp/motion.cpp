// How the server moves the bodies: the approach to the initial state, from command to command,
// extrapolation without a command, and halts.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/gateway/rsp/facility_server.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::rsp {
namespace {

constexpr std::int64_t checks_per_step = 1000;    // of the approach to the initial state
constexpr std::int64_t checks_of_segment = 2000;  // a longer one: only every second step, …
constexpr double largest_turn = 170.0 * std::numbers::pi / 180.0;
constexpr double least_rest = 0.25;  // fraction of an interval left to use a late command
constexpr double least_steps = 2.0;  // likewise, in server steps
// a halt on a straight path at the limit of speed is the shortest; acceleration of the path itself,
// and curves, make it longer, at most by this factor in flights within the limits
constexpr double longer_than_straight = 3.0;
constexpr double stretches[] = {1.25, 1.5, 2.0, 3.0, 4.0};

double turn_between(const Trajectory& a, const Trajectory& b) noexcept {
  return 2.0 * elementary::acos(std::min(1.0, std::abs(a.q.dot(b.q))));
}

}  // namespace

Curve FacilityServer::curve() const noexcept {
  if (accelerations_) return settings_.curve;
  if (settings_.curve == Curve::quintic) return Curve::cubic;
  return settings_.curve == Curve::kim_quintic ? Curve::kim : settings_.curve;
}

bool FacilityServer::smooth() const noexcept {
  const Curve c = curve();
  return c == Curve::quintic || c == Curve::kim_quintic;
}

double FacilityServer::fade() const noexcept {
  return settings_.fade * link::seconds(client_period_);
}

bool FacilityServer::prepare_approach() noexcept {
  const std::int64_t parts = (approach_end_ - n_ + checks_per_step - 1) / checks_per_step;
  approach_begin_ = n_ + 1 + parts;
  if (approach_end_ - approach_begin_ < 1) {
    refuse(Refusal::too_late, static_cast<double>(approach_end_ - n_) * dt_,
           static_cast<double>(2 + parts) * dt_);
    return false;
  }
  path_.at(elapsed(origin_), work_);
  for (std::size_t i = 0; i < bodies_; ++i) {
    const double turn = turn_between(work_[i], goal_[i]);
    if (turn > largest_turn) {
      refuse(Refusal::turn, turn, largest_turn, static_cast<std::uint32_t>(i));
      return false;
    }
  }
  trial_.join(work_, goal_, static_cast<double>(approach_end_ - approach_begin_) * dt_,
              Curve::quintic, fade(), settings_.limits);
  std::copy(work_.begin(), work_.end(), work_before_.begin());
  approach_checked_ = approach_begin_;
  checking_ = true;
  return true;
}

void FacilityServer::check_approach() noexcept {
  const Watch watch(settings_.limits, dt_, true, command_share);
  const std::int64_t until = std::min(approach_end_, approach_checked_ + checks_per_step);
  std::optional<Violation> v;
  while (!v && approach_checked_ < until) {
    ++approach_checked_;
    trial_.at(static_cast<double>(approach_checked_ - approach_begin_) * dt_, work_);
    v = watch.check(work_before_, work_, false);
    std::swap(work_, work_before_);
  }
  Halt halt;
  // the run may end anywhere: a halt must always be possible
  for (int k = 0; k <= 4 && !v && approach_checked_ == approach_end_; ++k) {
    v = halting_.find(trial_, 0.25 * k * trial_.duration(), true, 0.0, rough_share, halt);
  }
  if (v) {
    in_.run = run_;
    return refuse(v->quantity, v->value, v->limit, v->body);
  }
  if (n_ < approach_begin_) return;
  checking_ = false;
  std::swap(path_, trial_);
  origin_ = exactly(approach_begin_);
  target_ = newest_ = due_.last(approach_end_);
  seen_ = 1;
  for (Command& c : commands_) c.there = false;
  fresh_command_ = false;
  smooth_ = true;
  end_ = End::none;
  violation_ = {};
  postponed_ = 0;
  forerun_ = 0.0;
  bad_in_a_row_ = 0;
  intervals_without_ = 0;
  counters_.commands = 0;
  ++counters_.runs;
  change(ServerState::approaching);
  announce(Kind::init_ack);
}

void FacilityServer::follow() noexcept {
  // bounded by the steps that may be missed
  for (int guard = 0; guard < 64 && state_ != ServerState::extrapolating; ++guard) {
    if (!reached(due_.of(target_), n_)) return;
    if (join_next()) continue;
    if (!moving()) return;
    change(ServerState::extrapolating);
    intervals_without_ = 0;
  }
  if (state_ != ServerState::extrapolating) return;
  const std::int64_t intervals = due_.last(n_) - target_ + 1;
  const double passed = between(due_.of(target_), exactly(n_)) * dt_;
  if ((fresh_command_ || intervals > intervals_without_) && rejoin()) return;
  if (!moving()) return;
  counters_.extrapolated += intervals - intervals_without_;
  intervals_without_ = intervals;
  if (intervals > settings_.most_intervals || passed >= settings_.most_time * (1.0 - 1e-12))
    return begin_halt(End::silent);
  // continue while a halt within the limits is still possible
  Halt halt;
  if (const auto v =
          halting_.find(path_, elapsed(origin_) + dt_, smooth_, 0.0, rough_share, halt)) {
    violation_ = *v;
    begin_halt(End::limit);
  }
}

bool FacilityServer::join_next() noexcept {
  path_.at(path_.duration(), goal_);
  for (std::int64_t k = target_ + 1; k <= target_ + settings_.most_intervals && moving(); ++k) {
    const Command& c = commands_[static_cast<std::size_t>(((k % ring) + ring) % ring)];
    if (c.there && c.k == k && aim(due_.of(target_), goal_, k, true)) return true;
  }
  return false;
}

bool FacilityServer::rejoin() noexcept {
  fresh_command_ = false;
  path_.at(elapsed(origin_), goal_);
  const auto& r = due_.ratio();
  const double least = std::max(
      least_steps, least_rest * static_cast<double>(r.over) / static_cast<double>(r.under));
  const std::int64_t first = due_.last(n_) + 1;
  for (std::int64_t k = first; k < first + settings_.most_intervals && moving(); ++k) {
    const Command& c = commands_[static_cast<std::size_t>(((k % ring) + ring) % ring)];
    if (!c.there || c.k != k || between(exactly(n_), due_.of(k)) < least) continue;
    if (aim(exactly(n_), goal_, k, false)) {
      ++counters_.rejoined;
      return true;
    }
  }
  return false;
}

bool FacilityServer::aim(const ExactStep& from, States states, std::int64_t k,
                         bool at_joint) noexcept {
  Command& c = commands_[static_cast<std::size_t>(((k % ring) + ring) % ring)];
  c.there = false;
  ExactStep end = due_.of(k);
  const double h = between(from, end) * dt_;
  trial_.join(states, c.states, h, curve(), fade(), settings_.limits);
  auto v = flaw_of(trial_, from, end);
  if (v && at_joint && settings_.on_limit == ServerSettings::OnLimit::scale) {
    for (const double f : stretches) {
      const std::int64_t more =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((f - 1.0) * h / dt_)));
      if (static_cast<double>(postponed_ + more) * dt_ > settings_.most_time) break;
      end.whole = due_.of(k).whole + more;
      trial_.join(states, c.states, between(from, end) * dt_, curve(), fade(), settings_.limits);
      if (!flaw_of(trial_, from, end)) {
        due_.postpone(more);
        postponed_ += more;
        v.reset();
        break;
      }
    }
  }
  if (v) {
    unusable(v->quantity, *v);
    return false;
  }
  std::swap(path_, trial_);
  origin_ = from;
  target_ = k;
  smooth_ = smooth();
  bad_in_a_row_ = 0;
  change(ServerState::running);
  return true;
}

std::optional<Violation> FacilityServer::flaw_of(const Path& path, const ExactStep& origin,
                                                 const ExactStep& end) noexcept {
  const Curve shape = curve();
  if (shape == Curve::cubic || shape == Curve::quintic) {
    path.at(0.0, work_);
    path.at(path.duration(), work_before_);
    for (std::size_t i = 0; i < bodies_; ++i) {
      const double turn = turn_between(work_[i], work_before_[i]);
      if (turn > largest_turn)
        return Violation{Refusal::turn, static_cast<std::uint32_t>(i), turn, largest_turn};
    }
  }
  // from the last commanded state, at every step to the end
  const std::int64_t first = std::max(n_, origin.ceil()), last = end.floor();
  const std::int64_t stride = 1 + (last - first) / checks_of_segment;
  const Watch watch(settings_.limits, static_cast<double>(stride) * dt_, smooth(), command_share);
  const Watch one_step(settings_.limits, dt_, smooth(), command_share);
  std::copy(before_.begin(), before_.end(), work_before_.begin());
  for (std::int64_t i = first; i <= last; i += stride) {
    path.at(between(origin, exactly(i)) * dt_, work_);
    const auto v = i == first ? one_step.check(work_before_, work_, false)
                              : watch.check(work_before_, work_, false);
    if (v) return v;
    std::swap(work_, work_before_);
  }
  path.at(path.duration(), work_);
  if (const auto v = watch.check(work_, work_, true)) return v;
  // the run may end anywhere: a halt must always be possible
  Halt halt;
  for (int k = 0; k <= 4; ++k) {
    if (const auto v =
            halting_.find(path, 0.25 * k * path.duration(), smooth(), 0.0, rough_share, halt))
      return v;
  }
  return {};
}

void FacilityServer::begin_halt(End why) noexcept {
  if (const auto v = halting_.find(path_, elapsed(origin_), smooth_, dt_, 1.0, halt_);
      v && violation_.quantity == Refusal::none) {
    violation_ = *v;
  }
  halt_began_ = n_;
  slowing_ = true;
  end_ = why;
  checking_ = false;
  note({Note::Kind::end,
        0,
        0,
        static_cast<std::int32_t>(why),
        {violation_.value, violation_.limit}});
  change(ServerState::halting);
}

double FacilityServer::longest_halt() const noexcept {
  double shortest = settings_.shortest_halt;
  for (const Limits& l : settings_.limits) {
    shortest =
        std::max({shortest, spatial::SlowDown::shortest(l.speed, l.acceleration, l.jerk),
                  spatial::SlowDown::shortest(l.rate, l.angular_acceleration, l.angular_jerk)});
  }
  return longer_than_straight * shortest;
}

void FacilityServer::rest() noexcept {
  halt_.at(path_, halt_.slow.duration, work_);
  path_.rest(work_);
  slowing_ = false;
  if (state_ != ServerState::halting) return;
  change(ServerState::halted);
  announce(Kind::halted);
}

}  // namespace vernier::rsp
