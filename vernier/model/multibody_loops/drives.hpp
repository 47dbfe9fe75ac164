#pragma once

#include <memory>
#include <vector>

#include "vernier/kernel/constrained/model.hpp"
#include "vernier/kernel/expression/expression.hpp"

/// Functions of time for mechanisms. All are right-continuous.
namespace vernier::multibody_loops {

using Function = std::shared_ptr<const constrained::Drive>;

/// Linear from one value to another; constant before and after. Requires begin < end.
Function ramp(double from, double to, double begin, double end);
Function step(double from, double to, double at);

struct Sine {
  double offset = 0.0, amplitude = 1.0;
  double omega = 1.0;             // rad/s
  double phase = 0.0;             // rad
  double begin = 0.0, end = 0.0;  // s; the value is constant before and after; may be infinite
};
/// offset + amplitude sin(omega (t - begin) + phase), with 0 instead of an infinite begin.
Function sine(const Sine&);

/// Linear interpolation; constant before the first and after the last point. `times` must increase.
Function table(std::vector<double> times, std::vector<double> values);
/// Natural cubic spline; constant before the first and after the last point.
Function spline(std::vector<double> times, std::vector<double> values);

/// A term of symbol 0, the time in seconds, with its first two derivatives, which are made in
/// `graph`. Null if it is too large to be evaluated without allocation.
Function formula(expression::Graph& graph, expression::Term);

}  // namespace vernier::multibody_loops
