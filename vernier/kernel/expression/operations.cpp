#include "vernier/kernel/expression/detail/operations.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

#include "vernier/base/require.hpp"

namespace vernier::expression::detail {

Unary unary_function(Operation o) noexcept {
  switch (o) {
    case Operation::sin:
      return [](double a) { return elementary::sin(a); };
    case Operation::cos:
      return [](double a) { return elementary::cos(a); };
    case Operation::tan:
      return [](double a) { return elementary::tan(a); };
    case Operation::asin:
      return [](double a) { return elementary::asin(a); };
    case Operation::acos:
      return [](double a) { return elementary::acos(a); };
    case Operation::atan:
      return [](double a) { return elementary::atan(a); };
    case Operation::sinh:
      return [](double a) { return elementary::sinh(a); };
    case Operation::cosh:
      return [](double a) { return elementary::cosh(a); };
    case Operation::tanh:
      return [](double a) { return elementary::tanh(a); };
    case Operation::exp:
      return [](double a) { return elementary::exp(a); };
    case Operation::log:
      return [](double a) { return elementary::log(a); };
    case Operation::log10:
      return [](double a) { return elementary::log10(a); };
    default:
      return nullptr;
  }
}

Binary binary_function(Operation o) noexcept {
  switch (o) {
    case Operation::power:
      return [](double a, double b) { return elementary::pow(a, b); };
    case Operation::atan2:
      return [](double a, double b) { return elementary::atan2(a, b); };
    case Operation::hypot:
      return [](double a, double b) { return elementary::hypot(a, b); };
    default:
      return nullptr;
  }
}

// The reference meaning of each operation: constant folding uses it, and every back end must agree
// with it to the bit.
double evaluate(Operation o, double a, double b, double c) noexcept {
  if (const Unary f = unary_function(o)) return f(a);
  if (const Binary f = binary_function(o)) return f(a, b);
  switch (o) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::abs:
      return std::fabs(a);
    case Operation::sign:
      return sign(a);
    case Operation::floor:
      return std::floor(a);
    case Operation::ceil:
      return std::ceil(a);
    case Operation::minimum:
      return minimum(a, b);
    case Operation::maximum:
      return maximum(a, b);
    case Operation::less:
      return truth(a < b);
    case Operation::less_equal:
      return truth(a <= b);
    case Operation::greater:
      return truth(a > b);
    case Operation::greater_equal:
      return truth(a >= b);
    case Operation::equal:
      return truth(a == b);
    case Operation::not_equal:
      return truth(a != b);
    case Operation::logical_and:
      return truth(a != 0.0 && b != 0.0);
    case Operation::logical_or:
      return truth(a != 0.0 || b != 0.0);
    case Operation::logical_not:
      return truth(a == 0.0);
    case Operation::select:
      return a != 0.0 ? b : c;
    default:
      require(false);
      return 0.0;
  }
}

}  // namespace vernier::expression::detail
