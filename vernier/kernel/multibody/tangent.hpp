#pragma once

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody {

/// Derivatives of the rates of a spacecraft by its state, commands and parameters, exact to
/// rounding. They are those of the equations as written, including quaternions of any length. At a
/// kink of a law (a stop, a thruster at zero) the derivative is that of the active side.
///
/// The matrices have the rows
///   q, u, momentum of rotors, fuel        rates() of them
/// and, column by column, the derivatives with respect to
///   by_state():    q, u, momentum, fuel
///   by_command():  force and acceleration of each speed, commands of actuators, torques of rotors
///   by_parameter():  elements of the parameters of the model
///
/// Observations (observe()) have the same columns, and the rows
///   speeds of rotors; efforts by speed; readings of sensors, as in Reading; mass, kinetic,
///   deformation, spring, gravitational and total energy, momentum, angular momentum, centre and
///   its velocity; reactions by body: moment, force
///
/// One object serves one thread; only the constructor allocates.
class SpacecraftTangent {
 public:
  explicit SpacecraftTangent(const Spacecraft&);
  ~SpacecraftTangent();
  SpacecraftTangent(SpacecraftTangent&&) noexcept;
  SpacecraftTangent& operator=(SpacecraftTangent&&) noexcept;

  std::size_t rows() const noexcept;      // states, and columns of by_state()
  std::size_t commands() const noexcept;  // columns of by_command()

  /// Computes the derivatives at a point. They are undefined if the solution is singular. Without
  /// `commanded`, by_command() and by_parameter() are unchanged.
  Solution evaluate(const Spacecraft::State&, const Spacecraft::Commands&,
                    bool commanded = true) noexcept;

  std::span<const double> rates() const noexcept;       // at the point
  std::span<const double> by_state() const noexcept;    // rows() x rows()
  std::span<const double> by_command() const noexcept;  // rows() x commands()
  std::span<const double> by_parameter() const noexcept;

  /// Computes the derivatives of the observations at the point of the last evaluate(), which must
  /// have succeeded with `commanded`.
  void observe() noexcept;
  std::size_t observations() const noexcept;  // rows of the following matrices
  std::span<const double> seen_by_state() const noexcept;
  std::span<const double> seen_by_command() const noexcept;
  std::span<const double> seen_by_parameter() const noexcept;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
