// Checkpoints, overrides and threads: what must not change a result, and what must.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/executive/detail/clockwork.hpp"
#include "vernier/run/executive/detail/delay_line.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::executive {
namespace {

using namespace std::chrono_literals;
using namespace test;
using ::testing::HasSubstr;

/// Every value of every port at every instant, as bits.
class Bits final : public Observer {
 public:
  explicit Bits(const Executive& run) : run_(run) { bits.reserve(4'000'000); }
  void sample(Instant at, bool last) noexcept override {
    put(at.time.time_since_epoch().count() * 2 + last);
    for (const PortView& v : run_.ports()) {
      if (!v.output) continue;
      for (std::size_t i = 0; i < v.port->count && v.data; ++i) {
        std::uint64_t b = 0;
        const double x = v.element(i);
        std::memcpy(&b, &x, sizeof b);
        put(static_cast<std::int64_t>(b));
      }
    }
  }
  std::vector<std::int64_t> bits;

 private:
  void put(std::int64_t b) noexcept {
    if (bits.size() < bits.capacity()) bits.push_back(b);
  }
  const Executive& run_;
};

struct Noise {
  std::uint64_t generator = 1;
  double x = 0.0;
  std::int64_t kicks = 0;
};

/// A node of a random network: x' = -x + tanh(sum of inputs), with its own noise and an occasional
/// kick; y1 = x, y2 = x + u/2 directly.
class Node final : public Small<Noise> {
 public:
  Node(std::uint64_t seed, bool feeds, Rate rate) : seed_(seed), feeds_(feeds) {
    description_.inputs = {real("u", 1, {{0.0}}), real("v", 1, {{0.1}}), event("kick")};
    description_.outputs = {real("y1"), real("y2"), event("kick")};
    if (feeds) description_.feedthrough = {{"y2", "v"}};
    description_.rate = rate;
    description_.abilities.reacts = true;
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    v_ = b.real_input("v");
    y1_ = b.real_output("y1");
    y2_ = b.real_output("y2");
    kick_ = b.integer_output("kick");
    kicked_ = b.integer_input("kick");
  }
  bool initialize(Time, int) override {
    state = {seed_ * 2 + 1, static_cast<double>(seed_ % 17) / 17.0, 0};
    return true;
  }
  Outcome output(Instant) noexcept override {
    y1_[0] = state.x;
    y2_[0] = feeds_ ? state.x + 0.5 * v_[0] : 2.0 * state.x;
    kick_[0] = state.kicks;
    return Outcome::ok;
  }
  Outcome react(Instant at) noexcept override {
    if (at.microstep > 0 || (state.generator >> 40) % 50 != 0) return Outcome::ok;
    state.x += 0.01 * static_cast<double>(kicked_[0] % 3);
    ++state.kicks;
    return Outcome::changed;
  }
  Advance advance(Time from, Time to) noexcept override {
    state.generator = state.generator * 6364136223846793005u + 1442695040888963407u;
    const double noise = static_cast<double>(state.generator >> 33) / 4294967296.0 - 0.25;
    state.x += seconds(to - from) * (-state.x + std::tanh(u_[0] - v_[0] + noise));
    return {to};
  }

 private:
  std::uint64_t seed_;
  bool feeds_;
  std::span<const double> u_, v_;
  std::span<double> y1_, y2_;
  std::span<std::int64_t> kick_;
  std::span<const std::int64_t> kicked_;
};

/// The network of a seed; `shuffle` changes the order of its parts, never the network.
composition::Plan network(std::uint64_t seed, std::uint64_t shuffle, int size = 200) {
  Bench b(10ms);
  std::vector<int> order(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) order[static_cast<std::size_t>(i)] = i;
  std::mt19937_64 mixer(shuffle);
  if (shuffle) std::shuffle(order.begin(), order.end(), mixer);
  for (const int i : order) {
    const Rate rate = i % 7 == 3 ? Rate{60, 1} : i % 11 == 5 ? Rate{3, 1} : Rate{};
    b.add("n" + std::to_string(i),
          std::make_unique<Node>(seed * 1000 + static_cast<std::uint64_t>(i), i % 3 == 0, rate));
  }
  std::mt19937_64 random(seed);
  const auto pick = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  const auto name = [](int i, const char* port) { return "n" + std::to_string(i) + "." + port; };
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < 3; ++k)
      b.wire(name(pick(size), "y1"), name(i, "u"), 0.5 + 0.25 * pick(4), k == 2 ? 30ms : 0ms);
    // direct connections lead only to higher numbers, so that there is no loop
    if (i > 0) b.wire(name(pick(i), "y2"), name(i, "v"));
    b.wire(name(pick(size), "kick"), name(i, "kick"));
  }
  return b.take();
}

