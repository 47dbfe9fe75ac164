#include "vernier/kernel/hybrid/compose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/accuracy_cases.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/formula_system.hpp"

namespace vernier::hybrid {
namespace {

using testing::Dual;
using ::testing::ElementsAre;
using testing::FormulaSystem;
using testing::Terms;

Signal signal(std::string name, std::uint32_t count = 1) {
  Signal s;
  s.name = std::move(name);
  s.count = count;
  s.initial = std::vector<double>(count, 0.0);
  return s;
}

// y = a u, without states
std::unique_ptr<System> amplifier(double a, std::uint32_t count = 1) {
  return std::make_unique<FormulaSystem>(
      FormulaSystem::Model{.states = {},
                           .inputs = {signal("u", count)},
                           .outputs = {signal("y", count)},
                           .locations = {{"only", [](const Terms&, Dual*) {},
                                          [a, count](const Terms& e, Dual* r) {
                                            for (std::uint32_t i = 0; i < count; ++i) {
                                              r[i] = a * e.u[i];
                                            }
                                          }}},
                           .feedthrough = {{0, 0}}});
}

// x' = u - x sin(x), with the outputs rate = x' (needs u) and x (does not)
std::unique_ptr<System> filter(double initial) {
  Signal x = signal("x");
  x.initial = {initial};
  return std::make_unique<FormulaSystem>(FormulaSystem::Model{
      .states = {x},
      .inputs = {signal("u")},
      .outputs = {signal("rate"), signal("x")},
      .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = e.u[0] - e.x[0] * sin(e.x[0]); },
                     [](const Terms& e, Dual* r) {
                       r[0] = e.u[0] - e.x[0] * sin(e.x[0]);
                       r[1] = e.x[0];
                     }}},
      .feedthrough = {{0, 0}}});
}

template <class... Systems>
std::vector<Part> parts_of(Systems&&... systems) {
  std::vector<Part> result;
  char name = 'a';
  (result.push_back({std::string(1, name++), std::forward<Systems>(systems)}), ...);
  return result;
}

std::vector<double> flow(const System& s, std::vector<double> x, std::vector<double> u = {}) {
  const auto work = s.workspace();
  std::vector<double> xdot(x.size());
  const std::vector<int> mode(s.spec().automata.size(), 0);
  s.flow({0.0, x, mode, u}, xdot, *work);
  return xdot;
}

std::vector<double> output(const System& s, std::vector<double> x, std::vector<double> u = {}) {
  const auto work = s.workspace();
  std::vector<double> y(size(s.spec().outputs));
  const std::vector<int> mode(s.spec().automata.size(), 0);
  s.output({0.0, x, mode, u}, y, *work);
  return y;
}

TEST(Compose, NamesWhatItHas) {
  const auto system = testing::accuracy_case("composition").make();
  const SystemSpec& spec = system->spec();
  ASSERT_EQ(spec.states.size(), 2u);
  EXPECT_EQ(spec.states[0].name, "plant.x");
  EXPECT_EQ(spec.states[1].name, "counter.n");
  ASSERT_EQ(spec.inputs.size(), 1u);
  EXPECT_EQ(spec.inputs[0].name, "u");
  ASSERT_EQ(spec.outputs.size(), 4u);
  EXPECT_EQ(spec.outputs[1].name, "relay.y");
  EXPECT_EQ(spec.outputs[3].name, "y");
  ASSERT_EQ(spec.automata.size(), 2u);
  EXPECT_EQ(spec.automata[0].name, "relay");
  EXPECT_EQ(spec.events.size(), 2u);
}

TEST(Compose, AddsWiresWithTheirGains) {
  auto list = parts_of(amplifier(2.0), amplifier(3.0));
  Outside outside{{signal("u"), signal("w")}, {signal("y")}};
  const std::vector<MatrixBlock> wires = {{{End::outside, "u"}, {0, "u"}, 10.0},
                                          {{End::outside, "w"}, {0, "u"}},
                                          {{0, "y"}, {1, "u"}, -1.0},
                                          {{1, "y"}, {End::outside, "y"}, 0.5},
                                          {{End::outside, "w"}, {End::outside, "y"}}};
  const auto system = compose(std::move(list), wires, outside);
  // a = 2(10 u + w), b = -3 a, y = b/2 + w
  EXPECT_THAT(output(*system, {}, {1.0, 4.0}), ElementsAre(28.0, -84.0, -38.0));
}

