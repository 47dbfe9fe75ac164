// Watching a run never changes it. Random compositions are run as they are, and again with
// unconnected parts, observers at other rates, more threads, and freezes with the state carried to
// another executive by way of a checkpoint's bytes: every output of every part must be the same at
// every instant of its cluster, to the bit, and so must its state at the end. The oracle is the run
// itself.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/random.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/model/multibody_tree/type.hpp"
#include "vernier/model/spacecraft/types.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/record/checkpoint.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::Executive;

const Catalogue& catalogue() {
  static const Catalogue filled = [] {
    Catalogue c;
    c.set_island(island::make_island);
    automaton::add_to(c);
    multibody_tree::add_to(c);
    multibody_loops::add_to(c);
    spacecraft::register_types(c);
    return c;
  }();
  return filled;
}

const char* const oscillator = R"(<hybridsystem name="Oscillator" version="1">
  <constants><constant name="k" value="4"/></constants>
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="x" initial="1"/><state name="v" initial="0"/></states>
  <outputs><output name="y"/></outputs>
  <location><name>Swing</name>
    <diffequation state="x">v</diffequation>
    <diffequation state="v" unit="1">u - k*x - 0.1*v - 0.3*sin(x)</diffequation>
    <outputmap output="y">x</outputmap></location>
</hybridsystem>)";

const char* const relay = R"(<hybridsystem name="Relay" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <outputs><output name="y"/></outputs>
  <events><event name="on" direction="out"/></events>
  <initial location="Off"/>
  <location><name>Off</name><outputmap output="y">0</outputmap>
    <transitions><transition><name>up</name><domain>u &gt; 0.4</domain><outevent>on</outevent>
      <reset><destination>On</destination></reset></transition></transitions></location>
  <location><name>On</name><outputmap output="y">1</outputmap>
    <transitions><transition><name>down</name><domain>u &lt; -0.4</domain>
      <reset><destination>Off</destination></reset></transition></transitions></location>
</hybridsystem>)";

const char* const counter = R"(<hybridsystem name="Counter" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="n" initial="0"/></states>
  <outputs><output name="y"/></outputs>
  <events><event name="on" direction="in"/></events>
  <location><name>Count</name>
    <diffequation state="n" unit="1">-0.2*n + 0.01*u</diffequation>
    <outputmap output="y">n + 0.1*u</outputmap>
    <transitions><transition><name>next</name><inevent>on</inevent>
      <reset><destination>Count</destination><statereset state="n">n + 1</statereset></reset>
    </transition></transitions></location>
</hybridsystem>)";

/// A composition of up to eight parts, wired at random: with and without islands, rates, delays of
/// values and of events, noise.
class Sketch {
 public:
  explicit Sketch(std::uint64_t seed) : random_(seed) {
    write("oscillator.xml", oscillator);
    write("relay.xml", relay);
    write("counter.xml", counter);
    const int parts = 2 + pick(5);
    for (int i = 0; i < parts; ++i) add_part("p" + std::to_string(i));
    for (std::size_t i = 0; i < names_.size(); ++i) connect(i);
    for (const std::string& from : relays_)
      for (const std::string& to : counters_) map_event(from, to);
    if (pick(3) == 0) {
      text_ << "<system id=\"craft\" type=\"rigid_body\">"
            << "<parameter name=\"inertia\" value=\"1 2 2.5\"/>"
            << "<parameter name=\"omega\" value=\"0.1 0.2 -0.3\"/></system>"
            << "<component id=\"gyro\" type=\"rate_sensor\" rate=\"" << 3 + pick(30) << " Hz\">"
            << "<parameter name=\"noise\" value=\"1e-3\"/></component>"
            << "<connect from=\"craft.omega\" to=\"gyro.truth\"/>";
    }
    if (pick(4) == 0)
      text_ << "<system id=\"tree\" file=\"" VERNIER_SOURCE_DIR
               "/formats/multibody/good/case_b.xml\"/>";
    if (pick(4) == 0)
      text_ << "<component id=\"arm\" file=\"" VERNIER_SOURCE_DIR
               "/formats/constrained/good/pendulum.xml\"/>";
    text_ << "<stimulus at=\"0.777 s\" input=\"ext.push\" value=\"0.9\"/>";
    step_ms_ = 20 + 10 * pick(9);
  }

