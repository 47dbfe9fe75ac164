#pragma once

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/hybrid/lane_system.hpp"
#include "vernier/kernel/spatial/attitude.hpp"
#include "vernier/model/spacecraft/models.hpp"

namespace vernier::spacecraft {

/// The attitude of a rigid spacecraft with momentum stored in wheels. N are inertial axes, B axes
/// fixed in the body; q = q_BN takes components from N to B, scalar last; ω = omega_BN_B.
///
///   q' = Ω(ω) q / 2,   J ω' = torque - ω × (J ω + wheel_momentum)
///
/// The torque of wheel motors on the body is part of `torque` and equals minus the change of
/// wheel_momentum in B.
///
/// in   torque           N·m    B  of everything on the body; zero when not connected
/// in   wheel_momentum   N·m·s  B  zero when not connected
/// out  attitude         1         q_BN
/// out  omega            rad/s  B
/// out  omega_norm       rad/s     |ω|
/// out  momentum         N·m·s  N  J ω + wheel_momentum; constant without external torque
/// out  momentum_norm    N·m·s     its length
/// out  energy           J         ω·J ω / 2, of the body alone
/// out  attitude_norm    1         |q|, 1 but for rounding
class RigidBody final : public hybrid::LaneSystem<detail::RigidBodyModel> {
 public:
  struct Parameters {
    spatial::Matrix3 inertia = spatial::Matrix3::Identity();  // kg·m², about the centre of mass, B
    spatial::Quaternion attitude{0.0, 0.0, 0.0, 1.0};         // at the start; normalised
    spatial::Vector3 omega = spatial::Vector3::Zero();        // rad/s, at the start
  };

  /// The inertia must be symmetric and positive definite, the attitude not zero: require()d.
  explicit RigidBody(const Parameters&);
};

/// Components of a vector in other axes.
///
///   to_body:      rotated = A(attitude) vector, from N to B
///   to_inertial:  rotated = A(attitude)ᵀ vector, from B to N
///
/// in   attitude  1        q_BN, a unit vector
/// in   vector    unit
/// out  rotated   unit
class Rotation final : public hybrid::LaneSystem<detail::RotationModel> {
 public:
  enum class Way { to_body, to_inertial };
  Rotation(Way, const std::string& unit);
};

Type rigid_body_type();
Type rotation_type();

}  // namespace vernier::spacecraft
