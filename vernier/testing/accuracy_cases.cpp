#include "vernier/testing/accuracy_cases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/base/require.hpp"
#include "vernier/kernel/hybrid/compose.hpp"
#include "vernier/testing/formula_system.hpp"

namespace vernier::testing {

namespace {

using Atom = FormulaSystem::Atom;
using Model = FormulaSystem::Model;
using enum FormulaSystem::Comparison;
using Made = std::unique_ptr<hybrid::System>;

constexpr long double pi = std::numbers::pi_v<long double>;

hybrid::Signal scalar(std::string name, double initial) {
  hybrid::Signal s;
  s.name = std::move(name);
  s.initial = std::vector<double>{initial};
  return s;
}

std::vector<hybrid::Signal> scalars(const std::vector<std::pair<std::string, double>>& values) {
  std::vector<hybrid::Signal> result;
  result.reserve(values.size());
  for (const auto& [name, initial] : values) result.push_back(scalar(name, initial));
  return result;
}

Atom atom(std::size_t i, FormulaSystem::Comparison c, double value) {
  return {state(i), number(value), c};
}

Made made(Model m) { return std::make_unique<FormulaSystem>(std::move(m)); }

double rounded(long double t) { return static_cast<double>(t); }

AccuracyCase bouncing_ball() {
  AccuracyCase c{"bouncing ball", {}, 4.0, {}, true};
  c.make = [] {
    return made({.states = scalars({{"h", 1.0}, {"v", 0.0}}),
                 .locations = {{"Fly",
                                [](const Terms& e, Dual* r) {
                                  r[0] = e.x[1];
                                  r[1] = Dual(-9.81);
                                }}},
                 .transitions = {{"bounce",
                                  0,
                                  0,
                                  {atom(0, less_equal, 0.0), atom(1, less, 0.0)},
                                  [](const double* x, double* next) {
                                    next[0] = 0.0;
                                    next[1] = -0.8 * x[1];
                                  }}}});
  };
  const long double g = 9.81L;
  const long double first = std::sqrt(2.0L / g);
  long double flight = 2.0L * 0.8L * first;
  long double t = first;
  while (t < 4.0L) {
    c.events.push_back({rounded(t), "bounce"});
    t += flight;
    flight *= 0.8L;
  }
  return c;
}

AccuracyCase thermostat() {
  AccuracyCase c{"thermostat", {}, 100.0, {}};
  c.make = [] {
    return made(
        {.states = scalars({{"T", 20.0}}),
         .locations = {{"Off", [](const Terms& e, Dual* r) { r[0] = -0.1 * (e.x[0] - 15.0); }},
                       {"On", [](const Terms& e, Dual* r) { r[0] = -0.1 * (e.x[0] - 45.0); }}},
         .transitions = {{"toOn", 0, 1, {atom(0, less_equal, 19.0)}},
                         {"toOff", 1, 0, {atom(0, greater_equal, 21.0)}}}});
  };
  long double t = 10.0L * std::log(5.0L / 4.0L);
  for (int k = 0; t < 100.0L; ++k) {
    c.events.push_back({rounded(t), k % 2 == 0 ? "toOn" : "toOff"});
    t += 10.0L * (k % 2 == 0 ? std::log(26.0L / 24.0L) : std::log(6.0L / 4.0L));
  }
  return c;
}

AccuracyCase two_tanks() {
  const auto tank = [](double inflow) {
    return [inflow](const Terms& e, Dual* r) {
      const Dual between = 0.4 * sqrt(e.x[0]);
      r[0] = inflow - between;
      r[1] = between - 0.35 * sqrt(e.x[1]);
    };
  };
  AccuracyCase c{"two tanks", {}, 40.0, {}};
  c.make = [tank] {
    return made({.states = scalars({{"h1", 0.6}, {"h2", 1.0}}),
                 .locations = {{"Fill", tank(0.6)}, {"Drain", tank(0.0)}},
                 .transitions = {{"toDrain", 0, 1, {atom(1, greater_equal, 1.5)}},
                                 {"toFill", 1, 0, {atom(1, less_equal, 0.8)}}}});
  };
  c.events = {{7.3316437779899745, "toDrain"},
              {13.301196420795874, "toFill"},
              {23.039722843997957, "toDrain"},
              {29.142333111213152, "toFill"},
              {38.882878117353112, "toDrain"}};
  return c;
}

AccuracyCase water_tank() {
  AccuracyCase c{"water tank", {}, 5.99, {}, true};
  c.make = [] {
    return made({.states = scalars({{"x1", 0.5}, {"x2", 1.0}}),
                 .locations = {{"Hose1",
                                [](const Terms&, Dual* r) {
                                  r[0] = 0.25;
                                  r[1] = -0.5;
                                }},
                               {"Hose2",
                                [](const Terms&, Dual* r) {
                                  r[0] = -0.5;
                                  r[1] = 0.25;
                                }}},
                 .transitions = {
                     {"toHose2",
                      0,
                      1,
                      {atom(1, less_equal, 0.0)},
                      [](const double*, double* n) { n[1] = 0.0; }},
                     {"toHose1", 1, 0, {atom(0, less_equal, 0.0)}, [](const double*, double* n) {
                        n[0] = 0.0;
                      }}}});
  };
  double left = 4.0;  // to the accumulation at 6
  for (int k = 0; 6.0 - left < 5.99; ++k, left /= 2.0) {
    c.events.push_back({6.0 - left, k % 2 == 0 ? "toHose2" : "toHose1"});
  }
  return c;
}

AccuracyCase cradle(int lifted) {
  AccuracyCase c{lifted == 1 ? "cradle, one lifted" : "cradle, two lifted", {}, 2.837, {}};
  c.make = [lifted] {
    Model m;
    for (int i = 0; i < 5; ++i) {
      m.states.push_back(scalar("th" + std::to_string(i + 1), i < lifted ? -0.1 : 0.0));
    }
    for (int i = 0; i < 5; ++i) m.states.push_back(scalar("w" + std::to_string(i + 1), 0.0));
    m.locations = {{"Swing", [](const Terms& e, Dual* r) {
                      for (int i = 0; i < 5; ++i) {
                        r[i] = e.x[5 + i];
                        r[5 + i] = -(9.81 / 0.5) * e.x[i];
                      }
                    }}};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto approach = [i](const Terms& e) { return e.x[5 + i] - e.x[6 + i]; };
      m.transitions.push_back(
          {"hit" + std::to_string(i + 1) + std::to_string(i + 2),
           0,
           0,
           {{state(i), state(i + 1), greater_equal}, {approach, number(1e-9), greater}},
           [i](const double* x, double* next) {
             next[5 + i] = x[6 + i];
             next[6 + i] = x[5 + i];
           }});
    }
    return made(std::move(m));
  };
  const std::vector<std::string> there =
      lifted == 1 ? std::vector<std::string>{"hit12", "hit23", "hit34", "hit45"}
                  : std::vector<std::string>{"hit23", "hit12", "hit34", "hit23", "hit45", "hit34"};
  const std::vector<std::string> back =
      lifted == 1 ? std::vector<std::string>{"hit45", "hit34", "hit23", "hit12"}
                  : std::vector<std::string>{"hit34", "hit23", "hit12", "hit45", "hit34", "hit23"};
  const long double half = pi / std::sqrt(9.81L / 0.5L);
  for (int k = 0; k < 4; ++k) {
    for (const std::string& hit : k % 2 == 0 ? there : back) {
      c.events.push_back({rounded(half * (k + 0.5L)), hit});
    }
  }
  c.ties = lifted == 2;
  return c;
}

AccuracyCase navigation() {
  AccuracyCase c{"navigation", {}, 30.0, {}};
  c.make = [] {
    constexpr int cell[3][3] = {{2, 4, 4}, {2, 3, 6}, {0, 0, 6}};  // [column][row from below]
    Model m;
    m.states = scalars({{"x", 0.5}, {"y", 0.5}, {"vx", 0.1}, {"vy", -0.2}});
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) {
        const int i = cell[column][row];
        const double dx = std::sin(i * std::numbers::pi / 4);
        const double dy = std::cos(i * std::numbers::pi / 4);
        m.locations.push_back(
            {"C" + std::to_string(column) + std::to_string(row), [dx, dy](const Terms& e, Dual* r) {
               const Dual a = e.x[2] - dx;
               const Dual b = e.x[3] - dy;
               r[0] = e.x[2];
               r[1] = e.x[3];
               r[2] = -1.2 * a + 0.1 * b;
               r[3] = 0.1 * a - 1.2 * b;
             }});
        const int here = 3 * column + row;
        if (column < 2) {
          m.transitions.push_back({"right",
                                   here,
                                   here + 3,
                                   {atom(0, greater_equal, column + 1.0), atom(2, greater, 0.0)}});
        }
        if (column > 0) {
          m.transitions.push_back(
              {"left", here, here - 3, {atom(0, less_equal, column), atom(2, less, 0.0)}});
        }
        if (row < 2) {
          m.transitions.push_back(
              {"up", here, here + 1, {atom(1, greater_equal, row + 1.0), atom(3, greater, 0.0)}});
        }
        if (row > 0) {
          m.transitions.push_back(
              {"down", here, here - 1, {atom(1, less_equal, row), atom(3, less, 0.0)}});
        }
      }
    }
    return made(std::move(m));
  };
  c.events = {
      {1.0404134686110526, "right"}, {2.2100396851598477, "right"}, {3.5718142438528748, "up"},
      {4.6765875566788975, "up"},    {6.1020253826901965, "left"},  {7.2406400868671903, "left"},
      {8.7703246379629911, "down"},  {9.8568650668167957, "down"},  {11.288536800372057, "right"},
      {12.425489865890278, "right"}, {13.960843117623578, "up"},    {15.046714510318613, "up"},
      {16.478991696296316, "left"},  {17.615831999400367, "left"},  {19.151415251613251, "down"},
      {20.237257366635162, "down"},  {21.669577649938787, "right"}, {22.806410544704433, "right"},
      {24.342004279030741, "up"},    {25.427844959685978, "up"},    {26.860168113562279, "left"},
      {27.997000531744337, "left"},  {29.532594797605976, "down"}};
  c.final_state = {0.336268208141923, 1.58410585626399};
  return c;
}

