// One step of the facility: from commanded states to joints, and through the control chain.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/facility/detail/arrays.hpp"
#include "vernier/model/facility/facility.hpp"

namespace vernier::facility {
namespace {

using detail::across;
using detail::put;
using detail::vec;
using spatial::Quaternion;

/// The minimum-jerk profile from 0 to 1: rate and acceleration vanish at both ends. s in [0, 1].
double eased(double s) noexcept { return s * s * s * (10.0 + s * (6.0 * s - 15.0)); }
double eased_rate(double s) noexcept { return 30.0 * s * s * (1.0 - s) * (1.0 - s); }
constexpr double most_rate = 1.875, most_acceleration = 5.773502691896258;  // 10/sqrt(3)

}  // namespace

// From states to joints

Facility::Wanted Facility::wanted() const noexcept {
  Wanted w;
  w.finite = true;
  Vector3 p[2], v[2];
  for (std::size_t r = 0; r < 2; ++r) {
    p[r] = Vector3(ports_[r].position.data());
    v[r] = Vector3(ports_[r].velocity.data());
    Quaternion q(ports_[r].attitude.data());
    const Vector3 omega(ports_[r].rate.data());
    const double length = q.norm();
    w.finite = w.finite && p[r].allFinite() && v[r].allFinite() && omega.allFinite() &&
               std::abs(length - 1.0) < 1e-3;
    q /= length;
    w.body[r].R = installation_.R_LS * spatial::attitude_matrix(q).transpose();
    w.motion[r].angular = w.body[r].R * omega;
  }
  const Vector3 axis = installation_.robots[railed_].axis;
  const Matrix3& R = installation_.R_LS;
  const Vector3 d = R * (p[railed_] - p[standing_]), d_rate = R * (v[railed_] - v[standing_]);
  w.body[standing_].p = station_ - installation_.share * across(d, axis);
  w.body[railed_].p = w.body[standing_].p + d;
  w.motion[standing_].linear = -installation_.share * across(d_rate, axis);
  w.motion[railed_].linear = w.motion[standing_].linear + d_rate;
  w.origin = w.body[standing_].p - R * p[standing_];
  w.origin_rate = w.motion[standing_].linear - R * v[standing_];
  return w;
}

bool Facility::agrees(const Wanted& w) const noexcept {
  if (!w.finite) return false;
  Vector3 at[2];
  for (std::size_t r = 0; r < 2; ++r) {
    const Pose now = body_pose(installation_.robots[r], vec(state_.accepted.q[r]));
    at[r] = now.p;
    const Eigen::Quaterniond turn(Matrix3(now.R.transpose() * w.body[r].R));
    const double angle = 2.0 * elementary::atan2(turn.vec().norm(), std::abs(turn.w()));
    if (!(angle <= installation_.agree_attitude)) return false;
  }
  const Vector3 off = (w.body[1].p - w.body[0].p) - (at[1] - at[0]);
  return off.norm() <= installation_.agree_position;
}

bool Facility::solved(const Wanted& w, Command& c, Incident& i) const noexcept {
  if (!w.finite) {
    i = {Trouble::state};
    return false;
  }
  const double distance = (w.body[1].p - w.body[0].p).norm();
  if (distance < installation_.clearance) {
    i = {Trouble::clearance, 0, 0, distance, installation_.clearance};
    return false;
  }
  const double s = installation_.fade > 0.0 ? std::min(1.0, state_.fading / installation_.fade) : 1;
  for (std::size_t r = 0; r < 2; ++r) {
    const Robot& robot = installation_.robots[r];
    const auto number = static_cast<std::int64_t>(r);
    const Coordinates offset = vec(state_.offset[r]) * (1.0 - eased(s));
    const Placement to = placed(robot, w.body[r], vec(state_.accepted.q[r]) - offset);
    if (!to.reached) {
      const bool near = to.distance < to.nearest;
      i = {Trouble::workspace, number, 0, to.distance, near ? to.nearest : to.farthest};
      return false;
    }
    const Conditions bad = conditions(robot.arm, to.q.tail<6>());
    const Singularity which = singularity(bad, installation_.singular);
    if (which != Singularity::none) {
      const double value = which == Singularity::shoulder ? bad.shoulder
                           : which == Singularity::elbow  ? bad.elbow
                                                          : bad.wrist;
      i = {Trouble::singular, number, static_cast<std::int64_t>(which), value,
           installation_.singular};
      return false;
    }
    put(to.q + offset, c.q[r]);
    Coordinates rates = rates_of(robot, to.q, w.motion[r]);
    if (s < 1.0) rates -= vec(state_.offset[r]) * (eased_rate(s) / installation_.fade);
    put(rates, c.rates[r]);
  }
  put(w.origin, c.origin);
  put(w.origin_rate, c.origin_rate);
  return true;
}

/// Limits apply to the actual differences between steps. Values at a limit are allowed, within
/// rounding.
bool Facility::allowed(const Command& c, Incident& i) const noexcept {
  constexpr double rounding = 1.0 + 1e-9;
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t j = installation_.robots[r].railed ? 0 : 1; j < 7; ++j) {
      const Joint& joint = installation_.robots[r].joints[j];
      const double q = c.q[r][j], v = (q - state_.accepted.q[r][j]) / dt_,
                   a = (v - state_.speed[r][j]) / dt_;
      const auto broken = [&](Trouble t, double value, double limit) {
        i = {t, static_cast<std::int64_t>(r), static_cast<std::int64_t>(j), value, limit};
        return false;
      };
      if (q < joint.minimum) return broken(Trouble::minimum, q, joint.minimum);
      if (q > joint.maximum) return broken(Trouble::maximum, q, joint.maximum);
      if (!(std::abs(v) <= joint.rate * rounding)) return broken(Trouble::rate, v, joint.rate);
      if (!(std::abs(a) <= joint.acceleration * rounding + 1e-9))
        return broken(Trouble::acceleration, a, joint.acceleration);
    }
  }
  return true;
}

