#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <future>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/lines/line_server.hpp"
#include "vernier/gateway/lines/simulator.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::lines {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

/// x' = -x/2 + u, solved exactly for constant u; heats while x is low. Has every feature of a
/// component: a vector, an integer, feedthrough, events, a reaction, an early stop.
class Plant final : public Component {
 public:
  explicit Plant(bool early = false, bool rewinds = true) {
    description_.inputs = {{.name = "u", .unit = "1/s", .initial = {{0.0}}},
                           {.name = "w", .count = 2, .initial = {{0.5, 0.25}}},
                           {.name = "reset", .scalar = Scalar::integer, .flow = Flow::event}};
    description_.outputs = {{.name = "x"},
                            {.name = "y", .count = 2},
                            {.name = "mode", .scalar = Scalar::integer},
                            {.name = "low", .scalar = Scalar::integer, .flow = Flow::event}};
    description_.feedthrough = {{"y", "w"}};
    description_.abilities.reacts = true;
    description_.abilities.stops_early = early;
    description_.abilities.rewinds = rewinds;
    description_.state_bytes = sizeof(State);
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    w_ = b.real_input("w");
    reset_ = b.integer_input("reset");
    x_ = b.real_output("x");
    y_ = b.real_output("y");
    mode_ = b.integer_output("mode");
    low_ = b.integer_output("low");
  }
  bool initialize(Time, int) override {
    state_ = {};
    state_.resets = reset_[0];
    return true;
  }
  Outcome output(Instant) noexcept override {
    x_[0] = state_.x;
    y_[0] = state_.x * w_[0];
    y_[1] = std::sin(w_[1]) / 3.0;
    mode_[0] = state_.mode;
    low_[0] = state_.lows;
    return Outcome::ok;
  }
  Outcome react(Instant) noexcept override {
    if (reset_[0] > state_.resets) {
      state_.resets = reset_[0];
      state_.x = 2.0;
      state_.mode = 0;
      return Outcome::changed;
    }
    if (state_.mode == 0 && state_.x <= 1.0) {
      state_.mode = 1;
      ++state_.lows;
      return Outcome::changed;
    }
    if (state_.mode == 1 && state_.x >= 1.5) {
      state_.mode = 0;
      return Outcome::changed;
    }
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double target = 2.0 * (u_[0] + (state_.mode == 1 ? 1.0 : 0.0));
    const double level = state_.mode == 1 ? 1.5 : 1.0;
    const double ratio = (level - target) / (state_.x - target);
    if (description_.abilities.stops_early && ratio > 0.0 && ratio < 1.0) {
      const Time at = from + Duration(std::llround(std::ceil(-2e9 * std::log(ratio))));
      if (at > from && at < to) {
        state_.x = state_.mode == 1 ? std::nextafter(level, 9.0) : std::nextafter(level, 0.0);
        return {at};
      }
    }
    state_.x = target + (state_.x - target) * std::exp(-0.5 * seconds(to - from));
    return {to};
  }
  void save(std::span<std::byte> s) const noexcept override {
    std::memcpy(s.data(), &state_, sizeof state_);
  }
  void load(std::span<const std::byte> s) noexcept override {
    std::memcpy(&state_, s.data(), sizeof state_);
  }

 private:
  struct State {
    double x = 2.0;
    std::int64_t mode = 0, lows = 0, resets = 0;
  };
  Description description_;
  State state_;
  std::span<const double> u_, w_;
  std::span<const std::int64_t> reset_;
  std::span<double> x_, y_;
  std::span<std::int64_t> mode_, low_;
};

/// A component behind the protocol, in a thread.
class Hosted {
 public:
  explicit Hosted(Component& c) : server(c, {.name = "plant", .address = {"127.0.0.1", "0"}}) {
    thread_ = std::thread([this] {
      try {
        ending = server.serve();
      } catch (const ConfigurationError&) {
        ending = LineServer::Ending::refused;
      }
    });
  }
  ~Hosted() { finish(); }
  LineServer::Ending finish() {
    if (thread_.joinable()) {
      server.stop();
      thread_.join();
    }
    return ending;
  }
  /// Waits for the end of the session.
  void wait() {
    if (thread_.joinable()) thread_.join();
  }
  SimulatorSettings settings(const Description& d) const {
    return {.name = "plant",
            .address = *net::parsed_address(server.address()),
            .listen = false,
            .timeout = 100s,
            .patience = 100s,
            .early = d.abilities.stops_early,
            .react = d.abilities.reacts};
  }