AccuracyCase short_pulse() {
  AccuracyCase c{"short pulse", {}, 62.0, {}};
  c.make = [] {
    const auto swing = [](const Terms& e, Dual* r) {
      r[0] = e.x[1];
      r[1] = -e.x[0];
    };
    return made({.states = scalars({{"x", std::cos(1.0)}, {"v", -std::sin(1.0)}}),
                 .locations = {{"Low", swing}, {"High", swing}},
                 .transitions = {{"rise", 0, 1, {atom(0, greater, 0.999999)}},
                                 {"fall", 1, 0, {atom(0, less, 0.999999)}}}});
  };
  // x = a cos(t + 1 + phase), with the amplitude of the rounded initial state
  const long double x0 = std::cos(1.0);
  const long double v0 = -std::sin(1.0);
  const long double a = std::sqrt(x0 * x0 + v0 * v0);
  const long double start = std::atan2(-v0, x0);
  const long double half = std::acos(static_cast<long double>(0.999999) / a);
  for (int k = 1; k <= 10; ++k) {
    c.events.push_back({rounded(2.0L * pi * k - half - start), "rise"});
    c.events.push_back({rounded(2.0L * pi * k + half - start), "fall"});
  }
  std::erase_if(c.events, [](const ExpectedEvent& e) { return e.t > 62.0; });
  return c;
}

