#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/expression/terms_test.hpp"

namespace vernier::expression {
namespace {

using Kind = Problem::Kind;

// Names with values and units: x, y in m, v in m/s, t in s, w in 1/s, P in W, U in V, n without
// unit, k of which nothing is known.
struct Names {
  std::map<std::string, std::pair<std::uint32_t, std::optional<Unit>>, std::less<>> known{
      {"x", {0, parsed_unit("m")}},
      {"y", {1, parsed_unit("m")}},
      {"v", {2, parsed_unit("m/s")}},
      {"t", {3, parsed_unit("s")}},
      {"w", {4, parsed_unit("rad/s")}},
      {"n", {5, parsed_unit("1")}},
      {"k", {6, {}}},
      {"omega[0]", {7, parsed_unit("1/s")}},
      {"omega[12]", {8, parsed_unit("1/s")}},
      {"P", {9, parsed_unit("W")}},
      {"U", {10, parsed_unit("V")}},
      {"\u03c9", {11, parsed_unit("1/s")}}};
  std::vector<double> values{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
};

Parsed parsed(std::string_view text, Graph& g, Wanted wanted = Wanted::number, int depth = 200) {
  const Names names;
  const Scope scope = [&](std::string_view name) -> std::optional<Meaning> {
    const auto found = names.known.find(name);
    if (found == names.known.end()) return {};
    return Meaning{g.symbol(found->second.first), found->second.second};
  };
  return parse(text, g, scope, wanted, depth);
}

double value(std::string_view text, Wanted wanted = Wanted::number) {
  Graph g;
  const Parsed p = parsed(text, g, wanted);
  EXPECT_TRUE(p.problems.empty()) << text << ": "
                                  << (p.problems.empty() ? "" : p.problems[0].message);
  return tree_values<double>(g, Names{}.values)[p.term];
}

std::vector<Problem> problems(std::string_view text, Wanted wanted = Wanted::number) {
  Graph g;
  return parsed(text, g, wanted).problems;
}

std::optional<Unit> unit(std::string_view text) {
  Graph g;
  const Parsed p = parsed(text, g);
  EXPECT_TRUE(p.problems.empty()) << text << ": "
                                  << (p.problems.empty() ? "" : p.problems[0].message);
  return p.unit;
}

TEST(Parser, FollowsThePrecedenceOfMathematics) {
  EXPECT_EQ(value("1+2*3"), 7);
  EXPECT_EQ(value("(1+2)*3"), 9);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("16/4/2"), 2);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("(-2)^2"), 4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-2^2"), 0.0625);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("-+3"), -3);
  EXPECT_EQ(value("1 - -1"), 2);
  EXPECT_EQ(value("6/2*3"), 9);
}

TEST(Parser, FollowsThePrecedenceOfLogic) {
  const auto holds = [](std::string_view text) { return value(text, Wanted::condition); };
  // n = 13, x = 2, y = 3
  EXPECT_EQ(holds("x > 1 or x > 1 and y < 1"), 1);
  EXPECT_EQ(holds("(x > 1 or x > 1) and y < 1"), 0);
  EXPECT_EQ(holds("not x < 1"), 1);
  EXPECT_EQ(holds("not x < 1 and y < 1"), 0);
  EXPECT_EQ(holds("not (x < 1 and y < 1)"), 1);
  EXPECT_EQ(holds("not not x > 1"), 1);
  EXPECT_EQ(holds("x + 1 > y - 1"), 1);
  EXPECT_EQ(holds("x >= 2 and x <= 2"), 1);
}

TEST(Parser, ReadsNumbersInCNotation) {
  EXPECT_EQ(value("1.5e-3"), 1.5e-3);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("5."), 5.0);
  EXPECT_EQ(value("1E3"), 1000.0);
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("2.2250738585072011e-308"), 2.2250738585072011e-308);
  EXPECT_EQ(value("\n\t 7 \r\n"), 7.0);
}

