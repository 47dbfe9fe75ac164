#include "vernier/component/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace vernier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<ParameterSpec> specs{
    {.name = "inertia", .unit = "kg*m^2", .count = 3, .description = "principal moments"},
    {.name = "altitude", .unit = "m", .initial = "600 km"},
    {.name = "samples", .kind = ParameterKind::integer, .initial = "4"},
    {.name = "law",
     .kind = ParameterKind::choice,
     .initial = "hold",
     .choices = {"hold", "linear"}},
    {.name = "limited", .kind = ParameterKind::boolean, .initial = "true"},
};
const Place here{"sat.xml", 3, 5, 4};

TEST(Parameters, ReadQuantitiesInSI) {
  Diagnostics problems;
  const Parameters p("body", specs, {{"inertia", {"1377, 1623 1569 g*m^2", "", {}}}}, 1, here,
                     problems);
  EXPECT_THAT(problems.list(), ::testing::IsEmpty()) << rendered(problems);
  EXPECT_THAT(p.reals("inertia"),
              ElementsAre(::testing::DoubleEq(1.377), ::testing::DoubleEq(1.623),
                          ::testing::DoubleEq(1.569)));
  EXPECT_EQ(p.real("altitude"), 600e3);
  EXPECT_EQ(p.integer("samples"), 4);
  EXPECT_EQ(p.text("law"), "hold");
  EXPECT_TRUE(p.boolean("limited"));
  EXPECT_TRUE(p.given("inertia"));
  EXPECT_FALSE(p.given("altitude"));
}

TEST(Parameters, TakeTheUnitBesideTheTextOrStickingToTheNumber) {
  Diagnostics problems;
  const Parameters p("o", specs, {{"inertia", {"1 2 3", "", {}}}, {"altitude", {"500", "km", {}}}},
                     1, here, problems);
  const Parameters q("o", specs, {{"inertia", {"1 2 3", "", {}}}, {"altitude", {"500km", "", {}}}},
                     1, here, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  EXPECT_EQ(p.real("altitude"), 500e3);
  EXPECT_EQ(q.real("altitude"), 500e3);
}

TEST(Parameters, RefuseCommasThatMayBeDecimalOnes) {
  for (const char* text : {"1,5 2", "1,2,3", "0,1 0,2 0,3"}) {
    Diagnostics problems;
    const Parameters p("body", specs, {{"inertia", {text, "", {}}}}, 1, here, problems);
    ASSERT_EQ(problems.errors(), 1u) << text;
    EXPECT_THAT(rendered(problems),
                HasSubstr(std::string(text) == "0,1 0,2 0,3" ? "the decimal separator is a point"
                                                             : "a comma directly between digits"));
  }
}

TEST(Parameters, TakeTurnsForAnglesOnlyWhereTheySaySo) {
  const std::vector<ParameterSpec> rates{{.name = "rate", .unit = "rad/s"},
                                         {.name = "mode", .unit = "rad/s", .turns = true}};
  Diagnostics problems;
  const Parameters p("it", rates, {{"rate", {"60 rpm", "", {}}}, {"mode", {"2", "Hz", {}}}}, 1,
                     here, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  EXPECT_DOUBLE_EQ(p.real("rate"), 2.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(p.real("mode"), 4.0 * std::numbers::pi);
  const Parameters q("it", rates, {{"rate", {"2 Hz", "", {}}}, {"mode", {"2 rad/s", "", {}}}}, 1,
                     here, problems);
  EXPECT_EQ(q.real("mode"), 2.0);
  ASSERT_EQ(problems.errors(), 1u);
  EXPECT_THAT(problems.list()[0].notes,
              ::testing::Contains(HasSubstr("1 Hz may mean 1 rad/s or 2π rad/s")));
}

TEST(Parameters, ReportEverythingThatIsWrongAtOnce) {
  Diagnostics problems;
  const Parameters p("body", specs,
                     {{"inertai", {"1 2 3", "", {"sat.xml", 4, 9, 7}}},
                      {"altitude", {"600 s", "", {"sat.xml", 5, 9, 5}}},
                      {"samples", {"4.5", "", {}}},
                      {"law", {"linaer", "", {}}}},
                     1, here, problems);
  ASSERT_EQ(problems.list().size(), 5u) << rendered(problems);
  EXPECT_EQ(problems.list()[0].message, "\"body\" has no parameter \"inertai\"");
  EXPECT_EQ(problems.list()[0].mark, "did you mean inertia?");
  EXPECT_EQ(problems.list()[0].place.line, 4);
  EXPECT_EQ(problems.list()[1].code, "V2141");
  EXPECT_THAT(problems.list()[1].notes,
              ElementsAre("it is 3 numbers in kg*m^2, separated by blanks: principal moments"));
  EXPECT_THAT(problems.list()[2].notes,
              ElementsAre("s is a time, a length (m) was expected", "it must be a number in m"));
  EXPECT_THAT(problems.list()[3].message, HasSubstr("4.5"));
  EXPECT_EQ(problems.list()[4].mark, "did you mean linear?");
}

TEST(Parameters, RefuseAValueAtItsPlace) {
  Diagnostics problems;
  const Parameters p("body", specs, {{"inertia", {"0 1 1", "", {"sat.xml", 7, 2, 1}}}}, 1, here,
                     problems);
  try {
    p.reject("inertia", "must be positive");
    FAIL() << "did not throw";
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().place.line, 7);
    EXPECT_EQ(e.diagnostics().list().front().message, "\"body.inertia\": must be positive");
  }
}

TEST(Parameters, GiveEachInstanceASeedOfItsOwn) {
  Diagnostics problems;
  const ParameterValues none;
  const std::vector<ParameterSpec> no_specs;
  const Parameters a("gyro1", no_specs, none, 1, here, problems),
      b("gyro2", no_specs, none, 1, here, problems), c("gyro1", no_specs, none, 2, here, problems),
      again("gyro1", no_specs, none, 1, here, problems);
  EXPECT_NE(a.seed(), b.seed());
  EXPECT_NE(a.seed(), c.seed());
  EXPECT_EQ(a.seed(), again.seed());
}

TEST(Parameters, FindFilesBesideTheDocumentThatNamesThem) {
  Diagnostics problems;
  const std::vector<ParameterSpec> file{{.name = "table", .kind = ParameterKind::file}};
  const Parameters p("c", file, {{"table", {"data/t.csv", "", {"missions/a/sat.xml", 1, 1, 1}}}}, 1,
                     here, problems);
  EXPECT_EQ(p.file("table"), "missions/a/data/t.csv");
}

}  // namespace
}  // namespace vernier