TEST(Compose, TakesElementsOfSignals) {
  auto list = parts_of(amplifier(1.0, 3), amplifier(1.0, 2));
  const std::vector<MatrixBlock> wires = {{{0, "y", 1, 2}, {1, "u"}},
                                          {{0, "y", 0, 1}, {1, "u", 1, 1}}};
  const auto system = compose(std::move(list), wires);
  ASSERT_EQ(system->spec().inputs.size(), 1u);
  EXPECT_EQ(system->spec().inputs[0].name, "a.u");
  EXPECT_THAT(output(*system, {}, {1.0, 2.0, 3.0}), ElementsAre(1.0, 2.0, 3.0, 2.0, 4.0));
}

TEST(Compose, ElementsWithoutAWireKeepTheirInitialValue) {
  auto list = parts_of(amplifier(1.0, 1), amplifier(1.0, 2));
  const std::vector<MatrixBlock> wires = {{{0, "y"}, {1, "u", 1, 1}}};
  const auto system = compose(std::move(list), wires);
  EXPECT_THAT(output(*system, {}, {7.0}), ElementsAre(7.0, 0.0, 7.0));
}

TEST(Compose, CallsAPartTwiceRatherThanRefusing) {
  // a.x -> b -> a.u, and a.rate needs a.u
  auto list = parts_of(filter(1.0), amplifier(2.0));
  const std::vector<MatrixBlock> wires = {{{0, "x"}, {1, "u"}}, {{1, "y"}, {0, "u"}}};
  const auto system = compose(std::move(list), wires);
  const double rate = 2.0 * 0.3 - 0.3 * std::sin(0.3);
  EXPECT_THAT(output(*system, {0.3}), ElementsAre(rate, 0.3, 0.6));
  EXPECT_THAT(flow(*system, {0.3}), ElementsAre(rate));
}

TEST(Compose, RefusesAnAlgebraicLoopWithItsChain) {
  auto list = parts_of(amplifier(2.0), filter(0.0), amplifier(3.0));
  const std::vector<MatrixBlock> wires = {
      {{0, "y"}, {1, "u"}}, {{1, "rate"}, {2, "u"}}, {{2, "y"}, {0, "u"}}};
  try {
    compose(std::move(list), wires);
    FAIL() << "not refused";
  } catch (const ConfigurationError& e) {
    const Diagnostic& d = e.diagnostics().list().at(0);
    EXPECT_EQ(d.code, "V2110");
    EXPECT_THAT(d.body, ElementsAre("a.y  → b.u", "b.rate  → c.u", "c.y  → a.u"));
  }
}

