// A composer and its executors compute the bits of one process, whatever happens to them. Random
// compositions are run by one executive; and again by a composer with executors in other threads,
// which it reaches through sockets only. Parts are moved, executors are lost, and values are set
// while it runs. The oracle is the undivided run: every output of every part at every instant of
// its cluster, every event, and the state at the end.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/watching/sketch.hpp"
#include "vernier/run/server/composer.hpp"
#include "vernier/run/server/executor.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::Executive;
using executive::OrderKind;
using server::Composer;
using sketches::Digest;
using sketches::Sketch;

/// Cannot return to an earlier state.
class Stuck final : public Component {
 public:
  Stuck() { description_.abilities.rewinds = false; }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

/// The third that is made in a test is wrong from 0.5 s on.
class Doubtful final : public Component {
 public:
  static inline std::atomic<int> made{0};

  Doubtful() : wrong_(++made == 3) { description_.outputs = {{.name = "y"}}; }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override { y_ = b.real_output("y"); }
  vernier::Outcome output(Instant at) noexcept override {
    y_[0] = wrong_ && at.time >= Time(500ms) ? 2.0 : 1.0;
    return vernier::Outcome::ok;
  }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  bool wrong_;
  std::span<double> y_;
  Description description_;
};

const Catalogue& types() {
  static const Catalogue all = [] {
    Catalogue c = sketches::catalogue();
    Type doubtful;
    doubtful.name = "doubtful";
    doubtful.component = [](const Parameters&) { return std::make_unique<Doubtful>(); };
    c.add(std::move(doubtful));
    Type t;
    t.name = "stuck";
    t.component = [](const Parameters&) { return std::make_unique<Stuck>(); };
    c.add(std::move(t));
    return c;
  }();
  return all;
}

/// Executors in threads. The composer has nothing but a socket to each.
class Hall {
 public:
  explicit Hall(std::string listen = {}) : listen_(std::move(listen)) {}
  ~Hall() {
    for (Seat& s : seats_) {
      s.thread.join();
      ::close(s.socket);
    }
  }

  server::Seat seat(const std::string& name) {
    return {.name = name, .start = [this, name] { return start(name); }, .listen = listen_};
  }

  /// What the composer sees when a process is killed. The newest executor of a seat.
  void kill(const std::string& name) {
    const std::lock_guard lock(mutex_);
    for (auto s = seats_.rbegin(); s != seats_.rend(); ++s)
      if (s->name == name && !s->over) {
        ::shutdown(s->socket, SHUT_RDWR);
        return;
      }
  }
  std::size_t started() {
    const std::lock_guard lock(mutex_);
    return seats_.size();
  }

 private:
  struct Seat {
    std::string name;
    int socket = -1;
    bool over = false;
    std::thread thread;
  };

  server::Started start(const std::string& name) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    const std::lock_guard lock(mutex_);
    Seat& s = seats_.emplace_back();
    s.name = name;
    s.socket = ::dup(ends[1]);
    s.thread = std::thread([this, &s, far = ends[1]] {
      static_cast<void>(server::execute(net::Stream(Descriptor(far)), types(), "test"));
      const std::lock_guard guard(mutex_);
      s.over = true;
    });
    return {net::Stream(Descriptor(ends[0]))};
  }

  std::string listen_;
  std::mutex mutex_;
  std::list<Seat> seats_;
};

/// Everything that a run shows.
struct Outcome {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> values;
  std::vector<std::string> events;
  std::map<std::string, std::vector<std::byte>> state;
};

struct Notes final : executive::Observer {
  explicit Notes(const Executive& e) : run(e) {}
  const Executive& run;
  std::vector<std::string> all;
  void sample(Instant, bool) noexcept override {}
  void note(std::size_t part, std::span<const Entry> entries) noexcept override {
    for (const Entry& e : entries) {
      const Telling t = run.tell(part, e);
      all.push_back(std::to_string(e.at.time.time_since_epoch().count()) + " " +
                    std::to_string(std::bit_cast<std::uint64_t>(e.remainder)) + " " + t.subject +
                    " " + t.kind + " " + t.from + " " + t.to + " " + t.reason);
    }
  }
  const std::vector<const executive::PortView*>* reads() const noexcept override { return &none; }
  std::vector<const executive::PortView*> none;
};

/// Something that is done when the run has come to a time and stands still.
struct Deed {
  Time at;
  std::function<void(Executive&)> both = {};        // also to the oracle
  std::function<void(Composer&, Hall&)> team = {};  // to the divided run only
};

