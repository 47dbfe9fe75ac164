#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cmath>
#include <filesystem>

#include "vernier/gateway/lines/simulator.hpp"
#include "vernier/testing/rig.hpp"

extern char** environ;

// The peers under examples/lines, run as their users would.
namespace vernier::lines {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

const std::string folder = VERNIER_SOURCE_DIR "/examples/lines/";

/// Another program, which ends with the test.
class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (auto& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawnp(&pid_, arguments[0], nullptr, nullptr, arguments.data(), environ), 0);
  }
  ~Program() {
    if (pid_ > 0) kill();
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  int wait() {
    int status = -1;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

channel::Channels tank() {
  channel::Channels c;
  c.inputs.resize(1);
  c.inputs[0].name = "inflow";
  c.inputs[0].unit = "1/s";
  c.inputs[0].initial = {{0.0}};
  c.outputs.resize(2);
  c.outputs[0].name = "level";
  c.outputs[1].name = "outflow";
  return c;
}

TEST(LinesExamples, ThePythonPeerJoinsARunAndRollsBack) {
  auto simulator = std::make_unique<Simulator>(
      tank(), SimulatorSettings{.name = "tank", .address = {"127.0.0.1", "0"}});
  simulator->open();
  Program peer({"python3", folder + "peer.py", simulator->address()});
  {
    Rig rig(*simulator);
    EXPECT_TRUE(simulator->rolls_back());
    rig.in("inflow") = 0.2;
    const auto image = rig.save();
    EXPECT_EQ(simulator->advance(Time{}, Time{700ms}).outcome, Outcome::ok);
    rig.load(image);  // the rig's time has not moved
    rig.run(100ms, 2s);
    rig.settle();
    // closed form; twenty rounded steps
    const double expected = 0.4 + (0.5 - 0.4) * std::exp(-1.0);
    EXPECT_NEAR(rig.out("level"), expected, 1e-15);
    EXPECT_EQ(rig.out("outflow"), rig.out("level") / 2);
  }
  simulator.reset();  // says BYE
  EXPECT_EQ(peer.wait(), 0);
}

TEST(LinesExamples, ThePythonPeerKeepsTheComponentContract) {
  Simulator simulator(tank(), {.name = "tank", .address = {"127.0.0.1", "0"}});
  simulator.open();
  Program peer({"python3", folder + "peer.py", simulator.address()});
  testing::expect_conforming(simulator, 100ms,
                             [](Rig& r, int k) { r.in("inflow") = 0.3 * std::sin(0.7 * k); });
}

TEST(LinesExamples, APythonPeerKilledInTheRunIsMissedAtOnce) {
  Simulator simulator(tank(), {.name = "tank", .address = {"127.0.0.1", "0"}});
  simulator.open();
  Program peer({"python3", folder + "peer.py", simulator.address()});
  Rig rig(simulator);
  rig.run(100ms, 1s);
  peer.kill();
  EXPECT_EQ(simulator.advance(rig.now(), rig.now() + 100ms).outcome, Outcome::failed);
  EXPECT_STREQ(simulator.fault().code, "V5106");
}

}  // namespace
}  // namespace vernier::lines
