#include "vernier/net/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/net/framing.hpp"
#include "vernier/net/line_stream.hpp"
#include "vernier/net/outbox.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using State = Stream::State;

struct Ends {
  Descriptor near, far;
};
Ends tcp_pair() {
  const auto listener = listening({"127.0.0.1", "0"});
  auto near = connected({"127.0.0.1", std::to_string(port_of(*listener))}, forever);
  auto far = accepted(*listener, forever);
  return {std::move(*near), std::move(*far)};
}

/// Certificates in a directory.
class Authority {
 public:
  std::string certificate(const std::string& name, const std::string& subject) {
    const std::string command =
        "cd " + folder_.path().string() +
        " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout " + name +
        ".key -out " + name + ".pem -days 2 -subj /CN=test -addext subjectAltName=" + subject +
        " 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return (folder_.path() / name).string();
  }

 private:
  TemporaryFolder folder_;
};

/// Two ends of a connection, unencrypted or with TLS.
class Streams : public ::testing::TestWithParam<const char*> {
 protected:
  Streams() {
    Ends e = tcp_pair();
    near = Stream(std::move(e.near));
    far = Stream(std::move(e.far));
    if (GetParam() == std::string("clear")) return;
    const std::string c = authority_.certificate("right", "IP:127.0.0.1");
    std::string why;
    server_ = Tls::of_server(c + ".pem", c + ".key", why);
    client_ = Tls::of_client(c + ".pem", why);
    EXPECT_EQ(why, "");
    near.secure(*client_, "127.0.0.1");
    far.secure(*server_);
    bool a = false, b = false;
    while (!a || !b) {
      if (!a) a = near.shake() == State::done;
      if (!b) b = far.shake() == State::done;
    }
  }
  /// Waits for some bytes.
  std::size_t read_some(Stream& from, std::span<std::byte> to) {
    while (true) {
      const Stream::Moved m = from.read(to);
      if (m.state == State::done || m.state == State::closed) return m.bytes;
      wait_for(from, m.state, forever);
    }
  }

  Stream near, far;

