#include "vernier/base/native_code.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier {
namespace {

namespace fs = std::filesystem;

/// A shared object that creates a file as soon as it is loaded, and counts in a variable.
class Marked {
 public:
  explicit Marked(const std::string& name = "code") : object_(folder_ / (name + ".so")) {
    build(1);
  }
  const fs::path& object() const { return object_; }
  fs::path folder() const { return folder_.path(); }
  bool ran() const { return fs::exists(folder_ / "marker"); }
  void build(int start) const {
    std::ofstream(folder_ / "code.c")
        << "#include <stdio.h>\n"
           "static int n = "
        << start
        << ";\nint next(void) { return n++; }\n"
           "__attribute__((constructor)) static void mark(void) {\n"
           "  FILE* f = fopen(\""
        << (folder_ / "marker").string() << "\", \"w\");\n  if (f) fclose(f);\n}\n";
    const std::string command =
        "cc -fPIC -shared -o '" + object_.string() + "' '" + (folder_ / "code.c").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }

 private:
  TemporaryFolder folder_;
  fs::path object_;
};

std::string refusal(NativeCode& code, const fs::path& file) {
  try {
    const auto loaded = code.load(file);
    return loaded ? "loaded" : loaded.error();
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list().front().code;
  }
}

TEST(NativeCode, IsNotRunUnlessItIsTrusted) {
  const Marked code;
  NativeCode nothing_trusted{Trust()};
  EXPECT_EQ(refusal(nothing_trusted, code.object()), "V7601");
  EXPECT_FALSE(code.ran());
  EXPECT_TRUE(nothing_trusted.loaded().empty());
  EXPECT_FALSE(NativeCode().loads());
  const auto trusted = code_of({code.object()});
  EXPECT_EQ(refusal(*trusted, code.object()), "loaded");
  EXPECT_TRUE(code.ran());
  ASSERT_EQ(trusted->loaded().size(), 1u);
  EXPECT_EQ(trusted->loaded()[0].sha256, sha256_of_file(code.object()));
}

TEST(NativeCode, IsRefusedWhenItChangedSinceItWasTrusted) {
  const Marked code;
  const auto trusted = code_of({code.object()});
  code.build(7);
  EXPECT_EQ(refusal(*trusted, code.object()), "V7602");
  EXPECT_FALSE(code.ran());
}

TEST(NativeCode, AsksForTheListOnceAndOnlyForWhatIsNotTrustedOtherwise) {
  const Marked code, other;
  Trust own;
  own.add(code.object());
  int asked = 0;
  NativeCode trusted(own, [&] {
    ++asked;
    Trust more;
    more.add(other.object());
    return more;
  });
  EXPECT_EQ(refusal(trusted, code.object()), "loaded");
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(refusal(trusted, other.object()), "loaded");
  EXPECT_EQ(refusal(trusted, other.object()), "loaded");
  EXPECT_EQ(asked, 1);
  // a list that cannot be used is a problem of every file that needs it
  NativeCode unusable(own, []() -> Trust { throw ConfigurationError("V7604", "it is not mine"); });
  EXPECT_EQ(refusal(unusable, other.object()), "V7604");
  EXPECT_EQ(refusal(unusable, other.object()), "V7604");
  EXPECT_EQ(refusal(unusable, code.object()), "loaded");
}

TEST(NativeCode, IsTrustedByContentWhereverItIsAndThroughLinks) {
  const Marked code;
  const auto trusted = code_of({code.object()});
  fs::copy_file(code.object(), code.folder() / "copy.txt");
  fs::create_symlink(code.object(), code.folder() / "link");
  EXPECT_EQ(refusal(*trusted, code.folder() / "copy.txt"), "loaded");
  EXPECT_EQ(refusal(*trusted, code.folder() / "link"), "loaded");
  // a link that leads elsewhere later is another file
  const Marked other;
  fs::remove(code.folder() / "link");
  fs::create_symlink(other.object(), code.folder() / "link");
  EXPECT_EQ(refusal(*trusted, code.folder() / "link"), "V7601");
  EXPECT_FALSE(other.ran());
}

TEST(NativeCode, WithTheSameContentIsTheSameObject) {
  const Marked code;
  fs::copy_file(code.object(), code.folder() / "copy.so");
  const auto trusted = code_of({code.object()});
  const auto a = trusted->load(code.object()), b = trusted->load(code.folder() / "copy.so");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->function<int()>("next")(), 1);
  EXPECT_EQ(b->function<int()>("next")(), 2);
}

