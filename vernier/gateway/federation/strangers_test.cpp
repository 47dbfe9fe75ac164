// Hostile federates and RTIs: what is cheap for an attacker must not be expensive for the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/federation/core_rig_test.hpp"
#include "vernier/gateway/federation/hello.hpp"
#include "vernier/gateway/federation/regions.hpp"
#include "vernier/gateway/federation/rti_server.hpp"
#include "vernier/gateway/federation/rti_transport.hpp"
#include "vernier/gateway/federation/socket_transport.hpp"
#include "vernier/gateway/federation/time_manager.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::federation {
namespace {

using rig::Packed;
using rig::Player;
using rig::Stage;
using ::testing::HasSubstr;

TEST(Strangers, TheLongestRequestMakesNoFrameThatIsTooLongForOthers) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Handle t = a.attribute("t");
  a.publish("Timed", {t});
  b.subscribe("Timed", {t});
  const Handle o = a.register_object("Timed");
  b.next<Discover>();
  a.must(EnableRegulation{Stamp{1}});
  b.must(EnableConstrained{});
  b.next<ConstrainedEnabled>();
  UpdateAttributes u;
  u.object = o;
  u.time = Stamp{10};
  u.retraction = 1;
  const std::size_t around = frame(u)->size() + 2 * sizeof(Handle);
  Packed values;
  values.add(t, std::string(longest_request - around, 'x'));
  u.values = values;
  ASSERT_EQ(frame(u)->size(), longest_request);
  EXPECT_TRUE(s.core.take(a.connection, *frame(u)));
  // waiting messages are rewritten when they become receive-ordered
  b.must(DisableConstrained{});
  EXPECT_EQ(b.next<Reflect>().values.raw.size(), values.raw.size());
  u.tag = rig::bytes_of("x");
  EXPECT_FALSE(s.core.take(a.connection, *frame(u)));
}

TEST(Strangers, RegionsTravelInBoundedNumbers) {
  Stage s(1);
  Player& a = s[0];
  a.publish("Base", {a.attribute("a")});
  Handle d = 1;
  while (a.tables.dimensions.at(d - 1).name != "D") ++d;
  a.must(CreateRegion{{d}});
  const Handle r = a.body<Created>().region, o = a.register_object("Base");
  // repetitions of one region count as well
  const Numbers many(Regions::most_together + 1, r);
  EXPECT_EQ(a.ask(AssociateRegions{o, {{{a.attribute("a")}, many}}}), Failure::RTIinternalError);
  a.must(AssociateRegions{o, {{{a.attribute("a")}, {r}}}});
  FomTables wide;
  wide.dimensions.resize(Regions::most_dimensions + 1, {"D", 0});
  Numbers all(wide.dimensions.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Handle>(i + 1);
  Regions regions;
  EXPECT_THROW(regions.create(1, all, wide), Refusal);
  all.pop_back();
  EXPECT_NE(regions.create(1, all, wide), 0u);
}

TEST(Strangers, AnAdvanceOfNoKindEndsItsConnection) {
  Stage s(1);
  EXPECT_FALSE(s.core.take(s[0].connection, *frame(Advance{static_cast<AdvanceKind>(5), {}})));
}

TEST(Strangers, ASmallFomThatMakesHugeTablesIsRefused) {
  std::string text = R"(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010"><objects>)"
                     "<objectClass><name>HLAobjectRoot</name><objectClass><name>A</name>";
  const auto number = [](int i) { return std::to_string(i); };
  for (int i = 0; i < 2100; ++i)
    text += "<attribute><name>a" + number(i) +
            "</name><dataType>HLAopaqueData</dataType><transportation>HLAreliable</transportation>"
            "<order>Receive</order></attribute>";
  for (int i = 0; i < 2100; ++i)
    text += "<objectClass><name>C" + number(i) + "</name></objectClass>";
  text += "</objectClass></objectClass></objects></objectModel>";
  Core core{CoreSettings{}};
  Player p(core);
  EXPECT_EQ(p.ask(CreateFederation{"F", {{"bomb.xml", text}}, {}, {}}), Failure::InconsistentFDD);
  EXPECT_THAT(p.answer.text, HasSubstr("more than 4194304 attributes"));
}

