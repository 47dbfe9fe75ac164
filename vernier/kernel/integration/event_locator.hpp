#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "vernier/kernel/integration/stepper.hpp"

namespace vernier::integration {

/// Finds the first instant inside a step at which a transition is enabled, on the dense output
/// (docs/mathematics/hybrid.md, "Finding the first instant").
///
/// The atoms of the conditions are followed with their derivatives along the flow, so two crossings
/// inside one sub-interval are not lost. Between the roots of all atoms, taken in time order, the
/// conditions themselves are evaluated. Only the current truth counts: no sign is remembered.
class EventLocator {
 public:
  explicit EventLocator(const hybrid::System&);

  /// The atoms and their derivatives along the flow at a point with a known rate.
  void atoms(const Equations&, double t, std::span<const double> x, std::span<const double> rate,
             std::span<double> z, std::span<double> dz) const noexcept;

  /// The first instant of the step, in seconds after its start, at which a transition is enabled
  /// without event labels. `z`, `dz` are the atoms at the start of the step, where none is enabled;
  /// if there is no event, they become those at its end.
  std::optional<double> locate(const Equations&, Stepper&, std::span<double> z,
                               std::span<double> dz) noexcept;

  /// An atom over a step of length h: values and derivatives at both ends, and the value in the
  /// middle.
  struct Course {
    double h, z0, dz0, z1, dz1, middle;
  };
  /// Whether an atom agrees with the cubic through both ends, and the cubic stays away from zero:
  /// then no transition can become enabled.
  static bool calm(const Course&) noexcept;
  static bool quiet(const Course&) noexcept;

 private:
  struct Atoms {
    double s = 0.0;
    std::vector<double> z, dz;
  };

  void evaluate(const Equations&, const Stepper&, Atoms&) noexcept;
  double atom(const Equations&, const Stepper&, std::size_t i, double s) noexcept;
  bool enabled(const Equations&, const Stepper&, double s) noexcept;
  double first_enabled(const Equations&, const Stepper&, double low, double high) noexcept;
  void roots_between(const Equations&, const Stepper&, std::size_t i, const Atoms& a,
                     const Atoms& b) noexcept;
  void extremum_between(const Equations&, const Stepper&, std::size_t i, const Atoms& a,
                        const Atoms& b) noexcept;
  /// Adds the right end of the final bracket of a root in [a, b], between which the sign changes.
  void refine(const Equations&, const Stepper&, std::size_t i, double a, double za, double b,
              double zb) noexcept;
  void add_root(double s) noexcept;

  std::size_t n_, guards_, automata_;
  std::vector<double> x_, rate_, z_, dz_, z_end_, dz_end_;
  Atoms left_, right_, probe_;
  std::vector<double> roots_;
  std::size_t found_ = 0;
  std::vector<int> chosen_;
  std::vector<std::uint8_t> present_;
  double resolution_ = 0.0;
};

}  // namespace vernier::integration