std::vector<std::int64_t> bits_of(Executive& run, Time until) {
  Bits bits(run);
  run.observe(bits, {});
  run.initialize();
  EXPECT_EQ(run.run_until(until), Ending::reached);
  run.remove(bits);
  return std::move(bits.bits);
}

/// The last values by path, for runs whose parts are in another order.
std::map<std::string, double> last_values(const Executive& run) {
  std::map<std::string, double> all;
  for (const PortView& v : run.ports())
    if (v.output) all[v.path + (v.port->flow == Flow::event ? "!" : "")] = v.element(0);
  return all;
}

TEST(Threads, AnyNumberGivesTheSameBits) {
  for (const std::uint64_t seed : {1, 2}) {
    Executive one(network(seed, 0));
    const auto expected = bits_of(one, at(1.0));
    EXPECT_GT(one.statistics().microsteps, 10u);
    ASSERT_GT(expected.size(), 100000u);
    for (const int threads : {2, 3, 4}) {
      Options options;
      options.threads = threads;
      Executive several(network(seed, 0), {}, options);
      EXPECT_TRUE(bits_of(several, at(1.0)) == expected) << seed << " with " << threads;
    }
  }
}

TEST(Threads, TheOrderOfPartsGivesTheSameBits) {
  Executive one(network(7, 0));
  bits_of(one, at(1.0));
  for (const std::uint64_t shuffle : {1, 2, 3}) {
    Options options;
    options.threads = static_cast<int>(shuffle);
    Executive other(network(7, shuffle), {}, options);
    bits_of(other, at(1.0));
    EXPECT_EQ(last_values(other), last_values(one)) << shuffle;
  }
}

TEST(Threads, BlameTheSamePart) {
  for (const int threads : {1, 4}) {
    Bench b(10ms);
    for (int i = 0; i < 40; ++i) {
      auto& s = b.add("s" + std::to_string(i), std::make_unique<Scripted>(Description{}));
      if (i == 31 || i == 12)
        s.on_advance = [](Time from, Time to) {
          return Advance{to, from < at(0.1) ? Outcome::ok : Outcome::failed};
        };
    }
    Options options;
    options.threads = threads;
    Executive run(b.take(), {}, options);
    run.initialize();
    EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
    EXPECT_EQ(rendered(run.fault()),
              "error[V3101]: s12 failed and gave no reason\n"
              "   = in s12 at t = 0.110 s\n"
              "   = see: vernier explain V3101\n");
  }
}

TEST(Threads, AllocateNothing) {
  Options options;
  options.threads = 3;
  Executive run(network(5, 0), {}, options);
  run.initialize();
  const long before = testing::allocations();
  run.run_until(at(1.0));
  EXPECT_EQ(testing::allocations(), before);
}