TEST(Strangers, ASavedTimeAnnouncesNoMoreThanItHas) {
  // version, kind, order, and 50 federates claimed in 100 bytes
  std::vector<std::byte> record;
  Writer w(record);
  w(std::uint32_t{1}, TimeKind::integer64, std::uint64_t{0}, std::uint32_t{50});
  record.resize(record.size() + 100);
  TimeManager time(TimeKind::integer64, [](Handle, const Frame&) {});
  EXPECT_FALSE(time.load(record));
}

TEST(Strangers, AnRtiThatAsksForTheKeyAgainAndAgainIsNone) {
  const Bytes key = rig::bytes_of("secret");
  HelloToRti federate("test", key);
  Answer asks;
  Writer{asks.body}(Welcome{Blob(16), {}});
  std::vector<std::byte> reply;
  EXPECT_EQ(federate.take(*frame(asks, 1), reply), Greeting::more);
  EXPECT_EQ(federate.take(*frame(asks, 2), reply), Greeting::refused);
  EXPECT_THAT(federate.why(), HasSubstr("asks twice"));
}

/// Completes the handshake with the first peer and then stays silent.
class Sleeper {
 public:
  explicit Sleeper(const std::filesystem::path& at)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    at.native().copy(a.sun_path, sizeof a.sun_path - 1);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a), 0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    thread_ = std::thread([this] { greet(); });
  }
  ~Sleeper() {
    over_ = true;
    over_.notify_all();
    thread_.join();
  }

 private:
  void greet() {
    const Descriptor one(accept(listener_.get(), nullptr, nullptr));
    std::vector<std::byte> came(longest_hello), reply;
    const ssize_t n = recv(one.get(), came.data(), came.size(), 0);
    HelloFromFederate({}).take(Bytes(came).first(static_cast<std::size_t>(std::max<ssize_t>(n, 0))),
                               reply);
    EXPECT_EQ(send(one.get(), reply.data(), reply.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(reply.size()));
    over_.wait(false);
  }

  const Descriptor listener_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

TEST(Strangers, AnRtiThatNeitherTakesNorSaysAnythingIsLost) {
  const TemporaryFolder folder;
  Sleeper rti(folder / "rti");
  std::string why;
  const auto channel = connect_socket(parsed_designator("unix://" + (folder / "rti").string()),
                                      {.tolerate = std::chrono::milliseconds(100)}, why);
  ASSERT_TRUE(channel) << why;
  // more than the system's buffers hold: the last frame has to wait for the RTI
  const std::vector<std::byte> much = *frame(Lost{std::string(1u << 20, 'x')});
  int sent = 0;
  while (sent < 1000 && channel->send(much)) ++sent;
  EXPECT_LT(sent, 1000);
  EXPECT_THAT(channel->why_lost(), HasSubstr("silent"));
}

/// Answers each request with 64 KB.
class Talker final : public Exchange {
 public:
  Connection open(Peer& p) override {
    peer_ = &p;
    return 1;
  }
  bool take(Connection, Bytes) noexcept override {
    ++taken;
    peer_->put(long_one_);
    return true;
  }
  void close(Connection, std::string_view) noexcept override {}
  Connection pressing(Connection, Kind, std::size_t, bool) const noexcept override { return 0; }

  std::atomic<int> taken{0};

 private:
  Peer* peer_ = nullptr;
  const Frame long_one_ = frame(Lost{std::string(65536, 'x')});
};

TEST(Strangers, WhoTakesNoAnswersIsNotAskedForMoreQuestions) {
  auto made = std::make_unique<Talker>();
  const Talker& rti = *made;
  RtiServer server({.listen = "127.0.0.1:0", .backlog = 100000}, std::move(made));
  std::thread serving([&] { server.serve(); });
  const auto fd = net::connected(*net::parsed_address(server.addresses()[0].substr(6)),
                                 RtiTransport::Clock::now() + std::chrono::seconds(5));
  ASSERT_TRUE(fd);
  std::vector<std::byte> said;
  HelloToRti("test", {}).begin(said);
  const std::vector<std::byte> question = *frame(QueryTime{}, 1);
  constexpr int most = 200000;
  for (int i = 0; i < most; ++i) said.insert(said.end(), question.begin(), question.end());
  Bytes rest(said);
  while (!rest.empty()) {
    pollfd p{fd->get(), POLLOUT, 0};
    if (poll(&p, 1, 300) == 0) break;
    const ssize_t n = ::send(fd->get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) rest = rest.subspan(static_cast<std::size_t>(n));
  }
  // only what one read brings is answered
  EXPECT_LT(rti.taken, most / 2);
  server.stop();
  serving.join();
}

}  // namespace
}  // namespace vernier::federation
