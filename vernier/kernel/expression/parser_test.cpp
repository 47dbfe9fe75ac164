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
// unit, k of which nothing is known; omega of 13 elements, a and b of 3, q and r of 4, and the
// matrix M of 3 x 3.
struct Names {
  std::map<std::string, std::pair<std::uint32_t, std::optional<Unit>>, std::less<>> known{
      {"x", {0, parsed_unit("m")}},
      {"y", {1, parsed_unit("m")}},
      {"v", {2, parsed_unit("m/s")}},
      {"t", {3, parsed_unit("s")}},
      {"w", {4, parsed_unit("rad/s")}},
      {"n", {5, parsed_unit("1")}},
      {"k", {6, {}}},
      {"P", {9, parsed_unit("W")}},
      {"U", {10, parsed_unit("V")}},
      {"\u03c9", {11, parsed_unit("1/s")}}};
  struct Array {
    std::uint32_t first;
    Shape shape;
    std::optional<Unit> unit;
  };
  std::map<std::string, Array, std::less<>> arrays{
      {"omega", {12, {13, 0}, parsed_unit("1/s")}}, {"a", {25, {3, 0}, parsed_unit("m")}},
      {"b", {28, {3, 0}, parsed_unit("N")}},        {"q", {31, {4, 0}, parsed_unit("1")}},
      {"r", {35, {4, 0}, parsed_unit("1")}},        {"M", {39, {3, 3}, parsed_unit("kg")}}};
  std::vector<double> values{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  Names() {
    values.resize(48);
    for (std::size_t i = 12; i < 48; ++i) values[i] = 0.3 + 0.07 * static_cast<double>(i * i % 29);
    values[12] = 19;
    values[24] = 23;
  }
};

Parsed parsed(std::string_view text, Graph& g, Wanted wanted = Wanted::number, int depth = 200,
              const UserFunctions& functions = {}) {
  const Names names;
  const Scope scope = [&](std::string_view name) -> std::optional<Value> {
    if (const auto array = names.arrays.find(name); array != names.arrays.end()) {
      Value v(array->second.shape, {});
      for (std::uint32_t i = 0; i < v.shape.size(); ++i)
        v.elements.push_back({g.symbol(array->second.first + i), array->second.unit});
      return v;
    }
    const auto found = names.known.find(name);
    if (found == names.known.end()) return {};
    return Meaning{g.symbol(found->second.first), found->second.second};
  };
  return parse(text, g, scope, wanted, functions, depth);
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
  EXPECT_EQ(function_names().size(), 42u);
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
  EXPECT_EQ(problems("omega[13]")[0].kind, Kind::sizes);
  EXPECT_EQ(problems("omega[13]")[0].message, "the elements are omega[0] to omega[12]");
  EXPECT_EQ(problems("x[0]")[0].message, "x has no elements: write x");
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
      {"x @ y", 2, "@ is not allowed in an expression"},
      {"* x", 0, "a value is expected here"},
      {"1e999", 0, "1e999 does not fit into a number"},
      {"x + 0x10", 5, "an operator is missing between 0 and x"},
      {"1 < 2 < 3", 6, "comparisons do not chain; write a < b and b < c"},
      {"1 + not x > 1", 4, "put not and what belongs to it in parentheses"},
      {"x\x01", 1, "a control character is not allowed in an expression"},
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
  EXPECT_EQ(unit("2*n"), Unit{});                             // n does not
  EXPECT_EQ(unit("(a + t*[0, v, 0])[0]"), parsed_unit("m"));  // nothing is nothing in every unit
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
  EXPECT_EQ(message("x + t"), "2: units do not agree: m (a length) + s (a time)");
  EXPECT_EQ(message("x - v*t - t"), "8: units do not agree: m (a length) - s (a time)");
  EXPECT_EQ(message("x > t", Wanted::condition),
            "2: units do not agree: m (a length) > s (a time)");
  EXPECT_EQ(message("min(x, y, t)"), "0: units do not agree: min of m (a length) and s (a time)");
  EXPECT_EQ(message("atan2(x, t)"), "0: units do not agree: atan2 of m (a length) and s (a time)");
  EXPECT_EQ(message("if(n > 1, x, t)"), "0: units do not agree: if of m (a length) and s (a time)");
  EXPECT_EQ(message("1 + sin(x)"), "4: sin wants a number without unit, not m (a length)");
  EXPECT_EQ(message("exp(t)"), "0: exp wants a number without unit, not s (a time)");
  EXPECT_EQ(message("2^x"), "1: an exponent has no unit, this one is m (a length)");
  EXPECT_EQ(message("x^n"), "1: a quantity in m can only be raised to a constant power");
  EXPECT_EQ(message("n + x"), "2: units do not agree: 1 + m (a length)");
  // the root only: what is made of it is not complained about again
  EXPECT_EQ(message("(x + t) + v"), "3: units do not agree: m (a length) + s (a time)");
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
  std::string unknown = "z";
  while (unknown.size() < 65000) unknown += "+z";
  EXPECT_EQ(problems(unknown).size(), 100u);
}

// The oracle of everything below: in one graph, a formula of vectors has the very terms of the same
// formula written out by hand, so values, bits, derivatives and speed are the same.
void expect_same(std::string_view vectors, const std::vector<std::string>& by_hand,
                 const UserFunctions& functions = {}) {
  Graph g;
  std::vector<Term> wanted;
  std::vector<std::optional<Unit>> units;
  for (const std::string& text : by_hand) {
    const Parsed p = parsed(text, g);
    ASSERT_TRUE(p.problems.empty()) << text << ": " << p.problems[0].message;
    wanted.push_back(p.term);
    units.push_back(p.unit);
  }
  const Parsed p = parsed(vectors, g, Wanted::values, 200, functions);
  ASSERT_TRUE(p.problems.empty()) << vectors << ": " << p.problems[0].message;
  ASSERT_EQ(p.elements.size(), wanted.size()) << vectors;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(p.elements[i].term, wanted[i]) << vectors << ", element " << i;
    EXPECT_EQ(p.elements[i].unit, units[i]) << vectors << ", element " << i;
  }
}

