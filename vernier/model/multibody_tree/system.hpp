#pragma once

#include <memory>

#include "vernier/kernel/hybrid/system.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody_tree {

/// A multibody spacecraft as a hybrid system. Signals are named after the parts of the document:
/// BODY, DOF (turn, slide, x, y, z; see multibody documents), WHEEL, TANK, ACTUATOR, SENSOR.
///
/// states
///   BODY.DOF, BODY.DOF_rate        rad or m       hinges with angles and distances
///   BODY.quaternion, BODY.rate     1, rad/s       ball and free hinges: attitude relative to the
///                                                 node of the other body, scalar last; rate in
///                                                 the axes of the node of this body
///   BODY.position, BODY.velocity   m, m/s         free hinges
///   BODY.eta, BODY.eta_rate        1, 1/s         modes
///   WHEEL.momentum                 N·m·s          inertial spin momentum
///   TANK.fuel                      kg
/// in
///   BODY.DOF_torque or _force (ball and free: BODY.torque, BODY.force): along regular dofs
///   BODY.DOF_acceleration (ball and free: BODY.angular_acceleration, BODY.linear_acceleration):
///     of prescribed dofs. If a dof is prescribed from the start, this must be connected.
///   ACTUATOR.thrust, or .force, .moment; WHEEL.torque on the wheel. All other inputs are zero by
///   default.
/// out
///   all states; WHEEL.speed
///   BODY.DOF_effort (ball and free: BODY.moment_effort, BODY.force_effort): the force along a
///     dof, including springs, dampers and friction; for a prescribed dof, the force required
///   SENSOR.position, .attitude in the frame of the bus; .rate, .velocity, .angular_acceleration,
///     .acceleration, .specific_force in its own axes
///   mass, kinetic_energy, deformation_energy, spring_energy, gravity_energy, energy; momentum,
///     angular_momentum (about the origin of the ground), centre, centre_velocity in ground axes
///     (N)
///   BODY.reaction_moment, .reaction_force (on request): of the hinge on the body, in its axes
///
/// Efforts, accelerations, specific forces and reactions depend directly on every force of the same
/// tree (bodies joined only through the ground do not interact). No other output depends on inputs.
///
/// Parameters are those of the model of the spacecraft, with the same names.
///
/// Every dof has an automaton BODY.DOF with the locations regular, prescribed and locked. It
/// responds to the events BODY.free, BODY.prescribe, BODY.lock, and BODY.DOF.free … if a hinge has
/// several dofs. Locking a moving dof is an impact: all speeds jump, both momenta are conserved.
/// Freeing or prescribing a dof changes no speed.
class MultibodySystem final : public hybrid::System {
 public:
  struct Options {
    std::vector<std::uint8_t> held = {};  // by speed: prescribed at the start; unconnected,
                                          // it continues at constant speed
    bool reactions = false;
  };
  MultibodySystem(multibody::Spacecraft, const Options&);
  ~MultibodySystem() override;

  const multibody::Spacecraft& spacecraft() const noexcept;

  const hybrid::SystemSpec& spec() const noexcept override;
  std::unique_ptr<hybrid::Workspace> workspace() const override;
  std::unique_ptr<hybrid::Workspace> lane_workspace() const override;
  void flow(const hybrid::Point&, std::span<double> xdot,
            hybrid::Workspace&) const noexcept override;
  void output(const hybrid::Point&, std::span<double> y,
              hybrid::Workspace&) const noexcept override;
  void flow_lanes(const hybrid::Points&, double* xdot, hybrid::Workspace&) const noexcept override;
  void output_lanes(const hybrid::Points&, double* y, hybrid::Workspace&) const noexcept override;
  /// Exact to rounding.
  void tangent(const hybrid::Point&, const hybrid::Direction&, const hybrid::Tangent&,
               hybrid::Workspace&) const noexcept override;
  void jacobian(const hybrid::Point&, const hybrid::Pattern&, std::span<double> values,
                hybrid::Workspace&) const noexcept override;
  bool select(const hybrid::Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
              hybrid::Workspace&) const noexcept override;
  void jump(const hybrid::Point&, std::span<const int> chosen, hybrid::Jump&,
            hybrid::Workspace&) const noexcept override;
  /// V3140: a hinge that cannot be solved.
  bool explain(const hybrid::Point&, Fault&, hybrid::Workspace&) const noexcept override;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody_tree
