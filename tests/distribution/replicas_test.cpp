// Parts that run on several nodes. Random compositions are divided at random, with one to three
// replicas of each part, and nodes whose parts all run elsewhere too are lost at random moments,
// between any two frames: whoever is left shows the bits of one process, without a return to an
// earlier state. The oracle is the undivided run. And replicas that differ stop the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/distribution/divided.hpp"
#include "vernier/run/executive/test_parts.hpp"

namespace vernier {
namespace {

using composition::Division;
using executive::Ending;
using executive::Executive;
using sketches::Divided;
using sketches::Outcomes;
using sketches::Shown;
using sketches::Sketch;
using ::testing::HasSubstr;

std::uint32_t pick(Random& random, std::size_t n) {
  return static_cast<std::uint32_t>(random.uniform() * static_cast<double>(n));
}

/// Other nodes than those of `taken`, at random.
void add_nodes(Division::Nodes& to, std::size_t count, std::uint32_t nodes, Random& random) {
  while (to.size() < std::min<std::size_t>(count, nodes)) {
    const std::uint32_t n = pick(random, nodes);
    if (std::find(to.begin(), to.end(), n) == to.end()) to.push_back(n);
  }
}

Divided random_division(std::size_t parts, std::size_t least, Random& random) {
  Divided how;
  how.count = 2 + pick(random, 4);
  std::vector<Division::Nodes> nodes(parts);
  for (Division::Nodes& n : nodes) add_nodes(n, least + pick(random, 4 - least), how.count, random);
  how.nodes = Division(std::move(nodes));
  return how;
}

void expect_bits(const Outcomes& plain, const Shown& s, const std::string& what) {
  ASSERT_EQ(s.ending, Ending::reached) << s.fault << what;
  for (const auto& [path, outcome] : s.all) {
    const auto expected = plain.find(path);
    ASSERT_NE(expected, plain.end()) << path;
    ASSERT_EQ(expected->second, outcome) << path << what;
  }
}

class RandomReplicas : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Distribution, RandomReplicas, ::testing::Values(0, 15, 30, 45));

TEST_P(RandomReplicas, ComputeTheSame) {
  std::size_t compared = 0, feeds = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 15; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 6000);
    const Outcomes plain = shown(sketch, {.film = true}, nullptr).all;
    for (int trial = 0; trial < 3; ++trial) {
      Divided how = random_division(sketch.plan().parts.size(), 1, random);
      how.film = trial % 2 == 1;
      how.threads = trial == 2 ? 2 : 1;
      const composition::Cut cut = composition::cut(sketch.plan(), how.nodes, how.count);
      for (const auto& x : cut.crossings) compared += cut.replicated(x.part);
      feeds += cut.feeds.size();
      exchange::test::Hub hub(how.count);
      Outcomes found;
      for (Shown& s : divided(sketch, how, hub)) {
        expect_bits(plain, s, " with " + words(how) + ", seed " + std::to_string(seed));
        if (HasFatalFailure()) return;
        found.merge(s.all);
      }
      std::size_t films = 0;
      for (const auto& [path, outcome] : plain) films += path.ends_with(" film");
      ASSERT_EQ(found.size(), plain.size() - (how.film ? 0 : films));
    }
  }
  EXPECT_GT(compared, 50u);
  EXPECT_GT(feeds, 10u);
}

