#include "vernier/gateway/connector/connector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/testing/files.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::connector {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

const std::filesystem::path format = VERNIER_SOURCE_DIR "/formats/connector";

TEST(ConnectorFormat, ReadsEveryGoodExample) {
  const auto all = testing::files(format / "good", ".xml");
  EXPECT_GE(all.size(), 4u);
  for (const auto& path : all) {
    Diagnostics problems;
    EXPECT_TRUE(read_connector(path, problems)) << rendered(problems);
    EXPECT_TRUE(problems.list().empty()) << rendered(problems);
  }
}

TEST(ConnectorFormat, AnswersEveryBadExampleWithItsMessage) {
  const auto all = testing::files(format / "bad", ".xml");
  EXPECT_GE(all.size(), 16u);
  std::filesystem::current_path(format / "bad");
  std::string said;
  for (const auto& path : all) {
    Diagnostics problems;
    EXPECT_FALSE(read_connector(path.filename(), problems)) << path;
    const std::string text = rendered(problems);
    auto expected = path;
    EXPECT_EQ(text, testing::content(expected.replace_extension(".txt"))) << path;
    said += text;
  }
  for (const char* code :
       {"V5001", "V5002", "V5003", "V5004", "V5005", "V5006", "V5007", "V5008"}) {
    EXPECT_NE(said.find(code), std::string::npos) << code << " has no bad example";
    EXPECT_TRUE(
        std::filesystem::exists(std::string(VERNIER_SOURCE_DIR "/docs/messages/") + code + ".md"));
  }
}

TEST(ConnectorFormat, EveryParameterIsInItsDescription) {
  const std::string text = testing::content(format / "README.md");
  for (const auto& path : testing::files(format / "good", ".xml")) {
    Diagnostics problems;
    const auto connector = read_connector(path, problems);
    ASSERT_TRUE(connector);
    for (const auto& p : type_of(*connector).parameters) {
      EXPECT_NE(text.find("`" + p.name + "`"), std::string::npos) << p.name;
    }
  }
}

Type read_type(const Catalogue& catalogue, const std::filesystem::path& path) {
  Diagnostics problems;
  const DocumentKind* kind = catalogue.document("ioconnector");
  EXPECT_NE(kind, nullptr);
  Type type = kind->read(testing::content(path), path, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return type;
}

std::unique_ptr<Component> made(const Type& type, const ParameterValues& values) {
  Diagnostics problems;
  const Parameters parameters("it", type.parameters, values, 1, {}, problems);
  problems.throw_if_errors();
  return type.component(parameters);
}

TEST(Connector, MakesASourceWhoseFileStandsBesideTheDocument) {
  Catalogue catalogue;
  add_connectors(catalogue);
  const Type type = read_type(catalogue, format / "good/source.xml");
  const auto component = made(type, {});
  Rig rig(*component);
  rig.step(500ms);
  rig.settle();
  EXPECT_NEAR(rig.out("omega", 0), std::numbers::pi / 2, 1e-15);  // 90 deg/s, half way to 180
  EXPECT_NE(dynamic_cast<PacerSource*>(component.get()), nullptr);
}

TEST(Connector, MakesASinkInTheUnitsOfItsDocument) {
  Catalogue catalogue;
  add_connectors(catalogue);
  const Type type = read_type(catalogue, format / "good/log.xml");
  const TemporaryFolder folder;
  const auto path = folder / "log.csv";
  {
    const auto component = made(type, {{"file", {path.string()}}});
    Rig rig(*component);
    rig.in("omega", 1) = std::numbers::pi;
    rig.react();
  }
  EXPECT_EQ(
      testing::content(path),
      "t (s),body rate[0] (deg/s),body rate[1] (deg/s),body rate[2] (deg/s),mode\n0,0,180,0,0\n");
}

TEST(Connector, ACompositionMayReplaceWhatTheDocumentSays) {
  Catalogue catalogue;
  std::string told;
  add_connectors(catalogue, {.notice = [&](const std::string& s) { told = s; }});
  const Type type = read_type(catalogue, format / "good/plant.xml");
  const auto component = made(type, {{"connect", {"127.0.0.1:1"}}, {"patience", {"10 ms"}}});
  EXPECT_TRUE(component->description().abilities.rewinds);
  ASSERT_EQ(component->description().feedthrough.size(), 1u);
  EXPECT_THROW(Rig{*component}, ConfigurationError);
  EXPECT_EQ(told, "waiting for \"it\" at 127.0.0.1:1 (0.01 s)");
  EXPECT_THROW(made(type, {{"connect", {"nowhere"}}}), ConfigurationError);
  EXPECT_THROW(made(type, {{"timeout", {"0"}}}), ConfigurationError);
}

TEST(Connector, ADocumentThatCannotBeUsedGivesAnEmptyType) {
  Catalogue catalogue;
  add_connectors(catalogue);
  Diagnostics problems;
  const Type type =
      catalogue.document("ioconnector")
          ->read(testing::content(format / "bad/version.xml"), "version.xml", problems);
  EXPECT_FALSE(type.component);
  EXPECT_EQ(problems.errors(), 1u);
}

}  // namespace
}  // namespace vernier::connector