TEST(Compose, RefusesNamesAndSizesThatDoNotFit) {
  const auto attempt = [](const MatrixBlock& w, const Outside& outside = {}) {
    try {
      compose(parts_of(amplifier(1.0, 3), amplifier(1.0, 2)), std::span(&w, 1), outside);
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list().at(0).code + ": " + e.diagnostics().list().at(0).message;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(attempt({{0, "z"}, {1, "u"}}), "V2112: a.z is not an output");
  EXPECT_EQ(attempt({{0, "y"}, {1, "y"}}), "V2112: b.y is not an input");
  EXPECT_EQ(attempt({{0, "y"}, {1, "u"}}), "V2121: a.y (3 elements) cannot feed b.u (2 elements)");
  EXPECT_EQ(attempt({{0, "y", 2, 2}, {1, "u"}}), "V2121: a.y has only 3 elements");
  EXPECT_EQ(attempt({{0, "y", 3}, {1, "u"}}), "V2121: a.y has only 3 elements");
  EXPECT_EQ(attempt({{0, "y", 0, 2}, {1, "u"}}, {{}, {signal("out")}}),
            "V2104: element 0 of the output out is connected to nothing");
}

TEST(Compose, DeclaresTheFeedthroughThatGoesThrough) {
  auto list = parts_of(amplifier(2.0), filter(0.0));
  const std::vector<MatrixBlock> wires = {{{0, "y"}, {1, "u"}}, {{1, "rate"}, {End::outside, "r"}}};
  const auto system = compose(std::move(list), wires, {{}, {signal("r")}});
  // a.u reaches a.y, b.rate and r, but not b.x
  std::vector<std::size_t> outputs;
  for (const Dependence& d : system->spec().feedthrough) outputs.push_back(d.output);
  EXPECT_THAT(outputs, ElementsAre(0, 1, 3));
}

TEST(Compose, RenamesLabels) {
  std::vector<Part> list;
  list.push_back({"relay", testing::make_relay()});
  list.push_back({"counter", testing::make_counter(), {{"on", "start"}}});
  const auto system = compose(std::move(list), {});
  std::vector<std::string> names;
  for (const Event& e : system->spec().events) names.push_back(e.name);
  EXPECT_THAT(names, ElementsAre("off", "on", "start"));
  // the counter hears "start" only
  const auto work = system->workspace();
  const std::vector<double> x{0.0}, u{2.0};
  const std::vector<int> mode{0, 0};
  std::vector<int> chosen(2);
  EXPECT_FALSE(
      system->select({0.0, x, mode, u}, std::vector<std::uint8_t>{0, 1, 0}, chosen, *work));
  EXPECT_TRUE(system->select({0.0, x, mode, u}, std::vector<std::uint8_t>{0, 0, 1}, chosen, *work));
  EXPECT_THAT(chosen, ElementsAre(-1, 0));
}

TEST(Compose, JumpsPartByPart) {
  const auto system = testing::accuracy_case("composition").make();
  const auto work = system->workspace();
  const std::vector<double> x{0.9, 4.0}, u{0.25};  // plant below 1: the relay must switch on
  const std::vector<int> mode{1, 0};
  std::vector<int> chosen(2);
  const Point p{0.0, x, mode, u};
  std::vector<std::uint8_t> present(2, 0);
  ASSERT_TRUE(system->select(p, present, chosen, *work));
  EXPECT_THAT(chosen, ElementsAre(1, -1));
  std::vector<double> next = x;
  std::vector<int> to = mode;
  std::vector<std::uint8_t> emitted(2, 0);
  Jump jump{next, to, emitted};
  system->jump(p, chosen, jump, *work);
  EXPECT_THAT(to, ElementsAre(0, 0));
  EXPECT_THAT(next, ElementsAre(0.9, 4.0));
  EXPECT_THAT(emitted, ElementsAre(0, 1));
  double sides[2];
  system->witness(p, 0, 1, sides, *work);
  EXPECT_THAT(sides, ElementsAre(0.9, 1.0));
}

// A ring of filters and amplifiers whose flow mixes everything.
std::vector<MatrixBlock> ring() {
  return {
      {{0, "x"}, {1, "u"}}, {{1, "y"}, {2, "u"}, 0.3}, {{2, "x"}, {0, "u"}}, {{0, "x"}, {2, "u"}}};
}

TEST(Compose, GivesTheSameFlowInAnyGrouping) {
  const auto flat = compose(parts_of(filter(0.1), amplifier(2.0), filter(0.2)), ring());
  // (b || c) with the same wires inside, then a || that
  const std::vector<MatrixBlock> inside = {{{0, "y"}, {1, "u"}, 0.3},
                                           {{End::outside, "in"}, {1, "u"}}};
  auto pair = compose(parts_of(amplifier(2.0), filter(0.2)), inside, {{signal("in")}, {}});
  const std::vector<MatrixBlock> around = {
      {{0, "x"}, {1, "a.u"}}, {{0, "x"}, {1, "in"}}, {{1, "b.x"}, {0, "u"}}};
  const auto nested = compose(parts_of(filter(0.1), std::move(pair)), around);
  for (double x : {-1.0, 0.2, 3.0}) {
    EXPECT_EQ(flow(*flat, {x, 0.7}), flow(*nested, {x, 0.7}));
  }
}

TEST(Compose, OfOnePartIsThePart) {
  std::vector<Part> one;
  one.push_back({"", filter(0.1)});
  const auto composed = compose(std::move(one), {});
  const auto lone = filter(0.1);
  EXPECT_EQ(composed->spec().states[0].name, "x");
  EXPECT_EQ(composed->spec().inputs[0].name, "u");
  EXPECT_EQ(flow(*composed, {0.4}, {0.9}), flow(*lone, {0.4}, {0.9}));
  EXPECT_EQ(output(*composed, {0.4}, {0.9}), output(*lone, {0.4}, {0.9}));
}

TEST(Compose, ExchangingPartsPermutesTheStatesOnly) {
  const auto one = compose(parts_of(filter(0.1), amplifier(2.0), filter(0.2)), ring());
  const std::vector<MatrixBlock> wires = {
      {{2, "x"}, {1, "u"}}, {{1, "y"}, {0, "u"}, 0.3}, {{0, "x"}, {2, "u"}}, {{2, "x"}, {0, "u"}}};
  const auto other = compose(parts_of(filter(0.2), amplifier(2.0), filter(0.1)), wires);
  const auto a = flow(*one, {0.5, -0.8});
  const auto b = flow(*other, {-0.8, 0.5});
  EXPECT_EQ(a[0], b[1]);
  EXPECT_EQ(a[1], b[0]);
}

TEST(Compose, TangentEqualsTheDifference) {
  auto list = parts_of(filter(0.1), amplifier(2.0), filter(0.2));
  std::vector<MatrixBlock> wires = ring();
  wires.push_back({{End::outside, "v"}, {1, "u"}});
  wires.push_back({{2, "rate"}, {End::outside, "r"}, 2.0});
  const auto system = compose(std::move(list), wires, {{signal("v")}, {signal("r")}});
  const auto work = system->workspace();
  const std::vector<double> x{0.4, -1.1}, u{0.3}, dx{1.0, -0.5}, du{2.0};
  std::vector<double> xdot(2), y(size(system->spec().outputs));
  system->tangent({0.0, x, {}, u}, {0.0, dx, du}, {xdot, y, {}}, *work);
  const double h = 1e-6;
  const auto moved = [&](double s, auto evaluate) {
    return evaluate(*system, {x[0] + s * dx[0], x[1] + s * dx[1]}, {u[0] + s * du[0]});
  };
  const auto up = moved(h, flow), down = moved(-h, flow);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(xdot[i], (up[i] - down[i]) / (2 * h), 1e-8);
  const auto yup = moved(h, output), ydown = moved(-h, output);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(y[i], (yup[i] - ydown[i]) / (2 * h), 1e-8) << i;
  }
  std::vector<double> alone(2);
  system->tangent({0.0, x, {}, u}, {0.0, dx, du}, {alone, {}, {}}, *work);
  EXPECT_EQ(alone, xdot);
}

TEST(Compose, TangentOfGuardsGoesThroughTheWires) {
  const auto system = testing::accuracy_case("composition").make();
  const auto work = system->workspace();
  const std::vector<double> x{2.0, 0.0}, u{0.25}, dx{-3.0, 0.0}, du{0.0};
  const std::vector<int> mode{0, 0};
  std::vector<double> z(system->spec().guards), dz(z.size());
  system->guards({0.0, x, mode, u}, z, *work);
  system->tangent({0.0, x, mode, u}, {1.0, dx, du}, {{}, {}, dz}, *work);
  EXPECT_EQ(z[0], -1.0);  // u2 - 3, with u2 = x
  EXPECT_EQ(dz[0], -3.0);
}

TEST(Compose, TracesTheInputsOfConditions) {
  // the relay's condition looks at the plant's output, which does not follow its input
  EXPECT_EQ(testing::accuracy_case("composition").make()->spec().condition_inputs,
            std::vector<std::size_t>{});
  // an amplifier between lets the input through; a second input that nobody asks about does not
  // count
  auto list = parts_of(amplifier(1.0), testing::make_relay(), amplifier(2.0));
  const std::vector<MatrixBlock> wires = {{{0, "y"}, {1, "u"}}};
  const auto system = compose(std::move(list), wires);
  ASSERT_EQ(system->spec().inputs[0].name, "a.u");
  EXPECT_EQ(system->spec().condition_inputs, std::vector<std::size_t>{0});
}

TEST(Compose, EvaluatesWithoutAllocating) {
  const auto system = testing::accuracy_case("composition").make();
  const auto work = system->workspace();
  std::vector<double> xdot(2), y(size(system->spec().outputs));
  const std::vector<double> x{2.0, 0.0}, u{0.25};
  const std::vector<int> mode{0, 0};
  std::vector<int> chosen(2);
  const std::vector<std::uint8_t> present(2, 0);
  const long before = testing::allocations();
  system->flow({0.0, x, mode, u}, xdot, *work);
  system->output({0.0, x, mode, u}, y, *work);
  system->select({0.0, x, mode, u}, present, chosen, *work);
  EXPECT_EQ(testing::allocations(), before);
}

// x' = 0, y = (x, 2 x), with noise that a filter may assume
class Noisy final : public System {
 public:
  Noisy(double process, double first, double second) {
    spec_.states = {signal("x")};
    spec_.outputs = {signal("y", 2)};
    spec_.noise = {{process}, {first, second}};
  }
  const SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const Point&, std::span<double> xdot, Workspace&) const noexcept override {
    xdot[0] = 0.0;
  }
  void output(const Point& p, std::span<double> y, Workspace&) const noexcept override {
    y[0] = p.x[0];
    y[1] = 2.0 * p.x[0];
  }

 private:
  SystemSpec spec_;
};