AccuracyCase priority() {
  AccuracyCase c{"priority", {}, 2.5, {}, true};
  c.make = [] {
    return made(
        {.states = scalars({{"a", 0.0}, {"b", 0.0}, {"y", 3.0}}),
         .locations = {{"Run",
                        [](const Terms&, Dual* r) {
                          r[0] = 1.0;
                          r[1] = 2.0;
                          r[2] = 0.0;
                        }}},
         .transitions = {
             {"addOne",
              0,
              0,
              {atom(0, greater_equal, 1.0)},
              [](const double* x, double* next) {
                next[0] = 0.0;
                next[2] = x[2] + 1.0;
              }},
             {"double", 0, 0, {atom(1, greater_equal, 2.0)}, [](const double* x, double* next) {
                next[1] = 0.0;
                next[2] = 2.0 * x[2];
              }}}});
  };
  c.events = {{1.0, "addOne"}, {1.0, "double"}, {2.0, "addOne"}, {2.0, "double"}};
  c.final_state = {0.5, 1.0, 18.0};
  return c;
}

AccuracyCase cascade() {
  AccuracyCase c{"cascade", {}, 3.25, {}, true};
  c.make = [] {
    const auto flow = [](const Terms&, Dual* r) {
      r[0] = 1.0;
      r[1] = 0.0;
    };
    const auto count = [](const double* x, double* next) { next[1] = x[1] + 1.0; };
    return made({.states = scalars({{"x", 0.0}, {"n", 0.0}}),
                 .locations = {{"A", flow}, {"B", flow}, {"C", flow}},
                 .transitions = {{"ab",
                                  0,
                                  1,
                                  {atom(0, greater_equal, 1.0)},
                                  [](const double* x, double* next) {
                                    next[0] = 0.0;
                                    next[1] = x[1] + 1.0;
                                  }},
                                 {"bc", 1, 2, {atom(1, greater, 0.0)}, count},
                                 {"ca", 2, 0, {atom(1, greater, 0.0)}, count}}});
  };
  for (int t = 1; t <= 3; ++t) {
    for (const char* name : {"ab", "bc", "ca"}) c.events.push_back({static_cast<double>(t), name});
  }
  c.final_state = {0.25, 9.0};
  return c;
}

