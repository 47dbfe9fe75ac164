#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::testing {

/// A value and its derivative along a direction.
struct Dual {
  double v = 0.0;
  double d = 0.0;

  Dual() = default;
  Dual(double value, double derivative = 0.0) : v(value), d(derivative) {}
};

inline Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
inline Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
inline Dual operator-(Dual a) { return {-a.v, -a.d}; }
inline Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
inline Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline Dual sqrt(Dual a) { return {std::sqrt(a.v), a.d / (2.0 * std::sqrt(a.v))}; }
inline Dual sin(Dual a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
inline Dual cos(Dual a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }

/// The variables available to a formula.
struct Terms {
  Dual t;
  const Dual* x;
  const Dual* u;
};

/// A hybrid system of one automaton given by C++ formulas, with exact derivatives; for tests.
class FormulaSystem : public hybrid::System {
 public:
  using Formulas = std::function<void(const Terms&, Dual* result)>;
  using Formula = std::function<Dual(const Terms&)>;

  struct Location {
    std::string name;
    Formulas flow;
    Formulas output = {};
  };
  enum class Comparison { less, less_equal, greater, greater_equal };
  struct Atom {
    Formula left, right;
    Comparison comparison;
  };
  struct Transition {
    std::string name;
    int from = 0, to = 0;
    std::vector<Atom> condition = {};  // all must hold
    std::function<void(const double* before, double* after)> reset = {};
    std::string in = {};   // label it waits for
    std::string out = {};  // label it emits
  };
  struct Model {
    std::vector<hybrid::Signal> states, inputs = {}, outputs = {};
    std::vector<Location> locations;  // none: no automaton; then `flow` and `output`
    std::vector<Transition> transitions = {};
    int initial = 0;
    std::vector<hybrid::Dependence> feedthrough = {};
    std::vector<hybrid::UnitVector> unit_vectors = {};
  };

  explicit FormulaSystem(Model);

  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;
  void output(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;
  void guards(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;
  bool select(const hybrid::Point&, std::span<const std::uint8_t>, std::span<int>,
              hybrid::Workspace&) const noexcept override;
  void jump(const hybrid::Point&, std::span<const int>, hybrid::Jump&,
            hybrid::Workspace&) const noexcept override;
  void witness(const hybrid::Point&, int, int, std::span<double, 2>,
               hybrid::Workspace&) const noexcept override;
  void tangent(const hybrid::Point&, const hybrid::Direction&, const hybrid::Tangent&,
               hybrid::Workspace&) const noexcept override;

 private:
  struct Evaluation;
  Evaluation evaluation(const hybrid::Point&, const hybrid::Direction*,
                        hybrid::Workspace&) const noexcept;
  bool holds(const Transition&, const Terms&) const noexcept;
  std::size_t event(const std::string&) const noexcept;

  Model model_;
  hybrid::SystemSpec spec_;
};

/// For conditions: `x(0) <= 19.0`.
FormulaSystem::Formula state(std::size_t index);
FormulaSystem::Formula input(std::size_t index);
FormulaSystem::Formula number(double);

}  // namespace vernier::testing