Outcome outcome(Executive& run, const std::vector<Deed>& deeds, Hall* hall = nullptr) {
  std::map<std::string, std::unique_ptr<Digest>> digests;
  for (const executive::PortView& v : run.ports()) {
    if (!v.output || v.data == nullptr) continue;
    digests[v.path] = std::make_unique<Digest>(v);
    run.observe(*digests[v.path], {.cluster = v.cluster});
    digests[v.path + " film"] = std::make_unique<Digest>(v);
    run.observe(*digests[v.path + " film"], {.rate = {30, 1}, .cluster = v.cluster});
  }
  Notes notes(run);
  run.observe(notes, {.events = false});
  run.initialize();
  const Time end(run.plan().stop);
  for (const Deed& d : deeds) {
    run.request_freeze(d.at);
    const Ending e = run.run_until(end);
    EXPECT_EQ(e, Ending::frozen) << rendered(run.fault());
    if (e != Ending::frozen) return {};
    if (d.both) d.both(run);
    if (d.team && hall) d.team(dynamic_cast<Composer&>(run), *hall);
    run.resume();
  }
  EXPECT_EQ(run.run_until(end), Ending::reached) << rendered(run.fault());
  Outcome all;
  all.events = notes.all;
  for (const auto& [path, d] : digests) all.values[path] = {d->value, d->rows};
  for (const executive::Section& s : run.save().sections) all.state[s.path] = s.bytes;
  for (const auto& [path, d] : digests) run.remove(*d);
  run.remove(notes);
  return all;
}

void expect_same(const Outcome& expected, const Outcome& found, const std::string& what) {
  ASSERT_EQ(expected.values.size(), found.values.size());
  for (const auto& [path, v] : expected.values)
    ASSERT_EQ(v, found.values.at(path)) << path << " " << what;
  ASSERT_EQ(expected.events, found.events) << what;
  ASSERT_EQ(expected.state.size(), found.state.size());
  for (const auto& [path, b] : expected.state) ASSERT_EQ(b, found.state.at(path)) << path << what;
}

composition::Plan plan_of(const std::filesystem::path& file) {
  Diagnostics problems;
  return std::move(session::prepare(file, {}, types(), problems).plan);
}

struct How {
  std::uint32_t nodes = 2;
  std::int64_t keep_every = 3;
  std::string listen = {};
  std::uint32_t replicas = 1;
};

std::unique_ptr<Composer> composed(const std::filesystem::path& file, Hall& hall, const How& how,
                                   Random& random) {
  composition::Plan plan = plan_of(file);
  server::Team team;
  for (std::uint32_t n = 0; n < how.nodes; ++n)
    team.seats.push_back(hall.seat(std::string(1, static_cast<char>('a' + n))));
  std::vector<composition::Division::Nodes> division(plan.parts.size());
  for (composition::Division::Nodes& nodes : division)
    while (nodes.size() < std::min(how.replicas, how.nodes)) {
      const auto n = static_cast<std::uint32_t>(random.uniform() * how.nodes);
      if (std::find(nodes.begin(), nodes.end(), n) == nodes.end()) nodes.push_back(n);
    }
  team.division = composition::Division(std::move(division));
  team.begin = {.version = "test", .document = file.string()};
  team.begin.keep_every = how.keep_every;
  return std::make_unique<Composer>(std::move(plan), std::vector<Pacer*>{}, executive::Options{},
                                    std::move(team));
}

/// Unless one of the part's replicas is there: a move is refused then.
void move(Composer& c, const std::string& part, const std::string& node) {
  try {
    c.move(part, node);
  } catch (const ConfigurationError& e) {
    EXPECT_NE(rendered(e.diagnostics()).find("it is one of its replicas"), std::string::npos);
  }
}

/// Some compositions each, so that they run side by side; `make soak` runs more than a thousand.
class RandomTeams : public ::testing::TestWithParam<std::uint64_t> {};
#ifdef VERNIER_SOAK
INSTANTIATE_TEST_SUITE_P(Soak, RandomTeams, ::testing::Range<std::uint64_t>(1000, 21000, 100));
#else
INSTANTIATE_TEST_SUITE_P(Distribution, RandomTeams, ::testing::Values(0, 100, 200, 300));
#endif

