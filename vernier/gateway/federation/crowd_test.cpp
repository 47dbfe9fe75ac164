// Limits on the messages that wait for a federate: which senders are blocked, and who is resigned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "vernier/gateway/federation/core_rig_test.hpp"
#include "vernier/gateway/federation/hello.hpp"
#include "vernier/gateway/federation/here.hpp"
#include "vernier/gateway/federation/rti_server.hpp"
#include "vernier/gateway/federation/socket_transport.hpp"
#include "vernier/gateway/federation/time_manager.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::federation {
namespace {

using namespace std::chrono_literals;
using rig::Packed;
using rig::Player;
using rig::Stage;
using ::testing::HasSubstr;

constexpr std::size_t may_wait = 100000;  // limit of waiting bytes in these tests
const std::string kilobyte(1000, 'x');

TEST(Held, IsCountedUntilItIsGone) {
  TimeManager t(TimeKind::integer64, [](Handle, const Frame&) {});
  t.set_crowd(5000);
  const Frame message = frame(Receive{.values = {}, .tag = rig::bytes_of(kilobyte)});
  for (const Handle h : {1u, 2u}) t.add(h);
  t.enable_regulation(1, Stamp{1});
  t.enable_constrained(2);
  const auto send = [&](std::uint32_t number, std::int64_t at) {
    t.sent(1, Stamp{at}, number);
    t.hold(2, Stamp{at}, message, {1, number});
  };
  for (std::uint32_t n = 1; n <= 10; ++n) send(n, n);
  const std::size_t each = t.held(2) / 10;
  EXPECT_GT(each, message->size());
  EXPECT_EQ(t.crowded(), std::vector<Handle>{2});
  t.retract(1, 10);
  EXPECT_EQ(t.held(2), 9 * each);
  t.advance(1, AdvanceKind::to, Stamp{8});
  t.advance(2, AdvanceKind::to, Stamp{7});
  EXPECT_EQ(t.held(2), 2 * each);
  EXPECT_TRUE(t.crowded().empty());
  for (int i = 0; i < 3; ++i) t.pass(2, message);
  EXPECT_EQ(t.held(2), 5 * each);
  std::vector<std::byte> saved;
  t.save(saved);
  TimeManager restored(TimeKind::integer64, [](Handle, const Frame&) {});
  restored.set_crowd(1);
  ASSERT_TRUE(restored.load(saved));
  EXPECT_EQ(restored.held(2), 5 * each);
  EXPECT_EQ(restored.crowded(), std::vector<Handle>{2});
  restored.remove(2);
  EXPECT_TRUE(restored.crowded().empty());
  t.enable_asynchronous(2);
  EXPECT_EQ(t.held(2), 2 * each);
  t.disable_constrained(2);
  EXPECT_EQ(t.held(2), 0u);
}

struct Logged {
  std::string log;
};
/// A regulates and sends, B is constrained, C observes. Messages for B may wait for `patience`.
struct Crowd : Logged, Stage {
  explicit Crowd(std::chrono::milliseconds patience = 1h)
      : Stage(3, {.log = [this](std::string_view line) { log += std::string(line) + "\n"; },
                  .most_waiting = may_wait,
                  .patience = patience}) {
    Player& a = (*this)[0];
    Player& b = (*this)[1];
    t = a.attribute("t");
    r = a.attribute("r");
    a.publish("Timed", {t, r});
    b.subscribe("Timed", {t, r});
    thing = a.register_object("Timed");
    a.must(EnableRegulation{Stamp{1}});
    b.must(EnableConstrained{});
  }
  /// Kilobytes from A, with a stamp or in receive order.
  void send(int count, std::optional<std::int64_t> time) {
    for (int i = 0; i < count && (*this)[0].peer.given_up.empty(); ++i)
      (*this)[0].update(thing, Packed{}.add(time ? t : r, kilobyte), time, time ? ++number : 0u);
  }
  bool waits(std::size_t who, Kind next = Kind::update_attributes, bool already = false) {
    return core.pressing((*this)[who].connection, next, 1u << 30, already) != 0;
  }
  int count(std::size_t who, Kind kind) {
    int n = 0;
    for (const Frame& f : (*this)[who].peer.frames) n += header(*f)->kind == kind;
    return n;
  }
  Handle t = 0, r = 0, thing = 0;
  std::uint32_t number = 0;
};

TEST(Crowd, MakesSendersWaitUntilTheFederateAdvances) {
  Crowd c;
  c.send(60, 10);
  EXPECT_FALSE(c.waits(0));
  c.send(40, 20);
  EXPECT_TRUE(c.waits(0));
  EXPECT_TRUE(c.core.crowded());
  EXPECT_FALSE(c.waits(0, Kind::advance)) << "what brings no message may always come";
  EXPECT_TRUE(c.waits(2)) << "whoever sends";
  EXPECT_FALSE(c.waits(1)) << "not for itself";
  // it requests a time that A prevents: A must not be blocked
  c[1].say(Advance{AdvanceKind::to, Stamp{15}});
  EXPECT_FALSE(c.waits(0));
  EXPECT_TRUE(c.waits(2)) << "C does not hold it back";
  c.send(20, 10);
  c[0].say(Advance{AdvanceKind::to, Stamp{15}});
  EXPECT_EQ(c.count(1, Kind::reflect), 80);
  EXPECT_FALSE(c.waits(0, Kind::update_attributes, true));
  c.core.pulse();
  EXPECT_FALSE(c.core.crowded());
}

TEST(Crowd, OfReceiveOrderedMessagesIsTheSame) {
  Crowd c;
  c.send(101, {});
  EXPECT_TRUE(c.waits(0));
  EXPECT_EQ(c.count(1, Kind::reflect), 0);
  c[1].must(EnableAsynchronous{});
  EXPECT_FALSE(c.waits(0));
  EXPECT_EQ(c.count(1, Kind::reflect), 101);
}

TEST(Crowd, GoesOnAtHalfOfWhatMayWait) {
  Crowd c;
  c.send(30, 5);
  c.send(70, 20);
  EXPECT_TRUE(c.waits(0));
  c[0].say(Advance{AdvanceKind::to, Stamp{10}});
  c[1].say(Advance{AdvanceKind::to, Stamp{6}});
  EXPECT_FALSE(c.waits(0));
  EXPECT_TRUE(c.waits(0, Kind::update_attributes, true));
}

TEST(Crowd, ResignsWhoAsksForNothingAndTheOthersGoOn) {
  Crowd c(0ms);
  c.send(100, 20);
  c.core.pulse();  // notes that it has advanced
  c.core.pulse();
  EXPECT_THAT(c[1].peer.given_up, HasSubstr("has not asked to advance for 0 s"));
  EXPECT_THAT(c.log, HasSubstr("'B' of 'F' is lost: 0 MB of messages wait for it"));
  EXPECT_FALSE(c.waits(0));
  c.send(100, 20);
  c[0].say(Advance{AdvanceKind::to, Stamp{50}});
  EXPECT_EQ(c.count(0, Kind::granted), 1);
  EXPECT_EQ(c[1].ask(QueryGalt{}), Failure::FederateNotExecutionMember);
  c.core.close(c[1].connection, "closed");
}

TEST(Crowd, IsPatientWithOneThatIsSlow) {
  Crowd c(0ms);
  for (int step = 1; step < 10; ++step) {
    c.send(100, 10 * step);
    EXPECT_TRUE(c.waits(0));
    c[0].say(Advance{AdvanceKind::to, Stamp{10 * step}});
    c.core.pulse();  // once in each of its steps; it gets no more time
    c[1].say(Advance{AdvanceKind::to, Stamp{10 * step}});
    c.core.pulse();
  }
  EXPECT_EQ(c[1].peer.given_up, "");
  EXPECT_EQ(c.count(1, Kind::reflect), 900);
}

TEST(Crowd, ResignsWhoHoldsTheFederateBackAndSendsOn) {
  Crowd c;
  c[1].say(Advance{AdvanceKind::to, Stamp{15}});
  c.send(150, 10);
  EXPECT_FALSE(c.waits(0)) << "waiting would be for ever";
  c.send(100, 10);
  EXPECT_THAT(c[0].peer.given_up, HasSubstr("messages wait for 'B' until it advances itself"));
  EXPECT_EQ(c[1].peer.given_up, "");
  // nothing prevents it now, and it receives what was sent to it
  EXPECT_EQ(c.count(1, Kind::granted), 1);
  EXPECT_EQ(c.count(1, Kind::reflect), static_cast<int>(c.number));
}

TEST(Crowd, ResignsAtTwiceTheLimitWhateverItComesFrom) {
  Crowd c;
  c.send(250, {});  // from a federate whose transport does not block
  EXPECT_THAT(c[1].peer.given_up, HasSubstr("until it asks to advance"));
}

TEST(Crowd, MakesNobodyWaitWhileItIsSaved) {
  Crowd c;
  c.send(100, 20);
  EXPECT_TRUE(c.waits(0));
  c[2].must(RequestSave{"s", {}});
  EXPECT_FALSE(c.waits(0)) << "it has to say that it has saved";
  c.send(150, {});
  EXPECT_THAT(c[0].peer.given_up, HasSubstr("until the federation is saved"));
}

// ---- over channels

/// A federate at the end of a channel.
class Remote {
 public:
  explicit Remote(std::unique_ptr<RtiTransport> c) : channel(std::move(c)) {}