AccuracyCase composition() {
  AccuracyCase c{"composition", {}, 20.0, {}};
  c.make = [] {
    std::vector<hybrid::Part> parts;
    parts.push_back({"plant", make_plant()});
    parts.push_back({"relay", make_relay()});
    parts.push_back({"counter", make_counter()});
    hybrid::Outside outside;
    outside.inputs = {scalar("u", 0.25)};
    outside.outputs = {scalar("y", 0.0)};
    const std::vector<hybrid::MatrixBlock> wires = {{{1, "y"}, {0, "u"}},
                                                    {{hybrid::End::outside, "u"}, {0, "u"}},
                                                    {{0, "y"}, {1, "u"}},
                                                    {{0, "y"}, {hybrid::End::outside, "y"}}};
    return hybrid::compose(std::move(parts), wires, outside);
  };
  long double t = 2.0L * std::log(3.0L);
  for (int k = 0; t < 20.0L; ++k) {
    c.events.push_back({rounded(t), k % 2 == 0 ? "toOff" : "toOn"});
    if (k % 2 == 1) c.events.push_back({rounded(t), "count"});
    t += 2.0L * (k % 2 == 0 ? std::log(5.0L) : std::log(3.5L / 1.5L));
  }
  return c;
}

AccuracyCase rigid_body() {
  AccuracyCase c{"rigid body", {}, 60.0, {}};
  c.make = [] {
    const auto euler = [](const Terms& e, Dual* r) {
      r[0] = -1.0 * e.x[1] * e.x[2];
      r[1] = e.x[2] * e.x[0];
      r[2] = -1.0 * e.x[0] * e.x[1] / 3.0;
    };
    return made({.states = scalars({{"w1", 0.4}, {"w2", 0.0}, {"w3", 1.0}}),
                 .locations = {{"Pos", euler}, {"Neg", euler}},
                 .transitions = {{"toNeg", 0, 1, {atom(1, less, 0.0)}},
                                 {"toPos", 1, 0, {atom(1, greater, 0.0)}}}});
  };
  // Jacobi elliptic functions: w1 = a cn, w2 = b sn, w3 = c dn; the quarter period is K(k)/rate, by
  // the arithmetic-geometric mean
  const long double w1 = 0.4;
  const long double w3 = 1.0;
  // w2^2 = w1(0)^2 - w1^2, w3^2 = w3(0)^2 - (w1(0)^2 - w1^2)/3
  const long double k2 = w1 * w1 / 3.0L / (w3 * w3);
  long double a = 1.0L;
  long double b = std::sqrt(1.0L - k2);
  for (int i = 0; i < 20; ++i) {
    const long double mean = (a + b) / 2.0L;
    b = std::sqrt(a * b);
    a = mean;
  }
  const long double quarter = pi / (2.0L * a) / w3;
  for (int k = 1; 2.0L * quarter * k < 60.0L; ++k) {
    c.events.push_back({rounded(2.0L * quarter * k), k % 2 == 1 ? "toNeg" : "toPos"});
  }
  return c;
}