TEST(Rehearsal, LeavesNoTrace) {
  Executive plain(network(9, 0));
  Bits expected(plain);
  plain.observe(expected, {});
  plain.initialize();
  plain.run_until(at(0.33));  // at no tick except the base step's
  plain.override_port("n4.y1", std::vector{0.25});
  plain.run_until(at(1.0));
  for (const int threads : {1, 3}) {
    Options options;
    options.threads = threads;
    options.measure_every = 1;
    auto plan = network(9, 0);
    plan.stop = 10s;
    Executive run(std::move(plan), {}, options);
    Bits bits(run);
    run.observe(bits, {});
    run.initialize();
    run.rehearse();
    run.run_until(at(0.33));
    run.override_port("n4.y1", std::vector{0.25});
    run.rehearse();
    run.rehearse();
    run.run_until(at(1.0));
    EXPECT_TRUE(bits.bits == expected.bits) << threads;
    EXPECT_EQ(run.statistics().instants, plain.statistics().instants);
    EXPECT_EQ(run.statistics().microsteps, plain.statistics().microsteps);
    for (std::size_t i = 0; i < run.parts().size(); ++i)
      EXPECT_EQ(run.statistics().parts[i].calls, plain.statistics().parts[i].calls) << i;
    const Snapshot a = run.save(), b = plain.save();
    for (std::size_t i = 0; i < a.sections.size(); ++i)
      EXPECT_TRUE(a.sections[i].bytes == b.sections[i].bytes) << a.sections[i].path;
  }
}

/// Writes journal entries and stream messages in every step, more than there is room for.
struct Talker {
  explicit Talker(Bench& b) {
    Port out;
    out.name = "frames";
    out.flow = Flow::stream;
    Description d;
    d.outputs = {out};
    auto& c = b.add("talker", std::make_unique<Scripted>(d));
    c.on_bind = [this](const Bindings& x) {
      stream = &x.stream_output("frames");
      journal = &x.journal();
    };
    c.on_advance = [this](Time, Time to) {
      ++steps;
      for (int i = 0; i < 100; ++i) journal->note({{to}});
      stream->push(to, {});
      return Advance{to, Outcome::held};
    };
  }
  Stream* stream = nullptr;
  Journal* journal = nullptr;
  int steps = 0;
};

TEST(Rehearsal, IsNotSeenInJournalsStreamsOrCounts) {
  Bench b;
  b.plan.stop = 10s;
  Talker talker(b);
  Executive run(b.take());
  run.initialize();
  run.rehearse();
  EXPECT_EQ(talker.steps, 4);
  EXPECT_TRUE(talker.journal->entries().empty());
  EXPECT_EQ(talker.stream->pushed(), 0u);
  EXPECT_EQ(run.statistics().journal_lost, 0u);
  EXPECT_EQ(run.statistics().parts[0].held, 0u);
}

TEST(Rehearsal, LeavesAloneWhatCannotBeTakenBack) {
  Bench b;
  b.plan.stop = 10s;
  Description socket, device;
  socket.abilities.rewinds = false;
  device.abilities.faces_world = true;
  socket.abilities.reacts = device.abilities.reacts = true;
  int calls = 0, steps = 0;
  for (const Description& d : {socket, device}) {
    auto& c = b.add("c" + std::to_string(b.plan.parts.size()), std::make_unique<Scripted>(d));
    c.on_output = [&calls](Instant) { return ++calls, Outcome::ok; };
    c.on_react = [&calls](Instant) { return ++calls, Outcome::ok; };
    c.on_advance = [&calls](Time, Time to) { return ++calls, Advance{to}; };
  }
  auto& other = b.add("other", std::make_unique<Scripted>(Description{}));
  other.on_advance = [&steps](Time, Time to) {
    return Advance{to, ++steps > 2 ? Outcome::failed : Outcome::ok};
  };
  Executive run(b.take());
  run.initialize();
  calls = 0;
  run.rehearse();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(steps, 3);  // it ends where a part fails, and the run can still begin
  steps = 0;
  EXPECT_EQ(run.run_until(at(0.2)), Ending::reached);
  EXPECT_EQ(calls, 12);
}