TEST_P(RandomTeams, ComputeTheBitsOfOneProcess) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 6; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 9000);
    Executive plain(plan_of(sketch.file()));
    const Outcome expected = outcome(plain, {});
    for (int trial = 0; trial < 2; ++trial) {
      How how{.nodes = 1 + static_cast<std::uint32_t>(random.uniform() * 5)};
      if (trial == 1) how.listen = "127.0.0.1";
      how.replicas = 1 + (seed + trial) % 3;
      Hall hall(how.listen);
      const auto team = composed(sketch.file(), hall, how, random);
      expect_same(expected, outcome(*team, {}),
                  "seed " + std::to_string(seed) + " on " + std::to_string(how.nodes));
      EXPECT_EQ(hall.started(), how.nodes);
    }
  }
}

TEST_P(RandomTeams, SurviveMovesAndLosses) {
  std::size_t kills = 0, moves = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 6; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 7000);
    const auto pick = [&random](std::size_t n) {
      return static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
    };
    Executive plain(plan_of(sketch.file()));
    How how{.nodes = 2 + static_cast<std::uint32_t>(pick(3)),
            .keep_every = 1 + static_cast<std::int64_t>(pick(5)),
            .listen = pick(2) == 0 ? "" : "127.0.0.1",
            .replicas = 1 + static_cast<std::uint32_t>(seed % 2)};
    std::vector<std::string> inputs;
    for (const executive::PortView& v : plain.ports())
      if (!v.output && v.port->flow == Flow::signal && v.port->scalar == Scalar::real)
        inputs.push_back(v.path);
    std::vector<Deed> deeds;
    std::string what;
    // a run on several nodes stands still at ticks of the step
    const Duration step = plain.plan().step;
    for (Time t(step); t < Time(2800ms); t += step * static_cast<std::int64_t>(pick(8))) {
      Deed d{t};
      what += "\n" + std::to_string(seconds(t)) + " ";
      const std::string node(1, static_cast<char>('a' + pick(how.nodes)));
      const std::size_t part = pick(plain.parts().size());
      switch (pick(4)) {
        case 0:
          ++kills;
          what += "kill " + node;
          d.team = [node](Composer&, Hall& h) { h.kill(node); };
          break;
        case 1:
          ++moves;
          what += "move " + plain.parts()[part].name + " to " + node;
          d.team = [node, part](Composer& c, Hall&) { move(c, c.parts()[part].name, node); };
          break;
        case 2:
          if (inputs.empty()) continue;
          what += "order";
          d.both = [path = inputs[pick(inputs.size())], v = random.uniform(),
                    release = pick(3) == 0](Executive& e) {
            std::vector<double> values(e.find(path)->port->count, v);
            const auto n = e.ask(release ? executive::Order{OrderKind::release, path, {}}
                                         : executive::Order{OrderKind::replace, path, values});
            e.carry_out();
            EXPECT_TRUE(e.answer(n).done);
          };
          break;
        default:
          break;
      }
      deeds.push_back(std::move(d));
    }
    const Outcome expected = outcome(plain, deeds);
    Hall hall(how.listen);
    const auto team = composed(sketch.file(), hall, how, random);
    expect_same(expected, outcome(*team, deeds, &hall),
                "seed " + std::to_string(seed) + what + "\n" + sketch.document(false));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(kills, 3u);
  EXPECT_GT(moves, 3u);
}

