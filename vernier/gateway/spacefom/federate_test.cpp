#include "vernier/gateway/spacefom/federate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/fom/writer.hpp"
#include "vernier/gateway/spacefom/objects.hpp"
#include "vernier/gateway/spacefom/recording.hpp"

namespace vernier::spacefom {
namespace {

using namespace std::chrono_literals;

constexpr double epoch = 1597341669.184;
constexpr const char* root = "SolarSystemBarycentricInertial";

/// One federate in its own thread.
class Runner {
 public:
  explicit Runner(Settings s) : federate(std::move(s)), objects(federate) {}
  ~Runner() { finish(); }

  /// `each` is called after every step and returns whether to continue.
  void start(std::function<bool(Runner&)> each = [](Runner&) { return true; }) {
    thread_ = std::thread([this, each = std::move(each)] {
      try {
        bool on = federate.join();
        for (std::size_t k = 0; on && k < federate.settings().phases.size(); ++k)
          on = federate.phase(k);
        on = on && federate.begin();
        running.store(true);
        while (on && each(*this)) on = federate.step();
        ended = !on;
        federate.resign();
      } catch (const ConfigurationError& e) {
        message = rendered(e.diagnostics().list().front());
        failed.store(true);
        federate.resign();
      } catch (const std::exception& e) {
        message = e.what();
      }
    });
  }
  void finish() {
    if (thread_.joinable()) thread_.join();
  }

  Federate federate;
  Objects objects;
  std::atomic<bool> running{false};
  bool ended = false;  // shut down
  std::atomic<bool> failed{false};
  std::string message;

