#pragma once

#include <array>
#include <cstdint>

#include "vernier/kernel/constrained/detail/equations.hpp"

namespace vernier::constrained::detail {

/// y = c y' + Σ (value y_j + rate y'_j) over levels; momenta have their own coefficients.
struct Formula {
  struct Term {
    const Level* level;
    double value, rate, momentum_value, momentum_rate;
  };
  std::array<Term, 5> terms;
  int count = 0;
  double c = 0.0, c_momentum = 0.0;
  double fraction = 1.0;          // position of this stage in the step
  const Level* last = nullptr;    // level from which the stage is predicted
  const Level* before = nullptr;  // null: prediction by constant rates

  void set_c(double coefficient) noexcept { c = c_momentum = coefficient; }
  void add(const Level& level, double value, double rate) noexcept {
    terms[count++] = {&level, value, rate, value, rate};
  }
  bool uses(const Level* level) const noexcept;
};

/// Predicts x' at α times the last step beyond the last point; exact for cubics
/// (docs/mathematics/constrained.md, section 6).
struct Cubic {
  double difference, last, before;
};

enum class Method : std::uint8_t {
  multistep2,
  multistep3,
  multistep4,
  trapezoid,
  alpha,
  alpha_second,
  composite,
  sdirk2,
  esdirk3
};

/// How a step is attempted: by the chosen scheme; as a piece of a failed step, by a scheme without
/// history; or such a piece without extrapolation and with limited iterations.
enum class Care : std::uint8_t { usual, piece, careful_piece };

/// The outcome of an attempt, and its local error if that is limited.
struct Trial {
  StepReport report;
  double error = 0.0;

  bool failed() const noexcept { return report.end == StepReport::End::failed; }
};

/// One attempt at a step of length h from a state. It is computed in the workspace; only accept()
/// changes the state.
class Step : public Equations {
 public:
  Step(const MechanismLayout&, const State& from, Scratch&, double h, Care) noexcept;

  /// error_limit: local error above which the attempt fails; 0: none.
  Trial attempt(double error_limit = 0.0) noexcept;
  /// Completes a successful attempt; `from` is the state that it started from.
  void accept(State& from) noexcept;

 private:
  // schemes.cpp
  Method choose_method(Care) const noexcept;
  Formula formula(int stage) const noexcept;
  void set_multistep(Formula&) const noexcept;
  void set_alpha(Formula&) const noexcept;
  void set_stage(Formula&, int stage) const noexcept;
  void predict(const Formula&, Level&) noexcept;
  void predict_nodes(const Formula&, const Cubic&, Level&) noexcept;
  void predict_values(const Formula&, const Cubic&, Level&) noexcept;
  void advance_auxiliary(State&) noexcept;

  // stepping.cpp
  StepReport solve(Level&, double held_time) noexcept;
  StepReport solve_stage(int stage) noexcept;
  void linearize(const Level&, bool jacobian) noexcept;
  void scale_change(double by) noexcept;
  double limit_change() noexcept;
  void update(Level&) noexcept;
  void finish_kinematics(Level&) noexcept;
  void refresh_turns() noexcept;
  int worst_row() const noexcept;
  bool accept_elements(State&) noexcept;
  double local_error(const Level&) const noexcept;  // varying.cpp

  // held.cpp
  /// Finds the response of constraints to the impulses of this time with the current factorization,
  /// and adds the impulses to history and residual.
  void share_held(Level&, double time) noexcept;

  double h_;
  bool careful_;
  Method method_;
  int stage_count_;
  Constraints hold_in_;
};

/// Initializes a of generalized-α without history.
void start_auxiliary(const MechanismLayout&, State&, Scratch&) noexcept;

/// Implements Mechanism::step() and project().
StepReport advance(const MechanismLayout&, State&, Scratch&, double h) noexcept;
StepReport advance_varying(const MechanismLayout&, State&, Scratch&, double h) noexcept;
bool project(const MechanismLayout&, State&, Scratch&) noexcept;

}  // namespace vernier::constrained::detail