TEST(Vectors, HaveTheTermsOfTheFormulaWrittenOut) {
  expect_same("a + 2*a - a/n",
              {"a[0] + 2*a[0] - a[0]/n", "a[1] + 2*a[1] - a[1]/n", "a[2] + 2*a[2] - a[2]/n"});
  expect_same("-a .* b ./ a", {"-a[0]*b[0]/a[0]", "-a[1]*b[1]/a[1]", "-a[2]*b[2]/a[2]"});
  expect_same("dot(a, b)", {"a[0]*b[0] + a[1]*b[1] + a[2]*b[2]"});
  expect_same("cross(a, b)",
              {"a[1]*b[2] - a[2]*b[1]", "a[2]*b[0] - a[0]*b[2]", "a[0]*b[1] - a[1]*b[0]"});
  expect_same("norm(a)", {"sqrt(a[0]^2 + a[1]^2 + a[2]^2)"});
  expect_same("sum(q)", {"q[0] + q[1] + q[2] + q[3]"});
  expect_same("unit(a)[1]", {"a[1]/sqrt(a[0]^2 + a[1]^2 + a[2]^2)"});
  expect_same("M*a",
              {"M[0,0]*a[0] + M[0,1]*a[1] + M[0,2]*a[2]", "M[1,0]*a[0] + M[1,1]*a[1] + M[1,2]*a[2]",
               "M[2,0]*a[0] + M[2,1]*a[1] + M[2,2]*a[2]"});
  expect_same("transpose(a)*M",
              {"a[0]*M[0,0] + a[1]*M[1,0] + a[2]*M[2,0]", "a[0]*M[0,1] + a[1]*M[1,1] + a[2]*M[2,1]",
               "a[0]*M[0,2] + a[1]*M[1,2] + a[2]*M[2,2]"});
  expect_same("transpose(a)*M*a", {"(a[0]*M[0,0] + a[1]*M[1,0] + a[2]*M[2,0])*a[0] + "
                                   "(a[0]*M[0,1] + a[1]*M[1,1] + a[2]*M[2,1])*a[1] + "
                                   "(a[0]*M[0,2] + a[1]*M[1,2] + a[2]*M[2,2])*a[2]"});
  expect_same("a*transpose(b[0:2])",
              {"a[0]*b[0]", "a[0]*b[1]", "a[1]*b[0]", "a[1]*b[1]", "a[2]*b[0]", "a[2]*b[1]"});
  // zeros of diag, skew and identity are left out, as people do
  expect_same("diag(a)*b", {"a[0]*b[0]", "a[1]*b[1]", "a[2]*b[2]"});
  expect_same("skew(a)*b",
              {"-a[2]*b[1] + a[1]*b[2]", "a[2]*b[0] + -a[0]*b[2]", "-a[1]*b[0] + a[0]*b[1]"});
  expect_same("identity(3)*a", {"a[0]", "a[1]", "a[2]"});
  expect_same("sin(q)", {"sin(q[0])", "sin(q[1])", "sin(q[2])", "sin(q[3])"});
  expect_same("clamp(a, -x, 5)",
              {"clamp(a[0], -x, 5)", "clamp(a[1], -x, 5)", "clamp(a[2], -x, 5)"});
  expect_same("if(x > y, a, 0)",
              {"if(x > y, a[0], 0)", "if(x > y, a[1], 0)", "if(x > y, a[2], 0)"});
  expect_same("max(a)", {"max(a[0], a[1], a[2])"});
  expect_same("atan2(a, 2)", {"atan2(a[0], 2)", "atan2(a[1], 2)", "atan2(a[2], 2)"});
}