 private:
  std::thread thread_;
};

Settings member(const std::string& federation, const std::string& name, Ticks step = 250'000) {
  Settings s;
  s.federation = federation;
  s.name = s.type = name;
  s.steps.step = step;
  s.patience = 100s;
  return s;
}

Settings master(const std::string& federation, std::vector<std::string> others) {
  Settings s = member(federation, "Master", 1'000'000);
  s.master = true;
  s.federates = std::move(others);
  s.steps.least_common = 1'000'000;
  s.epoch = epoch;
  return s;
}

frames::FrameState moving(double x, double v) {
  frames::FrameState s;
  s.position = {x, 2, 3};
  s.velocity = {v, 0, 0};
  s.attitude = spatial::turned({0, 0, 1}, 0.3);
  s.rate = {0, 0, 0.01};
  return s;
}

/// Master, Pacing, RRFP and an ordinary federate. The RRFP has a frame that moves at 100 m/s, the
/// ordinary one an entity in it.
struct Federation {
  explicit Federation(const std::string& called, bool evoked = false, bool use_mom = true,
                      frames::WireAttitude way = frames::WireAttitude::parent_to_own)
      : name(called) {
    Settings m = master(name, {"Pacer", "Sun", "Moon"}), p = member(name, "Pacer"),
             s = member(name, "Sun", 500'000), o = member(name, "Moon");
    p.pacing = true;
    s.root_publisher = true;
    for (Settings* x : {&m, &p, &s, &o}) {
      x->evoked = evoked;
      x->use_mom = use_mom;
      x->attitude = way;
      x->phases = {"states_known"};
    }
    o.instances = {root, "EarthMJ2000Eq"};
    the_master = std::make_unique<Runner>(m);
    pacer = std::make_unique<Runner>(p);
    sun = std::make_unique<Runner>(s);
    moon = std::make_unique<Runner>(o);
    sun->objects.publish_frame(root, "");
    sun->objects.publish_frame("EarthMJ2000Eq", root);
    sun->objects.frame(1) = moving(1.0, 100.0);
    Entity e;
    e.name = "Lander";
    e.type = "lander";
    e.parent = "EarthMJ2000Eq";
    e.dynamical = true;
    e.mass = 500.0;
    e.force = {1, 2, 3};
    e.state.velocity = {0, 7, 0};
    moon->objects.publish_entity(e);
    moon->objects.publish_interface({"Lander.dock", "Lander", {0, 0, 1}, {0, 0, 0, 1}});
    moon->objects.subscribe_frames();
    pacer->objects.subscribe_frames();
    pacer->objects.subscribe_entities();
    pacer->objects.subscribe_interfaces();
  }

  void start(std::function<bool(Runner&)> pacing = [](Runner&) { return true; }) {
    the_master->start();
    pacer->start(std::move(pacing));
    sun->start([](Runner& r) {
      // what is set now belongs to the next step
      r.objects.frame(1) =
          moving(1.0 + 100.0 * static_cast<double>(r.federate.granted() + 500'000) * 1e-6, 100.0);
      return true;
    });
    moon->start([](Runner& r) {
      r.objects.entity(0).state.position = {
          0, 7.0 * static_cast<double>(r.federate.granted() + 250'000) * 1e-6, 0};
      return true;
    });
  }
  void finish() {
    for (Runner* r : all()) r->finish();
  }
  std::vector<Runner*> all() { return {the_master.get(), pacer.get(), sun.get(), moon.get()}; }

  std::string name;
  std::unique_ptr<Runner> the_master, pacer, sun, moon;
};

class Callbacks : public ::testing::TestWithParam<std::pair<bool, bool>> {};

TEST_P(Callbacks, InitializesRunsAndShutsDown) {
  const auto [evoked, use_mom] = GetParam();
  Federation f(std::string("plain ") + (evoked ? "evoked" : "immediate"), evoked, use_mom);
  double worst = 0.0;
  int seen = 0;
  f.start([&](Runner& r) {
    const Ticks t = r.federate.granted();
    frames::FrameState s;
    // the entity in the root frame, propagated to now; everything moves at constant velocity
    if (t > 0 && r.objects.resolve("Lander", root, r.federate.scenario_time(t), s)) {
      ++seen;
      const double h = static_cast<double>(t) * 1e-6;
      frames::FrameState earth = moving(1.0 + 100.0 * h, 100.0), lander;
      // the frame was sent every 0.5 s with a constant attitude, and rotates in between
      const double since = static_cast<double>(t % 500'000) * 1e-6;
      earth.attitude = frames::propagated(moving(0, 0), since).attitude;
      lander.position = {0, 7.0 * h, 0};
      worst = std::max(worst, (frames::composed(earth, lander).position - s.position).norm());
    }
    if (t == 5'000'000) r.federate.request(Mode::shutdown);
    return t < 20'000'000;
  });
  f.finish();
  for (Runner* r : f.all()) {
    EXPECT_EQ(r->message, "");
    EXPECT_TRUE(r->ended);
    EXPECT_EQ(r->federate.configuration().root_frame, root);
    EXPECT_EQ(r->federate.configuration().epoch, epoch);
    EXPECT_EQ(r->federate.configuration().least_common, 1'000'000);
    EXPECT_EQ(r->federate.evoked(), evoked);
    EXPECT_EQ(r->objects.malformed(), 0u);
    EXPECT_GE(r->federate.granted(), 4'000'000);
  }
  EXPECT_GE(seen, 20);
  EXPECT_LT(worst, 1e-6);  // the scenario time as a double resolves 0.24 us, at 100 m/s
}

INSTANTIATE_TEST_SUITE_P(Federate, Callbacks,
                         ::testing::Values(std::pair{false, true}, std::pair{true, false}));

TEST(Federate, KeepsAttitudesUnderBothConventions) {
  for (const auto way :
       {frames::WireAttitude::parent_to_own, frames::WireAttitude::own_to_parent}) {
    Federation f(way == frames::WireAttitude::own_to_parent ? "appendix" : "letter", false, true,
                 way);
    double off = 1.0;
    f.start([&](Runner& r) {
      const auto i = r.objects.tree().find("EarthMJ2000Eq");
      if (i >= 0) off = (r.objects.tree().state(i).attitude - moving(0, 0).attitude).norm();
      if (r.federate.granted() == 500'000) r.federate.request(Mode::shutdown);
      return true;
    });
    f.finish();
    EXPECT_LT(off, 1e-15);
  }
}

TEST(Federate, FreezesAllOnOneBoundaryAndRunsAgain) {
  Federation f("freezing");
  std::atomic<int> frozen{0};
  std::atomic<Ticks> at{-1};
  f.start([&](Runner& r) {
    if (r.federate.granted() == 500'000) r.federate.request(Mode::freeze);
    if (r.federate.stood_still()) {
      at.store(r.federate.granted());
      ++frozen;
      r.federate.request(Mode::shutdown);
    }
    return true;
  });
  // another federate requests the run to continue; invalid requests meanwhile are dropped
  Runner watcher(member("freezing", "Watcher"));
  watcher.objects.subscribe_frames();
  watcher.objects.subscribe_entities();
  std::thread operator_([&] {
    while (f.moon->federate.mode() != Mode::freeze && !f.moon->failed.load())
      std::this_thread::sleep_for(1ms);
    f.moon->federate.request(Mode::freeze);
    std::this_thread::sleep_for(20ms);
    f.moon->federate.request(Mode::running);
  });
  f.finish();
  operator_.join();
  EXPECT_EQ(frozen.load(), 1);
  EXPECT_EQ(at.load() % 1'000'000, 0);
  EXPECT_GT(at.load(), 500'000);
  for (Runner* r : f.all()) EXPECT_EQ(r->message, "");
}

/// Starts a federation and waits until it runs; it shuts down once `done`.
void run_until(Federation& f, const std::atomic<bool>& done) {
  f.start([&](Runner& r) {
    std::this_thread::sleep_for(1ms);
    if (done.load()) r.federate.request(Mode::shutdown);
    return true;
  });
  while (!f.pacer->running.load() && !f.pacer->failed.load()) std::this_thread::sleep_for(1ms);
}

TEST(Federate, JoinsLateOnABoundaryAndKnowsAllValues) {
  Federation f("late");
  std::atomic<bool> done{false};
  run_until(f, done);
  Settings s = member("late", "Watcher");
  s.late_only = true;
  Runner late(s);
  late.objects.subscribe_frames();
  late.objects.subscribe_entities();
  late.objects.subscribe_interfaces();
  std::string type, dock;
  double mass = 0.0;
  std::vector<std::string> problems{"nothing was seen"};
  late.start([&](Runner& r) {
    if (r.federate.granted() < r.federate.started() + 1'000'000) return true;
    if (const auto* e = r.objects.find_entity("Lander"))
      type = e->entity.type, mass = e->entity.mass;
    if (const auto* i = r.objects.find_interface("Lander.dock")) dock = i->parent;
    problems = r.objects.problems();
    done.store(true);
    return true;
  });
  late.finish();
  f.finish();
  EXPECT_EQ(late.message, "");
  EXPECT_FALSE(late.federate.early());
  EXPECT_TRUE(late.ended);
  EXPECT_GT(late.federate.started(), 0);
  EXPECT_EQ(late.federate.started() % 1'000'000, 0);
  EXPECT_EQ(type, "lander");
  EXPECT_EQ(dock, "Lander");
  EXPECT_EQ(mass, 500.0);
  EXPECT_TRUE(problems.empty()) << problems.front();
}

TEST(Federate, RefusesASecondMasterAndAWrongStep) {
  Federation f("refusals");
  std::atomic<bool> done{false};
  run_until(f, done);
  Settings second = master("refusals", {});
  second.name = "Usurper";
  Settings same = member("refusals", "Moon"), odd = member("refusals", "Odd", 300'000);
  Runner a(second), b(same), c(odd), d(member("refusals", "Twin"));
  d.objects.publish_interface({"Lander", "Lander", {0, 0, 1}, {0, 0, 0, 1}});
  for (Runner* r : {&a, &b, &c, &d}) {
    r->start();
    r->finish();
  }
  done.store(true);
  f.finish();
  for (Runner* r : f.all()) EXPECT_EQ(r->message, "");
  EXPECT_TRUE(a.message.starts_with("error[V5323]: there is a Master in refusals already"))
      << a.message;
  EXPECT_TRUE(b.message.starts_with("error[V5322]: there is a federate Moon in refusals already"))
      << b.message;
  EXPECT_TRUE(c.message.starts_with(
      "error[V5326]: Odd: the least common time step, 1 s, is not a multiple of the step, 300 ms"))
      << c.message;
  EXPECT_TRUE(d.message.starts_with("error[V5325]: the name Lander is taken in refusals"))
      << d.message;
}

TEST(Federate, NoticesThatTheMasterIsGone) {
  Federation f("headless");
  f.start([](Runner&) {
    std::this_thread::sleep_for(1ms);
    return true;
  });
  while (!f.pacer->running.load() && !f.pacer->failed.load()) std::this_thread::sleep_for(1ms);
  // the RTI resigns it, as it does when a connection breaks
  expel(member("headless", "Operator"), "Master");
  f.finish();
  EXPECT_TRUE(f.the_master->message.starts_with("error[V5328]: ")) << f.the_master->message;
  for (Runner* r : {f.pacer.get(), f.sun.get(), f.moon.get()})
    EXPECT_TRUE(
        r->message.starts_with("error[V5329]: the Master of headless is gone without a shutdown"))
        << r->message;
}

TEST(Federate, MakesAFreezeAskedForDuringTheInitializationTheFirstMode) {
  Federation f("cold");
  f.moon->federate.request(Mode::freeze);
  std::atomic<bool> stood{false};
  f.start([&](Runner& r) {
    if (r.federate.stood_still()) stood.store(r.federate.granted() == 0);
    r.federate.request(Mode::shutdown);
    return true;
  });
  while (f.moon->federate.mode() != Mode::freeze && !f.moon->failed.load())
    std::this_thread::sleep_for(1ms);
  f.moon->federate.request(Mode::running);
  f.finish();
  EXPECT_TRUE(stood.load());
  for (Runner* r : f.all()) EXPECT_EQ(r->message, "");
}

TEST(Federate, SaysWhatTheRtiRefused) {
  Runner r(master("refused", {}));
  r.federate.publish("HLAobjectRoot.Nothing", "x", {"y"});
  r.start();
  r.finish();
  EXPECT_TRUE(r.message.starts_with("error[V5332]: the RTI refused what Master asked: "))
      << r.message;
}

TEST(Federate, IsRecordedAndReplayed) {
  std::stringstream file;
  {
    Federation f("taped");
    std::atomic<bool> done{false};
    f.start([&](Runner& r) {
      std::this_thread::sleep_for(1ms);
      if (done.load()) r.federate.request(Mode::shutdown);
      return true;
    });
    Settings s = member("taped", "Tape", 0);
    s.late_only = true;
    Federate tape(s);
    Objects classes(tape);
    classes.subscribe_frames();
    classes.subscribe_entities();
    FederationRecorder recorder(tape, file);
    ASSERT_TRUE(tape.join() && tape.begin());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(tape.step());
    done.store(true);
    while (tape.step()) {
    }
    tape.resign();
    f.finish();
    EXPECT_GE(recorder.updates(), 10u);
  }
  const auto recording = read_recording(file);
  ASSERT_TRUE(recording) << recording.error();
  EXPECT_EQ(recording->epoch, epoch);
  Settings again = master("again", {"Eye"});
  again.name = "Replay";
  again.pacing = again.root_publisher = true;
  Federate replay(again);
  Replayer replayer(replay, *recording);
  Runner eye(member("again", "Eye", 1'000'000));
  eye.objects.subscribe_frames();
  eye.objects.subscribe_entities();
  std::string type;
  frames::FrameState lander;
  eye.start([&](Runner& r) {
    if (const auto* e = r.objects.find_entity("Lander")) type = e->entity.type;
    static_cast<void>(r.objects.resolve("Lander", root, lander));
    return true;
  });
  ASSERT_TRUE(replay.join() && replay.begin());
  while (!replayer.finished()) ASSERT_TRUE(replay.step());
  ASSERT_TRUE(replay.step());
  replay.resign();
  eye.finish();
  EXPECT_EQ(eye.message, "");
  EXPECT_EQ(type, "lander");
  EXPECT_GT(lander.position.norm(), 100.0);  // it kept moving with the frame, at 100 m/s
}

TEST(Federate, IsRecordedWithWhatModulesAdd) {
  const std::string module = VERNIER_SOURCE_DIR "/examples/federation/tug.fom";
  const Octets sign{std::byte{0}, std::byte{0}, std::byte{0},
                    std::byte{1}, std::byte{0}, std::byte{'A'}};
  const std::vector<Octets> fire{Octets(8), {}};  // without a thruster
  std::stringstream file;
  {
    Settings s = master("extended", {});
    s.pacing = s.root_publisher = true;
    s.modules = {module};
    Runner owner(s);
    owner.objects.publish_frame(root, "");
    const auto dock = owner.federate.publish("HLAobjectRoot.Dock", "Dock A", {"sign"});
    owner.federate.set(dock, 0, sign);
    const auto command = owner.federate.publish_interaction("HLAinteractionRoot.FireCommand",
                                                            {"duration", "thruster"});
    std::atomic<bool> taping{false}, done{false};
    owner.start([&](Runner& r) {
      std::this_thread::sleep_for(1ms);
      if (taping.load()) r.federate.post(command, fire);
      if (done.load()) r.federate.request(Mode::shutdown);
      return true;
    });
    while (!owner.running.load()) std::this_thread::sleep_for(1ms);
    Settings t = member("extended", "Tape", 0);
    const std::string document = current_fom(t);
    Diagnostics problems;
    const auto read = fom::parse_module(document, "fom", problems);
    ASSERT_TRUE(read) << rendered(problems);
    const auto f = fom::merge({&*read, 1}, fom::standard_mim(), problems);
    ASSERT_TRUE(f) << rendered(problems);
    t.late_only = true;
    Federate tape(t);
    FederationRecorder recorder(tape, file);
    recorder.keep_all(*f, fom::written(*f, "extended"));
    ASSERT_TRUE(tape.join() && tape.begin());
    taping.store(true);
    while (recorder.interactions() == 0) ASSERT_TRUE(tape.step());
    done.store(true);
    while (tape.step()) {
    }
    tape.resign();
    owner.finish();
    EXPECT_EQ(owner.message, "");
  }
  const auto recording = read_recording(file);
  ASSERT_TRUE(recording) << recording.error();
  ASSERT_FALSE(recording->sent.empty());
  EXPECT_EQ(recording->interactions[0].interaction_class, "HLAinteractionRoot.FireCommand");
  ASSERT_EQ(recording->sent[0].values.size(), 1u);
  EXPECT_EQ(recording->sent[0].values[0].second, fire[0]);

  const TemporaryFolder folder;
  Settings again = master("extended again", {"Eye"});
  again.name = "Replay";
  again.pacing = again.root_publisher = true;
  again.modules = {(folder / "fom.xml").string()};
  std::ofstream(again.modules[0]) << recording->fom;
  Federate replay(again);
  Replayer replayer(replay, *recording);
  struct Ear final : Listener {
    void reflected(const Remote& r, std::span<const std::size_t>) override {
      seen = r.values[0].bytes;
    }
    void received(std::size_t, std::span<const Octets> values, Ticks) override {
      heard = values[0];
    }
    void sending(Ticks) override {}
    Octets seen, heard;
  } ear;
  Settings e = member("extended again", "Eye", 1'000'000);
  e.modules = again.modules;
  Runner eye(e);
  eye.federate.subscribe("HLAobjectRoot.Dock", {"sign"});
  static_cast<void>(
      eye.federate.subscribe_interaction("HLAinteractionRoot.FireCommand", {"duration"}));
  eye.federate.add_listener(ear);
  eye.start();
  ASSERT_TRUE(replay.join() && replay.begin());
  while (!replayer.finished()) ASSERT_TRUE(replay.step());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(replay.step());
  replay.resign();
  eye.finish();
  EXPECT_EQ(eye.message, "");
  EXPECT_EQ(ear.seen, sign);
  EXPECT_EQ(ear.heard, fire[0]);
}

TEST(Recording, RefusesWhatIsNone) {
  for (const char* text :
       {"", "hello\n", "vernier-federation 1\nepoch x\n",
        "vernier-federation 1\nupdate 0 0 state 00\n",
        "vernier-federation 1\nobject A b\nupdate 0 0 state 0g\n",
        "vernier-federation 1\nobject A b\nupdate 5 0 s 00\nupdate 4 0 s 00\n",
        "vernier-federation 2\nreceived 0 0\n", "vernier-federation 2\ninteraction \n",
        "vernier-federation 2\ninteraction A\nreceived 0 0 =00\n",
        "vernier-federation 2\ninteraction A\nreceived 0 0 p=0\n",
        "vernier-federation 2\ninteraction A\nreceived 5 0\nreceived 4 0\n",
        "vernier-federation 3\n", "vernier-federation 1\nlcts 0\n",
        "vernier-federation 1\nwhat\n"}) {
    std::istringstream in(text);
    EXPECT_FALSE(read_recording(in)) << text;
  }
  std::istringstream endless("vernier-federation 1\nfederation " + std::string(3u << 20, 'x'));
  EXPECT_EQ(read_recording(endless).error(), "line 2: too long");
  std::string text = "vernier-federation 1\nobject A b\n";
  for (int i = 0; i < 1001; ++i) text += "update 0 0 a" + std::to_string(i) + " 00\n";
  std::istringstream many(text);
  EXPECT_EQ(read_recording(many).error(), "line 1003: too many attributes");
}

TEST(Recording, KeepsNamesThatWouldBreakItsLines) {
  std::stringstream file;
  Federate f(member("two\nlines", "Tape", 0));
  FederationRecorder recorder(f, file);
  Remote r;
  r.object_class = "A";
  r.name = "x\nupdate 0 0 a 00\\n";
  recorder.discovered(r);
  recorder.discovered(r);
  const auto recording = read_recording(file);
  ASSERT_TRUE(recording) << recording.error();
  EXPECT_EQ(recording->federation, "two\nlines");
  ASSERT_EQ(recording->objects.size(), 1u);
  EXPECT_EQ(recording->objects[0].name, r.name);
}

TEST(Federate, SaysWhomItWaitedFor) {
  Settings s = master("alone", {"Nobody", "Noone"});
  s.patience = 50ms;
  Runner r(s);
  r.start();
  r.finish();
  EXPECT_NE(r.message.find("Master waited 0 s for Nobody, Noone"), std::string::npos) << r.message;
}

}  // namespace
}  // namespace vernier::spacefom
