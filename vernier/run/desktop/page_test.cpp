#include "vernier/run/desktop/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "vernier/base/diagnostic.hpp"

namespace vernier::desktop {
namespace {

using ::testing::HasSubstr;

const std::string zip = "\x1f\x8b";

std::string pack(const std::string& list, const std::string& contents) {
  return "vernier page 1\n" + list + "\n" + contents;
}
std::string good() {
  return pack("index.html text/html 5\nassets/main-Ab12_-xZ.js text/javascript;charset=utf-8 4\n",
              zip + "abc" + zip + "de");
}
std::string field(const net::WebAnswer& a, const std::string& name) {
  for (const auto& f : a.fields) {
    if (f.name == name) return f.value;
  }
  return "";
}
std::string refusal(const std::string& text) {
  try {
    Page page(text);
  } catch (const ConfigurationError& e) {
    const std::string said = rendered(e.diagnostics());
    EXPECT_THAT(said, HasSubstr("error[V8110]: the page in this program is damaged: "));
    return said;
  }
  return "";
}

TEST(Page, ServesItsFilesCompressed) {
  const Page page(good());
  const auto index = page.file("/");
  ASSERT_TRUE(index);
  EXPECT_EQ(index->type, "text/html; charset=utf-8");
  EXPECT_EQ(field(*index, "Content-Encoding"), "gzip");
  EXPECT_EQ(field(*index, "Cache-Control"), "no-cache");
  EXPECT_EQ(index->body->size(), 5u);
  EXPECT_EQ(index->tag.size(), 34u);
  const auto script = page.file("/assets/main-Ab12_-xZ.js");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->type, "text/javascript;charset=utf-8");
  EXPECT_THAT(field(*script, "Cache-Control"), HasSubstr("immutable"));
  EXPECT_NE(script->tag, index->tag);
  EXPECT_TRUE(page.file("/index.html"));
  EXPECT_FALSE(page.file("/other"));
  EXPECT_FALSE(page.file("index.html"));
  EXPECT_FALSE(page.file("/../index.html"));
}

TEST(Page, ThatIsDamagedIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("ends in its list"));
  EXPECT_THAT(refusal("vernier page 2\n\n"), HasSubstr("does not begin"));
  EXPECT_THAT(refusal(pack("", "")), HasSubstr("no index.html"));
  EXPECT_THAT(refusal(pack("index.html text/html 6\n", zip + "abc")), HasSubstr("cut off"));
  EXPECT_THAT(refusal(pack("index.html text/html 4\n", zip + "abc")), HasSubstr("more in it"));
  EXPECT_THAT(refusal(pack("index.html text/html 3\n", "abc")), HasSubstr("gzip"));
  for (const char* line : {"index.html text/html", "index.html text/html -1", "/a text/html 2",
                           "index.html text/html 2 3", "a\"b text/html 2",
                           "index.html text/html 99999999999999999999"})
    EXPECT_THAT(refusal(pack(std::string(line) + "\n", zip)), HasSubstr("list of files")) << line;
}

}  // namespace
}  // namespace vernier::desktop