 private:
  Authority authority_;
  std::shared_ptr<Tls> server_, client_;
};
INSTANTIATE_TEST_SUITE_P(Net, Streams, ::testing::Values("clear", "tls"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(Streams, MoveWhatFitsAndSayWhenToWait) {
  std::array<std::byte, 100> small{};
  EXPECT_EQ(far.read(small).state, State::wait);
  // a writer without a reader has to wait, and has written a part
  const std::vector<std::byte> large(64u << 20, std::byte{5});
  std::size_t sent = 0;
  Stream::Moved m;
  while ((m = near.write(Bytes(large).subspan(sent))).state == State::done) {
    EXPECT_GT(m.bytes, 0u);
    sent += m.bytes;
    ASSERT_LT(sent, large.size());
  }
  EXPECT_EQ(m.state, State::wait);
  EXPECT_EQ(m.bytes, 0u);
  // all of it arrives, in parts
  std::vector<std::byte> part(10'000);
  std::size_t got = 0;
  while (got < sent) {
    const std::size_t n = read_some(far, part);
    ASSERT_GT(n, 0u);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(part[i], std::byte{5});
    got += n;
  }
  EXPECT_EQ(got, sent);
  // and then there is room again for what had to wait
  m = near.write(Bytes(large).subspan(sent));
  EXPECT_EQ(m.state, State::done);
  EXPECT_GT(m.bytes, 0u);
}

TEST_P(Streams, APeerThatClosesInTheMiddleIsReadToItsEnd) {
  const std::vector<std::byte> half(1000, std::byte{1});
  ASSERT_EQ(near.write(half).bytes, half.size());
  near.finish();
  std::vector<std::byte> room(5000);
  std::size_t got = 0;
  while (const std::size_t n = read_some(far, std::span(room).subspan(got))) got += n;
  EXPECT_EQ(got, half.size());
  EXPECT_EQ(far.read(room).state, State::closed);
  EXPECT_FALSE(far.failed());
  EXPECT_NE(far.why(), "");
}

TEST_P(Streams, OneThatIsResetIsLost) {
  ASSERT_EQ(near.write(std::vector<std::byte>(1)).bytes, 1u);
  std::array<std::byte, 8> room{};
  ASSERT_EQ(read_some(far, room), 1u);
  near.close(true);
  EXPECT_FALSE(near);
  EXPECT_EQ(read_some(far, room), 0u);
  EXPECT_NE(far.why(), "");
  // writing must not raise SIGPIPE
  State s = State::done;
  while (s == State::done) s = far.write(std::vector<std::byte>(1000)).state;
  EXPECT_EQ(s, State::closed);
}

TEST_P(Streams, AnOutboxKeepsTheOrderOfSmallAndLargeFrames) {
  Chunks chunks;
  Outbox outbox(chunks);
  std::vector<std::byte> expected;
  for (std::size_t i = 0; i < 300; ++i) {
    const auto f = std::make_shared<std::vector<std::byte>>(i % 50 == 49 ? 200'000 : 1 + 7 * i,
                                                            static_cast<std::byte>(i));
    expected.insert(expected.end(), f->begin(), f->end());
    outbox.put(f);
  }
  EXPECT_EQ(outbox.size(), expected.size());
  std::vector<std::byte> got(expected.size());
  std::size_t n = 0;
  while (n < got.size()) {
    if (outbox.size() > 0) EXPECT_NE(outbox.write(near), State::closed);
    n += read_some(far, std::span(got).subspan(n));
  }
  EXPECT_EQ(outbox.size(), 0u);
  EXPECT_EQ(got, expected);
}

TEST_P(Streams, ASlowReaderStopsItsSourceAndTakesNoMoreMemory) {
  // as a server does: reads from a source only while little is waiting for the reader
  constexpr std::size_t limit = 1u << 20, all = 32u << 20, frame = 1000;
  Chunks chunks;
  Outbox outbox(chunks);
  std::size_t put = 0, most = 0, got = 0;
  std::vector<std::byte> part(5'000);
  while (got < all) {
    while (put < all && outbox.size() <= limit) {
      const std::size_t n = std::min(frame, all - put);
      outbox.put(std::vector<std::byte>(n));
      put += n;
    }
    most = std::max(most, outbox.size());
    EXPECT_NE(outbox.write(near), State::closed);
    got += read_some(far, part);  // slowly
  }
  EXPECT_LE(most, limit + frame);
  EXPECT_EQ(got, all);
}

TEST(Stream, AllocatesNothingInTheClear) {
  Ends e = tcp_pair();
  Stream near(std::move(e.near)), far(std::move(e.far));
  std::array<std::byte, 100> room{};
  const long before = vernier::testing::allocations();
  for (int i = 0; i < 10; ++i) {
    while (near.write(room).state != State::done) {
    }
    while (far.read(room).state != State::done) {
    }
  }
  EXPECT_EQ(vernier::testing::allocations(), before);
}

/// The client's error; empty: none.
std::string shaken(const Tls& server, const Tls& client, const std::string& name) {
  Ends e = tcp_pair();
  Stream near(std::move(e.near)), far(std::move(e.far));
  near.secure(client, name);
  far.secure(server);
  State a = State::wait, b = State::wait;
  const auto over = [](State s) { return s == State::done || s == State::closed; };
  while (!over(a)) {
    a = near.shake();
    if (!over(b)) b = far.shake();
  }
  if (a == State::done) return {};
  std::string why = near.why();
  // the server learns of it
  near.close();
  while (!over(b)) b = far.shake();
  std::array<std::byte, 8> room{};
  Stream::Moved m;
  if (b == State::done)
    while ((m = far.read(room)).state == State::wait) wait_for(far, m.state, forever);
  EXPECT_EQ(b == State::done ? m.state : b, State::closed);
  return why;
}

TEST(Tls, BelievesOnlyTheRightCertificateForTheRightName) {
  Authority authority;
  const std::string right = authority.certificate("right", "IP:127.0.0.1,DNS:rti.lab");
  const std::string wrong = authority.certificate("wrong", "IP:127.0.0.1");
  std::string why;
  const auto server = Tls::of_server(right + ".pem", right + ".key", why);
  const auto client = Tls::of_client(right + ".pem", why);
  const auto stranger = Tls::of_client(wrong + ".pem", why);
  ASSERT_TRUE(server && client && stranger) << why;
  EXPECT_EQ(shaken(*server, *client, "127.0.0.1"), "");
  EXPECT_EQ(shaken(*server, *client, "rti.lab"), "");
  EXPECT_THAT(shaken(*server, *client, "10.9.8.7"), HasSubstr("IP address mismatch"));
  EXPECT_THAT(shaken(*server, *client, "other.lab"), HasSubstr("ostname mismatch"));
  EXPECT_THAT(shaken(*server, *stranger, "127.0.0.1"), HasSubstr("self-signed"));
  EXPECT_FALSE(Tls::of_server(right + ".pem", wrong + ".key", why));
  EXPECT_FALSE(Tls::of_server("nowhere.pem", wrong + ".key", why));
  EXPECT_THAT(why, HasSubstr("nowhere.pem"));
  EXPECT_FALSE(Tls::of_client("nowhere.pem", why));
}

TEST(Tls, MutuallyBelievesOnlyCertificatesOfTheAuthority) {
  Authority authority;
  const std::string right = authority.certificate("right", "IP:127.0.0.1");
  const std::string wrong = authority.certificate("wrong", "IP:127.0.0.1");
  std::string why;
  const auto server = Tls::of_server({right + ".pem", right + ".key", right + ".pem"}, why);
  const auto client = Tls::of_client({right + ".pem", right + ".key", right + ".pem"}, why);
  const auto stranger = Tls::of_client({wrong + ".pem", wrong + ".key", right + ".pem"}, why);
  const auto nobody = Tls::of_client(right + ".pem", why);
  ASSERT_TRUE(server && client && stranger && nobody) << why;
  /// What the server says first; empty: it admits nobody.
  const auto said = [&](const Tls& c) {
    Ends e = tcp_pair();
    Stream near(std::move(e.near)), far(std::move(e.far));
    near.secure(c, "127.0.0.1");
    far.secure(*server);
    const auto over = [](State s) { return s == State::done || s == State::closed; };
    State a = State::wait, b = State::wait;
    while (!over(a) || !over(b)) {
      if (!over(a)) a = near.shake();
      if (!over(b)) b = far.shake();
    }
    if (b == State::closed) {
      far.close();
    } else {
      EXPECT_EQ(far.write(std::vector<std::byte>(3)).bytes, 3u);
    }
    std::array<std::byte, 8> room{};
    while (true) {
      const Stream::Moved m = near.read(room);
      if (m.state == State::done || m.state == State::closed) return m.bytes;
      wait_for(near, m.state, forever);
    }
  };
  EXPECT_EQ(said(*client), 3u);
  EXPECT_EQ(said(*stranger), 0u);
  EXPECT_EQ(said(*nobody), 0u);
  EXPECT_FALSE(Tls::of_client({right + ".pem", wrong + ".key", right + ".pem"}, why));
  EXPECT_FALSE(Tls::of_server({right + ".pem", right + ".key", "nowhere.pem"}, why));
  EXPECT_THAT(why, HasSubstr("nowhere.pem"));
  EXPECT_FALSE(Tls::of_server({right + ".pem", right + ".key", ""}, why));
}

TEST(Tls, RefusesWhoDoesNotSpeakIt) {
  Authority authority;
  const std::string right = authority.certificate("right", "IP:127.0.0.1");
  std::string why;
  const auto server = Tls::of_server(right + ".pem", right + ".key", why);
  Ends e = tcp_pair();
  Stream near(std::move(e.near)), far(std::move(e.far));
  far.secure(*server);
  const std::string_view text = "GET / HTTP/1.1\r\n\r\n";
  ASSERT_EQ(near.write(std::as_bytes(std::span(text))).bytes, text.size());
  State s = State::wait;
  while ((s = far.shake()) == State::wait) wait_for(far, s, forever);
  EXPECT_EQ(s, State::closed);
  EXPECT_NE(far.why(), "");
}

TEST(LineStream, CutsLinesWhateverThePartsTheyComeIn) {
  Ends e = tcp_pair();
  LineStream lines(std::move(e.near), 16);
  Stream far(std::move(e.far));
  std::thread writer([&] {
    for (const char c : std::string_view("one\ntwo two\n\n0123456789abcde\n")) {
      while (far.write(std::as_bytes(std::span(&c, 1))).state != State::done) {
      }
    }
  });
  for (const char* line : {"one", "two two", "", "0123456789abcde"}) {
    const auto got = lines.receive(forever);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, line);
  }
  writer.join();
  const std::string_view long_line = "0123456789abcdef\n";
  ASSERT_EQ(far.write(std::as_bytes(std::span(long_line))).bytes, long_line.size());
  const auto too_long = lines.receive(forever);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error(), Trouble::too_long);
}

TEST(LineStream, SaysWhyThereIsNoLine) {
  Ends e = tcp_pair();
  const Wake wake;
  LineStream lines(std::move(e.near), 100, wake.descriptor());
  EXPECT_EQ(lines.receive(Clock::now() + 1ms).error(), Trouble::timed_out);
  // without a reader: what fits is sent, the rest times out
  EXPECT_EQ(lines.send(std::string(64u << 20, 'x'), Clock::now()), Trouble::timed_out);
  wake.ring();
  EXPECT_EQ(lines.receive(forever).error(), Trouble::stopped);
  wake.clear();
  Stream(std::move(e.far)).close(true);
  EXPECT_EQ(lines.receive(forever).error(), Trouble::closed);
  EXPECT_EQ(lines.send("x\n", forever), Trouble::closed);
}

}  // namespace
}  // namespace vernier::net
