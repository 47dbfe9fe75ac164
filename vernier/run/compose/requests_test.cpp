#include "vernier/run/compose/requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/compose/describe.hpp"
#include "vernier/run/compose/files.hpp"
#include "vernier/testing/formula_system.hpp"

namespace vernier::compose {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

void write(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list().front().code;
  }
  return "nothing thrown";
}

struct Desk {
  TemporaryFolder folder;
  Catalogue types;
  Workplace place;

  Desk() {
    place.catalogue = &types;
    place.folder = folder.path();
  }
  json ask(const json& request) { return answer(request, place); }
  std::string refused(const json& request) {
    return "error[" + code_of([&] { ask(request); }) + "]";
  }
};

TEST(Save, ReplacesTheContentAndKeepsThePermissions) {
  Desk d;
  write(d.folder / "a.xml", "old");
  fs::permissions(d.folder / "a.xml", fs::perms(0640));
  const json a = d.ask(
      {{"do", "save"}, {"document", "a.xml"}, {"text", "new\n"}, {"digest", digest_of("old")}});
  EXPECT_EQ(content(d.folder / "a.xml"), "new\n");
  EXPECT_EQ(a["digest"], digest_of("new\n"));
  EXPECT_EQ(fs::status(d.folder / "a.xml").permissions(), fs::perms(0640));
  // and no draft stays behind
  EXPECT_EQ(std::distance(fs::directory_iterator(d.folder.path()), fs::directory_iterator()), 1);
}

TEST(Save, RefusesAFileThatSomebodyElseChanged) {
  Desk d;
  write(d.folder / "a.xml", "theirs");
  EXPECT_EQ(d.refused({{"do", "save"},
                       {"document", "a.xml"},
                       {"text", "mine"},
                       {"digest", digest_of("what both began with")}}),
            "error[V8122]");
  EXPECT_EQ(content(d.folder / "a.xml"), "theirs");
}

TEST(Save, RefusesToOverwriteAFileAsANewOne) {
  Desk d;
  write(d.folder / "a.xml", "theirs");
  EXPECT_EQ(d.refused({{"do", "save"}, {"document", "a.xml"}, {"text", "mine"}, {"digest", ""}}),
            "error[V8122]");
  EXPECT_EQ(d.refused({{"do", "save"},
                       {"document", "gone.xml"},
                       {"text", "mine"},
                       {"digest", digest_of("gone")}}),
            "error[V8122]");
  EXPECT_FALSE(fs::exists(d.folder / "gone.xml"));
}

TEST(Save, WritesANewFile) {
  Desk d;
  d.ask({{"do", "save"}, {"document", "b.xml"}, {"text", "x"}, {"digest", ""}});
  EXPECT_EQ(content(d.folder / "b.xml"), "x");
}

TEST(Save, StaysBelowItsFolder) {
  Desk d;
  TemporaryFolder other;
  fs::create_symlink(other.path(), d.folder / "link");
  fs::create_directory(d.folder / ".hidden");
  for (const std::string file :
       {"../a.xml", "/etc/a.xml", "link/a.xml", ".hidden/a.xml", ".a.xml", "", ".", "x/../../a"}) {
    EXPECT_EQ(d.refused({{"do", "save"}, {"document", file}, {"text", "x"}, {"digest", ""}}),
              "error[V8121]")
        << file;
  }
  EXPECT_TRUE(fs::is_empty(other.path()));
}

TEST(Save, ReportsAFolderThatIsNotThere) {
  Desk d;
  EXPECT_EQ(d.refused({{"do", "save"}, {"document", "no/a.xml"}, {"text", "x"}, {"digest", ""}}),
            "error[V7502]");
}

TEST(Requests, NameWhatIsMissingOrOfAnotherKind) {
  Desk d;
  const auto message = [&d](const json& request) -> std::string {
    try {
      d.ask(request);
    } catch (const ConfigurationError& e) {
      const Diagnostic& first = e.diagnostics().list().front();
      EXPECT_EQ(first.code, "V8103");
      return first.message.substr(first.message.find(": ") + 2);
    }
    return {};
  };
  EXPECT_EQ(message({{"do", "save"}, {"document", "a"}}), "it has no \"text\"");
  EXPECT_EQ(message({{"do", "check"}, {"document", 7}}), "\"document\" is not a text");
  EXPECT_EQ(message({{"do", "describe"}, {"document", "a"}, {"instances", "x"}}),
            "\"instances\" is not a list");
  EXPECT_EQ(message({{"do", "describe"}, {"document", "a"}, {"instances", {7}}}),
            "it is no JSON object");
  EXPECT_EQ(message({{"do", "catalogue"}, {"document", true}}), "\"document\" is not a text");
  EXPECT_EQ(message(json::array()), "it is no JSON object");
}

TEST(Requests, KnowWhichOfThemWrite) {
  for (const char* name : {"save", "new"}) EXPECT_TRUE(knows(name) && writes(name)) << name;
  for (const char* name : {"check", "describe", "catalogue", "grammar"})
    EXPECT_TRUE(knows(name) && !writes(name)) << name;
  EXPECT_FALSE(knows("open") || writes("open"));
}

