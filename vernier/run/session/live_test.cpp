// Requests to a run from another thread, through its control socket.
#include "vernier/run/session/live.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/compare.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/session/control.hpp"
#include "vernier/run/session/order_log.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Plant {
  double x = 0.0;
  std::int64_t kicks = 0, seen = 0;
};

/// x' = u, y = x; every kick adds one.
class Kicked final : public Component {
 public:
  Kicked() {
    description_.inputs = {{.name = "u", .unit = "m/s", .initial = std::vector<double>{1.0}}};
    Port kick{.name = "kick"};
    kick.scalar = Scalar::integer;
    kick.flow = Flow::event;
    description_.inputs.push_back(kick);
    description_.outputs = {{.name = "y", .unit = "m"}};
    description_.abilities.reacts = true;
    description_.state_bytes = sizeof state_;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    kick_ = b.integer_input("kick");
    y_ = b.real_output("y");
  }
  Outcome output(Instant) noexcept override {
    y_[0] = state_.x;
    return Outcome::ok;
  }
  Outcome react(Instant) noexcept override {
    if (kick_[0] == state_.seen) return Outcome::ok;
    state_.seen = kick_[0];
    state_.x += 1.0;
    return Outcome::changed;
  }
  Advance advance(Time from, Time to) noexcept override {
    state_.x += u_[0] * seconds(to - from);
    return {to};
  }
  void save(std::span<std::byte> b) const noexcept override {
    std::memcpy(b.data(), &state_, sizeof state_);
  }
  void load(std::span<const std::byte> b) noexcept override {
    std::memcpy(&state_, b.data(), sizeof state_);
  }

 private:
  Description description_;
  Plant state_;
  std::span<const double> u_;
  std::span<const std::int64_t> kick_;
  std::span<double> y_;
};

class Steered : public ::testing::Test {
 protected:
  Steered() {
    Type kicked;
    kicked.name = "kicked";
    kicked.component = [](const Parameters&) { return std::make_unique<Kicked>(); };
    catalogue_.add(std::move(kicked));
    std::ofstream(folder_ / "plant.xml")
        << "<interconnection name='plant'><component id='p' type='kicked'/>"
           "<run stop='100000 s' step='10 ms'/></interconnection>";
  }

  /// A run in its own thread, a hundred times faster than real time.
  void begin(Options options) {
    options.runs = folder_ / "runs";
    if (!options.rate) options.rate = 100.0;
    Diagnostics problems;
    session_ = std::make_unique<Session>(
        prepare(folder_ / "plant.xml", options.changes, catalogue_, problems), options, problems);
    thread_ = std::thread([this] { summary_ = session_->run(); });
  }
  std::string said(const std::string& line) { return ask(session_->folder(), line); }
  std::string refused(const std::string& line) {
    try {
      return "done: " + said(line);
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics());
    }
  }
  Summary end() {
    said("stop");
    thread_.join();
    return summary_;
  }
  ~Steered() override {
    if (!thread_.joinable()) return;
    session_->request_stop();
    thread_.join();
  }

  Catalogue catalogue_;
  TemporaryFolder folder_;
  std::unique_ptr<Session> session_;
  std::thread thread_;
  Summary summary_;
};

TEST_F(Steered, IsReadAndChanged) {
  begin({});
  EXPECT_THAT(said("get p.y p.u"), StartsWith("{\"time\":"));
  EXPECT_THAT(said("set p.u 2.5 cm/s"), HasSubstr("p.u set at t = "));
  EXPECT_THAT(said("get p.u"), HasSubstr("\"p.u\":[0.025]"));
  EXPECT_THAT(said("send p.kick"), HasSubstr("p.kick sent at t = "));
  EXPECT_THAT(said("release p.u"), HasSubstr("released"));
  EXPECT_THAT(said("get p.*"), HasSubstr("\"p.y\":["));
  const Summary s = end();
  EXPECT_EQ(s.result, Result::interrupted);
  const auto orders = read_orders(session_->folder() / "orders.csv");
  ASSERT_EQ(orders.size(), 3u);
  EXPECT_EQ(orders[0].order.values, std::vector{0.025});
  EXPECT_EQ(orders[1].order.kind, executive::OrderKind::send);
  EXPECT_LE(orders[0].at, orders[1].at);
}

