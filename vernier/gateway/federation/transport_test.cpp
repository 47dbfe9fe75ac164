#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/hello.hpp"
#include "vernier/gateway/federation/here.hpp"
#include "vernier/gateway/federation/rti_server.hpp"
#include "vernier/gateway/federation/socket_transport.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::federation {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Clock = RtiTransport::Clock;

/// Relays every frame to all other connections. Refuses unknown kinds.
class Relay final : public Exchange {
 public:
  Connection open(Peer& p) override {
    peers_.push_back(&p);
    return static_cast<Connection>(peers_.size());
  }
  bool take(Connection from, Bytes frame) noexcept override {
    if (header(frame)->kind != Kind::update_attributes) return false;
    const auto shared = std::make_shared<std::vector<std::byte>>(frame.begin(), frame.end());
    for (std::size_t i = 0; i < peers_.size(); ++i)
      if (i + 1 != from && peers_[i]) peers_[i]->put(shared);
    return true;
  }
  void close(Connection c, std::string_view) noexcept override {
    peers_[c - 1] = nullptr;
    const Frame gone = frame(Remove{.object = c});
    for (Peer* p : peers_)
      if (p) p->put(gone);
  }
  Connection pressing(Connection c, Kind, std::size_t limit, bool) const noexcept override {
    for (std::size_t i = 0; i < peers_.size(); ++i)
      if (i + 1 != c && peers_[i] && peers_[i]->backlog() > limit)
        return static_cast<Connection>(i + 1);
    return 0;
  }

 private:
  std::vector<Peer*> peers_;
};

/// A frame that contains its number and its length.
std::vector<std::byte> numbered(std::uint32_t number, std::size_t bytes = 200) {
  std::vector<std::byte> f(std::max(bytes, sizeof(Header) + 4));
  const Header h{static_cast<std::uint32_t>(f.size()), Kind::update_attributes, 0, 0};
  std::memcpy(f.data(), &h, sizeof h);
  std::memcpy(f.data() + sizeof h, &number, 4);
  return f;
}
std::uint32_t number_in(Bytes frame) {
  std::uint32_t n = 0;
  std::memcpy(&n, frame.data() + sizeof(Header), 4);
  return n;
}