  std::string document(bool more) const {
    std::string s = "<interconnection name=\"sketch\" version=\"1\"><input name=\"push\"/>";
    s += text_.str();
    if (more)
      s += "<system id=\"ball\" file=\"" VERNIER_SOURCE_DIR
           "/formats/hybrid/good/bouncing_ball.xml\"/>"
           "<system id=\"other\" type=\"rigid_body\"><parameter name=\"inertia\" value=\"1 2 "
           "2.5\"/></system>"
           "<component id=\"other_gyro\" type=\"rate_sensor\" rate=\"137 Hz\"/>"
           "<connect from=\"other.omega\" to=\"other_gyro.truth\"/>"
           "<system id=\"alone\" file=\"oscillator.xml\" rate=\"17 per 1 s\"/>"
           "<stimulus at=\"1.2345 s\" input=\"alone.u\" value=\"3\"/>";
    return s + "<run stop=\"3 s\" step=\"" + std::to_string(step_ms_) + " ms\"/></interconnection>";
  }

  composition::Plan plan(bool more = false) const {
    Diagnostics problems;
    const composition::Composition c =
        composition::parse_composition(document(more), folder_ / "sketch.xml", problems);
    return composition::make_plan(c, catalogue(), problems);
  }

 private:
  int pick(int n) { return static_cast<int>(random_.uniform() * n); }
  void write(const char* name, const char* content) { std::ofstream(folder_ / name) << content; }

  void add_part(const std::string& name) {
    static const char* const files[] = {"oscillator.xml", "oscillator.xml", "relay.xml",
                                        "counter.xml"};
    const int kind = pick(4);
    names_.push_back(name);
    feeds_through_.push_back(kind == 3);
    if (kind == 2) relays_.push_back(name);
    if (kind == 3) counters_.push_back(name);
    text_ << "<system id=\"" << name << "\" file=\"" << files[kind] << "\"";
    if (pick(3) == 0)
      text_ << " island=\"own\"";
    else if (pick(6) == 0)
      text_ << " rate=\"" << 5 + pick(40) << " Hz\"";
    text_ << "/>";
  }

  void connect(std::size_t to) {
    const auto from = static_cast<std::size_t>(pick(static_cast<int>(names_.size()) + 2));
    if (from == names_.size()) return;
    const bool outside = from > names_.size();
    // no ring of outputs that need each other at once
    if (!outside && feeds_through_[to] && feeds_through_[from] && from >= to) return;
    text_ << "<connect from=\"" << (outside ? "ext.push" : names_[from] + ".y") << "\" to=\""
          << names_[to] << ".u\" gain=\"" << 0.25 * (1 + pick(6)) << "\"";
    if (pick(3) == 0) text_ << delay();
    text_ << "/>";
  }

  // a label that no map names reaches all that wait for it
  void map_event(const std::string& from, const std::string& to) {
    if (pick(3) == 0) return;
    text_ << "<eventmap from=\"" << from << ".on\" to=\"" << to << ".on\"";
    if (pick(3) != 0) text_ << delay();
    text_ << "/>";
  }

  std::string delay() {
    static const char* const lengths[] = {"1 tick", "2 ticks", "37 ms", "250 ms"};
    return std::string(" delay=\"") + lengths[pick(4)] + "\"";
  }

  Random random_;
  TemporaryFolder folder_;
  std::vector<std::string> names_;
  std::vector<bool> feeds_through_;
  std::vector<std::string> relays_, counters_;
  std::ostringstream text_;
  int step_ms_ = 100;
};

/// What an output shows at the instants of its cluster, as a number that any bit changes.
class Digest final : public executive::Observer {
 public:
  explicit Digest(const executive::PortView& v) : view_(v) {}
  void sample(Instant at, bool last) noexcept override {
    take(static_cast<std::uint64_t>(at.time.time_since_epoch().count()));
    take(last);
    for (std::uint32_t i = 0; i < view_.port->count; ++i)
      take(std::bit_cast<std::uint64_t>(view_.element(i)));
    ++rows;
  }
  std::uint64_t value = 14695981039346656037u;
  std::uint64_t rows = 0;

 private:
  void take(std::uint64_t v) noexcept { value = (value ^ v) * 1099511628211u; }
  const executive::PortView& view_;
};