TEST_P(RandomReplicas, LoseNothingWithANode) {
  std::size_t lost = 0, early = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 15; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 8000);
    const Outcomes plain = shown(sketch, {}, nullptr).all;
    for (int trial = 0; trial < 4; ++trial) {
      Divided how = random_division(sketch.plan().parts.size(), 1, random);
      const std::uint32_t victim = pick(random, how.count);
      std::vector<Division::Nodes> nodes = how.nodes.all();
      for (Division::Nodes& n : nodes)
        if (n == Division::Nodes{victim}) add_nodes(n, 2, how.count, random);
      how.nodes = Division(std::move(nodes));
      exchange::test::Hub whole(how.count);
      divided(sketch, how, whole);
      const std::uint64_t frames = whole.sent[victim];
      if (frames == 0) continue;  // it runs nothing
      exchange::test::Hub hub(how.count);
      hub.lose_after[victim] =
          pick(random, trial == 0 ? std::min<std::uint64_t>(frames, 10) : frames);
      const std::vector<Shown> all = divided(sketch, how, hub);
      const std::string what = " with " + words(how) + ", without " + std::to_string(victim) +
                               " after " + std::to_string(hub.lose_after[victim]) + " of " +
                               std::to_string(frames) + ", seed " + std::to_string(seed) + "\n" +
                               sketch.document(false);
      ASSERT_TRUE(hub.lost[victim]) << what;
      ++lost;
      early += hub.lose_after[victim] < 10;
      for (std::uint32_t n = 0; n < how.count; ++n)
        if (n != victim) expect_bits(plain, all[n], what);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(lost, 20u);
  EXPECT_GT(early, 3u);
}

TEST_P(RandomReplicas, LoseNothingAsLongAsOneIsLeftOfEach) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 8; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 9500);
    const Outcomes plain = shown(sketch, {}, nullptr).all;
    Divided how;
    how.count = 4;
    const std::vector<Division::Nodes> all(sketch.plan().parts.size(), {0, 1, 2, 3});
    how.nodes = Division(all);
    exchange::test::Hub hub(how.count);
    std::set<std::uint32_t> victims{pick(random, 4), pick(random, 4), pick(random, 4)};
    for (const std::uint32_t v : victims) hub.lose_after[v] = pick(random, 300);
    const std::vector<Shown> found = divided(sketch, how, hub);
    for (std::uint32_t n = 0; n < how.count; ++n)
      if (!hub.lost[n]) expect_bits(plain, found[n], ", seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST(Replicas, AreOfNoUseToAPartWithoutOne) {
  const Sketch sketch(1);
  const std::size_t parts = sketch.plan().parts.size();
  std::vector<Division::Nodes> nodes(parts, {0, 1});
  nodes.front() = {1};
  exchange::test::Hub hub(2);
  hub.lose_after[1] = 20;
  const std::vector<Shown> all = divided(sketch, {.nodes = Division(nodes), .count = 2}, hub);
  EXPECT_EQ(all[0].ending, Ending::cut_off);
  EXPECT_THAT(all[0].fault, HasSubstr("error[V5601]: node 1 is lost"));
}

TEST(Replicas, OfInputsOfTheCompositionAreThoseOfTheirReaders) {
  const TemporaryFolder folder;
  std::ofstream(folder / "oscillator.xml") << sketches::oscillator;
  Diagnostics problems;
  const composition::Composition c = composition::parse_composition(
      R"(<interconnection name="t" version="1"><input name="push"/><input name="unused"/>
      <system id="a" file="oscillator.xml" replicas="2"/><connect from="ext.push" to="a.u"/>
      <stimulus at="1 s" input="ext.push" value="1"/><run stop="2 s"/></interconnection>)",
      folder / "t.xml", problems);
  std::size_t parts = 0;
  for (const composition::Part& p : make_plan(c, sketches::catalogue(), problems).parts) {
    if (p.component->description().abilities.constant) continue;
    EXPECT_EQ(p.replicas, 2u) << p.name;
    ++parts;
  }
  EXPECT_EQ(parts, 2u);
}

// -- replicas that differ -------------------------------------------------------------------------

using executive::test::Bench;
using executive::test::event;
using executive::test::real;
using executive::test::Small;

struct Wrong {
  bool value = false, message = false, reaction = false, silent = false;
};

