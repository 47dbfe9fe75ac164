#include "vernier/run/desktop/places.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::desktop {
namespace {

namespace fs = std::filesystem;
using net::Role;

class PlacesTest : public ::testing::Test {
 protected:
  PlacesTest() {
    for (const fs::path& run : {folder / "start/runs/a-0001", folder / "elsewhere/b-0001"}) {
      fs::create_directories(run);
      std::ofstream(run / "manifest.json") << "{}";
    }
    std::ofstream(folder / "start/d.xml") << "<a/>";
    std::ofstream(folder / "elsewhere/e.xml") << "<a/>";
    fs::create_symlink("a-0001", folder / "start/runs/latest");
    fs::create_symlink(folder / "elsewhere/b-0001", folder / "start/runs/out");
    made.emplace(folder / "start", std::vector<fs::path>{});
  }
  template <class F>
  static std::string code_of(F f) {
    try {
      f();
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list().front().code;
    }
    return "";
  }

  TemporaryFolder folder;
  std::optional<Places> made;
};

TEST_F(PlacesTest, ShowWhatIsBelowTheStart) {
  EXPECT_EQ(made->run("runs/a-0001", Role::watch), "runs/a-0001");
  EXPECT_EQ(made->run("runs/latest", Role::watch), "runs/a-0001");
  EXPECT_EQ(made->run("./runs/../runs/a-0001/", Role::watch), "runs/a-0001");
  EXPECT_EQ(made->run((folder / "start/runs/a-0001").string(), Role::watch), "runs/a-0001");
  EXPECT_EQ(made->document("d.xml", Role::watch), "d.xml");
}

TEST_F(PlacesTest, RefuseWhatIsNotThere) {
  for (const char* name : {"", "runs", "runs/b", "d.xml", "/nowhere", "runs/a-0001/manifest.json"})
    EXPECT_EQ(code_of([&] { made->run(name, Role::control); }), "V8102") << name;
  for (const char* name : {"", "runs", "e.xml", "/dev/null"})
    EXPECT_EQ(code_of([&] { made->document(name, Role::control); }), "V8102") << name;
}

TEST_F(PlacesTest, ShowOthersWhatSomebodyInControlHasOpened) {
  const std::string run = (folder / "elsewhere/b-0001").string();
  EXPECT_EQ(code_of([&] { made->run(run, Role::watch); }), "V8107");
  EXPECT_EQ(code_of([&] { made->run("../elsewhere/b-0001", Role::watch); }), "V8107");
  EXPECT_EQ(code_of([&] { made->run("runs/out", Role::watch); }), "V8107") << "through a link";
  EXPECT_EQ(code_of([&] { made->document("../elsewhere/e.xml", Role::watch); }), "V8107");
  EXPECT_EQ(made->run(run, Role::control), fs::canonical(run));
  EXPECT_EQ(made->run(run, Role::watch), fs::canonical(run));
  EXPECT_EQ(code_of([&] { made->document("../elsewhere/e.xml", Role::watch); }), "V8107");
}

TEST_F(PlacesTest, ShowFurtherFolders) {
  Places more{folder / "start", {folder / "elsewhere", folder / "not there"}};
  EXPECT_EQ(more.document((folder / "elsewhere/e.xml").string(), Role::watch),
            fs::canonical(folder / "elsewhere/e.xml"));
}

}  // namespace
}  // namespace vernier::desktop