  template <class M>
  Answer ask(const M& m) {
    channel->send(*frame(m, ++sequence_));
    channel->flush();
    Answer a;
    for (bool got = false; !got;) {
      if (!receive([&](Bytes f) {
            if (header(f)->kind != Kind::answer || header(f)->sequence != sequence_) return;
            Answer read_here;
            got = read(f, read_here);
            a = {read_here.failure, read_here.text, read_here.body};
          }))
        return {Failure::RTIinternalError, channel->why_lost(), {}};
    }
    return a;
  }
  void join(const std::string& name, bool first) {
    if (first) ask(CreateFederation{"F", {{"small.xml", rig::small_fom}}, {}, {}});
    const Answer a = ask(Join{name, "type", "F", {}});
    ASSERT_EQ(a.failure, Failure::none) << a.text;
    Joined joined;
    Reader(a.body)(joined);
    FomTables tables;
    Reader(joined.tables)(tables);
    for (Handle i = 1; i <= tables.object_classes.size(); ++i)
      if (tables.object_classes[i - 1].path.ends_with(".Timed")) timed = i;
    for (Handle i = 1; i <= tables.attributes.size(); ++i)
      if (tables.attributes[i - 1].name == "t") t = i;
  }
  bool receive(const std::function<void(Bytes)>& also = {}) {
    return channel->receive(RtiTransport::Clock::now() + 100s, [&](Bytes f) {
      reflected += header(f)->kind == Kind::reflect;
      granted += header(f)->kind == Kind::granted;
      if (also) also(f);
    });
  }