  LineServer server;
  LineServer::Ending ending = LineServer::Ending::stopped;

 private:
  std::thread thread_;
};

void drive(Rig& rig, int k) {
  rig.in("u") = 0.3 * std::sin(0.1 * k);
  rig.in("w") = std::cos(0.7 * k);
  rig.in("w", 1) = 0.01 * k;
  if (k % 17 == 5) rig.send("reset");
}

std::vector<double> trace(Component& c, int steps) {
  Rig rig(c);
  std::vector<double> seen;
  for (int k = 0; k < steps; ++k) {
    drive(rig, k);
    rig.step(100ms);
    rig.settle();
    for (const double x :
         {rig.out("x"), rig.out("y"), rig.out("y", 1), static_cast<double>(rig.integer("mode")),
          static_cast<double>(rig.emitted("low"))}) {
      seen.push_back(x);
    }
  }
  return seen;
}

TEST(Lines, AHostedComponentComputesTheSameBitsAsALocalOne) {
  for (const bool early : {false, true}) {
    Plant local(early), remote(early);
    Hosted host(remote);
    Simulator simulator(channels_of(remote.description()), host.settings(remote.description()));
    const auto expected = trace(local, 200);
    EXPECT_EQ(trace(simulator, 200), expected);
    EXPECT_GT(expected.back(), 2.0) << "the comparison covers no events";
    EXPECT_TRUE(simulator.rolls_back());
  }
}

TEST(Lines, ASimulatorKeepsTheComponentContract) {
  Plant plant;
  Hosted host(plant);
  Simulator simulator(channels_of(plant.description()), host.settings(plant.description()));
  testing::expect_conforming(simulator, 100ms, drive);
}

TEST(Lines, APeerThatCannotRollBackIsHeldAndSaidSo) {
  Plant plant(false, false);
  Hosted host(plant);
  auto channels = channels_of(plant.description());
  Simulator simulator(channels, host.settings(plant.description()));
  EXPECT_TRUE(simulator.description().abilities.rewinds);  // assumed until the peer was asked
  Rig rig(simulator);
  EXPECT_FALSE(simulator.rolls_back());
  EXPECT_FALSE(simulator.description().abilities.rewinds);
  rig.run(100ms, 300ms);

  const Time t0 = rig.now();
  const auto image = rig.save();
  simulator.output({t0});
  const double before = rig.out("x");
  ASSERT_EQ(simulator.advance(t0, t0 + 100ms).outcome, Outcome::ok);
  simulator.output({t0 + 100ms});
  const double after = rig.out("x");
  EXPECT_NE(before, after);

  // another component's event at 40 ms: the step is repeated, shorter
  simulator.load(image);
  EXPECT_EQ(simulator.advance(t0, t0 + 40ms).outcome, Outcome::held);
  EXPECT_EQ(simulator.output({t0 + 40ms}), Outcome::held);
  EXPECT_EQ(rig.out("x"), before);
  EXPECT_EQ(simulator.advance(t0 + 40ms, t0 + 100ms).outcome, Outcome::held);
  EXPECT_EQ(simulator.output({t0 + 100ms}), Outcome::ok);
  EXPECT_EQ(rig.out("x"), after);
  EXPECT_EQ(simulator.advance(t0 + 100ms, t0 + 200ms).outcome, Outcome::ok);

  ASSERT_EQ(rig.journal().entries().size(), 2u);
  EXPECT_NE(simulator.tell(rig.journal().entries()[0]).reason.find("cannot roll back"),
            std::string::npos);
  EXPECT_NE(simulator.tell(rig.journal().entries()[1]).reason.find("cut short"), std::string::npos);
}

TEST(Lines, RollingBackGivesTheShorterStepExactly) {
  Plant local, remote;
  Hosted host(remote);
  Simulator simulator(channels_of(remote.description()), host.settings(remote.description()));
  Rig a(local), b(simulator);
  for (Rig* rig : {&a, &b}) {
    rig->in("u") = 0.4;
    rig->run(100ms, 500ms);
    const auto image = rig->save();
    rig->step(100ms);
    rig->load(image);
  }
  const Time t{500ms};
  local.advance(t, t + 33ms);
  EXPECT_EQ(simulator.advance(t, t + 33ms).outcome, Outcome::ok);
  local.output({t + 33ms});
  simulator.output({t + 33ms});
  EXPECT_EQ(a.out("x"), b.out("x"));
}