using Outcomes = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

struct Watching {
  bool more = false;  // parts that are connected to nothing
  int threads = 1;
  std::vector<executive::Sampling> observers = {};
  std::vector<double> freezes = {};  // s
};

/// Ignores what it sees.
struct Bystander final : executive::Observer {
  void sample(Instant, bool) noexcept override {}
};

Outcomes outcomes(const Sketch& sketch, const Watching& how) {
  const auto made = [&] {
    return std::make_unique<Executive>(sketch.plan(how.more), std::vector<Pacer*>{},
                                       executive::Options{.threads = how.threads});
  };
  std::unique_ptr<Executive> run = made();
  std::map<std::string, std::unique_ptr<Digest>> digests;
  std::vector<std::unique_ptr<Bystander>> bystanders;
  const auto attach = [&] {
    for (const executive::PortView& v : run->ports()) {
      if (!v.output || v.data == nullptr) continue;
      auto& d = digests[v.path];
      auto fresh = std::make_unique<Digest>(v);
      if (d) fresh->value = d->value, fresh->rows = d->rows;
      d = std::move(fresh);
      run->observe(*d, {.cluster = v.cluster});
    }
    for (const executive::Sampling& s : how.observers) {
      bystanders.push_back(std::make_unique<Bystander>());
      run->observe(*bystanders.back(), s);
      for (std::uint32_t c = 0; c < run->plan().clusters.size(); ++c) {
        executive::Sampling own = s;
        own.cluster = c;
        bystanders.push_back(std::make_unique<Bystander>());
        run->observe(*bystanders.back(), own);
      }
    }
  };
  attach();
  run->initialize();
  for (const double t : how.freezes) {
    run->request_freeze(Time(Duration(static_cast<std::int64_t>(t * 1e9))));
    if (run->run_until(Time(3s)) != Ending::frozen) break;
    const record::Checkpoint saved =
        record::decoded(record::encoded({.snapshot = run->save()}), "saved.vchk");
    std::unique_ptr<Executive> other = made();
    other->initialize();
    Diagnostics misfits;
    record::compare_shape(saved, other->save(), saved.documents, "saved.vchk", misfits);
    EXPECT_TRUE(misfits.list().empty()) << rendered(misfits.list().front());
    run.swap(other);
    run->restore(saved.snapshot);
    attach();
  }
  EXPECT_EQ(run->run_until(Time(3s)), Ending::reached) << rendered(run->fault());
  Outcomes all;
  for (const auto& [path, d] : digests) all[path] = {d->value, d->rows};
  for (const executive::Section& s : run->save().sections) {
    if (!s.path.starts_with("state ")) continue;
    std::uint64_t sum = 14695981039346656037u;
    for (const std::byte b : s.bytes)
      sum = (sum ^ std::to_integer<std::uint64_t>(b)) * 1099511628211u;
    all[s.path] = {sum, s.bytes.size()};
  }
  return all;
}

/// Whatever the one has, the other has too, with the same bits.
void expect_same(const Outcomes& plain, const Outcomes& watched, const std::string& how,
                 std::uint64_t seed, const Sketch& sketch) {
  for (const auto& [path, outcome] : plain) {
    const auto found = watched.find(path);
    ASSERT_NE(found, watched.end()) << path;
    ASSERT_EQ(found->second, outcome) << path << " with " << how << ", seed " << seed << "\n"
                                      << sketch.document(true);
  }
}

/// A quarter of the compositions each, so that they run side by side.
class RandomCompositions : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Watching, RandomCompositions, ::testing::Values(0, 25, 50, 75));

