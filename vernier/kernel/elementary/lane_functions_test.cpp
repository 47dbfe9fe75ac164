#include "vernier/kernel/elementary/lane_functions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "vernier/base/random.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::elementary {
namespace {

std::vector<double> arguments() {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> x{0.0,   -0.0,         1.0,    -1.0,   0.5,    -0.5,    inf,
                        -inf,  std::nan(""), 1e300,  -1e300, 5e-324, 1e22,    1e-10,
                        709.8, -745,         1e-300, 3e-16,  4e200,  0.999999};
  Random random(7);
  while (x.size() % 8 != 0 || x.size() < 4000) {
    const double scale = std::pow(10.0, 8.0 * random.uniform() - 4.0);
    x.push_back(scale * (2.0 * random.uniform() - 1.0));
  }
  return x;
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// the oracle is the function of one number, held to its accuracy by elementary_test.cpp
TEST(LaneFunctions, HaveTheBitsOfTheFunctionsOfOneNumber) {
  using F = LaneFunctions;
  const std::pair<F::Unary F::*, double (*)(double)> unary[] = {
      {&F::sin, sin},   {&F::cos, cos},   {&F::tan, tan},   {&F::asin, asin},
      {&F::acos, acos}, {&F::atan, atan}, {&F::sinh, sinh}, {&F::cosh, cosh},
      {&F::tanh, tanh}, {&F::exp, exp},   {&F::log, log},   {&F::log10, log10}};
  const std::pair<F::Binary F::*, double (*)(double, double)> binary[] = {
      {&F::atan2, atan2}, {&F::pow, pow}, {&F::hypot, hypot}};
  const std::vector<double> x = arguments();
  std::vector<double> y(x.rbegin(), x.rend());
  for (const Instructions set : {Instructions::sse2, Instructions::avx2, Instructions::avx512}) {
    if (set > best_instructions()) continue;
    const F& f = lane_functions(set);
    for (std::size_t k = 0; k < std::size(unary); ++k) {
      std::vector<double> r = x;
      for (std::size_t i = 0; i < r.size(); i += 8) (f.*unary[k].first)(&r[i], 8);
      for (std::size_t i = 0; i < r.size(); ++i)
        ASSERT_TRUE(same(r[i], unary[k].second(x[i]))) << name(set) << " " << k << " " << x[i];
    }
    for (std::size_t k = 0; k < std::size(binary); ++k) {
      std::vector<double> r = x;
      for (std::size_t i = 0; i < r.size(); i += 8) (f.*binary[k].first)(&r[i], &y[i], 8);
      for (std::size_t i = 0; i < r.size(); ++i)
        ASSERT_TRUE(same(r[i], binary[k].second(x[i], y[i])))
            << name(set) << " " << k << " " << x[i] << " " << y[i];
    }
  }
}

}  // namespace
}  // namespace vernier::elementary