AccuracyCase relay() {
  AccuracyCase c{"relay", {}, 12.0, {}, true};
  c.make = [] {
    const auto push = [](double u) {
      return [u](const Terms& e, Dual* r) {
        r[0] = e.x[1];
        r[1] = u;
      };
    };
    const auto surface = [](const Terms& e) { return e.x[0] + 0.5 * e.x[1]; };
    return made({.states = scalars({{"x", 1.0}, {"v", 0.0}}),
                 .locations = {{"Neg", push(-1.0)}, {"Pos", push(1.0)}},
                 .transitions = {{"toPos", 0, 1, {{surface, number(-0.02), less_equal}}},
                                 {"toNeg", 1, 0, {{surface, number(0.02), greater_equal}}}}});
  };
  // with s = x + v/2 and push u: s(t) = s + (v + u/2) t + u t^2/2, to be -0.02 (u = -1) or 0.02
  long double x = 1.0L;
  long double v = 0.0L;
  long double t = 0.0L;
  for (long double u = -1.0L;; u = -u) {
    const long double goal = u * 0.02L - (x + 0.5L * v);  // u: sign of the surface to reach
    const long double slope = v + 0.5L * u;
    // 0.5 u dt^2 + slope dt - goal = 0, the first positive root at which s moves towards the goal
    const long double root = std::sqrt(slope * slope + 2.0L * u * goal);
    const long double dt = (-slope + u * root) / u;
    x += v * dt + 0.5L * u * dt * dt;
    v += u * dt;
    t += dt;
    if (t >= 12.0L) return c;
    c.events.push_back({rounded(t), u < 0 ? "toPos" : "toNeg"});
  }
}

AccuracyCase integrate_and_fire() {
  AccuracyCase c{"integrate and fire", {}, 21.98, {}};
  c.make = [] {
    return made(
        {.states = scalars({{"v", 0.0}}),
         .locations = {{"Int", [](const Terms& e, Dual* r) { r[0] = (1.5 - e.x[0]) / 0.02; }}},
         .transitions = {
             {"spike", 0, 0, {atom(0, greater_equal, 1.0)}, [](const double*, double* next) {
                next[0] = 0.0;
              }}}});
  };
  // the system's own constant, which is not exactly 1/50
  const long double tau = 0.02;
  for (int k = 1; k <= 1000; ++k) {
    c.events.push_back({rounded(tau * std::log(3.0L) * k), "spike"});
  }
  return c;
}

}  // namespace

Made make_plant() {
  return made(
      {.states = scalars({{"x", 0.0}}),
       .inputs = scalars({{"u", 0.0}}),
       .outputs = scalars({{"y", 0.0}}),
       .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = -0.5 * e.x[0] + e.u[0]; },
                      [](const Terms& e, Dual* r) { r[0] = e.x[0]; }}}});
}

Made make_relay() {
  const auto still = [](const Terms&, Dual*) {};
  const auto constant = [](double y) { return [y](const Terms&, Dual* r) { r[0] = y; }; };
  return made(
      {.states = {},
       .inputs = scalars({{"u", 0.0}}),
       .outputs = scalars({{"y", 0.0}}),
       .locations = {{"On", still, constant(2.0)}, {"Off", still, constant(0.0)}},
       .transitions = {{"toOff", 0, 1, {{input(0), number(3.0), greater_equal}}, {}, "", "off"},
                       {"toOn", 1, 0, {{input(0), number(1.0), less_equal}}, {}, "", "on"}}});
}

Made make_counter() {
  return made({.states = scalars({{"n", 0.0}}),
               .inputs = {},
               .outputs = scalars({{"n", 0.0}}),
               .locations = {{"Counting", [](const Terms&, Dual* r) { r[0] = 0.0; },
                              [](const Terms& e, Dual* r) { r[0] = e.x[0]; }}},
               .transitions = {{"count",
                                0,
                                0,
                                {},
                                [](const double* x, double* next) { next[0] = x[0] + 1.0; },
                                "on"}}});
}

std::vector<AccuracyCase> accuracy_cases() {
  return {bouncing_ball(), thermostat(), two_tanks(),   water_tank(),        cradle(1),
          cradle(2),       navigation(), short_pulse(), priority(),          cascade(),
          composition(),   rigid_body(), relay(),       integrate_and_fire()};
}

const AccuracyCase& accuracy_case(const std::string& name) {
  static const std::vector<AccuracyCase> all = accuracy_cases();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const AccuracyCase& c) { return c.name == name; });
  require(found != all.end());
  return *found;
}

}  // namespace vernier::testing
