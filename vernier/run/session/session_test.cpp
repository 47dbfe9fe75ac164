#include "vernier/run/session/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/coupling.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::session {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// out value = offset + slope t, out twin = (value, -value); a journal entry when it passes zero.
class Ramp final : public Component {
 public:
  Ramp(double slope, double start) : slope_(slope), value_(start) {
    description_.inputs = {{.name = "push", .unit = "m/s", .initial = std::vector<double>{0.0}}};
    description_.outputs = {{.name = "value", .unit = "m"},
                            {.name = "twin", .unit = "m", .count = 2}};
    description_.state_bytes = sizeof value_;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    push_ = b.real_input("push");
    out_ = b.real_output("value");
    twin_ = b.real_output("twin");
    journal_ = &b.journal();
  }
  Outcome output(Instant) noexcept override {
    out_[0] = twin_[0] = value_;
    twin_[1] = -value_;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double before = value_;
    value_ += (slope_ + push_[0]) * seconds(to - from);
    if (before < 0.0 && value_ >= 0.0) journal_->note({.at = {to}, .kind = 1});
    return {to};
  }
  void save(std::span<std::byte> to) const noexcept override {
    std::memcpy(to.data(), &value_, sizeof value_);
  }
  void load(std::span<const std::byte> from) noexcept override {
    std::memcpy(&value_, from.data(), sizeof value_);
  }
  Telling tell(const Entry&) const override {
    return {"", "transition", "below", "above", "value >= 0", "rise", false};
  }

 private:
  Description description_;
  double slope_, value_;
  std::span<const double> push_;
  std::span<double> out_, twin_;
  Journal* journal_ = nullptr;
};

/// y' = u, exact for a constant input.
class Integral final : public Component {
 public:
  explicit Integral(double start) : y_(start) {
    description_.inputs = {{.name = "u"}};
    description_.outputs = {{.name = "y"}};
    description_.state_bytes = sizeof y_;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    in_ = b.real_input("u");
    out_ = b.real_output("y");
  }
  Outcome output(Instant) noexcept override {
    out_[0] = y_;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    y_ += in_[0] * seconds(to - from);
    return {to};
  }
  void save(std::span<std::byte> to) const noexcept override {
    std::memcpy(to.data(), &y_, sizeof y_);
  }
  void load(std::span<const std::byte> from) noexcept override {
    std::memcpy(&y_, from.data(), sizeof y_);
  }

 private:
  Description description_;
  double y_;
  std::span<const double> in_;
  std::span<double> out_;
};

/// Fails at 0.5 s with a fault of its category, under a code that implies nothing.
class Failing final : public Component {
 public:
  explicit Failing(Category category) { fault_.set(category, "V0000", " failed"); }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time from, Time to) noexcept override {
    return {to, seconds(from) < 0.5 ? Outcome::ok : Outcome::failed};
  }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}
  const Fault& fault() const noexcept override { return fault_; }

 private:
  Description description_;
  Fault fault_;
};

/// How often <slope> documents were compiled and instances of them created.
int compiled = 0, made = 0;

Catalogue catalogue() {
  Catalogue c;
  c.add(DocumentKind{"slope", "a ramp", InstanceKind::component,
                     [](const std::string&, const std::filesystem::path&, Diagnostics&) {
                       ++compiled;
                       Type type;
                       type.name = "slope";
                       type.parameters = {{.name = "slope", .unit = "m/s", .initial = "1"}};
                       type.component = [](const Parameters& p) {
                         ++made;
                         return std::make_unique<Ramp>(p.real("slope"), 0.0);
                       };
                       return type;
                     }});
  Type failing;
  failing.name = "failing";
  failing.parameters = {{.name = "category", .unit = "1", .initial = "0"}};
  failing.component = [](const Parameters& p) {
    return std::make_unique<Failing>(static_cast<Category>(p.real("category")));
  };
  c.add(std::move(failing));
  Type integral;
  integral.name = "integral";
  integral.parameters = {{.name = "start", .unit = "1", .initial = "0"}};
  integral.component = [](const Parameters& p) {
    return std::make_unique<Integral>(p.real("start"));
  };
  c.add(std::move(integral));
  Type ramp;
  ramp.name = "ramp";
  ramp.parameters = {{.name = "slope", .unit = "m/s", .initial = "1"},
                     {.name = "start", .unit = "m", .initial = "0"}};
  ramp.component = [](const Parameters& p) {
    return std::make_unique<Ramp>(p.real("slope"), p.real("start"));
  };
  c.add(std::move(ramp));
  return c;
}