void Facility::take_over(const Wanted& w) noexcept {
  state_.fading = 0.0;
  for (std::size_t r = 0; r < 2; ++r) {
    const Coordinates now = vec(state_.accepted.q[r]);
    const Placement to = placed(installation_.robots[r], w.body[r], now);
    put(now - to.q, state_.offset[r]);
  }
}

// Motion of the joints

void Facility::accept(const Command& c) noexcept {
  state_.use_rate = state_.use_acceleration = 0.0;
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t j = 0; j < 7; ++j) {
      const Joint& joint = installation_.robots[r].joints[j];
      const double v = (c.q[r][j] - state_.accepted.q[r][j]) / dt_,
                   a = (v - state_.speed[r][j]) / dt_;
      state_.speed[r][j] = v;
      if (joint.rate > 0.0) {
        state_.use_rate = std::max(state_.use_rate, std::abs(v) / joint.rate);
        state_.use_acceleration =
            std::max(state_.use_acceleration, std::abs(a) / joint.acceleration);
      }
    }
  }
  state_.accepted = c;
}

void Facility::brake() noexcept {
  Command& c = state_.accepted;
  state_.use_rate = state_.use_acceleration = 0.0;
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t j = 0; j < 7; ++j) {
      double& v = state_.speed[r][j];
      const double before = v;
      const double less = installation_.robots[r].joints[j].acceleration * dt_;
      v = std::abs(v) > less ? v - std::copysign(less, v) : 0.0;
      c.q[r][j] += 0.5 * (before + v) * dt_;
      c.rates[r][j] = v;
    }
  }
  put(Vector3::Zero(), c.origin_rate);
}

