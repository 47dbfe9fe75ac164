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
  /// by_command() stays as it was.
  Solution evaluate(const Spacecraft::State&, const Spacecraft::Commands&,
                    bool commanded = true) noexcept;

  std::span<const double> rates() const noexcept;       // at the point
  std::span<const double> by_state() const noexcept;    // rows() x rows()
  std::span<const double> by_command() const noexcept;  // rows() x commands()

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
