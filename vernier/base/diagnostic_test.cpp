#include "vernier/base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace vernier {
namespace {

Diagnostic misspelt() {
  Diagnostic d;
  d.code = "V1203";
  d.message = "<diffequaton> is not an element of <location>";
  d.place = {"battery.xml", 14, 6, 11};
  d.source = {{14, "    <diffequaton state=\"C\">(2.7e-4*(M*Pin-20))/V</diffequaton>"}};
  d.mark = "did you mean <diffequation>?";
  d.notes = {"here may come: diffequation*, outputmap*, transitions?"};
  return d;
}

TEST(Diagnostic, IsShownWithItsPlaceMarkAndAdvice) {
  EXPECT_EQ(rendered(misspelt()),
            "error[V1203]: <diffequaton> is not an element of <location>\n"
            "  --> battery.xml:14:6\n"
            "   |\n"
            "14 |     <diffequaton state=\"C\">(2.7e-4*(M*Pin-20))/V</diffequaton>\n"
            "   |      ^^^^^^^^^^^ did you mean <diffequation>?\n"
            "   = here may come: diffequation*, outputmap*, transitions?\n"
            "   = see: vernier explain V1203\n");
}

TEST(Diagnostic, KeepsTheMarkUnderItsColumnBehindTabsAndWideCharacters) {
  Diagnostic d = misspelt();
  d.source = {{9, "\tω = <b>"}};
  d.place = {"a.xml", 9, 6, 3};
  EXPECT_NE(rendered(d).find("   | \t    ^^^ did"), std::string::npos) << rendered(d);
}

TEST(Diagnostic, ShowsAChainAndNoSourceWhereThereIsNone) {
  Diagnostic d;
  d.severity = Severity::warning;
  d.message = "a loop";
  d.place = {"docking.xml", 0, 0, 0};
  d.body = {"  a.y  → b.u   (line 33)"};
  EXPECT_EQ(rendered(d), "warning: a loop\n  --> docking.xml\n     a.y  → b.u   (line 33)\n");
}

TEST(Diagnostics, AreCountedAndCutAfterTheMost) {
  Diagnostics all;
  for (int i = 0; i < 23; ++i) all.add(misspelt());
  all.warning("V1340", "no transition leaves \"Safe\"", {"battery.xml", 3, 1, 1});
  EXPECT_EQ(all.errors(), 23u);
  EXPECT_EQ(all.warnings(), 1u);
  const std::string counted = "\nand 4 more\n\n23 errors in battery.xml";
  EXPECT_TRUE(rendered(all).ends_with(counted + "\n"));
  EXPECT_TRUE(rendered(all, 20, {.no_run = true}).ends_with(counted + "; nothing was run\n"));
}

TEST(Diagnostics, ThrowOnlyForErrors) {
  Diagnostics all;
  all.warning("V1340", "careful", {});
  EXPECT_NO_THROW(all.throw_if_errors());
  all.add(misspelt());
  try {
    all.throw_if_errors();
    FAIL() << "did not throw";
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().size(), 2u);
    EXPECT_NE(std::string(e.what()).find("V1203"), std::string::npos);
  }
}

TEST(Diagnostic, ShowsOfALongLineThePartThatIsMeant) {
  std::string line(100'000, 'a');
  line.replace(50'000, 5, "wrong");
  Diagnostic d;
  d.message = "it is wrong";
  d.place = {"long.xml", 1, 50'001, 5};
  d.source = {{1, line}};
  const std::string text = rendered(d);
  EXPECT_EQ(text, "error: it is wrong\n  --> long.xml:1:50001\n   |\n 1 | …" +
                      std::string(80, 'a') + "wrong" + std::string(75, 'a') + "…\n   | " +
                      std::string(81, ' ') + "^^^^^\n");
}

}  // namespace
}  // namespace vernier
