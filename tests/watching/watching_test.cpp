// Watching a run never changes it. Random compositions are run as they are, and again with
// unconnected parts, observers at other rates, more threads, and freezes with the state carried to
// another executive by way of a checkpoint's bytes: every output of every part must be the same at
// every instant of its cluster, to the bit, and so must its state at the end. The oracle is the run
// itself.
#include <gtest/gtest.h>

#include <map>

#include "tests/watching/sketch.hpp"
#include "vernier/run/record/checkpoint.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::Executive;
using sketches::catalogue;
using sketches::Digest;
using sketches::Sketch;

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
