#include "vernier/run/session/continuation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "vernier/base/digest.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::session {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// x' = push + sin t by Euler's method; a journal entry when x rises through a whole number.
class Walk final : public Component {
 public:
  Walk() {
    description_.inputs = {{.name = "push", .initial = std::vector<double>{0.0}}};
    description_.outputs = {{.name = "x"}};
    description_.state_bytes = sizeof x_;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    push_ = b.real_input("push");
    out_ = b.real_output("x");
    journal_ = &b.journal();
  }
  Outcome output(Instant) noexcept override {
    out_[0] = x_;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double before = x_;
    x_ += (push_[0] + std::sin(seconds(from))) * seconds(to - from);
    if (std::floor(x_) > std::floor(before)) journal_->note({.at = {to}, .kind = 1});
    return {to};
  }
  void save(std::span<std::byte> to) const noexcept override {
    std::memcpy(to.data(), &x_, sizeof x_);
  }
  void load(std::span<const std::byte> from) noexcept override {
    std::memcpy(&x_, from.data(), sizeof x_);
  }
  Telling tell(const Entry&) const override { return {"", "message", "", "", "a step", "", false}; }

 private:
  Description description_;
  double x_ = 0.25;
  std::span<const double> push_;
  std::span<double> out_;
  Journal* journal_ = nullptr;
};

Catalogue walks() {
  Catalogue c;
  Type walk;
  walk.name = "walk";
  walk.component = [](const Parameters&) { return std::make_unique<Walk>(); };
  c.add(std::move(walk));
  return c;
}

constexpr const char* version = "test";

class Continuing : public ::testing::Test {
 protected:
  Continuing() {
    std::ofstream(document_) << R"(<interconnection name='walks'>
      <component id='w' type='walk'/><run stop='30 s' step='10 ms'/>
      <report name='mean' signal='w.x' kind='mean'/><report name='rms' signal='w.x' kind='rms'/>
      <report name='most' signal='w.x' kind='maximum'/>
      <report name='when' signal='w.x' kind='time_of_maximum'/>
      <check name='still' signal='w.x' kind='constant' tolerance='1e3'/>
      <check name='low' signal='w.x' kind='below' limit='1e3' from='3 s'/></interconnection>)";
    options_.runs = folder_ / "runs";
    options_.version = version;
  }

  std::unique_ptr<Session> begin(const Options& options) const {
    Diagnostics problems;
    return std::make_unique<Session>(prepare(document_, options.changes, catalogue_, problems),
                                     options, problems);
  }
  /// Continues the run in a folder that nobody runs; null: it has ended.
  std::unique_ptr<Session> again(const std::filesystem::path& folder, bool wait = false) const {
    Diagnostics problems;
    Again what = continued(folder, version);
    what.options.version = version;
    Prepared prepared = prepare(what.document, what.options.changes, catalogue_, problems);
    if (!take_over(*what.options.continuation, wait, prepared.plan)) return nullptr;
    continued_from_ = what.options.continuation->checkpoint;
    return std::make_unique<Session>(std::move(prepared), what.options, problems);
  }
  static void set(Session& s, double push) {
    s.carry_out({executive::OrderKind::replace, "w.push", {push}});
  }
  static std::string code_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list().front().code;
    }
    return "";
  }
  /// Everything that must not depend on kills.
  static std::string content(const std::filesystem::path& folder) {
    const record::Manifest m = record::read_manifest(folder);
    std::string all = m.status;
    for (const record::Reported& r : m.reports) all += fmt::format("\n{} {:a}", r.name, r.value);
    for (const record::Checked& c : m.checks) all += fmt::format("\n{} {:a}", c.name, c.value);
    for (const auto& [name, value] : m.statistics)
      if (!name.starts_with("wall") && !name.starts_with("times"))
        all += fmt::format("\n{} {:a}", name, value);
    all += "\n" + testing::content(folder / "events.csv");
    if (std::filesystem::exists(folder / "orders.csv"))
      all += testing::content(folder / "orders.csv");
    std::string rows;
    const record::ResultReader results(folder);
    for (const record::Signal& s : results.signals()) {
      const record::Series series = results.read(s);
      for (std::size_t i = 0; i < series.time.size(); ++i)
        rows += fmt::format("\n{} {:a} {:a}", s.spec.path, series.time[i], series.values[i]);
    }
    return all + text(sha256(std::as_bytes(std::span(rows))));
  }

  const Catalogue catalogue_ = walks();
  TemporaryFolder folder_;
  const std::filesystem::path document_ = folder_ / "walks.xml";
  mutable std::filesystem::path continued_from_;
  Options options_;
};

TEST_F(Continuing, AFolderSaysTheSameAsThatOfARunThatWasNeverLeft) {
  const auto disturb = [](Session& s, int part) {
    s.run_until(Time(5s * part + 2500ms));
    set(s, 0.1 * part);
    s.run_until(Time(5s * part + 4s));
    set(s, 0.25);
  };
  auto whole = begin(options_);
  for (int part = 0; part < 5; ++part) disturb(*whole, part);
  EXPECT_EQ(whole->run().result, Result::finished);
  options_.checkpoint_every = 3s;
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  for (int part = 0; part < 5; ++part) {
    disturb(*run, part);
    run.reset();  // without an end
    run = again(folder);
    EXPECT_NE(continued_from_, "");
    // what was ordered after the checkpoint is repeated
    run->run_until(Time(5s * part + 4s));
  }
  EXPECT_EQ(run->run().result, Result::finished);
  EXPECT_EQ(content(folder), content(whole->folder()));
  EXPECT_THAT(record::read_manifest(folder).continued, SizeIs(5));
  EXPECT_FALSE(std::filesystem::exists(folder / pending_orders_file));
}

