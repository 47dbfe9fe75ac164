#include "vernier/run/composition/sources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "vernier/base/temporary_folder.hpp"

namespace vernier::composition {
namespace {

using ::testing::HasSubstr;

class Documents : public ::testing::Test {
 protected:
  Documents() {
    catalogue_.add(DocumentKind{
        "model", "a model", InstanceKind::system,
        [this](const std::string& content, const std::filesystem::path& file, Diagnostics& found) {
          ++compiled_;
          Type type;
          if (content.find("bad") != std::string::npos) {
            found.error("V1301", "bad", {.file = file.string(), .line = 1});
            return type;
          }
          type.name = content;
          type.files = {"table.csv"};
          type.system = [](const Parameters&) { return std::unique_ptr<hybrid::System>(); };
          return type;
        }});
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  TemporaryFolder folder_;
  Catalogue catalogue_;
  Sources sources_;
  int compiled_ = 0;
};

TEST_F(Documents, KeepWhatTheyHeldWhenTheyWereRead) {
  const auto file = write("a.xml", "<model/>");
  Diagnostics problems;
  EXPECT_EQ(sources_.find(file), nullptr);
  ASSERT_TRUE(sources_.content(file, problems));
  write("a.xml", "<changed/>");
  EXPECT_EQ(*sources_.content(file, problems), "<model/>");
  EXPECT_EQ(*sources_.content(folder_ / "." / "a.xml", problems), "<model/>");
  EXPECT_EQ(*sources_.find(file), "<model/>");
  EXPECT_EQ(problems.errors(), 0u);
  EXPECT_FALSE(sources_.content(folder_ / "none.xml", problems));
  EXPECT_THAT(rendered(problems), HasSubstr("V1200"));
}

TEST_F(Documents, AreCompiledOnceForAllThatNameThem) {
  const auto file = write("a.xml", "<model/>");
  Diagnostics problems;
  const Type* first = sources_.type(file, {}, catalogue_, nullptr);
  const Type* second = sources_.type(file, {}, catalogue_, &problems);
  ASSERT_TRUE(first);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->name, "<model/>");
  EXPECT_EQ(compiled_, 1);
  EXPECT_THAT(sources_.files(), ::testing::ElementsAre("table.csv"));
}

TEST_F(Documents, ReportWhatIsWrongToAllWhoWantToKnow) {
  const auto file = write("a.xml", "<model>bad</model>");
  Diagnostics first, second;
  EXPECT_FALSE(sources_.type(file, {}, catalogue_, nullptr));
  EXPECT_FALSE(sources_.type(file, {}, catalogue_, &first));
  EXPECT_FALSE(sources_.type(file, {}, catalogue_, &second));
  EXPECT_EQ(first.errors(), 1u);
  EXPECT_EQ(second.errors(), 1u);
  EXPECT_EQ(compiled_, 1);
}

TEST_F(Documents, OfNoKnownKindAreReportedWhereTheyAreNamed) {
  const auto said = [&](const std::filesystem::path& file) {
    Diagnostics problems;
    EXPECT_FALSE(
        sources_.type(file, {.file = "top.xml", .line = 3, .column = 5}, catalogue_, &problems));
    return rendered(problems);
  };
  EXPECT_THAT(said(write("a.xml", "<modle/>")), HasSubstr("did you mean <model>?"));
  EXPECT_THAT(said(write("b.xml", "<interconnection/>")), HasSubstr("<composition id="));
  EXPECT_THAT(said(write("c.xml", "plain")), HasSubstr("cannot read"));
  EXPECT_THAT(said(folder_ / "none.xml"), HasSubstr("top.xml:3:5"));
  EXPECT_EQ(compiled_, 0);
}

}  // namespace
}  // namespace vernier::composition
