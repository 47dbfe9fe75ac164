#include "vernier/run/registry/leadership.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <vector>

namespace vernier::registry {
namespace {

using namespace std::chrono_literals;
using Kind = Trouble::Kind;

/// A registry that does what the test says.
struct Script {
  std::mutex mutex;
  std::condition_variable news;
  std::vector<std::string> calls;
  std::vector<Record> records;
  Answer<Clock::time_point> renewal = Clock::time_point::max();
  Answer<Done> publication = Done{};
  bool blocked = false;

  void call(const std::string& what) {
    std::unique_lock lock(mutex);
    calls.push_back(what);
    news.notify_all();
    news.wait(lock, [this] { return !blocked; });
  }
  void unblock() {
    const std::lock_guard lock(mutex);
    blocked = false;
    news.notify_all();
  }
  void wait_for(const std::string& what, std::ptrdiff_t times = 1) {
    std::unique_lock lock(mutex);
    news.wait(lock, [&] { return std::count(calls.begin(), calls.end(), what) >= times; });
  }
};

class Scripted final : public Registry {
 public:
  explicit Scripted(Script& s) : s_(s) {}
  Answer<Term> lead(const std::string&, const Leader&, Clock::time_point) override {
    return Term{};
  }
  Answer<Clock::time_point> renew(const Term&, Clock::time_point) override {
    s_.call("renew");
    return s_.renewal;
  }
  Answer<Done> publish(const Term&, const Record& r, Clock::time_point) override {
    {
      const std::lock_guard lock(s_.mutex);
      s_.records.push_back(r);
    }
    s_.call("publish");
    return s_.publication;
  }
  Answer<Done> resign(const Term&, bool forget, Clock::time_point) override {
    s_.call(forget ? "forget" : "resign");
    return Done{};
  }
  Answer<Entry> look(const std::string&, Clock::time_point) override { return Entry{}; }
  Answer<std::vector<Entry>> list(Clock::time_point) override { return std::vector<Entry>{}; }
  Answer<Done> forget(const std::string&, Clock::time_point) override { return Done{}; }

 private:
  Script& s_;
};

/// A term of which much is left, and which is to be renewed at once.
Term due() { return {.run = "a", .epoch = 7, .life = 30h, .ends = Clock::now() + 10h}; }
Term short_term() { return {.run = "a", .epoch = 7, .life = 100ms, .ends = Clock::now() + 80ms}; }

class Led {
 public:
  explicit Led(Script& s, Term t)
      : leadership(
            std::make_unique<Scripted>(s), std::move(t), {"desk", 4711, 0},
            [this] {
              const std::lock_guard lock(mutex_);
              return record_;
            },
            [this](const Trouble& why) { lost_.set_value(why); }) {}
  void set(Record r) {
    const std::lock_guard lock(mutex_);
    record_ = std::move(r);
  }
  Trouble lost() { return lost_.get_future().get(); }

 private:
  std::mutex mutex_;
  Record record_;
  std::promise<Trouble> lost_;  // a second call throws