TEST_F(Steered, IsRepeatedWithItsOrdersToTheBit) {
  begin({});
  for (int k = 1; k < 20; ++k) {
    said("set p.u " + std::to_string(0.3 * k));
    if (k % 4 == 0) said("send p.kick");
    if (k % 7 == 0) said("release p.u");
  }
  const Time reached = end().reached;
  const auto first = session_->folder();
  Again again = repeated(first);
  EXPECT_GT(again.options.orders.size(), 20u);
  again.options.rate.reset();
  again.options.changes.until = reached.time_since_epoch();
  again.options.runs = folder_ / "again";
  Diagnostics problems;
  Session repetition(prepare(again.document, again.options.changes, catalogue_, problems),
                     again.options, problems);
  EXPECT_EQ(repetition.run().result, Result::finished);
  const record::Comparison c =
      record::compare(record::ResultReader(first), record::ResultReader(repetition.folder()));
  EXPECT_TRUE(c.within());
  ASSERT_EQ(c.signals.size(), 1u);
  EXPECT_GT(c.signals[0].compared, 10u);
}

TEST_F(Steered, NotesWhatTheUserSeesAmongItsEvents) {
  begin({});
  EXPECT_THAT(said("mark the \"cable\" is pulled, twice"), StartsWith("marked at t = "));
  EXPECT_THAT(refused("mark"), HasSubstr("V4121"));
  EXPECT_THAT(refused("mark " + std::string(1001, 'x')), HasSubstr("V4121"));
  EXPECT_THAT(refused(std::string("mark a\tb")), HasSubstr("V4121"));
  end();
  std::ostringstream events;
  events << std::ifstream(session_->folder() / "events.csv").rdbuf();
  EXPECT_THAT(events.str(), HasSubstr(",user,mark,,,\"the \"\"cable\"\" is pulled, twice\","));
  EXPECT_THAT(events.str(), Not(HasSubstr("xxx")));
}

TEST_F(Steered, StandsStillAndIsTakenFurtherTickByTick) {
  begin({});
  EXPECT_THAT(said("freeze"), HasSubstr("frozen"));
  const std::string here = said("step");
  EXPECT_THAT(here, StartsWith("t = "));
  const double t = std::stod(here.substr(4));
  const std::string there = said("step 25");
  EXPECT_NEAR(std::stod(there.substr(4)), t + 0.25, 1e-9);
  // orders to a frozen run take effect at once
  said("set p.u 7");
  EXPECT_THAT(said("get p.u"), HasSubstr("[7]"));
  EXPECT_THAT(said("status"), HasSubstr("frozen"));
  EXPECT_THAT(said("state"), StartsWith("{\"time\":" + there.substr(4, there.size() - 6) +
                                        ",\"begin\":0,\"end\":1e+05,"));
  EXPECT_THAT(said("state"), HasSubstr("\"overrides\":[\"p.u\"]"));
  EXPECT_THAT(said("state"), HasSubstr("\"status\":\"frozen\",\"frozen\":true,\"rate\":"));
  EXPECT_THAT(said("rate 1000"), HasSubstr("1000 × real time"));
  said("release p.u");
  EXPECT_THAT(said("state"), HasSubstr("\"overrides\":[]"));
  EXPECT_THAT(said("resume"), HasSubstr("running"));
  EXPECT_THAT(said("state"), HasSubstr("\"frozen\":false,\"rate\":1000,"));
  while (seconds(session_->now()) < t + 1.0) std::this_thread::sleep_for(1ms);
  end();
}

TEST_F(Steered, SavesCheckpointsAndBeginsAgainThere) {
  begin({});
  while (seconds(session_->now()) < 0.5) std::this_thread::sleep_for(1ms);
  const std::filesystem::path first = said("checkpoint");
  EXPECT_TRUE(std::filesystem::exists(first));
  const Time saved = record::read_checkpoint(first).snapshot.time;
  while (session_->now() < saved + 1s) std::this_thread::sleep_for(1ms);
  EXPECT_THAT(said("rewind " + std::to_string(seconds(saved) + 0.5) + " s"),
              HasSubstr(first.filename().string()));
  thread_.join();
  ASSERT_TRUE(summary_.rewind);
  EXPECT_EQ(*summary_.rewind, first);
  EXPECT_EQ(summary_.result, Result::interrupted);
}

TEST_F(Steered, BeginsAgainAtTheStartWithoutACheckpoint) {
  begin({});
  EXPECT_THAT(said("rewind 0"), HasSubstr("the start"));
  thread_.join();
  ASSERT_TRUE(summary_.rewind);
  EXPECT_TRUE(summary_.rewind->empty());
}