TEST(NativeCode, IsUnloadedAndANewVersionIsLoadedInItsPlace) {
  const Marked code;
  for (int start : {5, 6, 5}) {
    code.build(start);
    const auto trusted = code_of({code.object()});
    const auto object = trusted->load(code.object());
    ASSERT_TRUE(object);
    // a variable begins anew: the object was unloaded, and this is not an earlier one
    EXPECT_EQ(object->function<int()>("next")(), start);
  }
}

TEST(NativeCode, SearchesNoLibraryBesideItself) {
  const Marked part("libpart");
  const fs::path user = part.folder() / "user.so";
  std::ofstream(part.folder() / "user.c") << "int next(void); int twice(void) { return next(); }";
  const std::string command = "cc -fPIC -shared -o '" + user.string() + "' '" +
                              (part.folder() / "user.c").string() + "' -L'" +
                              part.folder().string() + "' -lpart -Wl,-rpath,'$ORIGIN'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto trusted = code_of({user});
  EXPECT_NE(refusal(*trusted, user).find("libpart.so"), std::string::npos);
  EXPECT_FALSE(part.ran());
}

TEST(NativeCode, TakesNoLibraryFromTheCurrentDirectory) {
  const Marked part("libpart");
  std::ofstream(part.folder() / "user.c") << "int next(void); int twice(void) { return next(); }";
  const auto refused = [&](const std::string& link) {
    const fs::path user = part.folder() / "user.so";
    const std::string command =
        "cd '" + part.folder().string() + "' && cc -fPIC -shared -o user.so user.c " + link;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return refusal(*code_of({user}), user);
  };
  const std::string why = " depends on the current directory, where anyone may put a library";
  EXPECT_EQ(refused("-L. -lpart -Wl,-rpath,."), "the run path \".\"" + why);
  EXPECT_EQ(refused("-L. -lpart -Wl,-rpath,/lib:sub/folder"), "the run path \"sub/folder\"" + why);
  EXPECT_EQ(refused("-L. -lpart -Wl,-rpath,/lib:"), "the run path \"\"" + why);
  EXPECT_EQ(refused("-L. -lpart -Wl,-rpath,. -Wl,--disable-new-dtags"), "the run path \".\"" + why);
  EXPECT_EQ(refused("./libpart.so"), "the library \"./libpart.so\"" + why);
  EXPECT_FALSE(part.ran());
  // an absolute path is one that the author of the trusted code chose
  EXPECT_EQ(refused("-L. -lpart -Wl,-rpath,'" + part.folder().string() + "'"), "loaded");
}

TEST(NativeCode, SaysWhyAFileCannotBeLoaded) {
  const TemporaryFolder folder;
  NativeCode code{Trust()};
  EXPECT_EQ(refusal(code, folder / "none.so"),
            "cannot open shared object file: No such file or directory");
  EXPECT_EQ(refusal(code, folder.path()), "it is not a file");
  std::ofstream(folder / "text.so") << "no code";
  EXPECT_NE(refusal(*code_of({folder / "text.so"}), folder / "text.so").find("file too short"),
            std::string::npos);
  EXPECT_THROW(code_of({folder / "none.so"}), ConfigurationError);
}

TEST(NativeCode, IsLoadedBySeveralThreadsAtOnce) {
  const Marked code;
  const auto trusted = code_of({code.object()});
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(refusal(*trusted, code.object()), "loaded");
    });
  threads.clear();
  EXPECT_EQ(trusted->loaded().size(), 1u);
}

}  // namespace
}  // namespace vernier
