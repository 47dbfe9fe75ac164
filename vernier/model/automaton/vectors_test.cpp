#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::automaton {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Type type_in(const std::string& text, Diagnostics& problems) {
  return parse_type(text, "it.xml", problems);
}

std::unique_ptr<hybrid::System> system_of(const Type& type, const ParameterValues& values = {}) {
  Diagnostics problems;
  const Parameters p("it", type.parameters, values, 1, {}, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return type.system ? type.system(p) : nullptr;
}

std::unique_ptr<hybrid::System> system_in(const std::string& text) {
  Diagnostics problems;
  const Type type = type_in(text, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return system_of(type);
}

std::unique_ptr<hybrid::System> example(const std::string& name) {
  Diagnostics problems;
  const Type type =
      read_type(std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/hybrid/good" / (name + ".xml"),
                problems);
  EXPECT_EQ(rendered(problems), "");
  return system_of(type);
}

/// All that a system computes at a point, in one list.
std::vector<double> all_of(const hybrid::System& s, const std::vector<double>& x,
                           const std::vector<double>& u, int location) {
  const hybrid::SystemSpec& spec = s.spec();
  const std::vector<int> mode(spec.automata.size(), location);
  const auto memory = s.workspace();
  const hybrid::Point point{0.0, x, mode, u};
  std::vector<double> values(x.size() + size(spec.outputs) + spec.guards);
  const std::span<double> v(values);
  s.flow(point, v.first(x.size()), *memory);
  s.output(point, v.subspan(x.size(), size(spec.outputs)), *memory);
  s.guards(point, v.last(spec.guards), *memory);
  return values;
}

std::string satellite(const std::string& constants, const std::string& equations) {
  return R"(<hybridsystem name="Satellite" version="1">
  <constants>)" +
         constants + R"(</constants>
  <inputs><input name="b" size="3" unit="T"/></inputs>
  <states><state name="q" size="4" unit="1" initial="0 0 0 1"/>
    <state name="w" size="3" unit="rad/s"/></states>
  <outputs><output name="field" size="3" unit="T"/><output name="angle"/></outputs>)" +
         equations + "</hybridsystem>";
}

const char* const with_vectors = R"(
  <definitions>
    <let name="h">J .* w</let>
    <function name="half" arguments="e">asin(min(1, norm(e)))</function>
  </definitions>
  <initial location="One"/>
  <shared>
    <diffequation state="q">qrate(q, w)</diffequation>
    <diffequation state="w" unit="1">-cross(w, h) ./ J</diffequation>
    <outputmap output="field">rotate(q, b)</outputmap>
    <outputmap output="angle">0</outputmap>
    <transitions><transition><name>turn</name><domain>norm(w) > 0.5</domain>
      <reset><destination>Two</destination><statereset state="w">w/2</statereset></reset>
    </transition></transitions>
  </shared>
  <location><name>One</name></location>
  <location><name>Two</name>
    <diffequation state="w[1]" unit="1">field[0] - w[1]</diffequation>
    <outputmap output="angle">2*half(qmul(q, qinv(r))[0:3])</outputmap>
  </location>)";

std::string by_hand() {
  const std::string common = R"(
    <diffequation state="q[0]">0.5*(w[2]*q[1] - w[1]*q[2] + w[0]*q[3])</diffequation>
    <diffequation state="q[1]">0.5*(-w[2]*q[0] + w[0]*q[2] + w[1]*q[3])</diffequation>
    <diffequation state="q[2]">0.5*(w[1]*q[0] - w[0]*q[1] + w[2]*q[3])</diffequation>
    <diffequation state="q[3]">-0.5*(w[0]*q[0] + w[1]*q[1] + w[2]*q[2])</diffequation>
    <diffequation state="w[0]" unit="1">-(w[1]*(J3*w[2]) - w[2]*(J2*w[1]))/J1</diffequation>
    <diffequation state="w[2]" unit="1">-(w[0]*(J2*w[1]) - w[1]*(J1*w[0]))/J3</diffequation>)";
  const std::string outputs = R"(
    <outputmap output="field[0]">(q[0]^2 - q[1]^2 - q[2]^2 + q[3]^2)*b[0] + 2*(q[0]*q[1] + q[2]*q[3])*b[1]
      + 2*(q[0]*q[2] - q[1]*q[3])*b[2]</outputmap>
    <outputmap output="field[1]">2*(q[0]*q[1] - q[2]*q[3])*b[0] + (-q[0]^2 + q[1]^2 - q[2]^2 + q[3]^2)*b[1]
      + 2*(q[1]*q[2] + q[0]*q[3])*b[2]</outputmap>
    <outputmap output="field[2]">2*(q[0]*q[2] + q[1]*q[3])*b[0] + 2*(q[1]*q[2] - q[0]*q[3])*b[1]
      + (-q[0]^2 - q[1]^2 + q[2]^2 + q[3]^2)*b[2]</outputmap>)";
  return R"(
  <initial location="One"/>
  <location><name>One</name>)" +
         common + R"(
    <diffequation state="w[1]" unit="1">-(w[2]*(J1*w[0]) - w[0]*(J3*w[2]))/J2</diffequation>)" +
         outputs + R"(
    <outputmap output="angle">0</outputmap>
    <transitions><transition><name>turn</name>
      <domain>sqrt(w[0]^2 + w[1]^2 + w[2]^2) > 0.5</domain>
      <reset><destination>Two</destination><statereset state="w[0]">w[0]/2</statereset>
        <statereset state="w[1]">w[1]/2</statereset><statereset state="w[2]">w[2]/2</statereset></reset>
    </transition></transitions>
  </location>
  <location><name>Two</name>)" +
         common + R"(
    <diffequation state="w[1]" unit="1">field[0] - w[1]</diffequation>)" +
         outputs + R"(
    <outputmap output="angle">2*asin(min(1, sqrt((-r1*q[3] - r2*q[2] + r3*q[1] + r4*q[0])^2
      + (r1*q[2] - r2*q[3] - r3*q[0] + r4*q[1])^2 + (-r1*q[1] + r2*q[0] - r3*q[3] + r4*q[2])^2)))</outputmap>
  </location>)";
}

