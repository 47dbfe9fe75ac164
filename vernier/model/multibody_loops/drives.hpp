#pragma once

#include <memory>
#include <vector>

#include "vernier/kernel/constrained/model.hpp"
#include "vernier/kernel/expression/expression.hpp"

/// Functions of time for mechanisms. All are right-continuous: at a corner they are what comes
/// after.
namespace vernier::multibody_loops {

using Function = std::shared_ptr<const constrained::Drive>;

/// From one value to the other along a straight line; constant before and after. begin < end.
Function ramp(double from, double to, double begin, double end);
Function step(double from, double to, double at);

struct Sine {
  double offset = 0.0, amplitude = 1.0;
  double omega = 1.0;             // rad/s
  double phase = 0.0;             // rad
  double begin = 0.0, end = 0.0;  // s; constant outside, at the values there. May be infinite
};
/// offset + amplitude sin(omega (t - begin) + phase); an infinite begin counts as zero there.
Function sine(const Sine&);

/// Straight lines through points; constant before the first and after the last. `times` rise.
Function table(std::vector<double> times, std::vector<double> values);
/// The natural cubic spline through points; constant before the first and after the last.
Function spline(std::vector<double> times, std::vector<double> values);

/// A term of symbol 0, the time in seconds; differentiates it in `graph`. Null when it is too large
/// to be evaluated without allocation.
Function formula(expression::Graph& graph, expression::Term);

}  // namespace vernier::multibody_loops