/// A server in a thread.
class Running {
 public:
  explicit Running(ServerSettings s = {.listen = "127.0.0.1:0"}) {
    s.log = [this](std::string_view line) {
      const std::lock_guard lock(lock_);
      log_ += std::string(line) + "\n";
    };
    server_ = std::make_unique<RtiServer>(std::move(s), std::make_unique<Relay>());
    thread_ = std::thread([this] { server_->serve(); });
  }
  ~Running() { stop(); }
  void stop() {
    server_->stop();
    if (thread_.joinable()) thread_.join();
  }
  std::string address() const { return server_->addresses().front(); }
  std::unique_ptr<RtiTransport> connect(const std::string& options = "") const {
    std::string why;
    auto c = connect_socket(parsed_designator(address() + options), {}, why);
    EXPECT_EQ(why, "");
    return c;
  }
  std::string refusal(const std::string& options) const {
    std::string why;
    EXPECT_FALSE(connect_socket(parsed_designator(address() + options), {}, why));
    return why;
  }
  std::string log() {
    const std::lock_guard lock(lock_);
    return log_;
  }
  /// Waits until the log contains this.
  bool logged(const std::string& text, std::chrono::seconds most = 100s) {
    for (const auto until = Clock::now() + most; Clock::now() < until;) {
      if (log().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

 private:
  std::mutex lock_;
  std::string log_;
  std::unique_ptr<RtiServer> server_;
  std::thread thread_;
};

/// Receives until `count` frames have arrived; whether they were 0, 1, 2, …
bool receives_in_order(RtiTransport& c, std::uint32_t count, std::chrono::microseconds each = 0us) {
  std::uint32_t next = 0;
  bool good = true;
  const auto until = Clock::now() + 200s;
  while (next < count && good && Clock::now() < until) {
    good = c.receive(Clock::now() + 1s, [&](Bytes f) {
      good = good && number_in(f) == next;
      ++next;
      if (each > 0us) std::this_thread::sleep_for(each);
    }) && good;
  }
  return good && next == count;
}

// ---- designators

TEST(Designator, IsAnAddressPairsOrNothing) {
  using Where = Designator::Where;
  EXPECT_EQ(parsed_designator("").where, Where::here);
  EXPECT_EQ(parsed_designator("vernier://here").where, Where::here);
  const Designator d = parsed_designator("rti://127.0.0.1:14321/");
  EXPECT_EQ(d.where, Where::tcp);
  EXPECT_EQ(d.address, "127.0.0.1:14321");
  EXPECT_EQ(parsed_designator("tcp://alpha").address, "alpha:14321");
  EXPECT_EQ(parsed_designator("alpha:99").address, "alpha:99");
  EXPECT_EQ(parsed_designator("tcp://[::1]").address, "[::1]:14321");
  EXPECT_EQ(parsed_designator("unix:///run/rti").address, "/run/rti");
  EXPECT_EQ(parsed_designator("unix:rti").address, "rti");
  const Designator pairs = parsed_designator("crcAddress=alpha:99\nkey-file=a.key; tls-ca=ca.pem");
  EXPECT_EQ(pairs.error, "");
  EXPECT_EQ(pairs.address, "alpha:99");
  EXPECT_EQ(pairs.key_file, "a.key");
  EXPECT_TRUE(pairs.tls);
  EXPECT_EQ(parsed_designator("tcp://a:1?key-file=k").key_file, "k");
  EXPECT_TRUE(parsed_designator("tls://a:1").tls);
}

TEST(Designator, SaysWhatIsWrong) {
  EXPECT_THAT(parsed_designator("tcp://a:99999").error, HasSubstr("\"tcp://a:99999\""));
  EXPECT_THAT(parsed_designator("http://a:1").error, HasSubstr("is not an address"));
  EXPECT_THAT(parsed_designator("tcp://").error, HasSubstr("is not an address"));
  EXPECT_THAT(parsed_designator("colour=red").error, HasSubstr("no setting \"colour\""));
  EXPECT_THAT(parsed_designator("key-file=k").error, HasSubstr("wants no key"));
  EXPECT_THAT(parsed_designator("unix:///a?tls-ca=b").error, HasSubstr("TLS is for tcp"));
  EXPECT_THAT(parsed_designator(std::string(5000, 'a')).error, HasSubstr("at most 4096"));
  EXPECT_THAT(parsed_designator("unix://" + std::string(200, 'a')).error, HasSubstr("107"));
}

// ---- hello

TEST(Hello, IsAgreedWithTheSameKeyOnly) {
  const auto outcome = [](std::string_view federate, std::string_view rti) {
    HelloToRti client("test", std::as_bytes(std::span(federate)));
    HelloFromFederate server(std::as_bytes(std::span(rti)));
    std::vector<std::byte> said, answered;
    client.begin(said);
    while (true) {
      answered.clear();
      const Greeting s = server.take(said, answered);
      Bytes rest = answered, first;
      EXPECT_EQ(next_frame(rest, first), net::Cut::frame);
      said.clear();
      const Greeting c = client.take(first, said);
      if (c == Greeting::done && s != Greeting::done) return std::string("the RTI wants more");
      if (c != Greeting::more) return c == Greeting::done ? std::string("done") : client.why();
    }
  };
  EXPECT_EQ(outcome("", ""), "done");
  EXPECT_EQ(outcome("secret", "secret"), "done");
  EXPECT_THAT(outcome("secret", "other"), HasSubstr("are different"));
  EXPECT_THAT(outcome("", "secret"), HasSubstr("wants a key"));
  EXPECT_THAT(outcome("secret", ""), HasSubstr("asks for no key"));
}

TEST(Hello, OfAnotherVersionIsRefusedByName) {
  HelloFromFederate server({});
  std::vector<std::byte> said, answered;
  write(said, Hello{"other", 77, {}}, 1);
  EXPECT_EQ(server.take(said, answered), Greeting::refused);
  EXPECT_THAT(server.why(), HasSubstr("speaks version 77"));
}

// ---- in this process

TEST(Here, MovesFramesBetweenThreadsInOrder) {
  const auto hub = std::make_shared<Hub>(std::make_unique<Relay>(), 10000);
  const auto a = hub->connect(), b = hub->connect();
  bool good = false;
  std::thread reader([&] { good = receives_in_order(*b, 20000); });
  for (std::uint32_t i = 0; i < 20000; ++i) ASSERT_TRUE(a->send(numbered(i)));
  reader.join();
  EXPECT_TRUE(good);
}

TEST(Here, WaitsForASlowReaderButNotForItself) {
  const auto hub = std::make_shared<Hub>(std::make_unique<Relay>(), 10000);
  const auto a = hub->connect(), b = hub->connect();
  b->receive(Clock::now(), [](Bytes) {});
  // the thread that would have to read is the one that sends
  for (std::uint32_t i = 0; i < 200; ++i) ASSERT_TRUE(a->send(numbered(i)));
  EXPECT_TRUE(receives_in_order(*b, 200));
  // another thread can wait
  std::atomic<int> sent{0};
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < 200; ++i) {
      a->send(numbered(i));
      ++sent;
    }
  });
  std::this_thread::sleep_for(100ms);
  EXPECT_LE(sent, 10000 / 200 + 2);
  EXPECT_TRUE(receives_in_order(*b, 200));
  writer.join();
}

