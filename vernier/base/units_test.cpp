#include "vernier/base/units.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace vernier {
namespace {

constexpr double pi = std::numbers::pi;

Unit unit(std::string_view text) {
  const auto u = parsed_unit(text);
  EXPECT_TRUE(u) << text;
  return u.value_or(Unit{});
}

TEST(Units, NameTheirPowersOfTheBaseUnits) {
  EXPECT_EQ(unit("kg*m^2").power, (std::array<std::int8_t, 7>{2, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(unit("N").power, (std::array<std::int8_t, 7>{1, 1, -2, 0, 0, 0, 0}));
  EXPECT_EQ(unit("1/s").power, (std::array<std::int8_t, 7>{0, 0, -1, 0, 0, 0, 0}));
  EXPECT_EQ(unit("cd mol/K").power, (std::array<std::int8_t, 7>{0, 0, 0, 0, -1, 1, 1}));
}

// Each pair by the definition of the derived unit (SI brochure, 9th edition, table 4).
TEST(Units, AgreeWithTheirDefinitions) {
  const std::pair<const char*, const char*> same[] = {
      {"N", "kg m/s^2"},     {"Pa", "N/m^2"},
      {"J", "N m"},          {"W", "J/s"},
      {"C", "A s"},          {"V", "W/A"},
      {"F", "C/V"},          {"Ohm", "V/A"},
      {"S", "1/Ohm"},        {"Wb", "V s"},
      {"T", "Wb/m^2"},       {"H", "Wb/A"},
      {"Hz", "1/s"},         {"lx", "lm/m^2"},
      {"Gy", "J/kg"},        {"kat", "mol/s"},
      {"Ohm", "ohm"},        {"ohm", "\u03a9"},
      {"Nm", "N m"},         {"Nms", "N*m*s"},
      {"m/s/s", "m/s^2"},    {"m s^-2", "m/s^2"},
      {"(m/s)^2", "J/kg"},   {"kg\u00b7m\u00b2", "kg m^2"},
      {"N m s", "kg*m^2/s"}, {"W/(m^2 K)", "kg/(s^3 K)"},
      {"deg/s", "1/s"},      {"%", "1"},
  };
  for (const auto& [a, b] : same) EXPECT_TRUE(same_dimension(unit(a), unit(b))) << a << " " << b;
  EXPECT_EQ(unit("N").factor, unit("kg m/s^2").factor);
}

TEST(Units, ReadAsThePhysicistMeansThem) {
  EXPECT_EQ(unit("m"), (Unit{{1}, 1.0}));
  EXPECT_EQ(unit("mm").factor, 1e-3);
  EXPECT_EQ(unit("min"), (Unit{{0, 0, 1}, 60.0}));    // not milli-inch
  EXPECT_EQ(unit("cd").power, unit("lm").power);      // not centi-day
  EXPECT_EQ(unit("h"), (Unit{{0, 0, 1}, 3600.0}));    // not hecto
  EXPECT_EQ(unit("d"), (Unit{{0, 0, 1}, 86400.0}));   // not deci
  EXPECT_EQ(unit("T"), (Unit{{0, 1, -2, -1}, 1.0}));  // not tera
  EXPECT_EQ(unit("mT"), (Unit{{0, 1, -2, -1}, 1e-3}));
  EXPECT_EQ(unit("Pa").factor, 1.0);  // not peta-year
  EXPECT_EQ(unit("kg"), (Unit{{0, 1}, 1.0}));
  EXPECT_EQ(unit("g").factor, 1e-3);
  EXPECT_EQ(unit("nm"), (Unit{{1}, 1e-9}));
  EXPECT_FALSE(same_dimension(unit("nm"), unit("Nm")));
  EXPECT_EQ(unit("dam").factor, 10.0);
  EXPECT_EQ(unit("dm").factor, 0.1);
  EXPECT_EQ(unit("au").factor, 149597870700.0);  // IAU 2012 resolution B2
  EXPECT_EQ(unit("mol").factor, 1.0);            // not milli-something
  EXPECT_EQ(unit("\u00b5T").factor, unit("uT").factor);
  EXPECT_EQ(unit("\u03bcT").factor, 1e-6);
  EXPECT_EQ(unit("gauss").factor, 1e-4);
  EXPECT_EQ(unit("deg").factor, pi / 180);
  EXPECT_EQ(unit("rpm").factor, pi / 30);
  EXPECT_EQ(unit("km/h").factor, 1000.0 / 3600.0);
  EXPECT_EQ(unit("mAh").factor, 3.6);
  EXPECT_EQ(unit("kWh").factor, 3.6e6);
  EXPECT_EQ(unit("mL").factor, 1e-6);
  EXPECT_EQ(unit("mbar").factor, 100.0);
  EXPECT_EQ(unit("1/mm^2").factor, 1e6);
}

TEST(Units, RefuseWhatIsNotAUnit) {
  for (const char* bad :
       {"",       " ",     "x",      "A.m2", "m2",       "m^",   "m^x",  "m^1.5", "m^1000",
        "kkg",    "mmin",  "kdeg",   "(m",   "m)",       "m//s", "/s",   "m/",    "*m",
        "2",      "11",    "1m",     "m**2", "G",        "in",   "kmin", "()",    "m\xff",
        "J/kg K", "m^2^2", "\u00b2", "Tkg",  "m s^99 s", "inf",  "nan"}) {
    EXPECT_FALSE(parsed_unit(bad)) << bad;
  }
}

TEST(Units, RefuseLongAndDeepTextsAtOnce) {
  EXPECT_FALSE(parsed_unit(std::string(1'000'000, '(')));
  EXPECT_FALSE(parsed_unit(std::string(200, '(') + "m" + std::string(50, ')')));
  EXPECT_FALSE(parsed_unit(std::string(100, '(') + "m" + std::string(100, ')')));
  EXPECT_TRUE(parsed_unit("((((m))))"));
  EXPECT_FALSE(parsed_unit("((((((m^99)^99)^99)^99)^99)^99)"));
  EXPECT_FALSE(parsed_unit("Ym^20"));  // the factor overflows
  EXPECT_FALSE(parsed_unit("ym^20"));
}

TEST(Units, MultiplyDivideAndTakeRoots) {
  EXPECT_EQ(product(unit("N"), unit("m")), unit("J"));
  EXPECT_EQ(quotient(unit("km"), unit("h")).power, unit("m/s").power);
  EXPECT_EQ(power(unit("m"), 3), unit("m^3"));
  EXPECT_EQ(power(unit("m^2/s^2"), 1, 2), unit("m/s"));
  EXPECT_EQ(power(unit("km^2"), 1, 2)->factor, 1000.0);
  EXPECT_FALSE(power(unit("m"), 1, 2));
  EXPECT_FALSE(power(unit("m"), 1, 0));
  EXPECT_FALSE(power(unit("m"), 1000));
  EXPECT_TRUE(dimensionless(unit("rad")));
  EXPECT_TRUE(dimensionless(unit("%")));
  EXPECT_FALSE(dimensionless(unit("Hz")));
}

TEST(Units, SaySoInUsualWords) {
  EXPECT_EQ(text(unit("J")), "N*m");
  EXPECT_EQ(text(unit("rad/s")), "1/s");
  EXPECT_EQ(text(unit("deg")), "1");
  EXPECT_EQ(text(unit("m/s")), "m/s");
  EXPECT_EQ(text(unit("kg*m^2")), "kg*m^2");
  EXPECT_EQ(text(unit("W/V")), "A");
  EXPECT_EQ(text(unit("uT/s")), "T/s");
  EXPECT_EQ(text(unit("A m^2")), "A*m^2");
  EXPECT_EQ(text(unit("m^3/(kg s^2)")), "m^3/(kg*s^2)");
}

TEST(Units, ReadTheirOwnText) {
  for (int m = -3; m <= 3; ++m) {
    for (int kg = -2; kg <= 2; ++kg) {
      for (int s = -4; s <= 4; ++s) {
        for (int a = -2; a <= 2; ++a) {
          Unit u;
          u.power = {static_cast<std::int8_t>(m), static_cast<std::int8_t>(kg),
                     static_cast<std::int8_t>(s), static_cast<std::int8_t>(a)};
          EXPECT_EQ(parsed_unit(text(u)), u) << text(u);
        }
      }
    }
  }
}

TEST(Units, AreAsTheReferencePageSays) {
  std::ifstream file(VERNIER_SOURCE_DIR "/docs/reference/units.md");
  int found = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ") || line.starts_with("| prefixes")) continue;
    std::stringstream cells(line);
    for (std::string part; std::getline(cells, part, '`');) {
      if (!std::getline(cells, part, '`')) break;
      EXPECT_TRUE(parsed_unit(part)) << part;
      ++found;
    }
  }
  EXPECT_EQ(found, 51);
}

TEST(Quantities, AreConvertedToSi) {
  EXPECT_EQ(parsed_quantity("4.1 kg", "kg"), 4.1);
  EXPECT_EQ(parsed_quantity("600km", "m"), 600e3);
  EXPECT_EQ(parsed_quantity("10 ms", "s"), 0.01);
  EXPECT_EQ(parsed_quantity("-3", "1"), -3.0);
  EXPECT_EQ(parsed_quantity("+3", "1"), 3.0);
  EXPECT_EQ(parsed_quantity(" 2.5e-3\n", "m"), 2.5e-3);
  EXPECT_EQ(parsed_quantity("600", "km"), 600e3);  // a bare number has the unit expected
  EXPECT_EQ(parsed_quantity("180 deg", "rad"), pi);
  EXPECT_EQ(parsed_quantity("1e3m", "m"), 1000.0);
  EXPECT_EQ(parsed_quantity("2eV", "J"), 2 * 1.602176634e-19);
  EXPECT_EQ(parsed_quantity(".5 %", "1"), 0.005);
  EXPECT_EQ(parsed_quantity("5 1/s", "Hz"), 5.0);
  EXPECT_EQ(parsed_quantity("90 min", "s"), 5400.0);
  EXPECT_EQ(parsed_quantity("7.3 mT", "T"), 0.0073);
}

TEST(Quantities, OfAnotherDimensionAreRefused) {
  EXPECT_FALSE(parsed_quantity("3 s", "m"));
  EXPECT_FALSE(parsed_quantity("3 kg", "1"));
  EXPECT_FALSE(parsed_quantity("3", "nonsense"));
}

TEST(Quantities, ThatAreNoneAreRefused) {
  for (const char* bad : {"", " ", "kg", "-", "+-3", "--3", "1.2.3", "0x10", "inf", "nan", "1e999",
                          "3 1", "3 4", "3,4", ".", "e5", "1e300 Ym", "5 e3"}) {
    EXPECT_FALSE(parsed_quantity(bad, "m")) << bad;
    EXPECT_FALSE(parsed_quantity(bad, "1")) << bad;
  }
  EXPECT_FALSE(parsed_quantity(std::string(1'000'000, '1'), "1"));
}

TEST(Units, SayWhatTheyMeasure) {
  const std::pair<const char*, const char*> names[] = {
      {"kg", "a mass"},
      {"g", "a mass"},
      {"N*m", "a torque"},
      {"mN m", "a torque"},
      {"J", "an energy"},
      {"kWh", "an energy"},
      {"rad/s", "an angular velocity"},
      {"Hz", "a frequency"},
      {"1/s", "a rate"},
      {"deg", "an angle"},
      {"kg*m^2", "a moment of inertia"},
      {"mT", "a magnetic flux density"},
      {"kg*s^3", ""},
      {"nonsense", ""},
  };
  for (const auto& [unit, name] : names) EXPECT_EQ(quantity(unit), name) << unit;
}

TEST(Units, SayWhyOneCannotStandForAnother) {
  EXPECT_EQ(unit_mismatch("kg", "N*m"), "kg is a mass, a torque (N*m) was expected");
  EXPECT_EQ(unit_mismatch("J", "W"), "J is an energy, a power (W) was expected");
  EXPECT_EQ(unit_mismatch("m", "1"), "m is a length, a number without unit was expected");
  EXPECT_EQ(unit_mismatch("1", "m"), "it has no unit, a length (m) was expected");
  EXPECT_EQ(unit_mismatch("kgs", "kg"), "\"kgs\" is not a unit, a mass (kg) was expected");
  EXPECT_EQ(unit_mismatch("kg*s^3", "m^5"), "kg*s^3 was given, m^5 was expected");
}

TEST(Units, OfTurnsDoNotStandForAngles) {
  EXPECT_TRUE(interchangeable("Hz", "1/s"));
  EXPECT_TRUE(interchangeable("kHz", "Hz"));
  EXPECT_TRUE(interchangeable("rpm", "rad/s"));
  EXPECT_TRUE(interchangeable("rad/s", "1/s"));
  EXPECT_TRUE(interchangeable("km", "m"));
  EXPECT_FALSE(interchangeable("Hz", "rad/s"));
  EXPECT_FALSE(interchangeable("deg/s", "Hz"));
  EXPECT_FALSE(interchangeable("kg", "m"));
  EXPECT_FALSE(interchangeable("kgs", "kg"));
  EXPECT_FALSE(parsed_quantity("2 Hz", "rad/s"));
  EXPECT_EQ(parsed_quantity("2 Hz", "1/s"), 2.0);
  EXPECT_EQ(quantity_problem("2 Hz", "rad/s"),
            "1 Hz may mean 1 rad/s or 2π rad/s: write rad/s, deg/s, rpm or rev/s");
  EXPECT_EQ(quantity_problem("2 rad/s", "Hz"), "1 Hz may mean 1 rad/s or 2π rad/s: write it in Hz");
}

TEST(Units, SayWhyATextIsNotAQuantity) {
  EXPECT_EQ(quantity_problem("0,2", "m"), "the decimal separator is a point: write 0.2");
  EXPECT_EQ(quantity_problem("0,1 0,2 0,3 rad/s", "rad/s", 3),
            "the decimal separator is a point: write 0.1 0.2 0.3 rad/s");
  EXPECT_EQ(quantity_problem("1,2,3", "m", 2), "3 numbers are given, 2 are needed");
  EXPECT_EQ(quantity_problem("1,5 2", "m", 3),
            "a comma directly between digits may mean two things: write 1.5 2 or 1, 5 2");
  EXPECT_EQ(quantity_problem("1,5 2", "m", 0), "the decimal separator is a point: write 1.5 2");
  EXPECT_EQ(quantity_problem("4.1kg", "m"), "kg is a mass, a length (m) was expected");
  EXPECT_EQ(quantity_problem("4.1 kgs", "kg"), "\"kgs\" is not a unit, a mass (kg) was expected");
  EXPECT_EQ(quantity_problem("fast", "m/s"), "");
}

TEST(Units, AreShownAsTheAuthorWroteThem) {
  const std::vector<std::string> written{"mm", "rad/s", "J"};
  EXPECT_EQ(text(unit("N*m"), written), "J");
  EXPECT_EQ(text(unit("1/s"), written), "rad/s");
  EXPECT_EQ(text(unit("m"), written), "m");
}

}  // namespace
}  // namespace vernier