TEST_F(Continuing, ARunWithoutCheckpointsContinuesFromItsBeginningAndRepeatsItsOrders) {
  auto whole = begin(options_);
  whole->run_until(Time(4s));
  set(*whole, 0.5);
  EXPECT_EQ(whole->run().result, Result::finished);
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  run->run_until(Time(4s));
  set(*run, 0.5);
  run->run_until(Time(6s));
  for (int times = 0; times < 2; ++times) {  // also when it is left again before the order's time
    run.reset();
    run = again(folder);
    EXPECT_EQ(continued_from_, "");
    run->run_until(Time(2s));
  }
  EXPECT_EQ(run->run().result, Result::finished);
  EXPECT_EQ(content(folder), content(whole->folder()));
}

TEST_F(Continuing, ARunThatRepeatsOrdersContinuesWithThoseThatAreStillToCome) {
  options_.orders = {{Time(2s), {executive::OrderKind::replace, "w.push", {1.0}}},
                     {Time(20s), {executive::OrderKind::release, "w.push"}}};
  auto whole = begin(options_);
  EXPECT_EQ(whole->run().result, Result::finished);
  options_.checkpoint_every = 5s;
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  run->run_until(Time(12s));
  run.reset();
  run = again(folder);
  EXPECT_EQ(run->executive().now(), Time(10s));
  EXPECT_EQ(run->run().result, Result::finished);
  EXPECT_EQ(content(folder), content(whole->folder()));
}

TEST_F(Continuing, TakesTheLastCheckpointOfWhichTheFilesHaveEverything) {
  options_.checkpoint_every = 2s;
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  run->run_until(Time(9s));
  run.reset();
  const auto checkpoints = folder / "checkpoints";
  // one of more events than there are, one whose checkpoint is another one, one that is cut off
  record::Progress p = record::read_progress(checkpoints / "t=0008.000.progress");
  p.notes += 1000;
  record::write_progress(checkpoints / "t=0008.000.progress", p);
  std::filesystem::copy_file(checkpoints / "t=0004.000.vchk", checkpoints / "t=0006.000.vchk",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(checkpoints / "t=0004.000.progress", 60);
  run = again(folder);
  EXPECT_EQ(continued_from_.filename(), "t=0002.000.vchk");
  // nobody takes those for good once the run has continued
  for (const char* name : {"t=0004.000.progress", "t=0006.000.progress", "t=0008.000.progress"})
    EXPECT_FALSE(std::filesystem::exists(checkpoints / name)) << name;
  EXPECT_EQ(run->run().result, Result::finished);
  options_.checkpoint_every.reset();
  auto whole = begin(options_);
  EXPECT_EQ(whole->run().result, Result::finished);
  EXPECT_EQ(content(folder), content(whole->folder()));
}

TEST_F(Continuing, ARunKeepsItsLastTwoStatesByItselfAndRemovesThemAtItsEnd) {
  options_.keep_state_after = 1ms;
  const auto kept = [](const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& e : std::filesystem::directory_iterator(folder / "checkpoints"))
      if (e.path().extension() == ".vchk") names.push_back(e.path().filename());
    return names;
  };
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  std::set<std::string> seen;
  for (auto t = 10ms; t < 20s && seen.size() < 4; t += 10ms) {
    run->run_until(Time(t));
    std::this_thread::sleep_for(1ms);
    for (const std::string& name : kept(folder)) seen.insert(name);
    EXPECT_LE(kept(folder).size(), 2u);
  }
  EXPECT_GE(seen.size(), 4u);
  run.reset();
  EXPECT_THAT(kept(folder), SizeIs(2));
  run = again(folder);
  EXPECT_NE(continued_from_, "");
  EXPECT_EQ(run->run().result, Result::finished);
  EXPECT_THAT(kept(folder), IsEmpty());
  options_.keep_state_after = {};
  auto whole = begin(options_);
  EXPECT_EQ(whole->run().result, Result::finished);
  EXPECT_EQ(content(folder), content(whole->folder()));
}

TEST_F(Continuing, IsRefusedWhileTheRunRunsAndWhenItHasEnded) {
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  EXPECT_EQ(code_of([&] { again(folder); }), "V7131");
  run->run_until(Time(1s));
  EXPECT_EQ(run->finish().result, Result::finished);
  run.reset();
  const std::string before = testing::content(folder / "manifest.json");
  EXPECT_EQ(code_of([&] { again(folder); }), "V7132");
  EXPECT_EQ(again(folder, true), nullptr);
  EXPECT_EQ(code_of([&] { continued(folder, "another"); }), "V7133");
  EXPECT_EQ(testing::content(folder / "manifest.json"), before);
}

TEST_F(Continuing, WaitsUntilTheRunIsLeft) {
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  run->run_until(Time(1s));
  std::unique_ptr<Session> next;
  std::thread waiting([&] { next = again(folder, true); });
  run.reset();
  waiting.join();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->folder(), folder);
  EXPECT_EQ(next->run().result, Result::finished);
}

TEST_F(Continuing, AFailureToBeginLeavesTheFolderAsItWas) {
  options_.checkpoint_every = 2s;
  auto run = begin(options_);
  const std::filesystem::path folder = run->folder();
  run->run_until(Time(5s));
  run.reset();
  Diagnostics problems;
  Again what = continued(folder, version);
  Prepared prepared = prepare(what.document, what.options.changes, catalogue_, problems);
  ASSERT_TRUE(take_over(*what.options.continuation, false, prepared.plan));
  what.options.continuation->progress.watch.pop_back();
  EXPECT_EQ(code_of([&] { Session s(std::move(prepared), what.options, problems); }), "V7136");
  run = again(folder);
  EXPECT_EQ(run->run().result, Result::finished);
}

}  // namespace
}  // namespace vernier::session