// the variance of a sum of independent readings is the sum of their variances
TEST(Composition, CollectsTheNoiseOfItsPartsAndOfWhatIsMadeOfThem) {
  std::vector<Part> parts;
  parts.push_back({"quiet", filter(0.0)});
  parts.push_back({"a", std::make_unique<Noisy>(0.25, 0.1, 0.2)});
  parts.push_back({"b", std::make_unique<Noisy>(0.5, 3.0, 0.0)});
  Outside outside;
  outside.outputs = {signal("mixed", 2)};
  const MatrixBlock wires[] = {{{1, "y"}, {End::outside, "mixed"}, -2.0},
                               {{2, "y"}, {End::outside, "mixed"}, 0.5}};
  const auto system = compose(std::move(parts), wires, outside);
  const Noise& noise = system->spec().noise;
  EXPECT_THAT(noise.process, ElementsAre(0.0, 0.25, 0.5));
  EXPECT_THAT(noise.measurement,
              ElementsAre(0.0, 0.0, 0.1, 0.2, 3.0, 0.0, std::sqrt(0.2 * 0.2 + 1.5 * 1.5), 0.4));
}

// y = a sin(t) + b u + c p, without states; counts how often its output is asked for
class Tide final : public System {
 public:
  Tide(double a, double b, double c, int& calls) : a_(a), b_(b), c_(c), calls_(calls) {
    if (b != 0.0) spec_.inputs = {signal("u")};
    spec_.outputs = {signal("y"), signal("twice")};
    if (b != 0.0) spec_.feedthrough = {{0, 0}, {1, 0}};
    if (c != 0.0) spec_.parameters = {signal("p")};
  }
  const SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const Point&, std::span<double>, Workspace&) const noexcept override {}
  void output(const Point& p, std::span<double> y, Workspace&) const noexcept override {
    ++calls_;
    y[0] = a_ * std::sin(p.t) + (b_ != 0.0 ? b_ * p.u[0] : 0.0) + (c_ != 0.0 ? c_ * p.p[0] : 0.0);
    // only where it is wanted, so that what was kept for another call would show
    y[1] = (p.outputs & output_bit(1)) != 0 ? 2.0 * y[0] : 1e9;
  }

 private:
  double a_, b_, c_;
  int& calls_;
  SystemSpec spec_;
};