TEST(Lines, ASecondSessionStartsAfresh) {
  Plant plant;
  LineServer server(plant, {.name = "plant", .address = {"127.0.0.1", "0"}});
  std::thread thread([&] {
    EXPECT_EQ(server.serve(), LineServer::Ending::bye);
    EXPECT_EQ(server.serve(), LineServer::Ending::bye);
  });
  SimulatorSettings settings{.name = "plant",
                             .address = *net::parsed_address(server.address()),
                             .listen = false,
                             .react = true};
  std::vector<std::vector<double>> traces;
  for (int i = 0; i < 2; ++i) {
    Simulator simulator(channels_of(plant.description()), settings);
    traces.push_back(trace(simulator, 30));
  }
  thread.join();
  EXPECT_EQ(traces[0], traces[1]);
  EXPECT_EQ(server.summary(), "30 steps to t = 3 s");
}

// -- a scripted peer: answers each line that it receives with the next text ----------------------

class Scripted {
 public:
  /// An answer "…" is sent as it is; an empty one closes the connection; "silence" sends nothing.
  Scripted(std::vector<std::string> answers)
      : listener_(std::move(*net::listening({"127.0.0.1", "0"}))) {
    thread_ = std::thread([this, answers] {
      auto socket = net::accepted(listener_, net::Clock::now() + 100s);
      if (!socket) return;
      net::LineStream c(std::move(*socket), longest_line);
      for (const auto& answer : answers) {
        const auto line = c.receive(net::Clock::now() + 100s);
        if (!line || answer.empty()) return;
        if (answer == "silence") {
          static_cast<void>(c.receive(net::Clock::now() + 100s));
          return;
        }
        if (c.send(answer, net::Clock::now() + 100s)) return;
      }
      static_cast<void>(c.receive(net::Clock::now() + 100s));
    });
  }
  ~Scripted() { thread_.join(); }
  SimulatorSettings settings(std::chrono::milliseconds timeout = 100s) const {
    return {.name = "peer",
            .address = {"127.0.0.1", std::to_string(net::port_of(listener_))},
            .listen = false,
            .timeout = timeout,
            .patience = 100s,
            .rollback = false};
  }

 private:
  Descriptor listener_;
  std::thread thread_;
};

channel::Channels small() {
  channel::Channels c;
  c.inputs.resize(1);
  c.inputs[0].name = "u";
  c.inputs[0].initial = {{0.0}};
  c.outputs.resize(2);
  c.outputs[0].name = "x";
  c.outputs[1].name = "v";
  c.events_out = {"low"};
  return c;
}

const std::vector<std::string> good_start{
    "HELLO peer 1\n", "CHANNELS in: u out: x v events-out: low\n", "DONE 0 1 2\n"};

/// The run's message when the answer to the first STEP (to 0.1 s) is `answer`.
std::string said_to_step(const std::string& answer, std::chrono::milliseconds timeout = 100s) {
  auto answers = good_start;
  answers.push_back(answer);
  Scripted peer(answers);
  Simulator simulator(small(), peer.settings(timeout));
  Rig rig(simulator);
  const Advance a = simulator.advance(Time{}, Time{100ms});
  if (a.outcome != Outcome::failed) return "no fault";
  EXPECT_EQ(a.reached, Time{});
  EXPECT_EQ(simulator.output({Time{}}), Outcome::failed);
  return std::string(simulator.fault().code) + " " + simulator.fault().text;
}