void Facility::begin_homing() noexcept {
  state_.homing = state_.homing_time = 0.0;
  for (std::size_t r = 0; r < 2; ++r) {
    const Coordinates to = home(installation_.robots[r]);
    for (std::size_t j = 0; j < 7; ++j) {
      const Joint& joint = installation_.robots[r].joints[j];
      state_.from[r][j] = state_.accepted.q[r][j];
      const double way = std::abs(to[static_cast<Eigen::Index>(j)] - state_.from[r][j]);
      if (way == 0.0) continue;
      const double share = installation_.homing;
      state_.homing_time =
          std::max({state_.homing_time, most_rate * way / (share * joint.rate),
                    std::sqrt(most_acceleration * way / (share * joint.acceleration))});
    }
  }
  put(home_origin(), state_.accepted.origin);
  put(Vector3::Zero(), state_.accepted.origin_rate);
}

void Facility::go_home(Command& c) noexcept {
  state_.homing = std::min(state_.homing + dt_, state_.homing_time);
  const double s = state_.homing_time > 0.0 ? state_.homing / state_.homing_time : 1.0;
  for (std::size_t r = 0; r < 2; ++r) {
    const Coordinates from = vec(state_.from[r]), to = home(installation_.robots[r]);
    put(s < 1.0 ? Coordinates(from + (to - from) * eased(s)) : to, c.q[r]);
    put(s < 1.0 ? Coordinates((to - from) * (eased_rate(s) / state_.homing_time))
                : Coordinates::Zero(),
        c.rates[r]);
  }
}

void Facility::pass_on() noexcept {
  const auto n = static_cast<std::int64_t>(chain_.size());
  chain_[static_cast<std::size_t>(state_.step % n)] = state_.accepted;
  ++state_.step;
  const Command& next = chain_[static_cast<std::size_t>(state_.step % n)];
  const bool exact = installation_.bandwidth == 0.0;
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t j = 0; j < 7; ++j) {
      const double a = (next.rates[r][j] - state_.passed.rates[r][j]) / dt_;
      const Vector3 before(state_.q[r][j] - state_.passed.q[r][j],
                           state_.rates[r][j] - state_.passed.rates[r][j], a);
      Eigen::Vector2d error = Eigen::Vector2d::Zero();
      if (!exact) error = follow_ * before;
      state_.q[r][j] = next.q[r][j] + error[0];
      state_.rates[r][j] = next.rates[r][j] + error[1];
    }
  }
  state_.passed = next;
}

Advance Facility::advance(Time from, Time to) noexcept {
  const Instant now{from};
  for (std::size_t r = 0; r < 2; ++r)
    Quaternion::Map(state_.attitude[r]) = Quaternion(ports_[r].m_attitude.data());
  rest_or_move_again(now);
  if (state_.braking != 0) {
    brake();
    pass_on();
    draw();
    return {to};
  }
  Command c = state_.accepted;
  switch (state_.mode) {
    case Mode::homing:
      go_home(c);
      accept(c);
      if (state_.homing >= state_.homing_time) enter(Mode::holding, now);
      break;
    case Mode::holding: {
      accept(c);
      if (state_.resting != 0) break;
      const Wanted w = wanted();
      state_.agreed = agrees(w) ? state_.agreed + 1 : 0;
      if (static_cast<double>(state_.agreed) * dt_ < installation_.settling) break;
      state_.agreed = 0;
      take_over(w);
      enter(Mode::following, now);
      [[fallthrough]];
    }
    case Mode::following: {
      Incident i;
      if (solved(wanted(), c, i) && allowed(c, i)) {
        accept(c);
        state_.fading = std::min(state_.fading + dt_, installation_.fade);
      } else {
        stop(i, now);
        brake();
      }
      break;
    }
    case Mode::fault:
      brake();
      if (state_.reset_asked != 0 && state_.resting == 0 && commanded_rest()) leave_fault(now);
      break;
  }
  pass_on();
  draw();
  return {to};
}

}  // namespace vernier::facility