TEST_P(RandomCompositions, LoseNoBitByBeingWatched) {
  const executive::Sampling film{.rate = {30, 1}}, slow{.rate = {7, 3}}, fast{.rate = {1000, 1}},
      lazy{.rate = {11, 1}, .exactly = false}, every{};
  std::size_t clusters = 0, rows = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 25; ++seed) {
    const Sketch sketch(seed);
    clusters += sketch.plan().clusters.size();
    const Outcomes plain = outcomes(sketch, {});
    for (const auto& [path, outcome] : plain) rows += outcome.second;
    expect_same(plain, outcomes(sketch, {.more = true}), "unconnected parts", seed, sketch);
    expect_same(plain, outcomes(sketch, {.observers = {film, slow, lazy, every}}), "observers",
                seed, sketch);
    expect_same(plain, outcomes(sketch, {.observers = {fast}}), "a fast observer", seed, sketch);
    expect_same(plain, outcomes(sketch, {.threads = 3}), "threads", seed, sketch);
    expect_same(plain, outcomes(sketch, {.freezes = {0.3, 0.95, 1.71}}), "freezes", seed, sketch);
    Random moments(seed + 1000);
    expect_same(plain,
                outcomes(sketch, {.freezes = {moments.uniform(), 1.0 + 1.9 * moments.uniform()}}),
                "freezes at random", seed, sketch);
    expect_same(
        plain,
        outcomes(sketch,
                 {.more = true, .threads = 2, .observers = {fast, film}, .freezes = {1.1, 2.2}}),
        "all of it", seed, sketch);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(clusters, 50u);  // there was something to keep apart
  EXPECT_GT(rows, 5'000u);
}

/// All rows of a signal.
class Rows final : public executive::Observer {
 public:
  explicit Rows(const executive::PortView* v) : view_(v) {}
  void sample(Instant at, bool last) noexcept override {
    rows.push_back({seconds(at.time), last, view_->element(0)});
  }
  struct Row {
    double t;
    bool last;
    double value;
  };
  std::vector<Row> rows;

 private:
  const executive::PortView* view_;
};

const char* const ball = R"(<interconnection name="drop" version="1">
  <system id="ball" file=")" VERNIER_SOURCE_DIR R"(/formats/hybrid/good/bouncing_ball.xml"/>
  <run stop="1 s" step="100 ms"/></interconnection>)";

TEST(Watching, ShowsWhatWasBeforeAnImpactAndWhatIsAfterIt) {
  Diagnostics problems;
  const auto c = composition::parse_composition(ball, "drop.xml", problems);
  Executive run(composition::make_plan(c, catalogue(), problems));
  Rows speed(run.find("ball.speed")), height(run.find("ball.height"));
  run.observe(speed, {});
  run.observe(height, {.rate = {1, 10}});  // rows of events come whatever the rate
  run.initialize();
  ASSERT_EQ(run.run_until(Time(1s)), Ending::reached);
  // h = 1 - g t^2 / 2 = 0 at sqrt(2/g), with the speed -sqrt(2 g), and 0.8 of it upwards after
  const double impact = std::sqrt(2.0 / 9.81), down = -std::sqrt(2.0 * 9.81);
  std::size_t k = 0;
  while (k < speed.rows.size() && speed.rows[k].last) ++k;
  ASSERT_LT(k + 1, speed.rows.size());
  EXPECT_NEAR(speed.rows[k].t, impact, 2e-9);
  EXPECT_NEAR(speed.rows[k].value, down, 1e-8);
  EXPECT_EQ(speed.rows[k + 1].t, speed.rows[k].t);
  EXPECT_NEAR(speed.rows[k + 1].value, -0.8 * down, 2e-8);  // a nanosecond of gravity
  ASSERT_EQ(height.rows.size(), 3u);
  EXPECT_NEAR(height.rows[1].value, 0.0, 1e-8);
}

TEST(Watching, ReadsTheMotionBetweenInstants) {
  Diagnostics problems;
  const auto c = composition::parse_composition(ball, "drop.xml", problems);
  Executive run(composition::make_plan(c, catalogue(), problems));
  Rows height(run.find("ball.height"));
  run.observe(height, {.rate = {64, 1}, .events = false, .cluster = 0});
  run.initialize();
  ASSERT_EQ(run.run_until(Time(1s)), Ending::reached);
  ASSERT_EQ(height.rows.size(), 65u);
  const double g = 9.81, impact = std::sqrt(2.0 / g), up = 0.8 * std::sqrt(2.0 * g);
  for (const Rows::Row& r : height.rows) {
    const double s = r.t - impact;
    const double exact = s < 0.0 ? 1.0 - 0.5 * g * r.t * r.t : up * s - 0.5 * g * s * s;
    EXPECT_NEAR(r.value, exact, 1e-8) << r.t;
  }
}

}  // namespace
}  // namespace vernier