TEST(LinesTrouble, WhileRunningEndsWithItsReason) {
  const std::string peer = "the simulator \"peer\" at t = 0 s: ";
  EXPECT_EQ(said_to_step("DONE 0.1 1 2 EVENT low\n"), "no fault");
  EXPECT_EQ(said_to_step(""),
            "V5106 " + peer + "the connection was closed before it answered STEP");
  for (const char* answer : {"DONE 0.1 1", "silence"})
    EXPECT_EQ(said_to_step(answer, 2s), "V5108 " + peer + "no answer to STEP within 2 s");
  EXPECT_EQ(said_to_step("DONE 0.1 1\n"),
            "V5110 " + peer + "its answer to STEP has 1 values, expected 2");
  EXPECT_EQ(said_to_step("DONE 0.1 1 2 3\n"),
            "V5110 " + peer + "its answer to STEP has 3 values, expected 2");
  EXPECT_EQ(said_to_step("DONE 0.1 1 NaN\n"),
            "V5111 " + peer + "value 2 of its answer to STEP, \"NaN\", is not finite");
  EXPECT_EQ(said_to_step("DONE 0.1 1 2,5\n"),
            "V5109 " + peer + "value 2 of its answer to STEP, \"2,5\", is not a number");
  EXPECT_EQ(said_to_step("DONE soon 1 2\n"),
            "V5109 " + peer + "\"soon\" in its answer to STEP is not a time");
  EXPECT_EQ(said_to_step("ERROR singular matrix\n"),
            "V5113 " + peer + "it answered STEP with an error: singular matrix");
  EXPECT_EQ(said_to_step("HTTP/1.1 400 Bad Request\r\n"),
            "V5109 " + peer + "\"HTTP/1.1 400 Bad Request?\" is not an answer to STEP");
  EXPECT_EQ(said_to_step("DONE 0.2 1 2\n"),
            "V5114 " + peer + "asked to go to 0.1 s it went to 0.2 s");
  EXPECT_EQ(said_to_step("DONE 0.05 1 2\n"),
            "V5114 " + peer +
                "asked to go to 0.1 s it went to 0.05 s; stopping early is not agreed (early)");
  EXPECT_EQ(said_to_step("DONE 0.1 1 2 EVENT hgih\n"),
            "V5115 " + peer + "\"hgih\" in its answer to STEP is not one of its events");
  EXPECT_EQ(said_to_step(std::string(longest_line + 10, 'x') + "\n"),
            "V5109 " + peer + "the answer to STEP is longer than 1048576 bytes");
}

std::string said_at_start(const std::vector<std::string>& answers) {
  Scripted peer(answers);
  Simulator simulator(small(), peer.settings());
  try {
    Rig rig(simulator);
  } catch (const ConfigurationError& e) {
    const Diagnostic& d = e.diagnostics().list().front();
    return d.code + " " + d.message;
  }
  return "no problem";
}

TEST(LinesTrouble, AtTheStartIsAConfigurationError) {
  EXPECT_EQ(said_at_start(good_start), "no problem");
  EXPECT_NE(said_at_start({"HELLO peer 2\n"}).find("speaks lines version 2, expected 1"),
            std::string::npos);
  EXPECT_NE(said_at_start({"HELLO\n"}).find("V5104"), std::string::npos);
  EXPECT_EQ(said_at_start({good_start[0], "CHANNELS in: u out: x w events-out: low\n"}),
            "V5105 the simulator \"peer\" has other channels than the connector: output 2 is \"w\" "
            "there, \"v\" here");
  EXPECT_EQ(said_at_start({good_start[0], good_start[1], "DONE 0 1\n"}),
            "V5110 the simulator \"peer\" at t = 0 s: its answer to INIT has 1 values, expected 2");
  EXPECT_EQ(said_at_start({"ERROR not today\n"}),
            "V5113 the simulator \"peer\" at t = 0 s: HELLO: not today");
  EXPECT_EQ(
      said_at_start({"SSH-2.0-OpenSSH\n"}),
      "V5109 the simulator \"peer\" at t = 0 s: \"SSH-2.0-OpenSSH\" is not an answer to HELLO; "
      "expected HELLO");
}

TEST(LinesTrouble, NobodyThereIsSaid) {
  std::string port;
  {
    const auto closed = net::listening({"127.0.0.1", "0"});
    port = std::to_string(net::port_of(*closed));
  }
  for (const bool listen : {false, true}) {
    Simulator simulator(
        small(),
        {.name = "peer", .address = {"127.0.0.1", port}, .listen = listen, .patience = 300ms});
    try {
      Rig rig(simulator);
      FAIL();
    } catch (const ConfigurationError& e) {
      EXPECT_EQ(e.diagnostics().list().front().code, listen ? "V5103" : "V5101");
    }
  }
}

TEST(LinesTrouble, APortInUseIsSaid) {
  Plant plant;
  LineServer first(plant, {.address = {"127.0.0.1", "0"}});
  EXPECT_THROW(LineServer(plant, {.address = *net::parsed_address(first.address())}),
               ConfigurationError);
}

TEST(LinesTrouble, AKilledPeerEndsTheRun) {
  Plant plant;
  auto host = std::make_unique<Hosted>(plant);
  Simulator simulator(channels_of(plant.description()), host->settings(plant.description()));
  Rig rig(simulator);
  rig.run(100ms, 1s);
  host.reset();
  Time t = rig.now();
  Outcome outcome = Outcome::ok;
  for (int k = 0; k < 3 && outcome == Outcome::ok; ++k, t += 100ms) {
    outcome = simulator.advance(t, t + 100ms).outcome;
  }
  EXPECT_EQ(outcome, Outcome::failed);
  EXPECT_STREQ(simulator.fault().code, "V5106");
}