TEST(Here, TwoWhoFloodEachOtherGoOn) {
  const auto hub = std::make_shared<Hub>(std::make_unique<Relay>(), 10000);
  const auto a = hub->connect(), b = hub->connect();
  const auto flood = [](RtiTransport& c) {
    for (std::uint32_t i = 0; i < 5000; ++i) c.send(numbered(i));
    return receives_in_order(c, 5000);
  };
  bool good = false;
  std::thread other([&] { good = flood(*b); });
  EXPECT_TRUE(flood(*a));
  other.join();
  EXPECT_TRUE(good);
}

TEST(Here, IsWokenAndToldWhenItIsLost) {
  const auto hub = std::make_shared<Hub>(std::make_unique<Relay>());
  const auto a = hub->connect();
  auto b = hub->connect();
  std::thread waker([&] {
    std::this_thread::sleep_for(10ms);
    a->wake();
  });
  EXPECT_TRUE(a->receive(Clock::now() + 30s, [](Bytes) {}));
  waker.join();
  EXPECT_FALSE(b->send(frame(Lost{})->empty() ? Bytes{} : Bytes(*frame(Granted{}))));
  EXPECT_THAT(b->why_lost(), HasSubstr("does not understand"));
  EXPECT_FALSE(b->receive(Clock::now() + 30s, [](Bytes) {}));
  Handle gone = 0;
  a->receive(Clock::now() + 30s, [&](Bytes f) {
    Remove r;
    if (read(f, r)) gone = r.object;
  });
  EXPECT_EQ(gone, 2u);
}

// ---- between processes

class Sockets : public ::testing::TestWithParam<const char*> {
 protected:
  ServerSettings settings() {
    ServerSettings s;
    if (GetParam() == std::string("unix")) s.path = folder_ / "rti";
    if (GetParam() != std::string("unix")) s.listen = "127.0.0.1:0";
    if (GetParam() == std::string("tls")) {
      const std::string command =
          "cd " + folder_.path().string() +
          " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
          "-nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=rti "
          "-addext subjectAltName=IP:127.0.0.1 2>/dev/null";
      EXPECT_EQ(std::system(command.c_str()), 0);
      s.certificate = folder_ / "cert.pem";
      s.certificate_key = folder_ / "key.pem";
      options_ = "?tls-ca=" + s.certificate;
    }
    return s;
  }
  TemporaryFolder folder_;
  std::string options_;
};
INSTANTIATE_TEST_SUITE_P(Transport, Sockets, ::testing::Values("tcp", "unix", "tls"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(Sockets, MoveFramesOfAllSizesInOrder) {
  Running rti(settings());
  const auto a = rti.connect(options_), b = rti.connect(options_);
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < 3000; ++i)
      a->send(numbered(i, i % 1000 == 999 ? 3u << 20 : 16 + i % 5000));
    a->flush();
  });
  EXPECT_TRUE(receives_in_order(*b, 3000));
  writer.join();
}