TEST_F(Steered, RefusesWhatItCannotDo) {
  begin({});
  EXPECT_THAT(refused("get p.z"), HasSubstr("error[V2112]: there is no port \"p.z\""));
  EXPECT_THAT(refused("get"), StartsWith("error[V4121]"));
  EXPECT_THAT(refused("set p.u 1 2"), StartsWith("error[V2121]"));
  EXPECT_THAT(refused("set p.u 1 kg"), StartsWith("error[V2005]"));
  EXPECT_THAT(refused("send p.u"), StartsWith("error[V2124]"));
  EXPECT_THAT(refused("step -1"), StartsWith("error[V4121]"));
  EXPECT_THAT(refused("rate 0"), StartsWith("error[V4121]"));
  EXPECT_THAT(refused("rewind soon"), StartsWith("error[V4121]"));
  EXPECT_THAT(refused("dance"), StartsWith("error[V4121]: a run does not know \"dance\""));
  EXPECT_THAT(refused(""), StartsWith("error[V4121]"));
  end();
  EXPECT_THAT(refused("status"), StartsWith("error[V4120]"));
}

TEST_F(Steered, ThatIsNeverRunSendsItsVisitorsAway) {
  Options options;
  options.runs = folder_ / "runs";
  Diagnostics problems;
  session_ = std::make_unique<Session>(prepare(folder_ / "plant.xml", {}, catalogue_, problems),
                                       options, problems);
  const std::filesystem::path run = session_->folder();
  std::atomic<int> sent_away{0}, asking{0};
  std::vector<std::thread> visitors;
  for (const char* request : {"checkpoint", "get p.y"}) {
    visitors.emplace_back([&, request] {
      ++asking;
      try {
        ask(run, request);
      } catch (const ConfigurationError&) {
        ++sent_away;
      }
    });
  }
  while (asking.load() < 2) std::this_thread::yield();
  std::this_thread::sleep_for(50ms);  // most often one of them is being served by then
  session_.reset();
  for (std::thread& v : visitors) v.join();
  EXPECT_EQ(sent_away.load(), 2);
}

/// Never reaches a tick.
struct Idle : Steerable {
  std::string status() override { return {}; }
  std::string state_text() override { return {}; }
  std::string freeze() override { return {}; }
  std::string resume() override { return {}; }
  std::string stop() override { return {}; }
  std::string step(int) override { return {}; }
  std::string set_rate(double) override { return {}; }
  std::string checkpoint() override { return {}; }
  std::string mark(std::string_view) override { return {}; }
  std::string real_time() override { return {}; }
  std::string move(std::string_view part, std::string_view node) override {
    return std::string(part) + " on " + std::string(node);
  }
  std::string rewind(Time) override { return {}; }
  bool over() override { return ends; }
  bool ends = false;
};

TEST_F(Steered, ThatComesToNoTickIsWaitedForInVain) {
  Diagnostics problems;
  executive::Executive standing(prepare(folder_ / "plant.xml", {}, catalogue_, problems).plan);
  standing.initialize();
  Idle run;
  Live live(standing, run, 10ms);
  // error[V4122], as encoded
  EXPECT_THAT(live.answer("set p.u 3"),
              StartsWith("refusedV4122\tthe run has not come to a tick for 0.01 s"));
  standing.carry_out();
  EXPECT_EQ(standing.find("p.u")->reals()[0], 3.0);  // it is executed nevertheless
  run.ends = true;
  EXPECT_THAT(live.answer("get p.y"), StartsWith("refusedV4121"));
}

TEST_F(Steered, IsNotFilledByRequestsThatAreRefusedHalfway) {
  Diagnostics problems;
  executive::Executive standing(prepare(folder_ / "plant.xml", {}, catalogue_, problems).plan);
  standing.initialize();
  struct Served final : Idle {
    bool over() override {
      run->carry_out();
      return false;
    }
    executive::Executive* run = nullptr;
  } run;
  run.run = &standing;
  Live live(standing, run);
  for (int i = 0; i < 1000; ++i) {  // the queue has room for 256
    ASSERT_THAT(live.answer("get p.y nothing.there"), StartsWith("refusedV2112")) << i;
    standing.carry_out();  // as the next tick does
  }
  EXPECT_THAT(live.answer("get p.y"), StartsWith("{\"time\":"));
}

TEST(OrderLog, RefusesLinesThatAreNoOrders) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_orders(folder / "orders.csv").empty());
  for (const char* line : {"1,set", "-1,set,p.u,1", "1,jump,p.u,1", "1,set,,1", "1,set,p.u,x"}) {
    std::ofstream(folder / "orders.csv") << "time_ns,order,path,values\n" << line << "\n";
    EXPECT_THROW(read_orders(folder / "orders.csv"), ConfigurationError) << line;
  }
}

}  // namespace
}  // namespace vernier::session