TEST_P(RandomTeams, SurviveLossesAtAnyMoment) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 3; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 5000);
    Executive plain(plan_of(sketch.file()));
    const Outcome expected = outcome(plain, {});
    Hall hall(seed % 2 == 0 ? "" : "127.0.0.1");
    const auto team = composed(sketch.file(), hall, {.nodes = 3, .keep_every = 1}, random);
    std::atomic<bool> begun{false}, over{false};
    std::thread killer([&] {
      begun.wait(false);
      for (int k = 0; k < 40 && !over; ++k) {
        std::this_thread::sleep_for(std::chrono::microseconds(200 + (k * 7919) % 3000));
        hall.kill(std::string(1, static_cast<char>('a' + k % 3)));
      }
    });
    const auto begin = [&begun](Composer&, Hall&) {
      begun = true;
      begun.notify_one();
    };
    Outcome found;
    EXPECT_NO_THROW(found = outcome(*team, {{.at = Time(100ms), .team = begin}}, &hall));
    over = true;
    begin(*team, hall);
    killer.join();
    expect_same(expected, found, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST_P(RandomTeams, LoseNothingIfAllPartsHaveReplicas) {
  std::size_t losses = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 4; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 3000);
    Executive plain(plan_of(sketch.file()));
    const Outcome expected = outcome(plain, {});
    Hall hall(seed % 2 == 0 ? "" : "127.0.0.1");
    const auto team =
        composed(sketch.file(), hall, {.nodes = 3, .keep_every = 1, .replicas = 2}, random);
    std::atomic<std::size_t> news{0};
    team->on_news = [&](const Diagnostics& d) {
      const std::string text = rendered(d);
      EXPECT_NE(text.find("warning[V5602]: lost: node b"), text.npos) << text;
      EXPECT_EQ(text.find("continues from"), text.npos) << text;
      ++news;
    };
    std::atomic<bool> begun{false}, over{false};
    // always the same one, so that a replica of each part is left
    std::thread killer([&] {
      begun.wait(false);
      for (int k = 0; k < 40 && !over; ++k) {
        std::this_thread::sleep_for(std::chrono::microseconds(200 + (k * 7919) % 3000));
        hall.kill("b");
      }
    });
    const auto begin = [&begun](Composer&, Hall& h) {
      h.kill("b");  // the run may end before the next time
      begun = true;
      begun.notify_one();
    };
    Outcome found;
    EXPECT_NO_THROW(found = outcome(*team, {{.at = Time(100ms), .team = begin}}, &hall));
    over = true;
    begin(*team, hall);
    killer.join();
    expect_same(expected, found, "seed " + std::to_string(seed));
    if (HasFailure()) return;
    losses += news;
  }
  EXPECT_GE(losses, 4u);
}

/// Two bodies on two nodes.
class Pair : public ::testing::Test {
 protected:
  explicit Pair(const std::string& more = {}) {
    std::ofstream(file_) << R"(<interconnection name="pair" version="1">
      <system id="one" type="rigid_body"><parameter name="inertia" value="1 2 3"/></system>
      <system id="two" type="rigid_body"><parameter name="inertia" value="1 2 3"/></system>)"
                         << more << R"(<run stop="10 s" step="10 ms"/></interconnection>)";
  }
  std::unique_ptr<Composer> run(std::int64_t keep_every = 1) {
    Random random(1);
    auto c = composed(file_, hall, {.nodes = 2, .keep_every = keep_every}, random);
    c->on_news = [this](const Diagnostics& d) { news += rendered(d); };
    return c;
  }
  std::string complaint(const std::function<void()>& f) {
    try {
      f();
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics());
    }
    return "";
  }

  TemporaryFolder folder;
  std::filesystem::path file_ = folder / "pair.xml";
  Hall hall;
  std::string news;
};

TEST_F(Pair, SaysThatANodeWasLostAndThatTheRunContinues) {
  const auto c = run();
  c->initialize();
  c->request_freeze(Time(1s));
  ASSERT_EQ(c->run_until(Time(10s)), Ending::frozen);
  hall.kill("b");
  c->resume();
  EXPECT_EQ(c->run_until(Time(10s)), Ending::reached);
  EXPECT_NE(news.find("warning[V5602]"), news.npos) << news;
  EXPECT_NE(news.find("lost: node b"), news.npos) << news;
}

TEST_F(Pair, RefusesMovesOfWhatIsNotThere) {
  const auto c = run();
  c->initialize();
  const std::string part = complaint([&] { c->move("oen", "b"); });
  EXPECT_NE(part.find("error[V5606]"), part.npos) << part;
  EXPECT_NE(part.find("did you mean one?"), part.npos) << part;
  const std::string node = complaint([&] { c->move("one", "c"); });
  EXPECT_NE(node.find("the nodes are: a, b"), node.npos) << node;
  c->move("one", "b");
  c->move("two", "b");
  const Executive::Placement all{{"a", {}}, {"b", {"one", "two"}}};
  EXPECT_EQ(c->placement(), all);
  Executive alone(plan_of(file_));
  EXPECT_NE(complaint([&] { alone.move("one", "b"); }).find("error[V5606]"), std::string::npos);
}