/// Says the same everywhere until 1 s, and then what it is told to.
class Liar final : public Small<std::int64_t> {
 public:
  explicit Liar(Wrong w) : wrong_(w) {
    Port p;
    p.name = "said";
    p.scalar = Scalar::byte;
    p.flow = Flow::stream;
    p.capacity = 8;
    p.message_bytes = 8;
    description_.outputs = {real("y", 3), event("tick"), p};
    description_.abilities = {.predicts = true, .reacts = true};
  }
  void bind(const Bindings& b) override {
    y_ = b.real_output("y");
    tick_ = b.integer_output("tick");
    said_ = &b.stream_output("said");
  }
  bool initialize(Time, int) override {
    state = 0;
    return true;
  }
  Outcome output(Instant at) noexcept override {
    y_[0] = 1.0;
    y_[1] = late(at.time) && wrong_.value ? 0.5 : 0.25;
    y_[2] = -0.0;
    tick_[0] = state;
    return Outcome::ok;
  }
  Outcome react(Instant at) noexcept override {
    if (at.microstep > 0 || !late(at.time) || !wrong_.reaction) return Outcome::ok;
    ++state;
    return Outcome::changed;
  }
  Advance advance(Time, Time to) noexcept override {
    const std::int64_t n = late(to) && wrong_.message ? -1 : 7;
    if (!wrong_.silent || !late(to)) said_->push(to, std::as_bytes(std::span(&n, 1)));
    return {to};
  }

 private:
  static bool late(Time t) noexcept { return t >= Time(std::chrono::seconds(1)); }
  Wrong wrong_;
  std::span<double> y_;
  std::span<std::int64_t> tick_;
  Stream* said_ = nullptr;
};

/// The faults of two nodes of which the second is wrong, and of a third that reads both.
std::vector<std::string> faults(Wrong wrong) {
  exchange::test::Hub hub(3);
  std::vector<std::string> all(3);
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < 3; ++n)
    nodes.emplace_back([&, n] {
      exchange::test::QueueExchange exchange(hub, n);
      Bench b(std::chrono::milliseconds(100));
      b.add("liar", std::make_unique<Liar>(n == 1 ? wrong : Wrong{}));
      b.add("reader", std::make_unique<executive::test::Scale>(1.0, 0.0, 3));
      b.wire("liar.y", "reader.u");
      Executive run(b.take(), {},
                    {.exchange = &exchange,
                     .nodes = Division(std::vector<Division::Nodes>{{0, 1}, {2}}),
                     .node_names = {"a", "b", "c"}});
      run.initialize();
      const Ending e = run.run_until(Time(std::chrono::seconds(3)));
      all[n] = rendered(run.fault());
      if (e != Ending::reached) hub.leave(n);
      EXPECT_EQ(e == Ending::failed, all[n].find("V5608") != std::string::npos) << all[n];
    });
  for (std::thread& t : nodes) t.join();
  return all;
}

TEST(Replicas, ThatComputeTheSameEndTheRunAsOneDoes) {
  for (const std::string& f : faults({})) EXPECT_EQ(f, rendered(Diagnostic{}));
}

TEST(Replicas, ThatDifferInAValueEndTheRunAndNameIt) {
  const std::vector<std::string> all = faults({.value = true});
  EXPECT_THAT(all[0], HasSubstr("error[V5608]: the replicas of liar differ at t = 1.000 s: "
                                "liar.y[1] is 0.25 on a and 0.5 on b"));
  EXPECT_THAT(all[1], HasSubstr("liar.y[1] is 0.5 on b and 0.25 on a"));
  EXPECT_THAT(all[2], HasSubstr("liar.y[1] is 0.25 on a and 0.5 on b"));
}

TEST(Replicas, ThatDifferInAMessageEndTheRunAndNameIt) {
  const std::string fault = faults({.message = true})[0];
  EXPECT_THAT(fault, HasSubstr("differ at t = 1.000 s: message 9 of liar.said on a is not the one "
                               "on b"));
}

TEST(Replicas, ThatDifferInTheNumberOfMessagesEndTheRun) {
  const std::string fault = faults({.silent = true})[0];
  EXPECT_THAT(fault, HasSubstr("message 9 of liar.said on a is not the one on b"));
}

TEST(Replicas, ThatDifferInAReactionEndTheRun) {
  const std::string fault = faults({.reaction = true})[0];
  EXPECT_THAT(fault, HasSubstr("differ at t = 1.000 s: liar reacts on b, and not on a"));
}

}  // namespace
}  // namespace vernier