 public:
  Leadership leadership;
};

TEST(Leadership, RenewsItsTermBeforeTheEnd) {
  Script s;
  s.renewal = Clock::now() + 100h;
  Led led(s, due());
  s.wait_for("renew");
  EXPECT_TRUE(led.leadership.held());
  led.leadership.resign(false);
  EXPECT_EQ(s.calls.back(), "resign");
}

TEST(Leadership, EndsByTheClockWhenItCannotBeRenewed) {
  Script s;
  s.renewal = Failure{Trouble{Kind::unreachable, "nobody is there", {}}};
  const Term t = short_term();
  Led led(s, t);
  const Trouble why = led.lost();
  EXPECT_GE(Clock::now(), t.ends);
  EXPECT_EQ(why.kind, Kind::lost);
  EXPECT_NE(why.why.find("could not be renewed in time"), std::string::npos);
  EXPECT_FALSE(led.leadership.held());
  // nothing is written to the registry any more
  const std::size_t calls = (led.leadership.resign(true), s.calls.size());
  EXPECT_EQ(std::count(s.calls.begin(), s.calls.end(), "forget"), 0);
  led.leadership.refresh();
  EXPECT_EQ(s.calls.size(), calls);
}

TEST(Leadership, EndsByTheClockAlsoWhileTheRegistryDoesNotReturn) {
  Script s;
  s.blocked = true;
  Led led(s, short_term());
  EXPECT_EQ(led.lost().kind, Kind::lost);
  EXPECT_FALSE(led.leadership.held());
  s.unblock();
  led.leadership.resign(false);
  EXPECT_EQ(std::count(s.calls.begin(), s.calls.end(), "resign"), 0);
}

TEST(Leadership, EndsWhenAnAnswerComesTooLate) {
  Script s;
  s.blocked = true;
  const Term t = short_term();
  s.renewal = t.ends;  // it was sent long ago
  Led led(s, t);
  EXPECT_EQ(led.lost().kind, Kind::lost);
  s.unblock();
  led.leadership.resign(false);
  EXPECT_FALSE(led.leadership.held());
}

TEST(Leadership, EndsWhenTheRegistrySaysSo) {
  for (const bool by_renewal : {true, false}) {
    Script s;
    const Failure gone{Trouble{Kind::lost, "the registry has ended the term", {}}};
    if (by_renewal)
      s.renewal = gone;
    else
      s.publication = gone;
    Term t = due();
    if (!by_renewal) t.life = Clock::duration{};
    Led led(s, t);
    EXPECT_EQ(led.lost().why, "the registry has ended the term");
    EXPECT_FALSE(led.leadership.held());
    led.leadership.resign(false);
    EXPECT_EQ(std::count(s.calls.begin(), s.calls.end(), "resign"), 0);
  }
}

TEST(Leadership, PublishesTheRecordWhenItHasChanged) {
  Script s;
  Led led(s, {.run = "a", .epoch = 7});
  s.wait_for("publish");
  led.set({.run = "ignored", .folder = "f"});
  led.leadership.refresh();
  s.wait_for("publish", 2);
  led.leadership.refresh();  // it is the same
  led.leadership.resign(false);
  ASSERT_EQ(s.records.size(), 2u);
  EXPECT_EQ(s.records[0], (Record{.run = "a", .leader = {"desk", 4711, 7}}));
  EXPECT_EQ(s.records[1], (Record{.run = "a", .leader = {"desk", 4711, 7}, .folder = "f"}));
  EXPECT_EQ(s.calls, (std::vector<std::string>{"publish", "publish", "resign"}));
}

TEST(Leadership, PublishesAgainWhatCouldNotBeWritten) {
  Script s;
  s.publication = Failure{Trouble{Kind::unreachable, "nobody is there", {}}};
  Led led(s, {.run = "a", .epoch = 7});
  s.wait_for("publish");
  led.leadership.refresh();
  s.wait_for("publish", 2);
  EXPECT_TRUE(led.leadership.held());
}

TEST(Leadership, WritesTheLastRecordBeforeItResigns) {
  Script s;
  Led led(s, {.run = "a", .epoch = 7});
  s.wait_for("publish");
  led.set({.folder = "f"});
  led.leadership.resign(false);
  EXPECT_EQ(s.records.back().folder, "f");
  EXPECT_EQ(s.calls.back(), "resign");
}

TEST(Leadership, ForgetsARunThatIsOver) {
  Script s;
  Led led(s, {.run = "a", .epoch = 7});
  led.leadership.resign(true);
  EXPECT_EQ(s.calls.back(), "forget");
}

TEST(Leadership, LastsShorterThanTheRegistryBelieves) {
  const auto asked = Clock::now();
  EXPECT_EQ(end_of_term(asked, 10s), asked + 8s);
}

}  // namespace
}  // namespace vernier::registry