TEST(Parser, KnowsAllFunctions) {
  EXPECT_EQ(value("sin(0.3)"), elementary::sin(0.3));
  EXPECT_EQ(value("cos(0.3)"), elementary::cos(0.3));
  EXPECT_EQ(value("tan(0.3)"), elementary::tan(0.3));
  EXPECT_EQ(value("asin(0.3)"), elementary::asin(0.3));
  EXPECT_EQ(value("acos(0.3)"), elementary::acos(0.3));
  EXPECT_EQ(value("atan(0.3)"), elementary::atan(0.3));
  EXPECT_EQ(value("atan2(1,-2)"), elementary::atan2(1.0, -2.0));
  EXPECT_EQ(value("sinh(0.3)"), elementary::sinh(0.3));
  EXPECT_EQ(value("cosh(0.3)"), elementary::cosh(0.3));
  EXPECT_EQ(value("tanh(0.3)"), elementary::tanh(0.3));
  EXPECT_EQ(value("exp(0.3)"), elementary::exp(0.3));
  EXPECT_EQ(value("log(0.3)"), elementary::log(0.3));
  EXPECT_EQ(value("log10(0.3)"), elementary::log10(0.3));
  EXPECT_EQ(value("sqrt(2)"), std::sqrt(2.0));
  EXPECT_EQ(value("abs(-2)"), 2);
  EXPECT_EQ(value("sign(-2)"), -1);
  EXPECT_EQ(value("sign(0)"), 0);
  EXPECT_EQ(value("floor(-2.5)"), -3);
  EXPECT_EQ(value("ceil(-2.5)"), -2);
  EXPECT_EQ(value("min(3, 2)"), 2);
  EXPECT_EQ(value("max(3, 2, 7, 5)"), 7);
  EXPECT_EQ(value("pow(2, 10)"), 1024);
  EXPECT_EQ(value("hypot(3, 4)"), 5);
  EXPECT_EQ(value("if(1 < 2, 10, 20)"), 10);
  EXPECT_EQ(value("clamp(7, 1, 5)"), 5);
  EXPECT_EQ(value("clamp(-7, 1, 5)"), 1);
  EXPECT_EQ(value("clamp(3, 1, 5)"), 3);
  EXPECT_EQ(value("2*pi"), 6.283185307179586);
  EXPECT_EQ(function_names().size(), 24u);
  for (const std::string& name : function_names()) {
    EXPECT_NE(problems(name + "()")[0].kind, Kind::unknown_function) << name;
  }
}

TEST(Parser, HasItsFunctionsOnTheReferencePage) {
  std::ifstream file(VERNIER_SOURCE_DIR "/docs/reference/expressions.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& name : function_names()) {
    const bool there = page.find('`' + name + '`') != std::string::npos ||
                       page.find('`' + name + '(') != std::string::npos;
    EXPECT_TRUE(there) << name;
  }
}

TEST(Parser, ClampKeepsNotANumber) {
  Graph g;
  const Parsed p = parsed("clamp(n, 1, 5)", g);
  std::vector<double> in = Names{}.values;
  in[5] = std::nan("");
  EXPECT_TRUE(std::isnan(tree_values<double>(g, in)[p.term]));
}

TEST(Parser, ResolvesNamesWithAnIndexAndOfOtherAlphabets) {
  EXPECT_EQ(value("omega[0]"), 19);
  EXPECT_EQ(value("omega [ 12 ] + omega[000]"), 42);
  EXPECT_EQ(value("\u03c9*2"), 74);
  EXPECT_EQ(problems("omega[1]")[0].name, "omega[1]");
  EXPECT_EQ(problems("omega[1.5]")[0].kind, Kind::syntax);
  EXPECT_EQ(problems("omega[x]")[0].kind, Kind::syntax);
  EXPECT_EQ(problems("omega[")[0].kind, Kind::syntax);
  EXPECT_EQ(problems("omega[99999999999999999999]")[0].kind, Kind::syntax);
}

TEST(Parser, ReportsAllUnknownNamesAndFunctionsWithTheirPlaces) {
  const auto found = problems("Pinn + sine(x) * foo + min(x)");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].kind, Kind::unknown_name);
  EXPECT_EQ(found[0].name, "Pinn");
  EXPECT_EQ(found[0].offset, 0u);
  EXPECT_EQ(found[0].length, 4u);
  EXPECT_EQ(found[0].message, "unknown name \"Pinn\"");
  EXPECT_EQ(found[1].kind, Kind::unknown_function);
  EXPECT_EQ(found[1].name, "sine");
  EXPECT_EQ(found[1].offset, 7u);
  EXPECT_EQ(found[2].name, "foo");
  EXPECT_EQ(found[2].offset, 17u);
  EXPECT_EQ(found[3].kind, Kind::arguments);
  EXPECT_EQ(found[3].message, "min takes at least 2 arguments, not 1");
  EXPECT_EQ(problems("sin(1,2)")[0].message, "sin takes 1 argument, not 2");
  EXPECT_EQ(problems("sin")[0].message,
            "sin is a function; its arguments in parentheses are missing");
}

struct Wrong {
  const char* text;
  std::size_t offset;
  const char* message;
};