  std::unique_ptr<RtiTransport> channel;
  Handle timed = 0, t = 0;
  int reflected = 0, granted = 0;

 private:
  std::uint32_t sequence_ = 0;
};

/// The RTI in a thread and two federates; over TCP or in this process.
class Crowded : public ::testing::TestWithParam<bool> {
 protected:
  void start(std::chrono::milliseconds patience) {
    auto core =
        std::make_unique<Core>(CoreSettings{.most_waiting = may_wait, .patience = patience});
    if (GetParam()) {
      server_ = std::make_unique<RtiServer>(
          ServerSettings{.listen = "127.0.0.1:0", .backlog = may_wait, .patience = patience},
          std::move(core));
      thread_ = std::thread([this] { server_->serve(); });
    } else {
      hub_ = std::make_shared<Hub>(std::move(core), may_wait);
    }
    sender = std::make_unique<Remote>(connected());
    slow = std::make_unique<Remote>(connected());
    sender->join("S", true);
    slow->join("R", false);
    sender->ask(PublishAttributes{sender->timed, {sender->t}});
    slow->ask(SubscribeAttributes{slow->timed, {{{slow->t}, {}}}, true, "", false});
    Reader(sender->ask(RegisterObject{sender->timed, {}, {}, false}).body)(thing_);
    sender->ask(EnableRegulation{Stamp{1}});
    slow->ask(EnableConstrained{});
  }
  ~Crowded() override {
    sender.reset();
    slow.reset();
    if (server_) server_->stop();
    if (thread_.joinable()) thread_.join();
  }
  std::string port() const {
    const std::string a = server_->addresses().front();
    return a.substr(a.rfind(':') + 1);
  }
  std::unique_ptr<RtiTransport> connected() {
    std::string why;
    return hub_ ? hub_->connect()
                : connect_socket(parsed_designator(server_->addresses().front()), {}, why);
  }
  /// Kilobytes with stamps 2, 3, …; A advances before each, so that no federate has to wait for it.
  void flood(int count) {
    const Packed values = Packed{}.add(sender->t, kilobyte);
    for (int i = 0; i < count; ++i, ++sent) {
      UpdateAttributes u;
      u.object = thing_.object;
      u.values = values;
      u.time = Stamp{i + 2};
      u.retraction = static_cast<std::uint32_t>(i + 1);
      if (!sender->channel->send(*frame(Advance{AdvanceKind::to, Stamp{i + 1}})) ||
          !sender->channel->send(*frame(u)))
        break;
    }
    sender->channel->flush();
  }