TEST(Checkpoint, ResumesToTheBit) {
  Executive straight(network(4, 0));
  Bits whole(straight);
  straight.initialize();
  straight.run_until(at(1.0));
  const Snapshot middle = straight.save();
  EXPECT_EQ(middle.time, at(1.0));
  straight.observe(whole, {});
  straight.run_until(at(2.0));

  // in a new executive, and in one that has advanced elsewhere
  Options threads;
  threads.threads = 2;
  Executive fresh(network(4, 0), {}, threads), used(network(4, 0));
  used.initialize();
  used.run_until(at(0.37));
  for (Executive* run : {&fresh, &used}) {
    Bits bits(*run);
    run->observe(bits, {});
    run->restore(middle);
    EXPECT_EQ(run->now(), at(1.0));
    EXPECT_EQ(run->run_until(at(2.0)), Ending::reached);
    EXPECT_TRUE(bits.bits == whole.bits);
    run->remove(bits);
  }
  EXPECT_EQ(fresh.save().sections.size(), straight.save().sections.size());
  for (std::size_t i = 0; i < fresh.save().sections.size(); i += 97)
    EXPECT_EQ(fresh.save().sections[i].bytes, straight.save().sections[i].bytes);
}

bool same(const Snapshot& a, const Snapshot& b) {
  return a.time == b.time && std::equal(a.sections.begin(), a.sections.end(), b.sections.begin(),
                                        b.sections.end(), [](const Section& x, const Section& y) {
                                          return x.path == y.path && x.bytes == y.bytes;
                                        });
}

TEST(Checkpoint, IsTakenInTheMemoryOfAnother) {
  Executive run(network(4, 0));
  run.initialize();
  std::string input;
  for (const PortView& v : run.ports())
    if (!v.output && v.port->flow == Flow::signal && v.port->count == 1) input = v.path;
  run.override_port(input, std::vector{1.0});
  run.run_until(at(0.5));
  Snapshot reused = run.save();
  run.release(input);  // one section less
  run.run_until(at(1.0));
  run.save_into(reused);
  EXPECT_TRUE(same(reused, run.save()));
  const Snapshot before = reused;
  run.run_until(at(1.1));
  const long allocated = testing::allocations();
  run.save_into(reused);
  EXPECT_EQ(testing::allocations(), allocated);
  EXPECT_TRUE(same(reused, run.save()));
  EXPECT_FALSE(same(reused, before));
}

TEST(Checkpoint, HoldsMessagesUnderWay) {
  const auto make = [](std::vector<int>& got) {
    Bench b(100ms);
    Port out, in;
    out.name = in.name = "frames";
    out.flow = in.flow = Flow::stream;
    Description d, r;
    d.outputs = {out};
    r.inputs = {in};
    r.rate = {1, 1};
    r.abilities.reacts = true;
    auto& sender = b.add("sender", std::make_unique<Scripted>(d));
    auto& receiver = b.add("receiver", std::make_unique<Scripted>(r));
    auto stream = std::make_shared<Stream*>();
    auto reader = std::make_shared<StreamReader*>();
    sender.on_bind = [stream](const Bindings& x) { *stream = &x.stream_output("frames"); };
    receiver.on_bind = [reader](const Bindings& x) { *reader = &x.stream_input("frames"); };
    sender.on_advance = [stream](Time, Time to) {
      const auto n = static_cast<std::byte>(to.time_since_epoch() / 100ms);
      (*stream)->push(to, {&n, 1});
      return Advance{to};
    };
    receiver.on_react = [reader, &got](Instant) {
      Message m;
      while ((*reader)->pop(m)) got.push_back(static_cast<int>(m.content[0]));
      return Outcome::ok;
    };
    composition::Wire w;
    w.to_part = 1;
    b.plan.wires.push_back(w);
    return b.take();
  };
  std::vector<int> first, second;
  Executive a(make(first)), b(make(second));
  a.initialize();
  a.run_until(at(1.5));
  first.clear();
  b.restore(a.save());
  a.run_until(at(2.0));
  b.run_until(at(2.0));
  EXPECT_EQ(first.size(), 10u);
  EXPECT_EQ(second, first);
}