TEST(Parser, SaysWhatIsWrongAndWhere) {
  const Wrong cases[] = {
      {"", 0, "the expression is empty"},
      {"   ", 0, "the expression is empty"},
      {"1 +", 2, "the expression ends where a value is expected"},
      {"2x", 1, "an operator is missing between 2 and x"},
      {"x y", 2, "an operator is missing before this"},
      {"x (y)", 0, "unknown function \"x\""},
      {"(x", 0, "this ( is never closed"},
      {"sin(x", 3, "this ( is never closed"},
      {"x)", 1, "this ) closes nothing, or a value is missing"},
      {"()", 1, "a value is missing before this"},
      {"min(x,)", 6, "a value is missing before this"},
      {"x, y", 1, "a comma can stand only between arguments"},
      {"x ** 2", 2, "write ^ instead of **"},
      {"x && y", 2, "write and instead of &&"},
      {"!x", 0, "write not instead of !"},
      {"x = y", 2, "write == instead of ="},
      {"x \u2212 y", 2, "write - instead of \u2212"},
      {"x\u00b2", 1, "write ^2 instead of \u00b2"},
      {"x @ y", 2, "@ cannot stand in an expression"},
      {"* x", 0, "a value is expected here"},
      {"1e999", 0, "1e999 does not fit into a number"},
      {"x + 0x10", 5, "an operator is missing between 0 and x"},
      {"1 < 2 < 3", 6, "comparisons do not chain; write a < b and b < c"},
      {"1 + not x > 1", 4, "put not and what belongs to it in parentheses"},
      {"x\x01", 1, "a control character cannot stand in an expression"},
      {"if", 0, "if is a function; its arguments in parentheses are missing"},
  };
  for (const Wrong& w : cases) {
    const auto found = problems(w.text);
    ASSERT_FALSE(found.empty()) << w.text;
    EXPECT_EQ(found[0].message, w.message) << w.text;
    EXPECT_EQ(found[0].offset, w.offset) << w.text;
  }
}

TEST(Parser, TellsNumbersFromConditions) {
  EXPECT_EQ(problems("x > y")[0].kind, Kind::type);
  EXPECT_EQ(problems("x", Wanted::condition)[0].kind, Kind::type);
  EXPECT_EQ(problems("(x > y) + 1")[0].kind, Kind::type);
  EXPECT_EQ(problems("x > y and n", Wanted::condition)[0].offset, 10u);
  EXPECT_EQ(problems("if(n, 1, 2)")[0].kind, Kind::type);
  EXPECT_EQ(problems("if(n > 1, n > 2, 3)")[0].kind, Kind::type);
  EXPECT_EQ(problems("sin(n > 1)")[0].kind, Kind::type);
  EXPECT_TRUE(problems("if(n > 1, n > 2, n > 3)", Wanted::condition).empty());
  // one mistake, one message
  EXPECT_EQ(problems("foo and x > y", Wanted::condition).size(), 1u);
}

TEST(Parser, RefusesEqualityInConditionsOfTransitions) {
  EXPECT_EQ(problems("x == y", Wanted::condition)[0].kind, Kind::type);
  EXPECT_EQ(problems("x > 1 and x != y", Wanted::condition)[0].offset, 12u);
  EXPECT_TRUE(problems("if(n == 2, x, y)").empty());
}

TEST(Parser, FollowsUnits) {
  EXPECT_EQ(unit("x/t"), parsed_unit("m/s"));
  EXPECT_EQ(unit("x + y"), parsed_unit("m"));
  EXPECT_EQ(unit("sqrt(x*y)"), parsed_unit("m"));
  EXPECT_EQ(unit("(x^2 + y^2)^0.5"), parsed_unit("m"));
  EXPECT_EQ(unit("(x*y*x)^(1/3)"), parsed_unit("m"));
  EXPECT_EQ(unit("x^-2"), parsed_unit("1/m^2"));
  EXPECT_EQ(unit("pow(x, 3)"), parsed_unit("m^3"));
  EXPECT_EQ(unit("hypot(x, y)/v"), parsed_unit("s"));
  EXPECT_EQ(unit("atan2(x, y)"), Unit{});
  EXPECT_EQ(unit("abs(-x)"), parsed_unit("m"));
  EXPECT_EQ(unit("sign(x)"), Unit{});
  EXPECT_EQ(unit("sin(w*t)"), Unit{});
  EXPECT_EQ(unit("if(x > y, x, y)"), parsed_unit("m"));
  EXPECT_EQ(unit("clamp(x, -y, y)"), parsed_unit("m"));
  EXPECT_EQ(unit("v*t + x"), parsed_unit("m"));
  EXPECT_EQ(unit("P/U"), parsed_unit("A"));
}

TEST(Parser, LetsWrittenNumbersTakeTheUnitTheyMeet) {
  EXPECT_EQ(unit("x + 1"), parsed_unit("m"));
  EXPECT_EQ(unit("(2.7e-4*(n*P-20))/U"), parsed_unit("W/V"));
  EXPECT_EQ(unit("max(0, x)"), parsed_unit("m"));
  EXPECT_EQ(unit("clamp(x, -5, 5)"), parsed_unit("m"));
  EXPECT_EQ(unit("if(v > 0.1, x, 0)"), parsed_unit("m"));
  EXPECT_EQ(unit("x + 2*pi/180"), parsed_unit("m"));
  EXPECT_EQ(unit("2*x"), parsed_unit("m"));
  EXPECT_EQ(unit("3"), std::nullopt);  // fits everywhere
  EXPECT_EQ(unit("sqrt(2)/2"), std::nullopt);
  EXPECT_EQ(unit("2*n"), Unit{});  // n does not
}

