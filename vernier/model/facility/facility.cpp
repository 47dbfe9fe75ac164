#include "vernier/model/facility/facility.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "vernier/base/require.hpp"
#include "vernier/component/port_name.hpp"
#include "vernier/kernel/spatial/segment.hpp"
#include "vernier/model/facility/detail/arrays.hpp"

namespace vernier::facility {
namespace {

using detail::across;
using detail::put;
using detail::vec;
using spatial::Quaternion;

const char* const mode_names[] = {"homing", "holding", "following", "fault"};

}  // namespace

std::int64_t delay_steps(const Installation& i) noexcept {
  const double steps =
      i.delay * static_cast<double>(i.rate.times) / static_cast<double>(i.rate.seconds);
  const double whole = std::round(steps);
  return whole >= 1.0 && whole <= 4096.0 && std::abs(steps - whole) < 1e-6
             ? static_cast<std::int64_t>(whole)
             : 0;
}

Facility::Facility(Installation i) : installation_(std::move(i)) {
  static_assert(std::is_trivially_copyable_v<State> && std::is_trivially_copyable_v<Command>);
  require(delay_steps(installation_) > 0 &&
          installation_.robots[0].railed != installation_.robots[1].railed);
  railed_ = static_cast<std::size_t>(installation_.railed());
  standing_ = 1 - railed_;
  dt_ = static_cast<double>(installation_.rate.seconds) /
        static_cast<double>(installation_.rate.times);
  const auto at_home = [&](std::size_t r) {
    return body_pose(installation_.robots[r], home(installation_.robots[r])).p;
  };
  const Vector3 axis = installation_.robots[railed_].axis;
  station_ = at_home(standing_) +
             installation_.share * across(at_home(railed_) - at_home(standing_), axis);
  chain_.resize(static_cast<std::size_t>(delay_steps(installation_)));

  // The tracking error e of a joint after the chain: e'' = -w² e - 2 z w e' - a with constant a, by
  // the matrix exponential (scaling and squaring).
  const double w = installation_.bandwidth;
  Matrix3 A;
  A << 0, 1, 0, -w * w, -2.0 * installation_.damping * w, -1, 0, 0, 0;
  int halvings = 0;
  if (std::frexp(1.0 + 8.0 * w * dt_, &halvings) == 0.5) --halvings;  // already a power of two
  A *= std::ldexp(dt_, -halvings);
  Matrix3 E = Matrix3::Identity(), term = Matrix3::Identity();
  for (int k = 1; k <= 24; ++k) E += term = term * A / k;
  for (int k = 0; k < halvings; ++k) E = E * E;
  follow_ = E.topRows<2>();

  const auto input = [&](const std::string& name, const char* unit, std::vector<double> initial,
                         const char* what) {
    const auto count = static_cast<std::uint32_t>(initial.size());
    description_.inputs.push_back({.name = name,
                                   .unit = unit,
                                   .count = count,
                                   .initial = std::move(initial),
                                   .description = what});
  };
  const auto output = [&](const std::string& name, const char* unit, std::uint32_t n,
                          const char* what, Scalar scalar = Scalar::real) {
    description_.outputs.push_back(
        {.name = name, .unit = unit, .count = n, .scalar = scalar, .description = what});
  };
  for (const Robot& r : installation_.robots) {
    // Without commands the robots stay at home.
    const Pose at = body_pose(r, home(r));
    const Vector3 p = installation_.R_LS.transpose() * (at.p - home_origin());
    const Eigen::Quaterniond q(Matrix3(installation_.R_LS.transpose() * at.R));
    const std::vector<double> still(3, 0.0);
    input(r.name + ".position", "m", {p[0], p[1], p[2]}, "commanded, in simulated axes");
    input(r.name + ".velocity", "m/s", still, "commanded, in simulated axes");
    input(r.name + ".attitude", "1", {q.x(), q.y(), q.z(), q.w()},
          "commanded: from simulated to body axes, scalar last");
    input(r.name + ".rate", "rad/s", still, "commanded angular velocity in body axes");
    const std::string m = "measured." + r.name;
    output(m + ".position", "m", 3, "measured, in simulated axes");
    if (installation_.position_noise > 0.0)
      description_.outputs.back().noise.assign(3, installation_.position_noise);
    output(m + ".velocity", "m/s", 3, "measured, in simulated axes");
    output(m + ".attitude", "1", 4, "measured: from simulated to body axes, scalar last");
    // A small rotation changes a quaternion by half its angle, perpendicular to it.
    if (installation_.attitude_noise > 0.0)
      description_.outputs.back().noise.assign(4, 0.5 * installation_.attitude_noise);
    output(m + ".rate", "rad/s", 3, "measured angular velocity in body axes");
    output(r.name + ".joints", "rad", 6, "angles of A1 to A6 as they are");
    if (r.railed) output(r.name + ".rail", "m", 1, "place on the rail as it is");
  }
  for (const char* event : {"reset", "trip"}) {
    description_.inputs.push_back(
        {.name = event,
         .scalar = Scalar::integer,
         .flow = Flow::event,
         .initial = std::vector<double>{0.0},
         .description = *event == 'r' ? "leave a fault by way of homing" : "cause a fault"});
  }
  output("ready", "1", 1, "commands agree with where the robots are, or are followed",
         Scalar::boolean);
  output("fault", "1", 1, "a limit was broken; the robots stand", Scalar::boolean);
  output("state", "1", 1, "0 homing, 1 holding until commands agree, 2 following commands, 3 fault",
         Scalar::integer);
  output("incident.kind", "1", 1,
         "of the last fault: 1 no state, 2 workspace, 3 minimum, 4 maximum, 5 rate, "
         "6 acceleration, 7 singular, 8 clearance, 9 tripped",
         Scalar::integer);
  output("incident.robot", "1", 1, "of the last fault: 0 the first robot, 1 the second",
         Scalar::integer);
  output("incident.joint", "1", 1,
         "of the last fault: 0 rail, 1 to 6; if singular: 1 shoulder, 2 elbow, 3 wrist",
         Scalar::integer);
  output("incident.value", "1", 1, "of the last fault, in SI");
  output("incident.limit", "1", 1, "of the last fault, in SI");
  output("use.rate", "1", 1, "largest share of a joint's rate limit in this step");
  output("use.acceleration", "1", 1, "largest share of a joint's acceleration limit in this step");
  description_.rate = installation_.rate;
  description_.abilities.reacts = true;
  description_.state_bytes = sizeof(State) + chain_.size() * sizeof(Command);
}

void Facility::bind(const Bindings& b) {
  for (std::size_t r = 0; r < 2; ++r) {
    const std::string& name = installation_.robots[r].name;
    const auto in = [&](const char* what) { return b.real_input(PortName{name, what}); };
    const auto out = [&](const char* what) { return b.real_output(PortName{name, what}); };
    const auto measured = [&](const char* what) {
      return b.real_output(PortName{"measured.", name, what});
    };
    ports_[r] = {
        in(".position"),       in(".velocity"),
        in(".attitude"),       in(".rate"),
        measured(".position"), measured(".velocity"),
        measured(".attitude"), measured(".rate"),
        out(".joints"),        installation_.robots[r].railed ? out(".rail") : std::span<double>{}};
  }
  reset_ = b.integer_input("reset");
  trip_ = b.integer_input("trip");
  ready_ = b.byte_output("ready");
  fault_ = b.byte_output("fault");
  state_out_ = b.integer_output("state");
  trouble_out_ = b.integer_output("incident.kind");
  robot_out_ = b.integer_output("incident.robot");
  joint_out_ = b.integer_output("incident.joint");
  value_out_ = b.real_output("incident.value");
  limit_out_ = b.real_output("incident.limit");
  use_rate_out_ = b.real_output("use.rate");
  use_acceleration_out_ = b.real_output("use.acceleration");
  journal_ = &b.journal();
}

Vector3 Facility::home_origin() const noexcept {
  const Robot& r = installation_.robots[static_cast<std::size_t>(installation_.reference)];
  return body_pose(r, home(r)).p;
}

bool Facility::initialize(Time, int) {
  state_ = State{};
  state_.random = Random(installation_.seed);
  state_.resets = reset_[0];
  state_.trips = trip_[0];
  for (std::size_t r = 0; r < 2; ++r) {
    put(parked(installation_.robots[r]), state_.accepted.q[r]);
    put(parked(installation_.robots[r]), state_.q[r]);
  }
  put(home_origin(), state_.accepted.origin);
  state_.passed = state_.accepted;
  std::fill(chain_.begin(), chain_.end(), state_.accepted);
  begin_homing();
  if (state_.homing_time == 0.0) state_.mode = Mode::holding;
  draw();
  return true;
}

void Facility::draw() noexcept {
  for (auto& body : state_.noise) {
    for (int i = 0; i < 6; ++i)
      body[i] = (i < 3 ? installation_.position_noise : installation_.attitude_noise) *
                state_.random.normal();
  }
}

Outcome Facility::output(Instant) noexcept {
  const Matrix3 R_SL = installation_.R_LS.transpose();
  for (std::size_t r = 0; r < 2; ++r) {
    const Robot& robot = installation_.robots[r];
    const Coordinates q = vec(state_.q[r]), rates = vec(state_.rates[r]);
    const Pose body = body_pose(robot, q);
    const Motion motion = body_motion(robot, q, rates);
    const Ports& p = ports_[r];
    const double* noise = state_.noise[r];
    const Vector3 origin(state_.passed.origin), origin_rate(state_.passed.origin_rate);
    Vector3::Map(p.m_position.data()) = R_SL * (body.p - origin) + Vector3(noise);
    Vector3::Map(p.m_velocity.data()) = R_SL * (motion.linear - origin_rate);
    Vector3::Map(p.m_rate.data()) = body.R.transpose() * motion.angular;
    Quaternion attitude = Eigen::Quaterniond(Matrix3(R_SL * body.R)).coeffs();
    if (installation_.attitude_noise > 0.0)
      attitude = spatial::product(spatial::exponential(Vector3(noise + 3)), attitude);
    if (attitude.dot(Quaternion(state_.attitude[r])) < 0.0) attitude = -attitude;
    Quaternion::Map(p.m_attitude.data()) = attitude;
    Angles::Map(p.joints.data()) = q.tail<6>();
    if (!p.rail.empty()) p.rail[0] = q[0];
  }
  ready_[0] = state_.braking == 0 && (state_.mode == Mode::following ||
                                      (state_.mode == Mode::holding && state_.agreed > 0));
  fault_[0] = state_.mode == Mode::fault;
  state_out_[0] = static_cast<std::int64_t>(state_.mode);
  trouble_out_[0] = static_cast<std::int64_t>(state_.incident.trouble);
  robot_out_[0] = state_.incident.robot;
  joint_out_[0] = state_.incident.joint;
  value_out_[0] = state_.incident.value;
  limit_out_[0] = state_.incident.limit;
  use_rate_out_[0] = state_.use_rate;
  use_acceleration_out_[0] = state_.use_acceleration;
  return Outcome::ok;
}

Outcome Facility::react(Instant now) noexcept {
  const bool tripped = trip_[0] != state_.trips, reset = reset_[0] != state_.resets;
  state_.trips = trip_[0];
  state_.resets = reset_[0];
  if (tripped && state_.mode != Mode::fault) {
    stop({Trouble::tripped}, now);
    return Outcome::changed;
  }
  // Wait until the robots stand still.
  if (reset && state_.mode == Mode::fault) state_.reset_asked = 1;
  if (tripped) state_.reset_asked = 0;
  if (state_.reset_asked == 0 || state_.resting != 0 || !commanded_rest()) return Outcome::ok;
  leave_fault(now);
  return Outcome::changed;
}

bool Facility::commanded_rest() const noexcept {
  for (const auto& robot : state_.speed) {
    for (const double v : robot) {
      if (v != 0.0) return false;
    }
  }
  return true;
}

void Facility::leave_fault(Instant now) noexcept {
  state_.reset_asked = 0;
  begin_homing();
  enter(Mode::homing, now);
}

void Facility::enter(Mode to, Instant now) noexcept {
  journal_->note({.at = now,
                  .kind = 1,
                  .from = static_cast<std::int32_t>(state_.mode),
                  .to = static_cast<std::int32_t>(to)});
  state_.mode = to;
}

void Facility::stop(const Incident& i, Instant now) noexcept {
  state_.incident = i;
  journal_->note({.at = now,
                  .kind = 2,
                  .from = static_cast<std::int32_t>(i.trouble),
                  .to = static_cast<std::int32_t>(i.robot),
                  .item = static_cast<std::int32_t>(i.joint),
                  .values = {i.value, i.limit}});
  enter(Mode::fault, now);
}

void Facility::save(std::span<std::byte> to) const noexcept {
  require(to.size() == description_.state_bytes);
  std::memcpy(to.data(), &state_, sizeof state_);
  std::memcpy(to.data() + sizeof state_, chain_.data(), chain_.size() * sizeof(Command));
}

void Facility::load(std::span<const std::byte> from) noexcept {
  require(from.size() == description_.state_bytes);
  std::memcpy(static_cast<void*>(&state_), from.data(), sizeof state_);
  std::memcpy(chain_.data(), from.data() + sizeof state_, chain_.size() * sizeof(Command));
  // An image may come from a file: an invalid mode would be an index out of range.
  if (state_.mode < Mode::homing || state_.mode > Mode::fault) state_.mode = Mode::fault;
}

Telling Facility::tell(const Entry& e) const {
  if (e.kind == 1) {
    return {.subject = "",
            .kind = "transition",
            .from = mode_names[e.from],
            .to = mode_names[e.to],
            .reason = "",
            .warning = e.to == static_cast<int>(Mode::fault)};
  }
  const Robot& robot = installation_.robots[static_cast<std::size_t>(e.to)];
  const auto trouble = static_cast<Trouble>(e.from);
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::string(text);
  };
  const std::string value = number(e.values[0]), limit = number(e.values[1]);
  const std::string joint =
      robot.name + " " +
      robot.joints[static_cast<std::size_t>(std::clamp(e.item, std::int32_t{0}, std::int32_t{6}))]
          .name;
  const bool rail = e.item == 0;
  const std::string unit = rail ? " m" : " rad";
  static const char* const singular[] = {"", "shoulder: the wrist is over axis 1",
                                         "elbow: the arm is stretched or folded",
                                         "wrist: axes 4 and 6 are in line"};
  std::string reason;
  switch (trouble) {
    case Trouble::none:
      break;
    case Trouble::state:
      reason = "a command is not a state: not finite, or an attitude that is none";
      break;
    case Trouble::workspace:
      reason = robot.name + ": out of reach, the wrist would be " + value +
               " m from axis 2; limit " + limit + " m";
      break;
    case Trouble::minimum:
      reason = joint + ": " + value + unit + " < " + limit + unit;
      break;
    case Trouble::maximum:
      reason = joint + ": " + value + unit + " > " + limit + unit;
      break;
    case Trouble::rate:
      reason = joint + ": rate " + value + unit + "/s, limit " + limit + unit + "/s";
      break;
    case Trouble::acceleration:
      reason = joint + ": acceleration " + value + unit + "/s^2, limit " + limit + unit + "/s^2";
      break;
    case Trouble::singular:
      reason = robot.name + ": singular, " + singular[std::clamp(e.item, 0, 3)] + "; " + value +
               " < " + limit;
      break;
    case Trouble::clearance:
      reason = "the bodies come too near: " + value + " m < " + limit + " m";
      break;
    case Trouble::tripped:
      reason = "tripped from outside";
      break;
  }
  return {.subject = "",
          .kind = "fault",
          .from = "",
          .to = "",
          .reason = std::move(reason),
          .warning = true};
}

}  // namespace vernier::facility