TEST(Checkpoint, SaysWhatDoesNotFit) {
  Executive run(network(4, 0, 5));
  run.initialize();
  const Snapshot good = run.save();
  const auto complaint = [&run](const Snapshot& s) -> std::string {
    try {
      run.restore(s);
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list()[0].code + " " + e.diagnostics().list()[0].message;
    }
    return "";
  };
  const auto section = [](Snapshot& s, std::string_view path) {
    return std::find_if(s.sections.begin(), s.sections.end(),
                        [path](const Section& x) { return x.path == path; });
  };
  EXPECT_EQ(complaint(good), "");
  Snapshot bad = good;
  bad.sections.erase(section(bad, "state n2"));
  EXPECT_EQ(complaint(bad), "V7202 the checkpoint has no state for n2");
  bad = good;
  section(bad, "state n3")->bytes.pop_back();
  EXPECT_EQ(complaint(bad),
            "V7202 the state of n3 has 23 bytes in the checkpoint, and 24 in this run");
  bad = good;
  bad.time += 5s;
  EXPECT_THAT(complaint(bad), HasSubstr("V7204"));
  bad = good;
  for (Section& s : bad.sections)
    if (s.path.starts_with("delay ")) s.bytes.resize(s.bytes.size() / 2);
  EXPECT_THAT(complaint(bad), HasSubstr("V7202 the delay of"));
  Executive other(network(4, 0, 6));
  other.initialize();
  EXPECT_THROW(other.restore(good), ConfigurationError);
  EXPECT_EQ(complaint(good), "");
  EXPECT_EQ(run.run_until(at(1.0)), Ending::reached);
}

TEST(Checkpoint, IsRefusedWhereAPartCannotGoBack) {
  Bench b;
  Description d;
  d.abilities.rewinds = false;
  b.add("socket", std::make_unique<Scripted>(d));
  Executive run(b.take());
  run.initialize();
  try {
    run.save();
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_THAT(e.what(), HasSubstr("socket"));
  }
}

TEST(Taps, ReadAndOverrideAnyPort) {
  Bench b(100ms);
  b.add("clock", std::make_unique<Clock>());
  Scale& looks = b.add("looks", std::make_unique<Scale>(10.0));
  b.add("sums", std::make_unique<Scale>(1.0));
  b.wire("clock.y", "looks.u");
  b.wire("clock.y", "sums.u");
  b.wire("looks.y", "sums.u");
  Executive run(b.take());
  run.initialize();
  run.run_until(at(0.5));
  EXPECT_EQ(run.find("sums.y")->element(0), 5.5);

  run.override_port("clock.y", std::vector{1.0});  // all readers see it
  run.run_until(at(0.6));
  EXPECT_EQ(run.find("clock.y")->element(0), 1.0);
  EXPECT_TRUE(run.find("clock.y")->overridden);
  EXPECT_EQ(run.find("sums.y")->element(0), 11.0);

  run.override_port("looks.u", std::vector{2.0});  // only its component sees it
  EXPECT_NE(looks.input(), run.find("clock.y")->reals().data());
  run.run_until(at(0.7));
  EXPECT_EQ(run.find("looks.u")->element(0), 2.0);
  EXPECT_EQ(run.find("sums.y")->element(0), 21.0);

  run.override_port("sums.u", std::vector{-1.0});  // an input that is filled by transfers
  run.run_until(at(0.8));
  EXPECT_EQ(run.find("sums.y")->element(0), -1.0);

  const Snapshot s = run.save();
  run.release("clock.y");
  run.release("looks.u");
  run.release("sums.u");
  EXPECT_EQ(looks.input(), run.find("clock.y")->reals().data());
  run.run_until(at(0.9));
  EXPECT_EQ(run.find("sums.y")->element(0), 0.9 + 10.0 * 0.9);

  run.restore(s);  // with the overrides of that time
  run.run_until(at(0.9));
  EXPECT_EQ(run.find("clock.y")->element(0), 1.0);
  EXPECT_EQ(run.find("looks.y")->element(0), 20.0);
  EXPECT_EQ(run.find("sums.y")->element(0), -1.0);
  run.release("sums.u");
  run.run_until(at(1.0));
  EXPECT_EQ(run.find("sums.y")->element(0), 21.0);
}