// c' = a.y + b.twice + d.y, of which a and b depend on time alone; d on an input and a parameter
std::unique_ptr<System> tidal(double input_gain, double parameter_gain, int& calls) {
  auto list = parts_of(std::make_unique<Tide>(3.0, 0.0, 0.0, calls),
                       std::make_unique<Tide>(0.5, 2.0, 0.0, calls), filter(0.0),
                       std::make_unique<Tide>(0.0, input_gain, parameter_gain, calls));
  Outside outside{{signal("outside")}, {}};
  std::vector<MatrixBlock> wires = {
      {{0, "y"}, {1, "u"}}, {{0, "y"}, {2, "u"}}, {{1, "twice"}, {2, "u"}}, {{3, "y"}, {2, "u"}}};
  if (input_gain != 0.0) wires.push_back({{End::outside, "outside"}, {3, "u"}});
  return compose(std::move(list), wires, outside);
}

// what filter.u is, at x = 0: 3 sin t + 2 (0.5 sin t + 6 sin t) + …
double tide(double t) { return 3.0 * std::sin(t) + 2.0 * (0.5 * std::sin(t) + 6.0 * std::sin(t)); }

TEST(Compose, WhatDependsOnTimeAloneFollowsTime) {
  int calls = 0;
  const auto system = tidal(0.0, 5.0, calls);
  const auto w = system->workspace();
  const std::vector<double> x{0.0}, u{0.0};
  std::vector<double> p{0.0}, xdot(1), y(size(system->spec().outputs));
  const std::vector<int> mode(system->spec().automata.size(), 0);
  const auto flow_at = [&](double t) {
    calls = 0;
    system->flow({t, x, mode, u, p}, xdot, *w);
    return xdot[0];
  };
  EXPECT_DOUBLE_EQ(flow_at(1.0), tide(1.0));
  EXPECT_EQ(calls, 3);
  // at the same time two of the parts need not be asked again
  EXPECT_DOUBLE_EQ(flow_at(1.0), tide(1.0));
  EXPECT_EQ(calls, 1);
  // the one with a parameter must be
  p[0] = 2.0;
  EXPECT_DOUBLE_EQ(flow_at(1.0), tide(1.0) + 10.0);
  EXPECT_DOUBLE_EQ(flow_at(2.0), tide(2.0) + 10.0);
  EXPECT_DOUBLE_EQ(flow_at(1.0), tide(1.0) + 10.0);
  // a call that wants other outputs at another time lies between
  system->output({3.0, x, mode, u, p}, y, *w);
  EXPECT_DOUBLE_EQ(y[1], 6.0 * std::sin(3.0));
  EXPECT_DOUBLE_EQ(flow_at(1.0), tide(1.0) + 10.0);
  system->output({1.0, x, mode, u, p}, y, *w);
  EXPECT_DOUBLE_EQ(y[1], 6.0 * std::sin(1.0));
  EXPECT_DOUBLE_EQ(y[2], 6.5 * std::sin(1.0));
}