TEST(Vectors, AreMadeAndCut) {
  expect_same("[x, y, 2*x]", {"x", "y", "2*x"});
  expect_same("[a, 1]", {"a[0]", "a[1]", "a[2]", "1"});
  expect_same("[q[0:3], n][1:]", {"q[1]", "q[2]", "n"});
  expect_same("q[:2]", {"q[0]", "q[1]"});
  expect_same("[x, y; 2*y, 3*x][:, 0]", {"x", "2*y"});
  expect_same("[a; a][1, 0:2]", {"a[0]", "a[1]"});
  expect_same("transpose(M)[0, :]", {"M[0,0]", "M[1,0]", "M[2,0]"});
  expect_same("M[1:3, 1:3]", {"M[1,1]", "M[1,2]", "M[2,1]", "M[2,2]"});
  expect_same("(a + a)[2]", {"a[2] + a[2]"});
  expect_same("zeros(2)", {"0", "0"});
  expect_same("ones(1, 2)", {"1", "1"});
  Graph g;
  EXPECT_EQ(parsed("M*M", g, Wanted::values).shape, (Shape{3, 3}));
  EXPECT_EQ(parsed("transpose(a)", g, Wanted::values).shape, (Shape{1, 3}));
  EXPECT_EQ(parsed("transpose(a)*a", g, Wanted::values).shape, Shape{});
}

TEST(Vectors, RotateAsTheLibraryOfModelsDoes) {
  expect_same("rotate(q, a)[1]",
              {"2*(q[0]*q[1] - q[2]*q[3])*a[0] + (-q[0]^2 + q[1]^2 - q[2]^2 + q[3]^2)*a[1] + "
               "2*(q[1]*q[2] + q[0]*q[3])*a[2]"});
  expect_same("qrate(q, omega[1:4])", {"0.5*(omega[3]*q[1] - omega[2]*q[2] + omega[1]*q[3])",
                                       "0.5*(-omega[3]*q[0] + omega[1]*q[2] + omega[2]*q[3])",
                                       "0.5*(omega[2]*q[0] - omega[1]*q[1] + omega[3]*q[3])",
                                       "-0.5*(omega[1]*q[0] + omega[2]*q[1] + omega[3]*q[2])"});
  // A(qmul(q, r)) = A(q) A(r), and the inverse turns back: as numbers, of unit quaternions
  const auto number = [](const std::string& text) { return value(text); };
  const std::string p = "let p = unit(q); let s = unit(r); ";
  for (const char* i : {"0", "1", "2"}) {
    const std::string at = "[" + std::string(i) + "]";
    EXPECT_NEAR(number(p + "rotate(qmul(p, s), a)" + at),
                number(p + "rotate(p, rotate(s, a))" + at), 1e-14);
    EXPECT_NEAR(number(p + "rotate(qinv(p), rotate(p, a))" + at), number("a" + at), 1e-14);
    EXPECT_NEAR(number(p + "qmul(p, qinv(p))" + at), 0.0, 1e-15);
    EXPECT_NEAR(number(p + "(dcm(p)*a - rotate(p, a))" + at), 0.0, 0.0);
  }
}