TEST_P(Sockets, TwoWhoFloodEachOtherGoOn) {
  ServerSettings s = settings();
  s.backlog = 100000;
  Running rti(s);
  const auto a = rti.connect(options_), b = rti.connect(options_);
  const auto flood = [](RtiTransport& c) {
    for (std::uint32_t i = 0; i < 40000; ++i) c.send(numbered(i));
    c.flush();
    return receives_in_order(c, 40000);
  };
  bool good = false;
  std::thread other([&] { good = flood(*b); });
  EXPECT_TRUE(flood(*a));
  other.join();
  EXPECT_TRUE(good);
}

TEST_P(Sockets, AFrameThatIsNotFlushedLeavesSoon) {
  Running rti(settings());
  const auto a = rti.connect(options_), b = rti.connect(options_);
  for (std::uint32_t i = 0; i < 3; ++i) {
    a->send(numbered(0));
    EXPECT_TRUE(receives_in_order(*b, 1));
  }
}

TEST_P(Sockets, TheEndOfTheRtiIsTold) {
  Running rti(settings());
  const auto a = rti.connect(options_);
  std::thread ender([&] { rti.stop(); });
  const auto until = Clock::now() + 30s;
  while (a->receive(until, [](Bytes) {}) && Clock::now() < until) {
  }
  ender.join();
  EXPECT_EQ(a->why_lost(), "the RTI has ended");
  EXPECT_FALSE(a->send(numbered(1)));
}

TEST(Transport, StrangersOfTheCertificateAreRefused) {
  TemporaryFolder folder;
  const auto certificate = [&](const std::string& name, const std::string& subject) {
    const std::string command =
        "cd " + folder.path().string() +
        " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout " + name +
        ".key -out " + name + ".pem -days 2 -subj /CN=rti -addext subjectAltName=" + subject +
        " 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return (folder / name).string();
  };
  const std::string right = certificate("right", "IP:127.0.0.1");
  const std::string wrong = certificate("wrong", "IP:127.0.0.1");
  const std::string elsewhere = certificate("elsewhere", "IP:10.9.8.7");
  {
    Running rti({.listen = "127.0.0.1:0",
                 .certificate = right + ".pem",
                 .certificate_key = right + ".key"});
    EXPECT_THAT(rti.refusal("?tls-ca=" + wrong + ".pem"), HasSubstr("TLS: self-signed"));
    EXPECT_TRUE(rti.connect("?tls-ca=" + right + ".pem"));
  }
  Running rti({.listen = "127.0.0.1:0",
               .certificate = elsewhere + ".pem",
               .certificate_key = elsewhere + ".key"});
  EXPECT_THAT(rti.refusal("?tls-ca=" + elsewhere + ".pem"), HasSubstr("IP address mismatch"));
  EXPECT_THROW(RtiServer({.listen = "127.0.0.1:0",
                          .certificate = right + ".pem",
                          .certificate_key = wrong + ".key"},
                         std::make_unique<Relay>()),
               ConfigurationError);
}

TEST(Transport, AWrongKeyIsRefusedAndTheOthersGoOn) {
  TemporaryFolder folder;
  const std::string_view key = "a secret of 24 bytes ...";
  const auto keep = [&](const char* name, std::string_view content) {
    std::ofstream(folder / name) << content;
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_read);
  };
  keep("right", key);
  keep("wrong", "a guess of some bytes ..");
  const auto bytes = std::as_bytes(std::span(key));
  Running rti({.listen = "127.0.0.1:0", .key = {bytes.begin(), bytes.end()}});
  const std::string right = "?key-file=" + (folder / "right").string();
  const auto a = rti.connect(right);
  EXPECT_THAT(rti.refusal("?key-file=" + (folder / "wrong").string()), HasSubstr("are different"));
  EXPECT_THAT(rti.refusal(""), HasSubstr("wants a key"));
  EXPECT_THAT(rti.refusal("?key-file=nowhere"), HasSubstr("finds no key in nowhere"));
  EXPECT_TRUE(rti.logged("is refused: the keys of federate and RTI are different"));
  const auto b = rti.connect(right);
  a->send(numbered(0));
  EXPECT_TRUE(receives_in_order(*b, 1));
}

