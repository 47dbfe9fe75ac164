#pragma once

#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/hybrid/lane_system.hpp"
#include "vernier/kernel/spatial/motion.hpp"
#include "vernier/model/spacecraft/models.hpp"

namespace vernier::spacecraft {

/// Three coils along the axes of B.
///
///   moment = gain · command, the command limited per axis;   torque = moment × field
///
/// in   command  V or A·m²  B
/// in   field    T          B
/// out  moment   A·m²       B
/// out  torque   N·m        B  on the body
class Magnetorquers final : public hybrid::LaneSystem<detail::MagnetorquersModel> {
 public:
  struct Parameters {
    bool by_voltage = true;  // the command is a voltage, otherwise a moment
    double gain = 1.0;       // A·m²/V; 1 for moments
    double largest = 0.0;    // of the command, V or A·m²; 0: no limit
  };

  explicit Magnetorquers(const Parameters&);
};

/// Wheels with axes fixed in B, each driven by a torque command. For each wheel, h being its
/// momentum about its axis relative to the body and ω its speed:
///
///   h' = limited(command, max_torque) - drag(ω),   drag = viscous ω + coulomb tanh(ω /
///   coulomb_speed)
///
/// At ±max_momentum the motor stops pushing: h' = 0 until the command (less drag) points back. That
/// is an automaton per wheel (Free, UpperLimit, LowerLimit), so that saturation is noted when it
/// begins and ends. The gyroscopic torque of the stored momentum is the body's business (RigidBody,
/// wheel_momentum).
///
/// in   command         N·m      per wheel: torque asked of the motor, on the wheel
/// out  torque          N·m    B  on the body: -Σ h' axis
/// out  momentum        N·m·s  B  Σ h axis
/// out  motor_torque    N·m      per wheel: h'
/// out  speed           rad/s    per wheel: h / inertia
class ReactionWheels final : public hybrid::LaneSystem<detail::WheelsModel> {
 public:
  struct Parameters {
    std::vector<spatial::Vector3> axes{spatial::Vector3::UnitX()};  // unit vectors in B
    double inertia = 1.0;               // kg·m², of one wheel about its axis
    double max_torque = 0.0;            // N·m; 0: no limit
    double max_momentum = 0.0;          // N·m·s; 0: no limit
    double viscous = 0.0;               // N·m·s
    double coulomb = 0.0;               // N·m
    double coulomb_speed = 1.0;         // rad/s, width of the step at standstill
    std::vector<double> momentum{0.0};  // at the start, per wheel
    bool body_axes = false;  // the wheels are those of x, y, z: commands are a vector in B
  };
  enum Location {
    free = detail::wheel_free,
    upper = detail::wheel_upper,
    lower = detail::wheel_lower
  };

  explicit ReactionWheels(const Parameters&);

  bool select(const hybrid::Point&, std::span<const std::uint8_t>, std::span<int>,
              hybrid::Workspace&) const noexcept override;
  void jump(const hybrid::Point&, std::span<const int>, hybrid::Jump&,
            hybrid::Workspace&) const noexcept override;
  void witness(const hybrid::Point&, int, int, std::span<double, 2>,
               hybrid::Workspace&) const noexcept override;

 private:
  /// h' without the limit of momentum.
  double drive(const hybrid::Point&, std::size_t wheel) const noexcept;
  /// max_momentum
  double limit(const hybrid::Point&) const noexcept;
};

Type magnetorquers_type();
/// One wheel, its axis a parameter.
Type reaction_wheel_type();
/// Three wheels along x, y and z of B.
Type reaction_wheels_type();

}  // namespace vernier::spacecraft
