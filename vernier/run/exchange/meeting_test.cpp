#include "vernier/run/exchange/meeting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/exchange/test_nodes.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;
using net::Clock;
using testing::content;
using ::testing::HasSubstr;
using testing::received;
using Met = Result<std::unique_ptr<SocketExchange>, Meeting::Trouble>;

const std::vector<std::byte> the_key(32, std::byte{7}), another_key(32, std::byte{8});

std::unique_ptr<Meeting> meeting(const std::string& host = "127.0.0.1") {
  auto m = Meeting::at(host);
  EXPECT_TRUE(m) << m.error();
  return std::move(*m);
}

/// Nodes that know each other's address.
struct Nodes {
  explicit Nodes(std::uint32_t count, const std::string& host = "127.0.0.1") {
    for (std::uint32_t i = 0; i < count; ++i) {
      meetings.push_back(meeting(host));
      with.addresses.push_back(meetings.back()->address());
    }
    with.key = the_key;
  }
  Meeting::With of(std::uint32_t self, std::uint32_t epoch) const {
    Meeting::With w = with;
    w.self = self;
    w.epoch = epoch;
    std::string why;
    if (!certificate.certificate.empty()) {
      w.client = net::Tls::of_client(certificate, why);
      w.server = net::Tls::of_server(certificate, why);
    }
    EXPECT_EQ(why, "");
    return w;
  }
  /// Each in a thread.
  void all(std::uint32_t epoch, const std::function<void(std::uint32_t, Met)>& work) {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < meetings.size(); ++i)
      threads.emplace_back([&, i] { work(i, meetings[i]->meet(of(i, epoch), net::forever)); });
    for (std::thread& t : threads) t.join();
  }
  net::Stream stranger_to(std::uint32_t node) const {
    auto fd = net::connected(*net::parsed_address(with.addresses[node]), net::forever);
    EXPECT_TRUE(fd) << fd.error();
    return fd ? net::Stream(std::move(*fd)) : net::Stream();
  }

  std::vector<std::unique_ptr<Meeting>> meetings;
  Meeting::With with;
  net::Tls::Mutual certificate;  // if not empty, all use it, each with contexts of its own
};

/// Some ticks with everybody.
void talk(SocketExchange& e) {
  for (std::uint64_t tick = 0; tick < 20; ++tick) {
    for (std::uint32_t p = 0; p < e.nodes(); ++p)
      if (p != e.self()) ASSERT_TRUE(e.send(p, content(e.self(), p, tick, 100)));
    for (std::uint32_t p = 0; p < e.nodes(); ++p) {
      if (p == e.self()) continue;
      const Bytes got = received(e, p);
      ASSERT_TRUE(std::ranges::equal(got, content(p, e.self(), tick, 100)));
    }
  }
}

void expect_all_meet(Nodes& nodes, std::uint32_t epoch) {
  nodes.all(epoch, [&](std::uint32_t self, Met met) {
    ASSERT_TRUE(met) << self << ": node " << met.error().node << " " << met.error().why;
    EXPECT_EQ((*met)->self(), self);
    EXPECT_EQ((*met)->epoch(), epoch);
    talk(**met);
  });
}

void write(net::Stream& to, std::string_view text) {
  static_cast<void>(to.write(std::as_bytes(std::span(text))));
}

/// Until the other side closes the connection.
std::size_t read_to_the_end(net::Stream& from) {
  std::array<std::byte, 256> room;
  for (std::size_t got = 0;;) {
    const net::Stream::Moved m = from.read(room);
    got += m.bytes;
    if (m.state == net::Stream::State::closed) return got;
    if (m.state != net::Stream::State::done) net::wait_for(from, m.state, net::forever);
  }
}

TEST(Meeting, JoinsEveryPairOfNodes) {
  for (const std::uint32_t count : {1u, 2u, 3u, 5u, 8u}) {
    Nodes nodes(count);
    expect_all_meet(nodes, 0);
  }
}

TEST(Meeting, IsUsedAgainForEachEpochAndByOtherNodes) {
  Nodes nodes(4);
  for (std::uint32_t epoch = 1; epoch < 12; ++epoch) {
    expect_all_meet(nodes, epoch);
    const std::uint32_t other = epoch % 4;
    nodes.meetings[other] = meeting();
    nodes.with.addresses[other] = nodes.meetings[other]->address();
  }
}

