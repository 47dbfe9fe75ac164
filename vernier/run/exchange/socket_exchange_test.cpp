#include "vernier/run/exchange/socket_exchange.hpp"

#include <gtest/gtest.h>

#include <string>

#include "vernier/run/exchange/test_nodes.hpp"

namespace vernier::exchange {
namespace {

using testing::content;
using testing::received;
using testing::tcp_pair;

/// Node 0 of two; the other end is a bare connection.
struct Lone {
  Lone() : Lone(tcp_pair()) {}
  explicit Lone(testing::Ends e)
      : peer(std::move(e.far)), exchange(0, streams(std::move(e.near))) {}

  static std::vector<net::Stream> streams(net::Stream one) {
    std::vector<net::Stream> all(2);
    all[1] = std::move(one);
    return all;
  }
  void inject(FrameHead head, std::size_t size) {
    std::vector<std::byte> bytes(FrameHead::size + size);
    std::ranges::copy(head.bytes(), bytes.begin());
    ASSERT_EQ(peer.write(Bytes(bytes)).bytes, bytes.size());
  }
  std::string loss() {
    Bytes frame;
    Received what = Received::frame;
    while (what == Received::frame) what = exchange.receive(1, frame);
    EXPECT_EQ(what, Received::lost);
    EXPECT_FALSE(exchange.send(1, {}));
    return exchange.why(1);
  }

  net::Stream peer;
  SocketExchange exchange;
};

TEST(SocketExchange, LosesAPeerThatSendsAFrameTwice) {
  Lone n;
  n.inject({20, 0, 0}, 4);
  n.inject({20, 0, 0}, 4);
  EXPECT_EQ(n.loss(), "it sent a frame twice");
}

TEST(SocketExchange, LosesAPeerThatSkipsAFrame) {
  Lone n;
  n.inject({20, 0, 0}, 4);
  n.inject({20, 0, 2}, 4);
  EXPECT_EQ(n.loss(), "a frame is missing");
}

TEST(SocketExchange, LosesAPeerThatAnnouncesTooMuch) {
  Lone n;
  n.inject({0xffffffff, 0, 0}, 4);
  EXPECT_EQ(n.loss(), "it sent a frame that is longer than agreed");
}

TEST(SocketExchange, LosesAPeerThatSendsNoFrames) {
  Lone n;
  n.inject({3, 0, 0}, 4);
  EXPECT_EQ(n.loss(), "it sent what is not a frame");
  // and it is told
  std::array<std::byte, 8> room;
  while (net::wait_for(n.peer.descriptor(), net::readable, net::forever).ready == 0) {
  }
  EXPECT_EQ(n.peer.read(room).state, net::Stream::State::closed);
}

TEST(SocketExchange, LosesAPeerThatLeavesWithinAFrame) {
  Lone n;
  n.inject({20, 0, 0}, 4);
  n.inject({100, 0, 1}, 10);
  n.peer.close();
  EXPECT_EQ(n.loss(), "the connection was closed");
}

TEST(SocketExchange, LosesAPeerWhoseConnectionIsReset) {
  Lone n;
  n.peer.close(true);
  EXPECT_EQ(n.loss(), "the connection was lost");
}

TEST(SocketExchange, ClosesAConnection) {
  Lone n;
  n.exchange.close(1);
  EXPECT_EQ(n.loss(), "this node closed the connection");
}

TEST(SocketExchange, MayBeginWithoutAPeer) {
  SocketExchange e(0, std::vector<net::Stream>(2));
  Bytes frame;
  EXPECT_EQ(e.receive(1, frame), Received::lost);
  EXPECT_STREQ(e.why(1), "there is no connection");
}

TEST(SocketExchange, ContinuesWithAPeerThatWasStartedAgain) {
  Lone n;
  ASSERT_TRUE(n.exchange.send(1, content(0, 1, 0, 100)));
  n.inject({100, 0, 0}, 10);
  n.peer.close();
  EXPECT_NE(n.loss(), "");
  testing::Ends again = tcp_pair();
  n.exchange.replace(1, std::move(again.near));
  n.exchange.begin(1);
  std::vector<net::Stream> streams(2);
  streams[0] = std::move(again.far);
  SocketExchange other(1, std::move(streams));
  other.begin(1);
  EXPECT_STREQ(n.exchange.why(1), "");
  for (std::uint64_t tick = 0; tick < 10; ++tick) {
    ASSERT_TRUE(n.exchange.send(1, content(0, 1, tick, 100)));
    ASSERT_TRUE(other.send(0, content(1, 0, tick, 100)));
    EXPECT_EQ(received(n.exchange, 1).size(), 100u);
    EXPECT_EQ(received(other, 0).size(), 100u);
  }
}

}  // namespace
}  // namespace vernier::exchange