/// A raw socket, to send arbitrary bytes.
Descriptor stranger(const std::string& address) {
  const auto a = net::parsed_address(address.substr(6));
  auto fd = net::connected(*a, Clock::now() + 5s);
  EXPECT_TRUE(fd);
  return std::move(*fd);
}

TEST(Transport, IdleConnectionsMakeRoomForFederates) {
  Running rti({.listen = "127.0.0.1:0", .greet_within = 600s, .most_connections = 4});
  std::vector<Descriptor> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(stranger(rti.address()));
  const auto a = rti.connect(), b = rti.connect();
  for (int i = 0; i < 20; ++i) idle.push_back(stranger(rti.address()));
  // federates are not turned away for it
  a->send(numbered(0));
  EXPECT_TRUE(receives_in_order(*b, 1));
  const auto c = rti.connect(), d = rti.connect();
  EXPECT_THAT(rti.refusal(""), HasSubstr("all the 4 connections"));
  EXPECT_TRUE(rti.logged("did not say who it is, and others need the connection"));
}
std::string answer_to(const std::string& address, Bytes said) {
  const Descriptor fd = stranger(address);
  EXPECT_EQ(::send(fd.get(), said.data(), said.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(said.size()));
  std::string all;
  char some[1000];
  for (const auto until = Clock::now() + 10s; Clock::now() < until;) {
    pollfd p{fd.get(), POLLIN, 0};
    poll(&p, 1, 1000);
    const ssize_t n = recv(fd.get(), some, sizeof some, 0);
    if (n == 0) return all;
    if (n > 0) all.append(some, static_cast<std::size_t>(n));
  }
  return "still open";
}

TEST(Transport, WhatIsMalformedEndsThatConnectionOnly) {
  Running rti;
  const auto a = rti.connect(), b = rti.connect();
  const std::string_view web = "GET / HTTP/1.0\r\n\r\n";
  EXPECT_THAT(answer_to(rti.address(), std::as_bytes(std::span(web))), HasSubstr("malformed"));
  std::vector<std::byte> absurd = numbered(1);
  const std::uint32_t length = 0xfffffff0;
  std::memcpy(absurd.data(), &length, 4);
  EXPECT_THAT(answer_to(rti.address(), absurd), HasSubstr("malformed"));
  EXPECT_THAT(answer_to(rti.address(), numbered(1)), HasSubstr("not the hello"));
  // a valid beginning, then garbage
  std::vector<std::byte> hello;
  HelloToRti("test", {}).begin(hello);
  for (const bool header_is_good : {true, false}) {
    std::vector<std::byte> all = hello;
    if (header_is_good) write(all, Granted{});
    if (!header_is_good) all.insert(all.end(), absurd.begin(), absurd.end());
    EXPECT_THAT(answer_to(rti.address(), all), HasSubstr("malformed"));
  }
  write(hello = {}, Hello{"old", 0, {}}, 1);
  EXPECT_THAT(answer_to(rti.address(), hello), HasSubstr("speaks version 0"));
  a->send(numbered(0));
  bool arrived = false;
  while (!arrived && b->receive(Clock::now() + 10s, [&](Bytes f) {
    arrived = arrived || header(f)->kind == Kind::update_attributes;
  })) {
  }
  EXPECT_TRUE(arrived);
}

TEST(Transport, StrangersWhoSayNothingAndTooManyAreSentAway) {
  Running rti({.listen = "127.0.0.1:0", .greet_within = 100ms, .most_connections = 3});
  EXPECT_THAT(answer_to(rti.address(), {}), HasSubstr("did not say in time"));
  const auto a = rti.connect(), b = rti.connect(), c = rti.connect();
  EXPECT_THAT(rti.refusal(""), HasSubstr("all the 3 connections"));
}

/// Another process, created before there are threads. Given the RTI's address, it connects, sends
/// the number 0 and waits to be killed.
class OtherProcess {
 public:
  OtherProcess() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) live(ends[0]);
    close(ends[0]);
    to_ = Descriptor(ends[1]);
  }
  ~OtherProcess() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  void connect(const std::string& address) {
    EXPECT_EQ(::write(to_.get(), address.data(), address.size()),
              static_cast<ssize_t>(address.size()));
  }
  void signal(int which) { kill(process_, which); }

 private:
  [[noreturn]] static void live(int from) {
    char address[200];
    std::string why;
    const ssize_t n = ::read(from, address, sizeof address);
    if (n <= 0) _exit(1);
    const Designator d = parsed_designator({address, static_cast<std::size_t>(n)});
    const auto c = connect_socket(d, {}, why);
    if (!c || !c->send(numbered(0)) || !c->flush()) _exit(1);
    while (true) pause();
  }

  pid_t process_ = -1;
  Descriptor to_;
};
/// The connection that is reported lost.
Handle gone_within(RtiTransport& c, std::chrono::milliseconds most) {
  Handle gone = 0;
  for (const auto until = Clock::now() + most; gone == 0 && Clock::now() < until;) {
    if (!c.receive(until, [&](Bytes f) {
          if (Remove r; header(f)->kind == Kind::remove && read(f, r)) gone = r.object;
        }))
      break;
  }
  return gone;
}

