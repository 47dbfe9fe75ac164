#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::integration {

/// How to integrate. Tolerances are those of the result: see docs/mathematics/hybrid.md, section 4.
struct Settings {
  std::string method = "dopri5";  // dopri5, rk4, euler, rodas
  double rtol = 1e-9;
  double atol = 1e-9;
  double step = 0.0;  // s; of rk4 and euler (0: one step), and the largest of the others (0: free)
};

/// The names a Settings::method may have.
std::span<const std::string_view> methods() noexcept;

/// x' = f(t, x) of a system with constant modes and inputs. Local time counts from `origin`, so
/// that it stays precise in a long run.
struct Equations {
  const hybrid::System* system;
  double origin;  // s since the start of the run
  std::span<const int> mode;
  std::span<const double> u;
  hybrid::Workspace* workspace;
  std::span<const double> p = {};  // parameters

  hybrid::Point at(double t, std::span<const double> x) const noexcept {
    return {origin + t, x, mode, u, p};
  }
  void rate(double t, std::span<const double> x, std::span<double> xdot) const noexcept {
    system->flow(at(t, x), xdot, *workspace);
  }
};

/// A continuous state between two steps, with the memory of the method. The state is x + low: low
/// holds the rounding error of x, so many small steps lose no precision.
struct Trail {
  std::span<double> x, low;
  std::span<double> rate;  // f(t, x), when rate_known
  bool rate_known = false;
  double step = 0.0;    // s; guess for the next step, 0: none
  double error = 1e-4;  // of the last step, relative to the tolerance
};

enum class StepOutcome : std::uint8_t { done, not_finite, too_small };

/// A one-step method with dense output. Nothing allocates after construction.
class Stepper {
 public:
  explicit Stepper(const hybrid::SystemSpec&);
  virtual ~Stepper() = default;

  /// Takes one step from local time t, at most `left` seconds long. `trail` has the state and its
  /// rate; only its method memory changes. The functions below describe the step.
  virtual StepOutcome step(const Equations&, double t, double left, Trail& trail) noexcept = 0;

  double start() const noexcept { return t_; }
  double length() const noexcept { return h_; }

  /// State at the end of the step.
  std::span<const double> x() const noexcept { return x1_; }
  std::span<const double> low() const noexcept { return low1_; }
  /// f at the end of the step, computed now if the method has not needed it.
  std::span<const double> rate(const Equations&) noexcept;

  /// State and its rate `s` seconds into the step, 0 <= s <= length(), by the dense output. Call
  /// prepare_dense() first.
  void interpolate(double s, std::span<double> x) const noexcept;
  void interpolate(double s, std::span<double> x, std::span<double> low) const noexcept;
  virtual void interpolate_rate(double s, std::span<double> xdot) const noexcept = 0;
  virtual void prepare_dense(const Equations&) noexcept {}

  /// Makes the end of the step the state.
  void accept(Trail&) const noexcept;

 protected:
  /// The increment of the state `s` seconds into the step.
  virtual void increment(double s, std::span<double> dx) const noexcept = 0;

  /// x1 + low1 := x + low + dx_; then unit vectors are normalised.
  void land(const Trail&) noexcept;
  bool end_is_finite() const noexcept;

  std::size_t n_;
  double t_ = 0.0, h_ = 0.0;
  std::vector<double> x0_, low0_, dx_, x1_, low1_, rate1_;
  bool knows1_ = false;  // rate1_ is f at the end

 private:
  std::vector<hybrid::UnitVector> unit_vectors_;
  mutable std::vector<double> scratch_;
};

/// Throws ConfigurationError (V3130) for a method that does not exist, and (V3131) for tolerances
/// that are not positive.
std::unique_ptr<Stepper> make_stepper(const hybrid::SystemSpec&, const Settings&);

}  // namespace vernier::integration