TEST(Vectors, InvertSmallMatrices) {
  for (const std::string m : {"M", "M[0:2, 1:3]", "M[1:2, 2:3]"}) {
    Graph g;
    const Parsed p = parsed("inverse(" + m + ")*" + m, g, Wanted::values);
    ASSERT_TRUE(p.problems.empty()) << p.problems[0].message;
    const auto values = tree_values<double>(g, Names{}.values);
    const std::size_t n = p.shape.rows;
    for (std::size_t i = 0; i < n * n; ++i)
      EXPECT_NEAR(values[p.elements[i].term], i % (n + 1) == 0 ? 1.0 : 0.0, 1e-12) << m;
  }
}

TEST(Vectors, InterpolateInTables) {
  // x = 2, y = 3: between, at and beyond the points of a broken line
  const auto at = [](const std::string& x) {
    return value("table(" + x + ", [1, 2, 4], [10, 20, 0])");
  };
  EXPECT_EQ(at("0"), 10);
  EXPECT_EQ(at("1"), 10);
  EXPECT_EQ(at("1.5"), 15);
  EXPECT_EQ(at("x"), 20);
  EXPECT_EQ(at("y"), 10);
  EXPECT_EQ(at("4"), 0);
  EXPECT_EQ(at("1e9"), 0);
  EXPECT_EQ(unit("table(x, [1, 2], [P, 2*P])"), parsed_unit("W"));
  EXPECT_EQ(problems("table(x, [1, 1], [2, 3])")[0].message, "the places of a table must rise");
  EXPECT_EQ(problems("table(x, [1, y], [2, 3])")[0].message,
            "the places of a table must be constants");
  EXPECT_EQ(problems("table(x, [1, 2], [2, 3, 4])")[0].kind, Kind::sizes);
}

TEST(Vectors, GiveNamesToParts) {
  expect_same("let d = a - 2*a; let l = norm(d); d/l",
              {"(a[0]-2*a[0])/sqrt((a[0]-2*a[0])^2 + (a[1]-2*a[1])^2 + (a[2]-2*a[2])^2)",
               "(a[1]-2*a[1])/sqrt((a[0]-2*a[0])^2 + (a[1]-2*a[1])^2 + (a[2]-2*a[2])^2)",
               "(a[2]-2*a[2])/sqrt((a[0]-2*a[0])^2 + (a[1]-2*a[1])^2 + (a[2]-2*a[2])^2)"});
  expect_same("let x = 3*y; let x = x + y; x", {"3*y + y"});  // the later one hides the earlier
  EXPECT_EQ(problems("let z = 3")[0].message, "; and the result are missing after let z = …");
  EXPECT_EQ(problems("let z 3; z")[0].message, "= is expected here: let z = …; …");
  EXPECT_EQ(problems("x; y")[0].message,
            "; can stand only after let, or between the rows of a matrix");
}