  std::unique_ptr<Remote> sender, slow;
  std::atomic<int> sent{0};

 private:
  std::unique_ptr<RtiServer> server_;
  std::thread thread_;
  std::shared_ptr<Hub> hub_;
  Registered thing_;
};
INSTANTIATE_TEST_SUITE_P(Crowd, Crowded, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "tcp" : "here"; });

TEST_P(Crowded, SendersWaitForOneThatIsSlowAndNothingIsLost) {
  start(1h);
  constexpr int all = 20000;  // 20 MB; the limit is 0.1 MB plus the system's buffers
  std::jthread writer([&] { flood(all); });
  int before = 0;
  for (int same = 0; same < 3; before = sent) {
    std::this_thread::sleep_for(50ms);
    same = sent == before && before > 0 ? same + 1 : 0;
  }
  EXPECT_LT(before, all - 1000);
  constexpr int step = 50;  // no more than the limit
  for (int asked = 0; slow->granted * step < all;) {
    if (asked == slow->granted) {
      slow->channel->send(*frame(Advance{AdvanceKind::to, Stamp{++asked * step}}));
      slow->channel->flush();
    }
    ASSERT_TRUE(slow->receive()) << slow->channel->why_lost();
  }
  writer.join();
  EXPECT_EQ(slow->reflected, all - 1);  // that of 20001 comes later
}

TEST_P(Crowded, OneThatIsStuckIsToldAndTheSenderGoesOn) {
  start(300ms);
  std::jthread writer([&] { flood(10000); });
  while (slow->receive()) {
  }
  EXPECT_THAT(slow->channel->why_lost(), HasSubstr("has not asked to advance"));
  writer.join();
  EXPECT_EQ(sent, 10000);
}

TEST_P(Crowded, OneThatOnlyAsksGetsNoFurtherThanItReads) {
  if (!GetParam()) return start(1h);  // in this process it would wait for its own thread
  start(500ms);
  // sends hello, then requests, and never reads
  const auto address = net::parsed_address("127.0.0.1:" + port());
  auto fd = net::connected(*address, RtiTransport::Clock::now() + 100s);
  ASSERT_TRUE(fd);
  std::vector<std::byte> said;
  HelloToRti("test", {}).begin(said);
  const std::size_t hello = said.size();
  for (int i = 0; i < 1000; ++i) write(said, FindFederate{kilobyte}, 7);
  ::send(fd->get(), said.data(), hello, MSG_NOSIGNAL);
  std::size_t taken = 0;
  bool cut = false;
  for (const auto until = RtiTransport::Clock::now() + 100s;
       !cut && RtiTransport::Clock::now() < until;) {
    const ssize_t n = ::send(fd->get(), said.data() + hello + taken % (said.size() - hello),
                             said.size() - hello - taken % (said.size() - hello), MSG_NOSIGNAL);
    if (n > 0) taken += static_cast<std::size_t>(n);
    cut = n < 0 && errno != EAGAIN;
    if (n < 0) std::this_thread::sleep_for(5ms);
  }
  EXPECT_TRUE(cut) << "it should have been given up";
  EXPECT_EQ(sender->ask(QueryGalt{}).failure, Failure::none) << "the others go on";
}

}  // namespace
}  // namespace vernier::federation