TEST(Meeting, WorksOverIPv6) {
  if (!Meeting::at("::1")) GTEST_SKIP() << "this machine has no IPv6";
  Nodes nodes(3, "::1");
  expect_all_meet(nodes, 1);
}

TEST(Meeting, IsNotDisturbedByStrangers) {
  Nodes nodes(4);
  std::atomic<bool> over{false};
  std::vector<net::Stream> idle;
  for (std::uint32_t i = 0; i < 120; ++i) idle.push_back(nodes.stranger_to(i % 4));
  std::vector<std::thread> attackers;
  const std::string hello = "VRNMEET1";
  for (const std::string& text :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, '\xff'), hello,
        hello + std::string(200, '\0'), hello + std::string(12, '\xff') + std::string(100, '\1')})
    attackers.emplace_back([&nodes, &over, text] {
      for (std::uint32_t i = 0; !over; ++i) {
        // a node that has met the others accepts nobody, so that there may be no room
        auto fd =
            net::connected(*net::parsed_address(nodes.with.addresses[i % 4]), Clock::now() + 20ms);
        if (!fd) continue;
        net::Stream s(std::move(*fd));
        write(s, text);
        if (i % 2 == 0) s.close(true);
      }
    });
  for (std::uint32_t epoch = 1; epoch < 6; ++epoch) expect_all_meet(nodes, epoch);
  over = true;
  for (std::thread& t : attackers) t.join();
}

TEST(Meeting, NamesANodeThatDoesNotCome) {
  Nodes nodes(2);
  const Met met = nodes.meetings[0]->meet(nodes.of(0, 1), Clock::now() + 20ms);
  ASSERT_FALSE(met);
  EXPECT_EQ(met.error().node, 1u);
  EXPECT_EQ(met.error().why, "it did not connect in time");
}

TEST(Meeting, NamesANodeThatHasGone) {
  Nodes nodes(2);
  nodes.meetings[0].reset();
  const Met met = nodes.meetings[1]->meet(nodes.of(1, 1), Clock::now() + 50ms);
  ASSERT_FALSE(met);
  EXPECT_EQ(met.error().node, 0u);
  EXPECT_EQ(met.error().why, "Connection refused");
}

TEST(Meeting, AdmitsNobodyWithAnotherKey) {
  Nodes nodes(2);
  std::thread wrong([&] {
    Meeting::With w = nodes.of(1, 1);
    w.key = another_key;
    const Met met = nodes.meetings[1]->meet(w, net::forever);
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().node, 0u);
    EXPECT_EQ(met.error().why, "it has another key");
  });
  const net::Wake wake;
  std::thread right([&] {
    const Met met = nodes.meetings[0]->meet(nodes.of(0, 1), net::forever, wake.descriptor());
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().node, Meeting::Trouble::nobody);
  });
  wrong.join();
  wake.ring();
  right.join();
}

TEST(Meeting, DropsNodesOfEarlierEpochs) {
  Nodes nodes(2);
  const net::Wake wake;
  std::thread late([&] {
    const Met met = nodes.meetings[1]->meet(nodes.of(1, 3), net::forever);
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().node, 0u);
    EXPECT_EQ(met.error().why, "it is in a later epoch");
    // it learns of the epoch
    const Met again = nodes.meetings[1]->meet(nodes.of(1, 4), net::forever);
    ASSERT_TRUE(again);
    talk(**again);
  });
  const Met met = nodes.meetings[0]->meet(nodes.of(0, 4), net::forever);
  ASSERT_TRUE(met);
  talk(**met);
  late.join();
}

TEST(Meeting, WaitsForNodesThatAreStillInAnEarlierEpoch) {
  Nodes nodes(3);
  const net::Wake wake;
  std::thread early([&] {
    const Met met = nodes.meetings[2]->meet(nodes.of(2, 2), net::forever);
    ASSERT_TRUE(met);
    talk(**met);
  });
  std::thread middle([&] {
    const Met met = nodes.meetings[1]->meet(nodes.of(1, 2), net::forever);
    ASSERT_TRUE(met);
    talk(**met);
  });
  // it waits in vain for those that have left its epoch
  const Met before = nodes.meetings[0]->meet(nodes.of(0, 1), Clock::now() + 50ms);
  ASSERT_FALSE(before);
  const Met met = nodes.meetings[0]->meet(nodes.of(0, 2), net::forever);
  ASSERT_TRUE(met);
  talk(**met);
  early.join();
  middle.join();
}