class Running : public ::testing::Test {
 protected:
  Running() {
    options_.runs = folder_ / "runs";
    options_.version = "test";
  }

  std::filesystem::path write(const std::string& inside) const {
    const auto file = folder_ / "ramps.xml";
    std::ofstream(file) << "<interconnection name='ramps'>" << inside << "</interconnection>";
    return file;
  }
  Summary run(const std::filesystem::path& document, Options options) {
    Diagnostics problems;
    Session s(prepare(document, options.changes, catalogue_, problems), options, problems);
    last_ = s.folder();
    return s.run();
  }

  const Catalogue catalogue_ = catalogue();
  TemporaryFolder folder_;
  std::filesystem::path last_;
  Options options_;
};

constexpr const char* one_ramp =
    "<component id='r' type='ramp'><parameter name='start' value='-2'/></component><run stop='10 "
    "s' step='100 ms'/>";

/// Counts how often files are opened, as the kernel reports it.
class Opens {
 public:
  explicit Opens(const std::vector<std::filesystem::path>& files) {
    // watch closing as well, since identical consecutive events are merged
    for (const auto& f : files)
      names_[inotify_add_watch(watch_.get(), f.c_str(), IN_OPEN | IN_CLOSE)] = f.filename();
  }
  std::map<std::string, int> counted() {
    std::map<std::string, int> all;
    for (const auto& [number, name] : names_) all[name] = 0;
    alignas(inotify_event) char buffer[4096];
    for (ssize_t n = 0; (n = read(watch_.get(), buffer, sizeof buffer)) > 0;) {
      for (ssize_t at = 0; at < n;) {
        const auto* e = reinterpret_cast<const inotify_event*>(buffer + at);
        if ((e->mask & IN_OPEN) != 0) ++all[names_.at(e->wd)];
        at += static_cast<ssize_t>(sizeof(inotify_event) + e->len);
      }
    }
    return all;
  }

 private:
  Descriptor watch_{inotify_init1(IN_NONBLOCK)};
  std::map<int, std::string> names_;
};

TEST_F(Running, DocumentsAreOpenedAndCompiledOnce) {
  std::ofstream(folder_ / "one.xml") << "<slope name='one'/>";
  std::ofstream(folder_ / "two.xml") << "<slope name='two'/>";
  std::ofstream(folder_ / "inner.xml")
      << "<interconnection name='inner'><component id='a' file='one.xml'/>"
         "<component id='b' file='two.xml'/></interconnection>";
  const auto document = write(
      "<component id='x' file='one.xml'/><composition id='n' file='inner.xml'/>"
      "<composition id='m' file='inner.xml'/><run stop='1 s' step='100 ms'/>");
  compiled = made = 0;
  Opens opens({document, folder_ / "inner.xml", folder_ / "one.xml", folder_ / "two.xml"});
  EXPECT_EQ(run(document, options_).result, Result::finished);
  EXPECT_THAT(opens.counted(), ElementsAre(Pair("inner.xml", 1), Pair("one.xml", 1),
                                           Pair("ramps.xml", 1), Pair("two.xml", 1)));
  EXPECT_EQ(compiled, 2);
  EXPECT_EQ(made, 5);
}

TEST_F(Running, ALoneModelIsOpenedCompiledAndMadeOnce) {
  const auto document = folder_ / "lone.xml";
  std::ofstream(document) << "<slope name='lone'/>";
  compiled = made = 0;
  Opens opens({document});
  options_.changes.set = {"ext.push=2"};
  EXPECT_EQ(run(document, options_).result, Result::finished);
  EXPECT_THAT(opens.counted(), ElementsAre(Pair("lone.xml", 1)));
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(made, 1);
  // with another parameter it is another instance
  options_.changes.set = {"lone.slope=3"};
  EXPECT_EQ(run(document, options_).result, Result::finished);
  EXPECT_EQ(compiled, 2);
  EXPECT_EQ(made, 3);
}

TEST_F(Running, WhatIsKeptBesideTheResultsIsWhatWasRun) {
  const auto document = folder_ / "lone.xml";
  std::ofstream(document) << "<slope name='lone'/>";
  Diagnostics problems;
  Prepared prepared = prepare(document, {}, catalogue_, problems);
  std::ofstream(document) << "<slope name='changed'/>";
  Session s(std::move(prepared), options_, problems);
  EXPECT_EQ(s.run().result, Result::finished);
  EXPECT_EQ(testing::content(s.folder() / "inputs/lone.xml"), "<slope name='lone'/>");
  const record::Input input = record::read_manifest(s.folder()).inputs.at(0);
  EXPECT_EQ(input.sha256, text(sha256_of_file(s.folder() / "inputs/lone.xml")));
}

