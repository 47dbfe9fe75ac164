#include "vernier/kernel/expression/failure.hpp"

#include <gtest/gtest.h>

#include <array>

namespace vernier::expression {
namespace {

std::string name(std::uint32_t symbol) { return symbol == 0 ? "x" : "y"; }

/// Why an expression of x and y is not finite there; empty: it is.
std::string why(const char* text, double x, double y = 0.0) {
  Graph g;
  const Scope scope = [&](std::string_view n) -> std::optional<Value> {
    return Meaning{g.symbol(n == "x" ? 0 : 1)};
  };
  const Parsed p = parse(text, g, scope, Wanted::number);
  EXPECT_TRUE(p.problems.empty()) << text;
  const std::array<double, 2> at{x, y};
  return failure(g, p.term, at, name).value_or("");
}

TEST(Failure, IsTheFirstOperationThatHasNoValue) {
  EXPECT_EQ(why("1 + 3/(x - 100)", 100.0), "division by zero: x - 100 is 0");
  EXPECT_EQ(why("sqrt(x)*y", -0.25), "sqrt has no value there: x is -0.25");
  EXPECT_EQ(why("acos(x + y)", 1.0, 0.5), "acos has no value there: x + y is 1.5");
  EXPECT_EQ(why("x^0.4", -4.0), "a negative number has no power of 0.4: x is -4");
  EXPECT_EQ(why("x^-1.5", 0.0), "division by zero: x is 0, to the power of -1.5");
  EXPECT_EQ(why("1/x - 1/x", 0.0), "division by zero: x is 0");
}

TEST(Failure, TellsOverflowFromWhatHasNoValue) {
  EXPECT_EQ(why("exp(x)", 800.0), "overflow: exp(x) is beyond 1.8e308; x is 800");
  EXPECT_EQ(why("x*y", 1e200, 1e200), "overflow: x*y is beyond 1.8e308; x is 1e+200, y is 1e+200");
}

TEST(Failure, IsNotInABranchThatIsNotTaken) {
  EXPECT_EQ(why("if(x > 0, 1/x, y)", 0.0), "");
  EXPECT_EQ(why("2*x", 3.0), "");
}

TEST(Failure, WritesTermsAsAPersonWould) {
  EXPECT_EQ(why("1/((x - y)*(x + y))", 2.0, 2.0), "division by zero: (x - y)*(x + y) is 0");
}

}  // namespace
}  // namespace vernier::expression