// The oracle is the same model written out element by element: everything has its bits.
TEST(Vectors, GiveTheBitsOfTheModelWrittenOut) {
  const auto vectors = system_in(satellite(R"(<constant name="J" value="1.3 1.7 1.9"/>
    <constant name="r" value="0.1 0.2 0.3 0.9"/>)",
                                           with_vectors));
  const auto scalars = system_in(satellite(
      R"(<constant name="J1" value="1.3"/><constant name="J2" value="1.7"/><constant name="J3" value="1.9"/>
    <constant name="r1" value="0.1"/><constant name="r2" value="0.2"/><constant name="r3" value="0.3"/>
    <constant name="r4" value="0.9"/>)",
      by_hand()));
  ASSERT_TRUE(vectors && scalars);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> x(7), u(3);
    for (double& v : x) v = any(random);
    for (double& v : u) v = any(random);
    for (const int location : {0, 1})
      EXPECT_EQ(all_of(*vectors, x, u, location), all_of(*scalars, x, u, location));
  }
  // and the reset
  const std::vector<double> u(3, 0.0), x{0, 0, 0, 1, 0.3, 0.6, -0.9};
  const std::vector<int> mode{0}, chosen{0};
  for (const hybrid::System* s : {vectors.get(), scalars.get()}) {
    std::vector<double> after = x;
    std::vector<int> location = mode;
    std::vector<std::uint8_t> emitted;
    hybrid::Jump jump{after, location, emitted};
    const auto memory = s->workspace();
    s->jump({0.0, x, mode, u}, chosen, jump, *memory);
    EXPECT_THAT(after, ElementsAre(0, 0, 0, 1, 0.15, 0.3, -0.45));
    EXPECT_EQ(location[0], 1);
  }
}

TEST(Vectors, KeepThePromisesOfSystems) {
  for (const char* name : {"attitude", "heavy"}) {
    const auto system = example(name);
    ASSERT_TRUE(system);
    testing::SystemRig rig(*system);
    testing::expect_conforming(rig);
  }
}

TEST(Vectors, CountElementsByTheirValues) {
  const auto s = system_in(R"(<hybridsystem name="S" version="1">
    <states><state name="v" initial="1 2 3"/><state name="P" size="2x2" initial="1 2; 3 4"/></states>
    <outputs><output name="y" size="2"/></outputs>
    <location><name>L</name>
      <diffequation state="v">2*v</diffequation>
      <diffequation state="P">P*P</diffequation>
      <outputmap output="y">P*v[1:]</outputmap>
    </location></hybridsystem>)");
  ASSERT_TRUE(s);
  // [1 2; 3 4]^2 = [7 10; 15 22], [1 2; 3 4] [2; 3] = [8; 18]
  EXPECT_THAT(all_of(*s, {1, 2, 3, 1, 2, 3, 4}, {}, 0), ElementsAre(2, 4, 6, 7, 10, 15, 22, 8, 18));
}

TEST(Values, BringTheirUnit) {
  Diagnostics problems;
  const Type type = type_in(R"(<hybridsystem name="S" version="1">
    <constants><constant name="T" value="2 min"/><constant name="l" value="3km"/>
      <constant name="a" value="90 deg"/><constant name="g" value="0, 0, 9.81 m/s^2"/></constants>
    <states><state name="x" unit="m" initial="1"/></states>
    <location><name>L</name><diffequation state="x">l/T*sin(a) + g[2]*T</diffequation></location>
    </hybridsystem>)",
                            problems);
  ASSERT_TRUE(type.system) << rendered(problems);
  EXPECT_THAT(all_of(*system_of(type), {1}, {}, 0), ElementsAre(3000.0 / 120 + 9.81 * 120));
  type_in(
      R"(<hybridsystem name="S" version="1"><constants><constant name="T" value="2 min"/></constants>
    <states><state name="x" unit="m"/></states>
    <location><name>L</name><diffequation state="x">T</diffequation></location></hybridsystem>)",
      problems);
  EXPECT_THAT(rendered(problems), HasSubstr("the derivative of \"x\" is m/s, the expression is s"));
}

