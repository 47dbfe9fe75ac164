#include "vernier/run/desktop/documents.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/compose/requests.hpp"

namespace vernier::desktop {
namespace {

using nlohmann::ordered_json;

/// x' = u with a gain, for documents.
class Gain final : public Component {
 public:
  Gain() {
    description_.inputs = {{.name = "u", .unit = "m", .initial = std::vector<double>{2.0}},
                           {.name = "v", .unit = "m", .initial = std::vector<double>{0.0}}};
    description_.outputs = {{.name = "y", .unit = "m"}};
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

class DocumentsTest : public ::testing::Test {
 protected:
  DocumentsTest() {
    Type gain;
    gain.name = "gain";
    gain.parameters = {{.name = "k", .unit = "kg", .initial = "1", .description = "factor"},
                       {.name = "key", .kind = ParameterKind::file, .initial = "", .secret = true}};
    gain.component = [](const Parameters&) { return std::make_unique<Gain>(); };
    catalogue.add(std::move(gain));
    write("<component id='b' type='gain'><parameter name='k' value='3 g'/></component>");
  }
  void write(const std::string& more) {
    std::ofstream(document) << "<interconnection name='d'><component id='a' type='gain'/>" << more
                            << "<connect from='a.y' to='b.v'/><run stop='1 s'/>"
                               "</interconnection>";
  }

  /// The errors of a check; there are warnings of inputs that nothing drives.
  std::vector<ordered_json> errors(std::optional<std::string> text = {}) {
    std::vector<ordered_json> found;
    compose::Workplace place;
    place.catalogue = &catalogue;
    nlohmann::json request{{"do", "check"}, {"document", document.string()}};
    if (text) request["text"] = *text;
    const ordered_json checked = compose::answer(request, place);
    for (const auto& p : checked["problems"])
      if (p["severity"] == "error") found.push_back(p);
    return found;
  }

  TemporaryFolder folder;
  std::filesystem::path document = folder / "d.xml";
  Catalogue catalogue;
  Documents documents{catalogue};
};

TEST_F(DocumentsTest, ListParametersAndFreeInputs) {
  const ordered_json all = documents.parameters({document});
  std::vector<std::string> paths;
  for (const auto& p : all) paths.push_back(p["path"]);
  EXPECT_EQ(paths, (std::vector<std::string>{"a.k", "b.k", "a.u", "a.v", "b.u"}));
  EXPECT_EQ(all[1]["value"], "3");
  EXPECT_EQ(all[1]["unit"], "g");
  EXPECT_EQ(all[1]["given"], true);
  EXPECT_EQ(all[1]["live"], false);
  EXPECT_EQ(all[2]["live"], true);
  EXPECT_EQ(all[2]["set"], false);
  EXPECT_EQ(all[2]["value"], "2");
}

TEST_F(DocumentsTest, AreReadAgainWhenTheyChange) {
  EXPECT_EQ(documents.parameters({document})[1]["value"], "3");
  write("<component id='b' type='gain'><parameter name='k' value='4'/></component>");
  std::filesystem::last_write_time(
      document, std::filesystem::last_write_time(document) + std::chrono::seconds(1));
  EXPECT_EQ(documents.parameters({document})[1]["value"], "4");
}

TEST_F(DocumentsTest, AreCheckedAsAnEditorHasThem) {
  EXPECT_TRUE(errors().empty());
  const auto found = errors(
      "<interconnection name='d'>\n<component id='a' type='gane'/>\n"
      "<run stop='1 s'/></interconnection>");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["line"], 2);
  EXPECT_EQ(found[0]["file"], document.string());
  EXPECT_TRUE(errors().empty()) << "the file is as it was";
}

TEST_F(DocumentsTest, ShowTheirTextAlsoWithErrors) {
  std::ofstream(document) << "<interconnection name='d'><nonsense/></interconnection>";
  const ordered_json files = documents.source({document})["files"];
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0]["text"], "<interconnection name='d'><nonsense/></interconnection>");
  EXPECT_THROW(documents.parameters({document}), ConfigurationError);
}

}  // namespace
}  // namespace vernier::desktop
