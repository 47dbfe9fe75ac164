#include "vernier/run/server/greeting.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "vernier/net/framing.hpp"
#include "vernier/run/server/relay.hpp"

namespace vernier::server {
namespace {

const std::vector<std::byte> the_key(32, std::byte{7}), another_key(32, std::byte{8});

struct Outcome {
  Greeting client = Greeting::more, server = Greeting::more;
};

/// Both sides with each other; `change` sees every frame on its way.
Outcome greeted(
    GreetingToServer& client, GreetingFromClient& server,
    const std::function<void(std::vector<std::byte>&)>& change = [](auto&) {}) {
  Outcome o;
  std::vector<std::byte> up, down;
  client.begin(up);
  while (!up.empty() || !down.empty()) {
    std::vector<std::byte>& said = up.empty() ? down : up;
    std::vector<std::byte> frame = std::exchange(said, {});
    change(frame);
    if (&said == &up) {
      if (o.server == Greeting::more) o.server = server.take(frame, down);
    } else {
      if (o.client == Greeting::more) o.client = client.take(frame, up);
    }
  }
  return o;
}

TEST(Greeting, JoinsThoseWhoKnowTheKey) {
  GreetingToServer client(the_key, "0.1.0");
  GreetingFromClient server(the_key, "0.2.0");
  const Outcome o = greeted(client, server);
  EXPECT_EQ(o.client, Greeting::done);
  EXPECT_EQ(o.server, Greeting::done);
  EXPECT_EQ(client.program(), "0.2.0");
  EXPECT_EQ(server.program(), "0.1.0");
}

TEST(Greeting, NeedsNoKeyWhereTheServerHasNone) {
  GreetingToServer client({}, "0.1.0");
  GreetingFromClient server({}, "0.1.0");
  const Outcome o = greeted(client, server);
  EXPECT_EQ(o.client, Greeting::done);
  EXPECT_EQ(o.server, Greeting::done);
}

TEST(Greeting, RefusesAnotherKey) {
  GreetingToServer client(the_key, "0.1.0");
  GreetingFromClient server(another_key, "0.1.0");
  const Outcome o = greeted(client, server);
  EXPECT_EQ(o.client, Greeting::refused);
  EXPECT_EQ(o.server, Greeting::refused);
  EXPECT_EQ(client.why().code, "V5632");
  EXPECT_EQ(client.why().message, "the key of the server is another one");
}

TEST(Greeting, RefusesWhoHasAKeyAndWhoHasNone) {
  GreetingToServer without({}, "0.1.0");
  GreetingFromClient server(the_key, "0.1.0");
  EXPECT_EQ(greeted(without, server).client, Greeting::refused);
  EXPECT_EQ(without.why().message, "the server wants a key");
  GreetingToServer with(the_key, "0.1.0");
  GreetingFromClient open({}, "0.1.0");
  EXPECT_EQ(greeted(with, open).client, Greeting::refused);
  EXPECT_EQ(with.why().message, "the server asks for no key, so it may be any");
}

TEST(Greeting, RefusesAnotherProtocolAndNamesTheVersion) {
  GreetingToServer client(the_key, "0.1.0");
  GreetingFromClient server(the_key, "0.2.0");
  const Outcome o = greeted(client, server, [](std::vector<std::byte>& frame) {
    if (word_of(frame) == HostWord::hello) frame[frame_head + 8] = std::byte{2};
  });
  EXPECT_EQ(o.server, Greeting::refused);
  EXPECT_EQ(client.why().code, "V5633");
  EXPECT_EQ(client.why().message,
            "the server is Vernier 0.2.0, which speaks version 1 of the protocol, not 2");
}

TEST(Greeting, AcceptsNoChangedMessage) {
  for (std::size_t frame = 0; frame < 4; ++frame) {
    for (std::size_t byte = frame_head; byte < 80; ++byte) {
      GreetingToServer client(the_key, "0.1.0");
      GreetingFromClient server(the_key, "0.1.0");
      std::size_t n = 0;
      bool changed = false;
      const Outcome o = greeted(client, server, [&](std::vector<std::byte>& f) {
        if (n++ != frame || byte >= f.size()) return;
        f[byte] ^= std::byte{1};
        changed = true;
      });
      // the name of the program is not under the code
      const bool name =
          (frame == 0 || frame == 1) && byte >= frame_head + 16 && byte < frame_head + 21;
      if (changed && !name) EXPECT_NE(o.client, Greeting::done) << frame << " " << byte;
    }
  }
}

TEST(Greeting, SaysNothingToStrangers) {
  for (const char* text : {"GET / HTTP/1.1\r\n", "........hello there"}) {
    GreetingFromClient server(the_key, "0.1.0");
    std::vector<std::byte> reply;
    EXPECT_EQ(server.take(std::as_bytes(std::span(std::string_view(text))), reply),
              Greeting::refused);
    EXPECT_TRUE(reply.empty());
  }
}

TEST(Greeting, BelievesOfARefusalWhatPeopleMayRead) {
  const Refusal r = believed(
      {"V9999", "\x1b[31m" + std::string(1000, 'x'), std::vector<std::string>(100, "a\nb")});
  EXPECT_EQ(r.code, "V5637");
  EXPECT_EQ(r.message.size(), 400u);
  EXPECT_EQ(r.message.substr(0, 5), "?[31m");
  EXPECT_EQ(r.notes, std::vector<std::string>(4, "a?b"));
}

TEST(FrameEdges, AreFoundInPiecesOfAnyLength) {
  std::vector<std::byte> all;
  ByteWriter w(all);
  std::vector<std::size_t> begins;
  for (const std::uint32_t content : {0u, 5u, 1000u, 1u, 0u}) {
    begins.push_back(all.size());
    w(content + 8, std::uint32_t{64});
    all.resize(all.size() + content);
  }
  for (const std::size_t piece : {1u, 3u, 8u, 100u, 5000u}) {
    FrameEdges edges;
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < all.size();) {
      if (edges.at_edge()) found.push_back(at);
      const std::size_t n = std::min({piece, edges.within(), all.size() - at});
      edges.pass(Bytes(all).subspan(at, n));
      at += n;
    }
    EXPECT_EQ(found, begins);
    EXPECT_TRUE(edges.at_edge());
  }
}

TEST(FrameEdges, AreLostInWhatIsNoFrame) {
  FrameEdges edges;
  edges.pass(std::vector<std::byte>(7));
  EXPECT_TRUE(edges.lost());
  EXPECT_FALSE(edges.at_edge());
  EXPECT_GT(edges.within(), 1'000'000u);
}

TEST(Passage, KeepsOrderAndItsSize) {
  Passage p;
  std::uint8_t in = 0, out = 0;
  std::size_t most = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::span<std::byte> room = p.room();
    const std::size_t n = std::min<std::size_t>(room.size(), 1 + round * 37 % 5000);
    for (std::byte& b : room.first(n)) b = std::byte{in++};
    p.add(n);
    most = std::max(most, p.content().size());
    const Bytes content = p.content();
    const std::size_t taken = std::min<std::size_t>(content.size(), round * 53 % 4000);
    for (const std::byte b : content.first(taken)) ASSERT_EQ(b, std::byte{out++});
    p.drop(taken);
  }
  EXPECT_LE(most, Passage::size);
  EXPECT_GT(most, Passage::size / 2);
}

}  // namespace
}  // namespace vernier::server