TEST(Transport, AFederateThatIsKilledIsNoticedAtOnce) {
  OtherProcess other;
  Running rti;
  const auto a = rti.connect();
  other.connect(rti.address());
  EXPECT_TRUE(receives_in_order(*a, 1));
  other.signal(SIGKILL);
  EXPECT_EQ(gone_within(*a, 100s), 2u);
  EXPECT_TRUE(rti.logged("is gone"));
}

TEST(Transport, AFederateThatIsStoppedIsToleratedForAWhile) {
  OtherProcess other;
  Running rti({.listen = "127.0.0.1:0", .tolerate = 5s});
  const auto a = rti.connect();
  other.connect(rti.address());
  EXPECT_TRUE(receives_in_order(*a, 1));
  other.signal(SIGSTOP);
  std::this_thread::sleep_for(300ms);
  other.signal(SIGCONT);
  EXPECT_EQ(gone_within(*a, 5500ms), 0u) << "it says each second that it is there";
  other.signal(SIGSTOP);
  EXPECT_EQ(gone_within(*a, 100s), 2u);
  EXPECT_TRUE(rti.logged("silent for too long"));
}

TEST(Transport, HalfAConnectionIsNone) {
  Running rti;
  const auto a = rti.connect();
  std::vector<std::byte> hello;
  HelloToRti("test", {}).begin(hello);
  const Descriptor fd = stranger(rti.address());
  ::send(fd.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
  char answer[100];
  pollfd p{fd.get(), POLLIN, 0};
  poll(&p, 1, 100'000);
  EXPECT_GT(recv(fd.get(), answer, sizeof answer, 0), 0);
  shutdown(fd.get(), SHUT_WR);
  EXPECT_EQ(gone_within(*a, 100s), 2u);
}

TEST_P(Sockets, ASlowReaderMakesTheSenderWaitAndNobodyGrows) {
  ServerSettings s = settings();
  s.backlog = 200000;
  Running rti(s);
  const auto slow = rti.connect(options_), fast = rti.connect(options_);
  std::atomic<std::uint32_t> sent{0};
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < 150000; ++i, ++sent) fast->send(numbered(i));
    fast->flush();
  });
  // 30 MB, more than the system's buffers hold
  std::uint32_t before = 0;
  for (int same = 0; same < 3; before = sent) {
    std::this_thread::sleep_for(50ms);
    same = sent == before && before > 0 ? same + 1 : 0;
  }
  EXPECT_LT(sent, 120000u);
  EXPECT_TRUE(receives_in_order(*slow, 150000));
  writer.join();
}

TEST(Transport, AnAddressInUseIsRefusedByName) {
  Running rti;
  try {
    RtiServer second({.listen = rti.address().substr(6)}, std::make_unique<Relay>());
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot listen at 127.0.0.1:"));
  }
  std::string why;
  EXPECT_FALSE(connect_socket(parsed_designator("unix:///nowhere/rti"), {}, why));
  EXPECT_THAT(why, HasSubstr("/nowhere/rti: No such file"));
  // a path that is too long must not be truncated
  EXPECT_FALSE(connect_socket(parsed_designator("unix:///" + std::string(107, 'a')), {}, why));
  EXPECT_THAT(why, HasSubstr("at most 107 characters"));
}

}  // namespace
}  // namespace vernier::federation