TEST(Meeting, EndsWhenItIsInterrupted) {
  Nodes nodes(2);
  const net::Wake wake;
  wake.ring();
  for (const std::uint32_t self : {0u, 1u}) {
    const Met met = nodes.meetings[self]->meet(nodes.of(self, 1), net::forever, wake.descriptor());
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().node, Meeting::Trouble::nobody);
    EXPECT_EQ(met.error().why, "interrupted");
  }
}

TEST(Meeting, TellsAStrangerNothing) {
  Nodes nodes(2);
  net::Stream web = nodes.stranger_to(0);
  const std::string_view request = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";
  write(web, request);
  const net::Wake wake;
  std::thread node([&] {
    static_cast<void>(nodes.meetings[0]->meet(nodes.of(0, 1), net::forever, wake.descriptor()));
  });
  EXPECT_EQ(read_to_the_end(web), 0u);
  wake.ring();
  node.join();
}

TEST(Meeting, DisconnectsWhoDoesNotProveWhoItIs) {
  Nodes nodes(2);
  net::Stream idle = nodes.stranger_to(0);
  const net::Wake wake;
  std::thread node([&] {
    static_cast<void>(nodes.meetings[0]->meet(nodes.of(0, 1), net::forever, wake.descriptor()));
  });
  EXPECT_EQ(read_to_the_end(idle), 0u);
  wake.ring();
  node.join();
}

TEST(Meeting, ListensOnlyWhereItCan) {
  const auto m = Meeting::at("192.0.2.1");  // RFC 5737: an address of nobody
  ASSERT_FALSE(m);
  EXPECT_THAT(m.error(), HasSubstr("cannot listen at 192.0.2.1: "));
}

/// An authority and certificates by it.
class Authority {
 public:
  Authority() {
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out "
        "ca.pem -days 2 -subj /CN=authority");
  }
  net::Tls::Mutual of(const std::string& name) {
    run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout " + name +
        ".key -out " + name + ".csr -subj /CN=" + name);
    run("printf subjectAltName=IP:127.0.0.1 > ext && openssl x509 -req -in " + name +
        ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out " + name + ".pem");
    return {folder_ / (name + ".pem"), folder_ / (name + ".key"), folder_ / "ca.pem"};
  }

 private:
  void run(const std::string& command) {
    EXPECT_EQ(std::system(
                  ("cd " + folder_.path().string() + " && (" + command + ") 2>/dev/null").c_str()),
              0);
  }
  TemporaryFolder folder_;
};

TEST(Meeting, UsesMutualTls) {
  Authority authority;
  Nodes nodes(4);
  nodes.certificate = authority.of("node");
  expect_all_meet(nodes, 1);
  net::Stream web = nodes.stranger_to(0);
  write(web, "GET / HTTP/1.1\r\n\r\n");
  expect_all_meet(nodes, 2);
}

TEST(Meeting, AdmitsNobodyWithACertificateOfAnotherAuthority) {
  Authority authority, other;
  Nodes nodes(2);
  const auto with = [](Meeting::With w, const net::Tls::Mutual& files) {
    std::string why;
    w.client = net::Tls::of_client(files, why);
    w.server = net::Tls::of_server(files, why);
    EXPECT_EQ(why, "");
    return w;
  };
  // it believes the right authority, but has no certificate of it
  const net::Tls::Mutual right = authority.of("node");
  net::Tls::Mutual wrong = other.of("node");
  wrong.authorities = right.authorities;
  const net::Wake wake;
  std::thread server([&] {
    EXPECT_FALSE(
        nodes.meetings[0]->meet(with(nodes.of(0, 1), right), net::forever, wake.descriptor()));
  });
  const Met met = nodes.meetings[1]->meet(with(nodes.of(1, 1), wrong), Clock::now() + 300ms);
  ASSERT_FALSE(met);
  EXPECT_EQ(met.error().node, 0u);
  wake.ring();
  server.join();
}

}  // namespace
}  // namespace vernier::exchange
