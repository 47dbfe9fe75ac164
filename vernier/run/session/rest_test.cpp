// However a run ends, what moves comes to rest first: the ways out of a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/component/rest.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/session/control.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// The speed of the last cart that was shown, and the largest change of speed.
std::atomic<double> last_speed{0.0}, largest_change{0.0};

/// Moves at 1 m/s; brakes with 2 m/s² when it is to come to rest, if it can.
class Cart final : public Component, public ComesToRest {
 public:
  explicit Cart(bool brakes) : brakes_(brakes) {
    description_.outputs = {{.name = "x", .unit = "m"}, {.name = "v", .unit = "m/s"}};
    description_.rate = {100, 1};
    description_.state_bytes = sizeof state_;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    x_ = b.real_output("x");
    v_ = b.real_output("v");
  }
  bool initialize(Time, int) override {
    state_ = {};
    last_speed = 1.0;
    largest_change = 0.0;
    return true;
  }
  Outcome output(Instant) noexcept override {
    x_[0] = state_.x;
    v_[0] = state_.v;
    largest_change = std::max(largest_change.load(), std::abs(state_.v - last_speed));
    last_speed = state_.v;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double h = seconds(to - from), before = state_.v;
    if (state_.resting != 0 && brakes_) state_.v = std::max(0.0, state_.v - 2.0 * h);
    if (state_.resting == 0) state_.v = std::min(1.0, state_.v + 2.0 * h);
    state_.x += 0.5 * (before + state_.v) * h;
    return {to};
  }
  void save(std::span<std::byte> to) const noexcept override {
    std::memcpy(to.data(), &state_, sizeof state_);
  }
  void load(std::span<const std::byte> from) noexcept override {
    std::memcpy(&state_, from.data(), sizeof state_);
  }

  bool at_rest() const noexcept override { return state_.v == 0.0; }
  void begin_rest(Duration) noexcept override { state_.resting = 1; }
  void end_rest() noexcept override { state_.resting = 0; }
  Duration longest_rest() const noexcept override { return 600ms; }
  std::string motion() const override { return "1 m/s"; }

 private:
  struct State {
    double x = 0.0, v = 1.0;
    std::int64_t resting = 0;
  } state_;
  bool brakes_;
  Description description_;
  std::span<double> x_, v_;
};

/// Fails at 1 s, or takes too long for one frame.
class Troubled final : public Component {
 public:
  explicit Troubled(bool late) : late_(late) { fault_.set(Category::peer, "V0000", " failed"); }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time from, Time to) noexcept override {
    if (from < Time(1s)) return {to};
    if (!late_) return {from, Outcome::failed};
    const auto end = std::chrono::steady_clock::now() + 30ms;
    while (std::chrono::steady_clock::now() < end) {
    }
    return {to};
  }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}
  const Fault& fault() const noexcept override { return fault_; }

 private:
  bool late_;
  Description description_;
  Fault fault_;
};

class ComingToRest : public ::testing::Test {
 protected:
  ComingToRest() {
    options_.runs = folder_ / "runs";
    options_.version = "test";
    Type cart;
    cart.name = "cart";
    cart.parameters = {{.name = "brakes", .unit = "1", .initial = "1"}};
    cart.component = [](const Parameters& p) {
      return std::make_unique<Cart>(p.real("brakes") > 0.5);
    };
    catalogue_.add(std::move(cart));
    Type troubled;
    troubled.name = "troubled";
    troubled.parameters = {{.name = "late", .unit = "1", .initial = "0"}};
    troubled.component = [](const Parameters& p) {
      return std::make_unique<Troubled>(p.real("late") > 0.5);
    };
    catalogue_.add(std::move(troubled));
  }

  std::unique_ptr<Session> session(const std::string& more = "") {
    const auto file = folder_ / "yard.xml";
    std::ofstream(file) << "<interconnection name='yard'><component id='cart' type='cart'/>" << more
                        << "<run stop='2 s' step='10 ms'/><record signals='*'/></interconnection>";
    Diagnostics problems;
    return std::make_unique<Session>(prepare(file, options_.changes, catalogue_, problems),
                                     options_, problems);
  }
  static void expect_soft() {
    EXPECT_EQ(last_speed, 0.0);
    EXPECT_LE(largest_change, 0.02 + 1e-12);
  }
  /// The last recorded speed, and its time.
  static std::pair<double, double> recorded(const Session& s) {
    const record::Series all = series(s.folder(), "cart.v");
    return {all.time.back(), all.values.back()};
  }
  static record::Series series(const std::filesystem::path& folder, const char* signal) {
    const record::ResultReader results(folder);
    return results.read(*results.find(signal));
  }

  TemporaryFolder folder_;
  Catalogue catalogue_;
  Options options_;
};

TEST_F(ComingToRest, AtItsEndARunContinuesUntilItIsAtRestAndRecordsThat) {
  const auto s = session();
  const Summary end = s->run();
  EXPECT_EQ(end.result, Result::finished);
  EXPECT_EQ(exit_status(end), 0);
  EXPECT_EQ(end.rest, Duration(500ms));
  EXPECT_EQ(end.longest_rest, Duration(600ms));
  EXPECT_EQ(end.reached, Time(2500ms));
  EXPECT_EQ(recorded(*s), std::pair(2.5, 0.0));
  expect_soft();
}