TEST(Vectors, AreParametersAsAWhole) {
  Diagnostics problems;
  const Type type = type_in(R"(<hybridsystem name="S" version="1">
    <constants><constant name="K" value="1 2; 3 4 1/s" unit="1/s"/></constants>
    <states><state name="v" initial="1 1"/></states>
    <location><name>L</name><diffequation state="v">K*v</diffequation></location></hybridsystem>)",
                            problems);
  ASSERT_TRUE(type.system) << rendered(problems);
  const auto s = testing::made_system(type, {{"K", "5 6 7 8"}});
  EXPECT_THAT(all_of(*s, {1, 1}, {}, 0), ElementsAre(11, 15));
}

TEST(Shared, GiveWayToWhatALocationSaysItself) {
  const auto s = system_in(R"(<hybridsystem name="S" version="1">
    <states><state name="v" initial="1 2"/></states>
    <outputs><output name="y"/></outputs>
    <initial location="A"/>
    <shared><diffequation state="v">-v</diffequation><outputmap output="y">sum(v)</outputmap></shared>
    <location><name>A</name>
      <transitions><transition><name>t</name><domain>v[0] > 5</domain>
        <reset><destination>B</destination></reset></transition></transitions></location>
    <location><name>B</name><diffequation state="v[1]">7</diffequation>
      <transitions><transition><name>t</name><domain>v[0] > 9</domain>
        <reset><destination>A</destination></reset></transition></transitions></location>
    </hybridsystem>)");
  ASSERT_TRUE(s);
  EXPECT_THAT(all_of(*s, {1, 2}, {}, 0), ElementsAre(-1, -2, 3, -4));
  EXPECT_THAT(all_of(*s, {1, 2}, {}, 1), ElementsAre(-1, 7, 3, -8));
}

TEST(Shared, TransitionsLeaveEveryLocationButTheirDestination) {
  const auto s = example("attitude");
  ASSERT_EQ(s->spec().automata.size(), 1u);
  std::vector<std::string> ways;
  const hybrid::Automaton& a = s->spec().automata[0];
  for (const auto& t : a.transitions)
    ways.push_back(a.locations[static_cast<std::size_t>(t.from)] + " " + t.name);
  EXPECT_THAT(ways, ElementsAre("Pointing something is wrong", "Safe at rest"));
}

TEST(Extended, DocumentsHaveTheEquationsOfTheOtherAndTheirOwnNumbers) {
  const auto light = example("attitude"), heavy = example("heavy");
  ASSERT_TRUE(light && heavy);
  const hybrid::SystemSpec& spec = heavy->spec();
  EXPECT_EQ(spec.automata[0].initial, 1);
  const double degree = 0.017453292519943295;
  EXPECT_THAT(*spec.states[1].initial, ElementsAre(2 * degree, 0, -degree));
  const std::vector<double> x{0, 0, 0, 1, 0, 0.1, 0}, u{1, 2, 3};
  // one axis alone turns: J dw/dt = torque + disturbance, with the torque limited to 0.05 N m
  const auto accelerations = [&](const hybrid::System& s) {
    const auto all = all_of(s, x, u, 1);
    return std::vector<double>(all.begin() + 4, all.begin() + 7);
  };
  EXPECT_THAT(accelerations(*heavy),
              ::testing::Pointwise(::testing::DoubleNear(1e-15),
                                   std::vector{1.0 / 20, (2 - 0.05) / 30, 3.0 / 15}));
}

TEST(Extended, DocumentsSayWhatCannotBeChanged) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("base.xml", R"(<hybridsystem name="B" version="1">
    <constants><constant name="gain" value="2" unit="N"/></constants>
    <states><state name="x"/></states>
    <location><name>L</name><diffequation state="x" unit="1">gain</diffequation></location></hybridsystem>)");
  const auto complaint = [&](const std::string& attributes, const std::string& content) {
    write("it.xml", "<hybridsystem name=\"I\" version=\"1\" " + attributes + ">" + content +
                        "</hybridsystem>");
    Diagnostics problems;
    const Type type = read_type(folder / "it.xml", problems);
    EXPECT_FALSE(type.system);
    return rendered(problems);
  };
  const std::string base = "extends=\"base.xml\"";
  EXPECT_THAT(complaint(base, "<constants><constant name=\"gian\" value=\"3\"/></constants>"),
              HasSubstr("did you mean gain?"));
  EXPECT_THAT(
      complaint(base, "<constants><constant name=\"gain\" value=\"3\" unit=\"m\"/></constants>"),
      HasSubstr("\"gain\" is in N in the extended document"));
  EXPECT_THAT(complaint(base, "<inputs><input name=\"u\"/></inputs>"),
              HasSubstr("<inputs> is not allowed in a document that extends another"));
  EXPECT_THAT(complaint("extends=\"it.xml\"", ""), HasSubstr("extend each other in a ring"));
  EXPECT_THAT(complaint("extends=\"none.xml\"", ""), HasSubstr("cannot be read: none.xml"));
  EXPECT_THAT(complaint("", ""), HasSubstr("has no <location>"));
}

}  // namespace
}  // namespace vernier::automaton
