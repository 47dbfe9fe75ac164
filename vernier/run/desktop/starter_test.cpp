#include "vernier/run/desktop/starter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::desktop {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Starter, SaysTheWordsOfTheCommandLine) {
  EXPECT_THAT(command_of({.what = "a.xml"}),
              ElementsAre("vernier", "run", "a.xml", "--json", "--detach", "--out=runs"));
  EXPECT_THAT(command_of({.what = "runs/a-0001",
                          .repeats = true,
                          .set = {"a.b=1 kg", "--rt"},
                          .until = 0.1,
                          .rate = 2.0,
                          .real_time = true,
                          .seed = 7,
                          .from = "x.vchk",
                          .runs = "r"}),
              ElementsAre("vernier", "run", "runs/a-0001", "--json", "--detach", "--out=r",
                          "--no-orders", "--set=a.b=1 kg", "--set=--rt", "--until=0.1s", "--rate=2",
                          "--rt", "--seed=7", "--from=x.vchk"));
  // a file's name is never an option
  EXPECT_EQ(command_of({.what = "--rt"})[2], "./--rt");
}

/// A script that stands for the program.
class StandIn : public ::testing::Test {
 protected:
  std::filesystem::path program(const std::string& script) {
    const auto file = folder / "program";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  std::string refusal(const std::string& script) {
    try {
      started({.what = "a.xml"}, program(script), stop);
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics());
    }
    return "";
  }
  TemporaryFolder folder;
  net::Wake stop;
};

TEST_F(StandIn, NamesTheFolderOfTheRun) {
  EXPECT_EQ(started({.what = "a.xml"},
                    program("echo 'a warning' >&2\n"
                            "printf '{\\n \"folder\": \"runs/a-0001\", \"process\": 4711\\n}\\n'"),
                    stop),
            "runs/a-0001");
}

TEST_F(StandIn, PassesProblemsOn) {
  const std::string said = refusal(
      "printf '{\\n\"problems\": [{\"severity\":\"error\",\"code\":\"V1203\",\"message\":\"m\","
      "\"file\":\"a.xml\",\"line\":4,\"column\":7,\"length\":2}]\\n}\\n'; exit 2");
  EXPECT_THAT(said, HasSubstr("error[V1203]: m"));
  EXPECT_THAT(said, HasSubstr("a.xml:4:7"));
}

TEST_F(StandIn, SaysWhatTheProgramSaidLast) {
  EXPECT_THAT(refusal("echo one; echo 'error: no memory'; exit 1"),
              HasSubstr("error[V8108]: the run did not begin: error: no memory"));
  EXPECT_THAT(refusal("exit 1"), HasSubstr("it has said nothing"));
  EXPECT_THAT(refusal("printf '{\\nnot json'"), HasSubstr("V8108"));
  EXPECT_THROW(started({.what = "a.xml"}, folder / "nothing", stop), ConfigurationError);
}

TEST_F(StandIn, DoesNotWaitForEver) {
  std::thread ringing([this] { stop.ring(); });
  EXPECT_THAT(refusal("exec sleep 1000"), HasSubstr("the desktop has ended"));
  ringing.join();
}

}  // namespace
}  // namespace vernier::desktop