TEST_F(ComingToRest, TheLastCheckpointIsOfTheEndThatWasRequested) {
  options_.checkpoint_every = 10s;
  const Summary first = session()->run();
  ASSERT_EQ(first.checkpoints.size(), 1u);
  EXPECT_EQ(record::read_checkpoint(first.checkpoints[0]).snapshot.time, Time(2s));
  // a run that continues from there is the same, to the bit, as one that was never ended
  options_.from = first.checkpoints[0];
  options_.changes.until = 4s;
  const auto continued = session();
  EXPECT_EQ(continued->run().result, Result::finished);
  options_.from.clear();
  const auto whole = session();
  EXPECT_EQ(whole->run().result, Result::finished);
  const auto last = [](const Session& s) { return series(s.folder(), "cart.x").values.back(); };
  EXPECT_EQ(last(*continued), last(*whole));
}

TEST_F(ComingToRest, AStopComesToRest) {
  const auto s = session();
  s->request_stop();
  const Summary end = s->run();
  EXPECT_EQ(end.result, Result::interrupted);
  EXPECT_EQ(exit_status(end), 130);
  EXPECT_EQ(end.rest, Duration(500ms));
  expect_soft();
}

TEST_F(ComingToRest, AFreezeComesToRestFirstAndARepeatedRunDoesTheSame) {
  auto s = session();
  s->request_freeze();
  std::thread other([&] {
    while (last_speed != 0.0 || ask(s->folder(), "status").find("frozen") == std::string::npos) {
      std::this_thread::sleep_for(1ms);
    }
    ask(s->folder(), "step 3");
    s->request_resume();
  });
  const Summary end = s->run();
  other.join();
  EXPECT_EQ(end.result, Result::finished);
  expect_soft();
  const auto x = [](const auto& folder) { return series(folder, "cart.x").values; };
  const auto frozen = x(s->folder());
  Again again = repeated(s->folder());
  ASSERT_EQ(again.options.orders.size(), 2u);
  EXPECT_EQ(again.options.orders[0].order.kind, executive::OrderKind::rest);
  again.options.runs = folder_ / "again";
  Diagnostics problems;
  Session repetition(prepare(again.document, again.options.changes, catalogue_, problems),
                     again.options, problems);
  EXPECT_EQ(repetition.run().result, Result::finished);
  EXPECT_EQ(x(repetition.folder()), frozen);
}

TEST_F(ComingToRest, AFaultOfAnotherComponentKeepsItsStatus) {
  const auto s = session("<component id='other' type='troubled'/>");
  const Summary end = s->run();
  EXPECT_EQ(end.result, Result::failed);
  EXPECT_EQ(end.fault->code, "V0000");
  EXPECT_EQ(exit_status(end), 5);
  EXPECT_EQ(end.rest, Duration(510ms)) << "it had already advanced in the tick that failed";
  EXPECT_EQ(recorded(*s).second, 0.0);
  expect_soft();
}

TEST_F(ComingToRest, ALateFrameUnderAStrictPolicyEndsSoftlyToo) {
  options_.rate = 4.0;
  options_.late = {.kind = realtime::Late::strict};
  const auto s = session(
      "<component id='other' type='troubled'><parameter name='late' value='1'/></component>");
  const Summary end = s->run();
  EXPECT_EQ(end.fault->code, "V4101");
  EXPECT_EQ(exit_status(end), 4);
  expect_soft();
}

TEST_F(ComingToRest, ACheckpointThatCannotBeWrittenEndsSoftlyToo) {
  options_.checkpoint_every = 1s;
  const auto s = session();
  std::filesystem::remove_all(s->folder() / "checkpoints");
  std::ofstream(s->folder() / "checkpoints") << "no folder";
  const Summary end = s->run();
  EXPECT_EQ(end.result, Result::failed);
  EXPECT_EQ(end.reached, Time(1500ms));
  expect_soft();
}

TEST_F(ComingToRest, FinishAndTheDestructorAreWaysOut) {
  auto s = session();
  EXPECT_EQ(s->run_until(Time(1s)), executive::Ending::frozen);
  EXPECT_EQ(last_speed, 1.0) << "between two pieces nothing comes to rest";
  EXPECT_EQ(s->run_until(Time(1200ms)), executive::Ending::frozen);
  const Summary end = s->finish();
  EXPECT_EQ(end.result, Result::finished);
  EXPECT_EQ(end.reached, Time(1700ms));
  expect_soft();

  s = session();
  EXPECT_EQ(s->run_until(Time(1s)), executive::Ending::frozen);
  s.reset();
  expect_soft();
}

TEST_F(ComingToRest, WhatDoesNotComeToRestIsAFailure) {
  options_.changes.set = {"cart.brakes=0"};
  const Summary end = session()->run();
  EXPECT_EQ(end.result, Result::failed);
  ASSERT_TRUE(end.fault);
  EXPECT_THAT(rendered(*end.fault),
              HasSubstr("error[V4123]: something still moves 0.6 s after it was to come to rest: "
                        "cart: 1 m/s"));
  EXPECT_EQ(exit_status(end), 1);
  // after another failure it is a note
  const Summary both = session("<component id='other' type='troubled'/>")->run();
  EXPECT_EQ(both.fault->code, "V0000");
  EXPECT_THAT(both.fault->notes, ::testing::Contains("still moving: cart: 1 m/s"));
}

}  // namespace
}  // namespace vernier::session