TEST(New, CopiesATemplateBelowTheFolder) {
  Desk d;
  d.place.starters = {{"cubesat", "a satellite", "main.xml"}};
  fs::path target;
  d.place.start = [&target](const Starter& s, const fs::path& t) {
    EXPECT_EQ(s.name, "cubesat");
    target = t;
  };
  EXPECT_EQ(d.ask({{"do", "new"}, {"template", "cubesat"}, {"folder", "sat"}})["document"],
            "sat/main.xml");
  EXPECT_EQ(target, fs::weakly_canonical(d.folder.path()) / "sat");
  target.clear();
  EXPECT_EQ(d.refused({{"do", "new"}, {"template", "cubesat"}, {"folder", "../sat"}}),
            "error[V8121]");
  EXPECT_EQ(d.refused({{"do", "new"}, {"template", "cubsat"}, {"folder", "sat"}}), "error[V8123]");
  EXPECT_TRUE(target.empty());
}

TEST(Check, ReadsTheTextInsteadOfTheFile) {
  Desk d;
  const std::string file = (d.folder / "a.xml").string();
  write(file, "this is not XML");
  const std::string text =
      "<interconnection name=\"a\" version=\"1\">\n  <systm id=\"x\" type=\"y\"/>\n"
      "</interconnection>\n";
  const json p = d.ask({{"do", "check"}, {"document", file}, {"text", text}})["problems"];
  ASSERT_EQ(p.size(), 1u);
  EXPECT_EQ(p[0]["code"], "V1203");
  EXPECT_EQ(p[0]["file"], file);
  EXPECT_EQ(p[0]["line"], 2);
  EXPECT_EQ(p[0]["column"], 4);
  EXPECT_EQ(p[0]["length"], 5);
  ASSERT_EQ(p[0]["fix"].size(), 1u);
  EXPECT_EQ(p[0]["fix"][0]["text"], "system");
  EXPECT_EQ(content(file), "this is not XML");
}

TEST(Check, ReadsOtherDocumentsThatAreNotSaved) {
  Desk d;
  const std::string outer = (d.folder / "outer.xml").string();
  const std::string inner = (d.folder / "inner.xml").string();
  write(inner,
        "<interconnection name=\"inner\" version=\"1\"><run stop=\"1 s\"/></interconnection>");
  const json request{{"do", "check"},
                     {"document", outer},
                     {"text",
                      "<interconnection name=\"o\" version=\"1\">"
                      "<composition id=\"c\" file=\"inner.xml\"/></interconnection>"}};
  for (const json& p : d.ask(request)["problems"]) EXPECT_EQ(p["severity"], "warning") << p;
  json changed = request;
  changed["others"] = {{{"file", inner}, {"text", "<interconnection name=\"inner\"><rum/>"}}};
  const json p = d.ask(changed)["problems"];
  ASSERT_FALSE(p.empty());
  EXPECT_EQ(p[0]["file"], inner);
}

TEST(Check, RenamesBothTagsOfAnElement) {
  Desk d;
  const json p = d.ask({{"do", "check"},
                        {"document", "a.xml"},
                        {"text",
                         "<interconnection name=\"a\">\n<sytem id=\"x\" type=\"t\">\n"
                         "</sytem></interconnection>"}})["problems"];
  const json fix = p[0]["fix"];
  ASSERT_EQ(fix.size(), 2u);
  EXPECT_EQ(fix[0]["line"], 2);
  EXPECT_EQ(fix[0]["column"], 2);
  EXPECT_EQ(fix[1]["line"], 3);
  EXPECT_EQ(fix[1]["column"], 3);
  EXPECT_EQ(fix[1]["length"], 5);
}

TEST(Grammar, SaysWhatTheDtdSays) {
  Desk d;
  d.place.grammars = {{"", "x.dtd",
                       "<!-- the\n  outermost -->\n<!ELEMENT a (b?, (c | d)*)>\n"
                       "<!ATTLIST a n CDATA #REQUIRED k (p | q) \"q\" v (1) #FIXED \"1\">\n"
                       "<!ELEMENT b (#PCDATA)><!ELEMENT c EMPTY><!ELEMENT d (a*)>"}};
  // a is inside d as well, which is inside a: it is no root
  EXPECT_TRUE(d.ask({{"do", "grammar"}})["roots"].empty());
  d.place.grammars[0].dtd =
      "<!-- the\n  outermost -->\n<!ELEMENT a (b?, (c | d)*)>\n"
      "<!ATTLIST a n CDATA #REQUIRED k (p | q) \"q\">\n"
      "<!ELEMENT b (#PCDATA)><!ELEMENT c EMPTY><!ELEMENT d (d*)>";
  const json g = d.ask({{"do", "grammar"}});
  ASSERT_EQ(g["roots"].size(), 1u);
  const json& a = g["roots"]["a"]["elements"]["a"];
  EXPECT_EQ(a["comment"], "the outermost");
  EXPECT_EQ(a["children"], json({"b", "c", "d"}));
  EXPECT_EQ(a["content"], "b?, (c | d)*");
  EXPECT_EQ(a["attributes"][0], json({{"name", "n"}, {"required", true}}));
  EXPECT_EQ(a["attributes"][1], json({{"name", "k"}, {"initial", "q"}, {"choices", {"p", "q"}}}));
  EXPECT_EQ(g["roots"]["a"]["elements"]["b"]["text"], true);
  EXPECT_THAT(g["functions"], Contains("sin"));
}