TEST(LinesServer, AnswersNonsenseWithAnErrorAndGoesOn) {
  Plant plant;
  Hosted host(plant);
  net::LineStream c(std::move(*net::connected(*net::parsed_address(host.server.address()),
                                              net::Clock::now() + 2s)),
                    longest_line);
  const auto ask = [&](std::string_view line) {
    EXPECT_FALSE(c.send(line, net::Clock::now() + 2s));
    const auto answer = c.receive(net::Clock::now() + 2s);
    return answer ? std::string(*answer) : std::string("nothing");
  };
  EXPECT_EQ(ask("HELLO me 1\n"), "HELLO plant 1");
  EXPECT_EQ(ask("STEP 1 2 3 4\n"), "ERROR INIT comes first");
  EXPECT_EQ(ask("INIT\n"), "ERROR INIT needs a time, and perhaps the word early");
  EXPECT_EQ(ask("INIT 0\n"), "DONE 0 2 1 0.082467986418174308 0");  // w at its defaults: sin(1/4)/3
  EXPECT_EQ(ask("STEP 1 2\n"), "ERROR 1 values, expected 3");
  EXPECT_EQ(ask("STEP 0 2 3 4\n"), "ERROR STEP must go forward");
  EXPECT_EQ(ask("STEP 1 nan 3 4\n"), "ERROR value 1, \"nan\", is not a finite number");
  EXPECT_EQ(ask("STEP -1 0 0 0\n"), "ERROR STEP must go forward");
  EXPECT_EQ(ask("RESTORE 7\n"), "ERROR nothing was saved under this number, or it is too old");
  EXPECT_EQ(ask("SAVE x\n"), "ERROR SAVE needs a number");
  EXPECT_EQ(ask("EVENT nothing\n"), "ERROR no such event");
  EXPECT_EQ(ask("OUTPUT 5 0 0 0\n"), "ERROR OUTPUT is for the present time");
  EXPECT_EQ(ask("DONE 5\n"), "ERROR not a request");
  EXPECT_EQ(ask("what?\n"), "ERROR not a verb of the line protocol, version 1");
  EXPECT_EQ(ask("BYE\n"), "BYE");
}

/// A client that sends lines and waits for the answers.
class Client {
 public:
  explicit Client(const LineServer& server)
      : lines_(std::move(*net::connected(*net::parsed_address(server.address()),
                                         net::Clock::now() + 100s)),
               longest_line) {}
  std::string ask(const std::string& line) {
    EXPECT_FALSE(lines_.send(line + "\n", net::Clock::now() + 100s));
    return next();
  }
  std::string next() {
    const auto answer = lines_.receive(net::Clock::now() + 100s);
    return answer                                   ? std::string(*answer)
           : answer.error() == net::Trouble::closed ? "closed"
                                                    : "nothing";
  }

 private:
  net::LineStream lines_;
};

TEST(LinesServer, IsNotBlockedByAPeerThatNeverGreets) {
  Plant plant;
  LineServer server(plant, {.name = "plant", .address = {"127.0.0.1", "0"}, .greeting = 50ms});
  Client mute(server);
  EXPECT_EQ(server.serve(), LineServer::Ending::refused);
  EXPECT_EQ(mute.next(), "ERROR HELLO did not come in time");
}

TEST(LinesServer, IsNotBlockedByAPeerThatIsSilent) {
  Plant plant;
  LineServer server(
      plant, {.name = "plant", .address = {"127.0.0.1", "0"}, .greeting = 100s, .idle = 50ms});
  std::vector<LineServer::Ending> endings;
  std::thread serving([&] {
    while (endings.empty() || endings.back() != LineServer::Ending::stopped)
      endings.push_back(server.serve());
  });
  Client silent(server);
  EXPECT_EQ(silent.ask("HELLO me 1"), "HELLO plant 1");
  Client next(server);  // it waits
  EXPECT_EQ(next.ask("HELLO you 1"), "HELLO plant 1");
  EXPECT_EQ(silent.next(), "ERROR silent for too long, and another client waits");
  EXPECT_EQ(silent.next(), "closed");
  EXPECT_EQ(next.ask("BYE"), "BYE");
  server.stop();
  serving.join();
  using enum LineServer::Ending;
  EXPECT_EQ(endings, (std::vector{idle, bye, stopped}));
}