TEST(Vectors, CallFunctionsOfTheDocument) {
  const UserFunctions functions{{"limited", {"v", "most"}, "v*min(1, most/norm(v))"},
                                {"twice", {"f"}, "let g = f; g + limited(g, x)"}};
  expect_same("limited(a, y)",
              {"a[0]*min(1, y/sqrt(a[0]^2 + a[1]^2 + a[2]^2))",
               "a[1]*min(1, y/sqrt(a[0]^2 + a[1]^2 + a[2]^2))",
               "a[2]*min(1, y/sqrt(a[0]^2 + a[1]^2 + a[2]^2))"},
              functions);
  expect_same("twice(a)[0]", {"a[0] + a[0]*min(1, x/sqrt(a[0]^2 + a[1]^2 + a[2]^2))"}, functions);
  Graph g;
  const Parsed wrong = parsed("limited(a, b) + limited(a, b)", g, Wanted::values, 200, functions);
  ASSERT_EQ(wrong.problems.size(), 1u);  // the mistake is in the body, once
  EXPECT_EQ(wrong.problems[0].function, 0u);
  EXPECT_EQ(wrong.problems[0].kind, Kind::sizes);
  EXPECT_EQ(wrong.problems[0].offset, functions[0].body.find('*'));
  const Parsed count = parsed("limited(a)", g, Wanted::values, 200, functions);
  EXPECT_EQ(count.problems[0].message, "limited takes 2 arguments, not 1");
  // no function calls itself or a later one: no call is without end
  const UserFunctions ring{{"f", {"x"}, "g(x)"}, {"g", {"x"}, "g(x) + f(x)"}};
  EXPECT_EQ(parsed("g(x)", g, Wanted::number, 200, ring).problems[0].kind, Kind::unknown_function);
}

TEST(Vectors, BoundTheWorkOfFunctionsThatMultiply) {
  UserFunctions functions{{"f0", {"x"}, "x + 1"}};
  for (int i = 1; i < 60; ++i) {
    const std::string before = "f" + std::to_string(i - 1);
    functions.push_back({"f" + std::to_string(i), {"x"}, before + "(" + before + "(x) + x)"});
  }
  Graph g;
  const Parsed p = parsed("f59(x)", g, Wanted::number, 200, functions);
  ASSERT_FALSE(p.problems.empty());
  EXPECT_EQ(p.problems.back().message,
            "the expression is too large once its vectors and functions are written out");
  EXPECT_FALSE(parsed("ones(1000,1000)*ones(1000,1000)", g, Wanted::values).problems.empty());
}

TEST(Vectors, SayWhichSizesDoNotAgree) {
  const auto message = [](std::string_view text, Wanted wanted = Wanted::values) {
    Graph g;
    const auto found = parsed(text, g, wanted).problems;
    EXPECT_EQ(found.size(), 1u) << text;
    if (found.empty()) return std::string();
    EXPECT_EQ(found[0].kind, Kind::sizes) << text;
    return std::to_string(found[0].offset) + ": " + found[0].message;
  };
  EXPECT_EQ(message("a + q"), "2: sizes do not agree: 3 elements + 4 elements");
  EXPECT_EQ(message("a + 1"), "2: sizes do not agree: 3 elements + a number");
  EXPECT_EQ(message("M + a"), "2: sizes do not agree: 3 x 3 elements + 3 elements");
  EXPECT_EQ(message("a*b"),
            "1: two vectors have several products: write dot(a, b), cross(a, b), or a .* b for "
            "each element");
  EXPECT_EQ(message("M*q"), "1: sizes do not agree: 3 x 3 elements * 4 elements");
  EXPECT_EQ(message("x/a"), "1: a vector or matrix cannot divide; write ./ for each element");
  EXPECT_EQ(message("a^2"), "1: ^ wants numbers; for each element write pow(v, p)");
  EXPECT_EQ(message("cross(a, q)"), "0: cross wants vectors of 3 elements, this has 4 elements");
  EXPECT_EQ(message("norm(x)"), "0: norm wants a vector, this has no elements: it is a number");
  EXPECT_EQ(message("min(a, q)"), "0: sizes do not agree: min of 3 elements, 4 elements");
  EXPECT_EQ(message("M[3, 0]"), "1: the elements are M[0, 0] to M[2, 2]");
  EXPECT_EQ(message("M[1]"), "1: the elements are M[0, 0] to M[2, 2]; a row is M[0, :]");
  EXPECT_EQ(message("[1, 2; 3]"),
            "0: the rows of a matrix must be of equal length: the first has 2, row 2 has 1");
  EXPECT_EQ(message("a", Wanted::number), "0: a number is wanted here, this has 3 elements");
  EXPECT_EQ(message("a > 1", Wanted::condition),
            "0: a number is wanted here, this has 3 elements; compare its norm or one element");
  EXPECT_EQ(message("(a + q) + a"),
            "3: sizes do not agree: 3 elements + 4 elements");  // the root only
}

}  // namespace
}  // namespace vernier::expression