TEST_F(Running, TheExitStatusFollowsFromTheCategoryOfTheFault) {
  const auto status = [&](Category category) {
    const auto document =
        write("<component id='f' type='failing'><parameter name='category' value='" +
              std::to_string(static_cast<int>(category)) +
              "'/></component><run stop='1 s' step='100 ms'/>");
    const Summary s = run(document, options_);
    EXPECT_EQ(s.result, Result::failed);
    EXPECT_EQ(s.fault.value().category, category);
    EXPECT_EQ(record::read_manifest(last_).exit_status, exit_status(s));
    return exit_status(s);
  };
  EXPECT_EQ(status(Category::input), 1);
  EXPECT_EQ(status(Category::numerics), 1);
  EXPECT_EQ(status(Category::machine), 1);
  EXPECT_EQ(status(Category::lateness), 4);
  EXPECT_EQ(status(Category::peer), 5);
}

TEST_F(Running, ReportsAreTakenOverTheWholeRun) {
  const auto document = write(std::string(one_ramp) + R"(
    <report name='last' signal='r.value'/>
    <report name='first' signal='r.value' kind='first'/>
    <report name='most' signal='r.twin[1]' kind='maximum'/>
    <report name='least' signal='r.value' kind='minimum' unit='km'/>
    <report name='mean' signal='r.value' kind='mean'/>
    <report name='rms' signal='r.value' kind='rms'/>
    <report name='when' signal='r.value' kind='time_of_maximum' unit='ms'/>
    <report name='norm' signal='r.twin'/>)");
  const Summary s = run(document, options_);
  EXPECT_EQ(s.result, Result::finished);
  std::vector<double> values;
  for (const ReportResult& r : s.reports) values.push_back(r.value);
  // x = -2 + t on [0, 10]: mean 3, mean square = (8^3 + 2^3) / 30
  const double tolerance = 1e-9;
  ASSERT_EQ(values.size(), 8u);
  EXPECT_NEAR(values[0], 8.0, tolerance);
  EXPECT_NEAR(values[1], -2.0, tolerance);
  EXPECT_NEAR(values[2], 2.0, tolerance);
  EXPECT_NEAR(values[3], -0.002, tolerance);
  EXPECT_NEAR(values[4], 3.0, tolerance);
  EXPECT_NEAR(values[5], std::sqrt(520.0 / 30.0), 1e-3);  // trapezoids over 100 ms
  EXPECT_NEAR(values[6], 10'000.0, 1e-6);
  EXPECT_NEAR(values[7], 8.0 * std::sqrt(2.0), tolerance);
  EXPECT_EQ(s.reports[3].unit, "km");
}

TEST_F(Running, ABrokenCheckIsFoundWithItsWorstValue) {
  const auto document = write(std::string(one_ramp) + R"(
    <check name='low' signal='r.value' kind='below' limit='5 m'/>
    <check name='late' signal='r.value' kind='above' limit='2.9' from='5 s'/>
    <check name='still' signal='r.twin' kind='constant' tolerance='1e-9'/>
    <check name='close' signal='r.value' kind='near' limit='8' tolerance='1' from='9.5 s'/>
    <check name='never' signal='r.value' kind='above' limit='100' from='1 h'/>)");
  const Summary s = run(document, options_);
  EXPECT_EQ(s.result, Result::broken_check);
  EXPECT_EQ(exit_status(s), 3);
  ASSERT_EQ(s.checks.size(), 5u);
  EXPECT_FALSE(s.checks[0].kept);
  EXPECT_NEAR(s.checks[0].worst, 8.0, 1e-9);
  EXPECT_NEAR(s.checks[0].at, 10.0, 1e-9);
  EXPECT_TRUE(s.checks[1].kept);
  EXPECT_NEAR(s.checks[1].worst, 3.0, 1e-9);
  EXPECT_FALSE(s.checks[2].kept);
  EXPECT_NEAR(s.checks[2].worst, 5.0, 1e-9);  // |(8,-8) - (-2,2)| / |(-2,2)|
  EXPECT_TRUE(s.checks[3].kept);
  EXPECT_FALSE(s.checks[4].seen);
  EXPECT_EQ(record::read_manifest(last_).status, "check failed");
}

TEST_F(Running, TheFolderHoldsManifestInputsResultsAndEvents) {
  std::vector<std::string> told;
  options_.on_event = [&](const record::Event& e) {
    told.push_back(e.component + ": " + e.from + " -> " + e.to);
  };
  run(write(std::string(one_ramp) + "<record signals='r.value' every='1 s'/>"), options_);
  EXPECT_EQ(last_.filename(), "ramps-0001");
  const record::Manifest m = record::read_manifest(last_);
  EXPECT_EQ(m.status, "finished");
  EXPECT_EQ(m.composition, "ramps");
  ASSERT_EQ(m.inputs.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(last_ / "events.csv"));
  EXPECT_THAT(told, ElementsAre("r: below -> above"));
  const record::ResultReader results(last_);
  ASSERT_NE(results.find("r.value"), nullptr);
  EXPECT_EQ(results.find("r.value")->rows, 11u);
  EXPECT_EQ(results.find("r.twin"), nullptr);
}

TEST_F(Running, WhatAFigureShowsIsRecorded) {
  run(write(std::string(one_ramp) + "<record signals='r.value' every='1 s'/>"
                                    "<figure name='f'><curve signal='r.twin[0]'/></figure>"),
      options_);
  const record::ResultReader results(last_);
  ASSERT_NE(results.find("r.twin"), nullptr);
  EXPECT_EQ(results.find("r.twin")->rows, 11u);
}

TEST_F(Running, NothingIsLeftWhenNothingIsToBeKept) {
  options_.keep = false;
  const Summary s = run(write(one_ramp), options_);
  EXPECT_EQ(s.result, Result::finished);
  EXPECT_TRUE(last_.empty());
  EXPECT_FALSE(std::filesystem::exists(options_.runs));
}

TEST_F(Running, ChangesReachTheRun) {
  options_.changes.set = {"r.start=1km", "run.step=1s"};
  options_.changes.until = 3s;
  const Summary s =
      run(write(std::string(one_ramp) + "<report name='x' signal='r.value'/>"), options_);
  EXPECT_EQ(s.reached, Time(3s));
  EXPECT_NEAR(s.reports[0].value, 1003.0, 1e-9);
}

TEST_F(Running, AnOverrideReplacesWhatAPortCarries) {
  options_.overrides = {"r.push=1 km/s"};
  const Summary s =
      run(write(std::string(one_ramp) + "<report name='x' signal='r.value'/>"), options_);
  EXPECT_NEAR(s.reports[0].value, -2.0 + 10.0 * 1001.0, 1e-6);
  options_.overrides = {"r.pish=1"};
  EXPECT_THROW(run(write(one_ramp), options_), ConfigurationError);
  options_.overrides = {"r.push=1 kg"};
  EXPECT_THROW(run(write(one_ramp), options_), ConfigurationError);
}

TEST_F(Running, ACheckpointResumesToTheBit) {
  options_.changes.set = {"r.slope=0.1"};
  const auto document = write(std::string(one_ramp) + "<report name='x' signal='r.value'/>");
  const double straight = run(document, options_).reports[0].value;
  options_.checkpoint_every = 4s;
  const Summary s = run(document, options_);
  EXPECT_EQ(s.reports[0].value, straight);
  ASSERT_EQ(s.checkpoints.size(), 3u);  // 4 s, 8 s, and the end
  options_.checkpoint_every.reset();
  options_.from = s.checkpoints[0];
  const Summary rest = run(document, options_);
  EXPECT_EQ(rest.from, Time(4s));
  EXPECT_EQ(rest.reports[0].value, straight);

  options_.changes.until = 3s;
  EXPECT_THROW(run(document, options_), ConfigurationError);  // V2027
}

TEST_F(Running, ARunIsRepeatedFromItsFolderAlone) {
  options_.changes.set = {"r.slope=0.1"};
  options_.changes.until = 7s;
  options_.changes.seed = 17;
  options_.overrides = {"r.push=0.3"};
  const auto document = write(std::string(one_ramp) + "<report name='x' signal='r.value'/>");
  const double first = run(document, options_).reports[0].value;
  const auto folder = last_;
  std::filesystem::remove(document);
  Again again = repeated(folder);
  EXPECT_EQ(again.options.changes.seed, 17u);
  again.options.runs = options_.runs;
  const Summary s = run(again.document, again.options);
  EXPECT_EQ(s.reached, Time(7s));
  EXPECT_EQ(s.reports[0].value, first);
}

TEST_F(Running, StopsWhenAskedAndClosesItsFiles) {
  options_.rate = 0.01;  // a quarter of an hour, unless stopped
  Diagnostics problems;
  Session s(prepare(write(one_ramp), {}, catalogue_, problems), options_, problems);
  std::thread asker([&] {
    std::this_thread::sleep_for(150ms);
    s.request_stop();
  });
  const Summary summary = s.run();
  asker.join();
  EXPECT_EQ(summary.result, Result::interrupted);
  EXPECT_EQ(exit_status(summary), 130);
  EXPECT_LT(summary.reached, Time(10s));
  EXPECT_EQ(record::read_manifest(s.folder()).status, "interrupted");
  EXPECT_GT(record::ResultReader(s.folder()).find("r.value")->rows, 0u);
}

TEST_F(Running, KeepsToTheWallClock) {
  options_.rate = 20.0;
  const Summary s = run(write(one_ramp), options_);
  EXPECT_GT(s.wall, 0.45);  // 10 s at 20 times real time
  EXPECT_EQ(s.result, Result::finished);
}

std::string said(const std::function<void()>& act) {
  try {
    act();
  } catch (const ConfigurationError& e) {
    return e.what();
  }
  return "nothing";
}

TEST_F(Running, ADocumentWithoutAnEndIsRefused) {
  const auto document = write("<component id='r' type='ramp'/>");
  Diagnostics problems;
  EXPECT_THAT(said([&] { prepare(document, {}, catalogue_, problems); }), HasSubstr("V2024"));
  Diagnostics others;
  EXPECT_NO_THROW(prepare(document, {.until = 1s}, catalogue_, others));
}

TEST_F(Running, ProblemsOfThePlanShowTheirLine) {
  const auto document = write("\n<component id='r' type='rammp'/><run stop='1 s'/>");
  Diagnostics problems;
  const std::string text = said([&] { prepare(document, {}, catalogue_, problems); });
  EXPECT_THAT(text, HasSubstr(":2:"));
  EXPECT_THAT(text, HasSubstr(" 2 | <component id='r' type='rammp'/>"));
  EXPECT_THAT(text, HasSubstr("did you mean ramp?"));
}

TEST_F(Running, AReportInAnotherDimensionIsRefused) {
  const auto document =
      write(std::string(one_ramp) + "<report name='x' signal='r.value' unit='kg'/>");
  Diagnostics problems;
  EXPECT_THAT(said([&] { prepare(document, {}, catalogue_, problems); }), HasSubstr("V2026"));
}

TEST_F(Running, EveryWrongSettingIsReportedAtOnce) {
  const auto document = write(one_ramp);
  Diagnostics problems;
  const std::string text = said([&] {
    prepare(document, {.set = {"q.slope=1", "run.stp=1"}}, catalogue_, problems);
  });
  EXPECT_THAT(text, HasSubstr("\"q.slope\""));
  EXPECT_THAT(text, HasSubstr("\"stp\""));
}

constexpr const char* circle =
    "<component id='a' type='integral'><parameter name='start' value='1'/></component>"
    "<component id='b' type='integral'/><connect from='b.y' to='a.u'/>"
    "<connect from='a.y' to='b.u' gain='-1'/><run stop='2 s' step='10 ms'/>";

TEST_F(Running, MeasuresWhatTheStepDoesToACoupling) {
  Diagnostics problems;
  const Coupling c = coupling(write(circle), {}, catalogue_, 1e-3, problems);
  ASSERT_EQ(problems.list().size(), 1u);
  EXPECT_EQ(problems.list()[0].code, "V2130");
  EXPECT_EQ(c.step, 10ms);
  EXPECT_FALSE(c.within());
  // y_a + i y_b rotates by 1 - i h per step: by atan(h), growing by sqrt(1 + h^2); it should be
  // cos(t)
  const double h = 0.01;
  double worst = 0.0, largest = 0.0;
  for (int n = 0; n <= 200; ++n) {
    const double y = std::pow(1.0 + h * h, 0.5 * n) * std::cos(n * std::atan(h));
    worst = std::max(worst, std::abs(y - std::cos(n * h)));
    largest = std::max(largest, std::abs(y));
  }
  ASSERT_EQ(c.signals.size(), 2u);
  EXPECT_EQ(c.signals[0].signal, "a.y");
  EXPECT_NEAR(c.signals[0].error, worst / largest, 0.02 * worst / largest);
  // the step at which the error is the tolerance, rounded down to 1, 2 or 5: 1.9 ms
  EXPECT_EQ(c.advised(), 1ms);
  EXPECT_TRUE(
      coupling(write(circle), {.set = {"run.step=1 ms"}}, catalogue_, 1e-3, problems).within());
}

}  // namespace
}  // namespace vernier::session