/// Advances in no simulated time of its own; counts, and waits a moment each time.
class Endless final : public Component {
 public:
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override {
    ++advances;
    std::this_thread::sleep_for(1ms);
    return {to};
  }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

  std::atomic<int> advances{0};

 private:
  Description description_;
};

TEST(LinesServer, StopsComputingForAPeerThatLeft) {
  Endless component;
  Hosted host(component);
  {
    net::LineStream c(std::move(*net::connected(*net::parsed_address(host.server.address()),
                                                net::Clock::now() + 100s)),
                      longest_line);
    EXPECT_FALSE(c.send("HELLO me 1\nINIT 0\nSTEP 1000000000\n", net::Clock::now() + 100s));
    while (component.advances == 0) std::this_thread::yield();
  }
  host.wait();
  EXPECT_EQ(host.ending, LineServer::Ending::closed);
  EXPECT_LT(component.advances, 1'000'000);  // of 1000 s each
}

TEST(LinesServer, RefusesToRunWithChannelsThatDiffer) {
  Plant plant;
  Hosted host(plant);
  Client c(host.server);
  EXPECT_EQ(c.ask("HELLO me 1"), "HELLO plant 1");
  EXPECT_EQ(c.ask("CHANNELS in: u out: x").substr(0, 24), "ERROR channels differ: 1");
  for (const char* request : {"INIT 0", "STEP 1 0 0 0", "EVENT reset", "SAVE 1"})
    EXPECT_EQ(c.ask(request), "ERROR the channels differ: agree on CHANNELS first") << request;
  const std::string channels = "CHANNELS " + channels_text(channels_of(plant.description()));
  EXPECT_EQ(c.ask(channels), channels);
  EXPECT_EQ(c.ask("INIT 0").substr(0, 4), "DONE");
}

TEST(LinesServer, ForgetsTheOldestSaveNotTheNewest) {
  Plant plant;
  Hosted host(plant);
  net::LineStream c(std::move(*net::connected(*net::parsed_address(host.server.address()),
                                              net::Clock::now() + 2s)),
                    longest_line);
  const auto ask = [&](const std::string& line) {
    EXPECT_FALSE(c.send(line + "\n", net::Clock::now() + 2s));
    const auto answer = c.receive(net::Clock::now() + 2s);
    return answer ? std::string(*answer) : std::string("nothing");
  };
  ask("HELLO me 1");
  ask("INIT 0");
  for (int k = 1; k <= kept_saves + 1; ++k) {
    EXPECT_EQ(ask("SAVE " + std::to_string(k)), "OK");
    EXPECT_EQ(ask("SAVE " + std::to_string(k)), "OK");  // again: replaces the same entry
  }
  EXPECT_EQ(ask("RESTORE 1"), "ERROR nothing was saved under this number, or it is too old");
  EXPECT_EQ(ask("RESTORE 2"), "OK");
  EXPECT_EQ(ask("RESTORE 65"), "OK");
}

TEST(LinesServer, RefusesStreams) {
  Description d;
  d.inputs.push_back({.name = "frames", .flow = Flow::stream});
  try {
    channels_of(d);
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_STREQ(e.what(),
                 "error[V5119]: the port \"frames\" is a stream, which the line protocol does not "
                 "carry\n"
                 "   = host a part without streams\n"
                 "   = see: vernier explain V5119\n"
                 "\n1 error\n");
  }
}

TEST(LinesServer, WritesTheConnectorDocumentOfItsComponent) {
  EXPECT_EQ(connector_document(Plant(true).description(), "plant", "127.0.0.1:4711"),
            R"(<?xml version="1.0"?>
<ioconnector name="plant" version="1" adapter="lines">
  <inputs>
    <input name="u" unit="1/s" default="0"/>
    <input name="w" size="2" default="0.5 0.25"/>
  </inputs>
  <outputs>
    <output name="x"/>
    <output name="y" size="2"/>
    <output name="mode" kind="integer"/>
  </outputs>
  <events>
    <event name="reset" direction="in"/>
    <event name="low" direction="out"/>
  </events>
  <feedthrough output="y" input="w"/>
  <parameter name="connect">127.0.0.1:4711</parameter>
  <parameter name="early">yes</parameter>
  <parameter name="react">yes</parameter>
</ioconnector>
)");
}

}  // namespace
}  // namespace vernier::lines