TEST(Parser, LetsUnknownUnitsPass) {
  EXPECT_EQ(unit("k + x"), std::nullopt);
  EXPECT_EQ(unit("k*x"), std::nullopt);
  EXPECT_EQ(unit("sin(k)"), Unit{});
  EXPECT_EQ(unit("sqrt(x)"), std::nullopt);  // no half metres; not followed
  EXPECT_EQ(unit("k^n"), std::nullopt);
}

TEST(Parser, ReportsUnitsThatDoNotAgree) {
  const auto message = [](std::string_view text, Wanted wanted = Wanted::number) {
    const auto found = problems(text, wanted);
    EXPECT_EQ(found.size(), 1u) << text;
    if (found.empty()) return std::string();
    EXPECT_EQ(found[0].kind, Kind::units) << text;
    return std::to_string(found[0].offset) + ": " + found[0].message;
  };
  EXPECT_EQ(message("x + t"), "2: units do not agree: m + s");
  EXPECT_EQ(message("x - v*t - t"), "8: units do not agree: m - s");
  EXPECT_EQ(message("x > t", Wanted::condition), "2: units do not agree: m > s");
  EXPECT_EQ(message("min(x, y, t)"), "0: units do not agree: min of m and s");
  EXPECT_EQ(message("atan2(x, t)"), "0: units do not agree: atan2 of m and s");
  EXPECT_EQ(message("if(n > 1, x, t)"), "0: units do not agree: if of m and s");
  EXPECT_EQ(message("1 + sin(x)"), "4: sin wants a number without unit, not m");
  EXPECT_EQ(message("exp(t)"), "0: exp wants a number without unit, not s");
  EXPECT_EQ(message("2^x"), "1: an exponent has no unit, this one is m");
  EXPECT_EQ(message("x^n"), "1: a quantity in m can only be raised to a constant power");
  EXPECT_EQ(message("n + x"), "2: units do not agree: 1 + m");
  // the root only: what is made of it is not complained about again
  EXPECT_EQ(message("(x + t) + v"), "3: units do not agree: m + s");
}

TEST(Parser, KeepsThePlacesOfTheAtoms) {
  Graph g;
  const Parsed p = parsed("x > y and not (v*t <= 2 or n<1)", g, Wanted::condition);
  ASSERT_TRUE(p.problems.empty());
  ASSERT_EQ(p.atoms.size(), 3u);
  EXPECT_EQ(p.atoms[0].offset, 0u);
  EXPECT_EQ(p.atoms[0].length, 5u);
  EXPECT_EQ(p.atoms[1].offset, 15u);
  EXPECT_EQ(p.atoms[1].length, 8u);
  EXPECT_EQ(p.atoms[1].comparison, Operation::less_equal);
  EXPECT_EQ(p.atoms[2].offset, 27u);
  EXPECT_EQ(g[p.atoms[0].left].symbol, 0u);
  EXPECT_EQ(g[p.atoms[0].right].symbol, 1u);
}

TEST(Parser, LimitsDepthAndLength) {
  const auto nested = [](int n) { return std::string(n, '(') + "x" + std::string(n, ')'); };
  EXPECT_TRUE(problems(nested(199)).empty());
  EXPECT_EQ(problems(nested(200))[0].message, "the expression is nested too deeply");
  EXPECT_EQ(problems(nested(30000))[0].message, "the expression is nested too deeply");
  EXPECT_EQ(problems(std::string(60000, '-'))[0].message, "the expression is nested too deeply");
  std::string tower = "2";
  for (int i = 0; i < 20000; ++i) tower += "^2";
  EXPECT_EQ(problems(tower)[0].message, "the expression is nested too deeply");
  Graph g;
  EXPECT_FALSE(parsed(nested(30000), g, Wanted::number, 1 << 30).problems.empty());
  EXPECT_EQ(problems(std::string(64 * 1024 + 1, 'x'))[0].message,
            "the expression is longer than 64 KiB");
  // long but flat is fine
  std::string sum = "x";
  while (sum.size() < 65000) sum += "+y";
  EXPECT_TRUE(problems(sum).empty());
  // and mistakes without end are counted only so far
  std::string unknown = "q";
  while (unknown.size() < 65000) unknown += "+q";
  EXPECT_EQ(problems(unknown).size(), 100u);
}

}  // namespace
}  // namespace vernier::expression
