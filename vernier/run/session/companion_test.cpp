#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {
namespace {

using namespace std::chrono_literals;

/// out y: nothing but zero.
class Nought final : public Component {
 public:
  Nought() { description_.outputs = {{.name = "y"}}; }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

/// What a companion was told.
struct Told {
  std::filesystem::path folder;
  std::vector<Time> saved;
  std::optional<Result> ended;
  std::string status_at_end;
  bool gone = false;
};

class Witness final : public Companion {
 public:
  Witness(Told& told, Run run, bool ends_it)
      : told_(told), run_(std::move(run)), ends_it_(ends_it) {
    told_.folder = run_.folder;
  }
  ~Witness() override {
    if (other_.joinable()) other_.join();
    told_.gone = true;
  }
  void saved(const std::filesystem::path& file, Time t) override {
    EXPECT_TRUE(std::filesystem::exists(file));
    told_.saved.push_back(t);
    if (ends_it_ && told_.saved.size() == 2) other_ = std::thread([this] { end("lost"); });
  }
  void ended(const Summary& s) override {
    told_.ended = s.result;
    told_.status_at_end = record::read_manifest(run_.folder).status;
  }
  void end(const std::string& why) const {
    Diagnostic d;
    d.code = "V5653";
    d.message = why;
    d.category = Category::peer;
    run_.fail(std::move(d));
  }

 private:
  Told& told_;
  Run run_;
  bool ends_it_;
  std::thread other_;
};

class Accompanied : public ::testing::Test {
 protected:
  Accompanied() {
    Type type;
    type.name = "nought";
    type.component = [](const Parameters&) { return std::make_unique<Nought>(); };
    catalogue_.add(std::move(type));
    std::ofstream(folder_ / "a.xml")
        << "<interconnection name='a'><component id='n' type='nought'/>"
           "<run stop='10 s' step='100 ms'/></interconnection>";
    options_.runs = folder_ / "runs";
  }
  Summary run() {
    Diagnostics problems;
    Session s(prepare(folder_ / "a.xml", options_.changes, catalogue_, problems), options_,
              problems);
    Summary summary = s.run();
    EXPECT_FALSE(told_.gone);
    return summary;
  }
  void accompany(bool ends_it) {
    options_.companion = [this, ends_it](Companion::Run r) {
      return std::make_unique<Witness>(told_, std::move(r), ends_it);
    };
  }

  Catalogue catalogue_;
  TemporaryFolder folder_;
  Options options_;
  Told told_;
};

TEST_F(Accompanied, IsToldOfCheckpointsAndTheEnd) {
  options_.checkpoint_every = 4s;
  accompany(false);
  const Summary s = run();
  EXPECT_EQ(s.result, Result::finished);
  EXPECT_EQ(told_.saved, (std::vector<Time>{Time(4s), Time(8s), Time(10s)}));
  EXPECT_EQ(told_.ended, Result::finished);
  EXPECT_EQ(told_.status_at_end, "finished");  // everything is written then
  EXPECT_EQ(told_.folder.parent_path(), folder_ / "runs");
  EXPECT_TRUE(told_.gone);
}

TEST_F(Accompanied, EndsTheRunFromAnotherThread) {
  options_.checkpoint_every = 100ms;
  options_.rate = 0.5;  // it would last 20 s
  accompany(true);
  const Summary s = run();
  EXPECT_EQ(s.result, Result::failed);
  ASSERT_TRUE(s.fault);
  EXPECT_EQ(s.fault->message, "lost");
  EXPECT_EQ(exit_status(s), 5);
  EXPECT_LT(s.reached, Time(10s));
  EXPECT_EQ(told_.ended, Result::failed);
  EXPECT_EQ(told_.status_at_end, "running");  // as if it had been killed: another may continue it
}

TEST_F(Accompanied, EndsARunThatIsFrozen) {
  std::function<void(Diagnostic)> fail;
  options_.companion = [&](Companion::Run r) {
    fail = r.fail;
    return std::make_unique<Witness>(told_, std::move(r), false);
  };
  Diagnostics problems;
  Session s(prepare(folder_ / "a.xml", {}, catalogue_, problems), options_, problems);
  ASSERT_EQ(s.run_until(Time(1s)), executive::Ending::frozen);
  s.request_freeze();
  std::thread ends([&fail] {
    Diagnostic d;
    d.message = "lost";
    fail(std::move(d));
  });
  const Summary summary = s.run();
  ends.join();
  EXPECT_EQ(summary.fault->message, "lost");
  EXPECT_EQ(summary.reached, Time(1s));
}

TEST_F(Accompanied, RunsNothingWhenItRefuses) {
  options_.companion = [](const Companion::Run&) -> std::unique_ptr<Companion> {
    throw ConfigurationError("V5652", "another process runs it");
  };
  EXPECT_THROW(run(), ConfigurationError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs"));
}

}  // namespace
}  // namespace vernier::session