TEST(Grammar, ListsUnitsThatCanBeRead) {
  Desk d;
  const json units = d.ask({{"do", "grammar"}})["units"];
  EXPECT_GT(units.size(), 100u);
  for (const json& u : units) {
    const auto read = parsed_unit(u["unit"].get<std::string>());
    ASSERT_TRUE(read) << u;
    EXPECT_EQ(u["dimension"], text(*read)) << u;
  }
}

TEST(Describe, ShowsPortsAndParametersOfWhatCanBeMade) {
  Desk d;
  Type t;
  t.name = "spring";
  t.summary = "pulls";
  t.parameters = {{.name = "stiffness", .unit = "N/m"},
                  {.name = "way", .kind = ParameterKind::text, .initial = "fast"}};
  t.system = [](const Parameters& p) -> std::unique_ptr<hybrid::System> {
    if (p.real("stiffness") < 0.0) p.reject("stiffness", "must not be negative");
    return std::make_unique<vernier::testing::FormulaSystem>(vernier::testing::FormulaSystem::Model{
        .states = {},
        .inputs = {{.name = "length", .unit = "m"}},
        .outputs = {{.name = "force", .unit = "N"}},
        .locations = {{"only", [](const vernier::testing::Terms&, vernier::testing::Dual*) {}}}});
  };
  d.types.add(std::move(t));
  const auto described = [&d](const json& instance) {
    return d.ask(
        {{"do", "describe"}, {"document", "a.xml"}, {"instances", {instance}}})["instances"][0];
  };
  // the required parameter is missing: the ports are known anyway
  json one = described({{"kind", "system"}, {"name", "s"}, {"type", "spring"}});
  EXPECT_EQ(one["made"], true);
  EXPECT_EQ(one["summary"], "pulls");
  ASSERT_EQ(one["inputs"].size(), 1u);
  EXPECT_EQ(one["inputs"][0]["name"], "length");
  EXPECT_EQ(one["inputs"][0]["dimension"], "m");
  EXPECT_EQ(one["outputs"][0]["unit"], "N");
  EXPECT_EQ(one["parameters"][0]["name"], "stiffness");
  EXPECT_FALSE(one["parameters"][0].contains("initial"));
  EXPECT_EQ(one["parameters"][1]["initial"], "fast");
  // values that cannot be read do not hide the ports; values that the type refuses do
  EXPECT_EQ(described({{"kind", "system"},
                       {"name", "s"},
                       {"type", "spring"},
                       {"parameters", {{"stiffness", "soft"}, {"unknown", "1"}}}})["made"],
            true);
  EXPECT_EQ(described({{"kind", "system"},
                       {"name", "s"},
                       {"type", "spring"},
                       {"parameters", {{"stiffness", "-1 N/m"}}}})["made"],
            false);
  EXPECT_EQ(described({{"kind", "system"}, {"name", "s"}, {"type", "spiral"}})["made"], false);
  EXPECT_EQ(described({{"kind", "system"}, {"name", "s"}, {"file", "gone.xml"}})["made"], false);
}

TEST(Describe, ShowsTheEndsOfANestedComposition) {
  Desk d;
  const std::string inner = (d.folder / "inner.xml").string();
  const json one =
      d.ask({{"do", "describe"},
             {"document", (d.folder / "a.xml").string()},
             {"instances", {{{"kind", "composition"}, {"name", "c"}, {"file", "inner.xml"}}}},
             {"others",
              {{{"file", inner},
                {"text",
                 "<interconnection name=\"i\" version=\"1\"><input name=\"u\" "
                 "unit=\"N\"/></interconnection>"}}}}})["instances"][0];
  EXPECT_EQ(one["made"], true);
  ASSERT_EQ(one["inputs"].size(), 1u);
  EXPECT_EQ(one["inputs"][0]["name"], "u");
  EXPECT_EQ(one["inputs"][0]["unit"], "N");
}

TEST(Catalogue, ListsDocumentsNearby) {
  Desk d;
  fs::create_directory(d.folder / "models");
  write(d.folder / "a.xml", "<interconnection/>");
  write(d.folder / "models/b.xml", "<!-- x --><interconnection/>");
  write(d.folder / "c.xml", "<svg/>");
  write(d.folder / "d.txt", "<interconnection/>");
  const json all =
      d.ask({{"do", "catalogue"}, {"document", (d.folder / "a.xml").string()}})["files"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["file"], "a.xml");
  EXPECT_EQ(all[0]["kind"], "composition");
  EXPECT_EQ(all[1]["file"], "models/b.xml");
}

}  // namespace
}  // namespace vernier::compose
