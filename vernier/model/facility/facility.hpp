#pragma once

#include <array>
#include <string>
#include <vector>

#include "vernier/base/random.hpp"
#include "vernier/component/component.hpp"
#include "vernier/component/rest.hpp"
#include "vernier/model/facility/robot.hpp"

namespace vernier::facility {

/// Two robots, one of them on a rail, and the control around them. L are the axes of the
/// laboratory, S those in which the states of the spacecraft are simulated.
struct Installation {
  std::string name, summary;
  Rate rate{250, 1};
  Matrix3 R_LS = Matrix3::Identity();
  double share = 0.5;            // fraction of motion across the rail made by the fixed robot
  double clearance = 0.0;        // m, at least between the origins of the two bodies
  double delay = 0.032;          // s, of the control chain; whole steps
  double bandwidth = 0.0;        // rad/s, of the joints after the delay; 0: exact
  double damping = 0.8;          // ratio
  double position_noise = 0.0;   // m, of measured positions, each axis
  double attitude_noise = 0.0;   // rad, of measured attitudes, about each axis
  double agree_position = 0.02;  // m: commands this near to the robots take over
  double agree_attitude = 0.02;  // rad
  double settling = 0.1;         // s, during which they must agree before
  double fade = 1.0;             // s, in which the remaining difference fades
  double homing = 0.2;           // fraction of rates and accelerations that homing uses
  double singular = 0.02;        // see singularity()
  int reference = 1;             // robot whose body is the origin of S without commands
  std::array<Robot, 2> robots;
  std::uint64_t seed = 0;

  int railed() const noexcept { return robots[1].railed ? 1 : 0; }
};

enum class Mode : std::int64_t { homing, holding, following, fault };
enum class Trouble : std::int64_t {
  none,
  state,         // not finite, or an invalid attitude
  workspace,     // the wrist cannot be there: distance and reach
  minimum,       // of a joint
  maximum,       //
  rate,          //
  acceleration,  //
  singular,      // `joint` is the Singularity
  clearance,     // the two bodies come too near
  tripped        // from outside
};

/// The facility as a component. In each step it takes the commanded states of both spacecraft,
/// finds the joints that make their relative motion, checks all limits, and passes the joints
/// through the control chain; what comes out is measured.
///
/// Only relative motion matters. With d the vector from the body of the robot that stands to the
/// one on the rail, and ⊥ its part across the rail,
///
///   x_standing = station - share d⊥,   x_railed = x_standing + d,   R_LB = R_LS R_SB
///
/// where the station follows from the home positions. Measured states are brought back with the
/// same displacement of the origin, as it was when the joints were commanded; so with exact joints
/// what is measured is what was commanded `delay` ago.
///
/// homing → holding at home. holding → following when commands agree with where the robots are:
/// whoever commands lets his commands follow what is measured until `ready`, then they stand; a
/// tenth of a second later the robots follow them.
/// A command that breaks a limit is not made: → fault, all joints brake with their accelerations.
/// fault → homing by `reset`, as soon as they stand.
/// When the run ends or freezes, the robots follow whoever commands them for as long as he may need
/// to come to rest; if they still move then, or on their way home, all joints brake with their
/// accelerations. When the run continues, they go home, or hold until commands agree.
///
/// in   NAME.position, .velocity, .attitude, .rate   m, m/s, q_BS scalar last, rad/s in body axes
/// in   reset, trip                                  events: leave a fault, cause one
/// out  measured.NAME.position, .velocity, .attitude, .rate
/// out  ready, fault, state, incident.*              booleans; Mode; Trouble, robot, joint, value,
///                                                   limit of the last fault
/// out  NAME.joints, RAILED.rail                     rad, m; as they are
/// out  use.rate, use.acceleration                   largest share of a limit in this step
class Facility final : public Component, public ComesToRest {
 public:
  /// The installation must be valid for read_installation(); cheap conditions are require()d.
  explicit Facility(Installation);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time, int) override;
  Outcome output(Instant) noexcept override;
  Outcome react(Instant) noexcept override;
  Advance advance(Time, Time) noexcept override;
  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;
  Telling tell(const Entry&) const override;

  bool at_rest() const noexcept override;
  void begin_rest(Duration leaders) noexcept override;
  void end_rest() noexcept override { state_.resting = 0; }
  Duration longest_rest() const noexcept override;
  std::string motion() const override;

 private:
  /// The joint commands of one step, and the origin of S in L at that step.
  struct Command {
    double q[2][7], rates[2][7];
    double origin[3], origin_rate[3];
  };
  struct Incident {
    Trouble trouble = Trouble::none;
    std::int64_t robot = 0, joint = 0;
    double value = 0.0, limit = 0.0;
  };
  struct State {
    Random random{0};
    Mode mode = Mode::homing;
    std::int64_t step = 0, resets = 0, trips = 0, reset_asked = 0;
    Command accepted{};                     // the last one
    double speed[2][7] = {};                // of it, by differences
    Command passed{};                       // output of the chain for this step
    double q[2][7] = {}, rates[2][7] = {};  // of the joints as they are
    double offset[2][7] = {};               // fading
    double fading = 0.0;                    // s since commands took over
    std::int64_t agreed = 0;                // steps in a row that commands agreed
    double from[2][7] = {};                 // where homing began
    double homing = 0.0, homing_time = 0.0;
    double use_rate = 0.0, use_acceleration = 0.0;
    double attitude[2][4] = {};  // last measured, for continuous signs
    double noise[2][6] = {};
    Incident incident{};
    std::int64_t resting = 0, braking = 0;  // braking: until it may move again, and has a new way
    std::int64_t patience = 0;              // steps that it still follows commands when resting
  };
  struct Ports {
    std::span<const double> position, velocity, attitude, rate;
    std::span<double> m_position, m_velocity, m_attitude, m_rate, joints, rail;
  };
  struct Wanted {
    Pose body[2];
    Motion motion[2];
    Vector3 origin, origin_rate;
    bool finite = false;
  };

  Wanted wanted() const noexcept;
  bool agrees(const Wanted&) const noexcept;
  bool solved(const Wanted&, Command&, Incident&) const noexcept;
  bool allowed(const Command&, Incident&) const noexcept;
  void take_over(const Wanted&) noexcept;
  void accept(const Command&) noexcept;
  void brake() noexcept;
  void go_home(Command&) noexcept;
  void begin_homing() noexcept;
  void enter(Mode, Instant) noexcept;
  void stop(const Incident&, Instant) noexcept;
  bool commanded_rest() const noexcept;
  void rest_or_move_again(Instant) noexcept;
  void leave_fault(Instant) noexcept;
  void pass_on() noexcept;
  void draw() noexcept;
  Vector3 home_origin() const noexcept;

  Installation installation_;
  Description description_;
  double dt_ = 0.004;
  Vector3 station_;
  std::size_t standing_ = 0, railed_ = 1;
  Eigen::Matrix<double, 2, 3> follow_;  // error and its rate after a step, of both and acceleration
  State state_;
  std::vector<Command> chain_;  // as long as the delay
  std::array<Ports, 2> ports_;
  std::span<const std::int64_t> reset_, trip_;
  std::span<std::uint8_t> ready_, fault_;
  std::span<std::int64_t> state_out_, trouble_out_, robot_out_, joint_out_;
  std::span<double> value_out_, limit_out_, use_rate_out_, use_acceleration_out_;
  Journal* journal_ = nullptr;
};

/// The steps of the control chain; 0 if the delay is not a positive integer number of steps.
std::int64_t delay_steps(const Installation&) noexcept;

}  // namespace vernier::facility