TEST(Taps, RefuseWhatIsNotThere) {
  Executive run(network(1, 0, 3));
  run.initialize();
  const auto complaint = [](auto what) -> std::string {
    try {
      what();
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics());
    }
    return "";
  };
  EXPECT_THAT(complaint([&] { run.override_port("n1.y3", std::vector{1.0}); }),
              HasSubstr("did you mean n1.y"));
  EXPECT_THAT(complaint([&] {
                run.override_port("n1.y1", std::vector{1.0, 2.0});
              }),
              HasSubstr("1 elements, not 2"));
  EXPECT_THAT(complaint([&] { run.override_port("n1.kick", std::vector{0.5}); }), HasSubstr("0.5"));
  EXPECT_THAT(complaint([&] { run.send("n1.y1"); }), HasSubstr("not an event"));
  EXPECT_EQ(run.find("n1.nothing"), nullptr);
}

TEST(Taps, SendEventsByHand) {
  Bench b(100ms);
  Description d;
  d.inputs = {event("go")};
  d.outputs = {integer("heard")};
  auto& s = b.add("s", std::make_unique<Scripted>(d));
  std::span<const std::int64_t> go;
  std::span<std::int64_t> heard;
  s.on_bind = [&](const Bindings& x) {
    go = x.integer_input("go");
    heard = x.integer_output("heard");
  };
  s.on_advance = [&](Time, Time to) {
    s.state.x = static_cast<double>(go[0]);
    return Advance{to};
  };
  s.on_output = [&](Instant) {
    heard[0] = static_cast<std::int64_t>(s.state.x);
    return Outcome::ok;
  };
  Executive run(b.take());
  run.initialize();
  run.send("s.go");
  run.send("s.go");
  run.run_until(at(0.3));
  EXPECT_EQ(run.find("s.heard")->integers()[0], 2);
}

TEST(Clockwork, FindsTheFirstTickOfARate) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Rate r{static_cast<std::int64_t>(random() % 1000 + 1),
                 static_cast<std::int64_t>(random() % 60 + 1)};
    const Time t{Duration(static_cast<std::int64_t>(random() % 4'000'000'000'000'000'000u))};
    const std::int64_t k = first_tick(r, t);
    ASSERT_GE(tick(r, k), t);
    ASSERT_TRUE(k == 0 || tick(r, k - 1) < t);
  }
  EXPECT_EQ(first_tick({60, 1}, Time{}), 0);
  EXPECT_EQ(first_tick({60, 1}, Time{1ns}), 1);
}

TEST(DelayLine, KeepsChangesAndCountsThoseItHasNoRoomFor) {
  double source = 0.0;
  const double initial = -1.0;
  detail::DelayLine line(reinterpret_cast<const std::byte*>(&source),
                         std::as_bytes(std::span(&initial, 1)), 1s, 3);
  const auto out = [&line] {
    double x;
    std::memcpy(&x, line.out(), sizeof x);
    return x;
  };
  EXPECT_EQ(out(), -1.0);
  EXPECT_EQ(line.next_arrival(), Time::max());
  for (int k = 0; k < 5; ++k) {
    source = k;
    line.push(Time{k * 100ms});
    line.push(Time{k * 100ms + 1ns});  // no change
  }
  EXPECT_EQ(line.merged(), 2u);
  EXPECT_EQ(line.next_arrival(), Time{1s});
  line.read(Time{999ms});
  EXPECT_EQ(out(), -1.0);
  line.read(Time{1s});
  EXPECT_EQ(out(), 0.0);
  std::vector<std::byte> image(line.state_bytes(Time::max()));
  line.save(Time::max(), image);
  line.read(Time{1399ms});
  EXPECT_EQ(out(), 1.0);
  line.read(Time{1400ms});
  EXPECT_EQ(out(), 4.0);
  ASSERT_TRUE(line.load(image));
  EXPECT_EQ(out(), 0.0);
  line.read(Time{1400ms});
  EXPECT_EQ(out(), 4.0);
  EXPECT_FALSE(line.load(std::span(image).first(image.size() - 1)));
}

}  // namespace
}  // namespace vernier::executive
