#pragma once

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody {

/// Derivatives of the rates of a spacecraft by its state and its commands, exact to rounding: those
/// of the equations as they are written, quaternions included, whatever their length. Where a law
/// has a kink (a stop, a thruster at zero) the derivative is that of the side on which it acts.
///
/// Both matrices have the rows
///   q, u, momentum of rotors, fuel        rates() of them
/// and, column by column, derivatives by
///   by_state():    q, u, momentum, fuel
///   by_command():  force and acceleration of each speed, commands of actuators, torques of rotors
///   by_parameter():  elements of the parameters of the model
///
/// What is seen (observe()) has the same columns, and the rows
///   speeds of rotors; efforts by speed; readings of sensors, as Reading has them; mass, kinetic,
///   deformation, spring, gravitational and total energy, momentum, angular momentum, centre and
///   its velocity; reactions by body: moment, force
///
/// One object serves one thread; nothing but the constructor allocates.
class SpacecraftTangent {
 public:
  explicit SpacecraftTangent(const Spacecraft&);
  ~SpacecraftTangent();
  SpacecraftTangent(SpacecraftTangent&&) noexcept;
  SpacecraftTangent& operator=(SpacecraftTangent&&) noexcept;

  std::size_t rows() const noexcept;      // states, and columns of by_state()
  std::size_t commands() const noexcept;  // columns of by_command()

  /// Derivatives at a point. When the solution is not good they mean nothing. Without `commanded`
  /// by_command() and by_parameter() stay as they were.
  Solution evaluate(const Spacecraft::State&, const Spacecraft::Commands&,
                    bool commanded = true) noexcept;

  std::span<const double> rates() const noexcept;       // at the point
  std::span<const double> by_state() const noexcept;    // rows() x rows()
  std::span<const double> by_command() const noexcept;  // rows() x commands()
  std::span<const double> by_parameter() const noexcept;

  /// Derivatives of what is seen at the point of the last evaluate(), which was good and
  /// `commanded`.
  void observe() noexcept;
  std::size_t observations() const noexcept;  // rows of what follows
  std::span<const double> seen_by_state() const noexcept;
  std::span<const double> seen_by_command() const noexcept;
  std::span<const double> seen_by_parameter() const noexcept;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