TEST_F(Pair, LosesNothingIfBothNodesRunBoth) {
  Random random(1);
  auto c = composed(file_, hall, {.nodes = 2, .keep_every = 0, .replicas = 2}, random);
  c->on_news = [this](const Diagnostics& d) { news += rendered(d); };
  c->initialize();
  const Executive::Placement all{{"a", {"one", "two"}}, {"b", {"one", "two"}}};
  EXPECT_EQ(c->placement(), all);
  const std::string move = complaint([&] { c->move("one", "a"), c->move("one", "b"); });
  EXPECT_NE(move.find("one runs on"), move.npos) << move;
  EXPECT_NE(move.find("it is one of its replicas"), move.npos) << move;
  c->request_freeze(Time(1s));
  ASSERT_EQ(c->run_until(Time(10s)), Ending::frozen);
  hall.kill("b");
  c->resume();
  // there is no copy of the state to return to
  EXPECT_EQ(c->run_until(Time(10s)), Ending::reached) << rendered(c->fault());
  EXPECT_NE(
      news.find("warning[V5602]: lost: node b (the connection was closed); its parts also run "
                "on a, and nothing was lost"),
      news.npos)
      << news;
}

TEST_F(Pair, TakesALostReplicaBack) {
  Random random(1);
  auto c = composed(file_, hall, {.nodes = 2, .replicas = 2}, random);
  c->initialize();
  const Executive::Placement all = c->placement();
  hall.kill("b");
  Time t(100ms);
  while (hall.started() < 3 || c->placement() != all) {
    c->request_freeze(t += 100ms);
    ASSERT_EQ(c->run_until(Time(std::chrono::hours(1))), Ending::frozen) << rendered(c->fault());
    c->resume();
    std::this_thread::sleep_for(1ms);
  }
}

struct PairWithADoubtfulPart : Pair {
  PairWithADoubtfulPart() : Pair(R"(<component id="odd" type="doubtful"/>)") { Doubtful::made = 0; }
};

TEST_F(PairWithADoubtfulPart, StopsWhenReplicasDifferAndNamesTheSignal) {
  Random random(1);
  auto c = composed(file_, hall, {.nodes = 2, .replicas = 2}, random);
  c->initialize();
  EXPECT_EQ(c->run_until(Time(10s)), Ending::failed);
  const std::string fault = rendered(c->fault());
  EXPECT_NE(fault.find("error[V5608]: the replicas of odd differ at t = 0.500 s: odd.y is "),
            fault.npos)
      << fault;
}

struct PairWithAStuckPart : Pair {
  PairWithAStuckPart() : Pair(R"(<component id="device" type="stuck"/>)") {}
};

TEST_F(PairWithAStuckPart, EndsWithTheLossOfANodeAndSaysWhy) {
  const auto c = run();
  c->initialize();
  c->request_freeze(Time(1s));
  ASSERT_EQ(c->run_until(Time(10s)), Ending::frozen);
  const std::string move = complaint([&] { c->move("one", "b"); });
  EXPECT_NE(move.find("device cannot return to an earlier state"), move.npos) << move;
  hall.kill("b");
  c->resume();
  EXPECT_EQ(c->run_until(Time(10s)), Ending::failed);
  const std::string fault = rendered(c->fault());
  EXPECT_NE(fault.find("error[V5607]"), fault.npos) << fault;
  EXPECT_NE(fault.find("device cannot return to an earlier state"), fault.npos) << fault;
}

TEST_F(Pair, NamesTheNodeThatDoesNotStart) {
  const std::string what = complaint([&] {
    server::Team team;
    team.seats.push_back(hall.seat("a"));
    team.seats.push_back({.name = "b", .start = [] {
                            int ends[2];
                            EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends),
                                      0);
                            ::close(ends[1]);
                            return server::Started{net::Stream(Descriptor(ends[0]))};
                          }});
    team.division = {0, 1};
    team.begin = {.version = "test", .document = file_.string()};
    Composer(plan_of(file_), {}, {}, std::move(team));
  });
  EXPECT_NE(what.find("error[V5603]"), what.npos) << what;
  EXPECT_NE(what.find("node b"), what.npos) << what;
}

TEST_F(Pair, RefusesAnExecutorOfAnotherVersion) {
  const std::string what = complaint([&] {
    server::Team team;
    team.seats.push_back(hall.seat("a"));
    team.division = {0, 0};
    team.begin = {.version = "newer", .document = file_.string()};
    Composer(plan_of(file_), {}, {}, std::move(team));
  });
  EXPECT_NE(what.find("error[V5604]"), what.npos) << what;
  EXPECT_NE(what.find("the composer is Vernier newer, the executor test"), what.npos) << what;
}

}  // namespace
}  // namespace vernier