TEST(Compose, WhatDependsOnInputsIsNeverKept) {
  int calls = 0;
  const auto system = tidal(7.0, 0.0, calls);
  const auto w = system->workspace();
  const std::vector<double> x{0.0};
  std::vector<double> xdot(1);
  const std::vector<int> mode(system->spec().automata.size(), 0);
  for (const double u : {0.0, 1.0, -2.0}) {
    system->flow({1.0, x, mode, {&u, 1}}, xdot, *w);
    EXPECT_DOUBLE_EQ(xdot[0], tide(1.0) + 7.0 * u);
  }
}

TEST(Compose, WhatDependsOnTimeAloneFollowsTheTimeOfEachLane) {
  int calls = 0;
  const auto system = tidal(0.0, 5.0, calls);
  const auto w = system->lane_workspace();
  std::vector<double> t(lanes), x(lanes), u(lanes), p(lanes), xdot(lanes);
  const std::vector<int> mode(system->spec().automata.size(), 0);
  const auto expect = [&] {
    calls = 0;
    system->flow_lanes({t.data(), x.data(), mode, u.data(), p.data()}, xdot.data(), *w);
    for (std::size_t l = 0; l < lanes; ++l)
      EXPECT_DOUBLE_EQ(xdot[l], tide(t[l]) + 5.0 * p[l]) << "lane " << l;
    return calls;
  };
  EXPECT_EQ(expect(), 3 * lanes);
  EXPECT_EQ(expect(), lanes);
  t[5] = 0.5;  // one lane of eight
  EXPECT_EQ(expect(), 3 * lanes);
  p[2] = 1.0;
  EXPECT_EQ(expect(), lanes);
  t[5] = -0.0;  // sin(-0) is -0
  t[6] = 0.0;
  EXPECT_EQ(expect(), 3 * lanes);
  t[5] = 0.0;
  EXPECT_EQ(expect(), 3 * lanes);
}

}  // namespace
}  // namespace vernier::hybrid
