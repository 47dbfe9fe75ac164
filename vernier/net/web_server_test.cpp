#include "vernier/net/web_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/net/framing.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using websocket::Code;
using websocket::Kind;

SharedBytes shared_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

/// Answers every message with itself; "flood" with live messages until one is dropped.
class EchoSite final : public WebSite {
 public:
  WebServer* server = nullptr;
  std::atomic<int> open{0}, closings{0}, dropped{0};
  std::atomic<bool> hold_answers{false};
  std::atomic<int> held{0}, releases{0};  // messages that hold their client; so many are undone

  std::optional<WebAnswer> file(Client c, const http::Request& r, Role) override {
    if (r.path() == "/later") {
      const std::lock_guard lock(mutex_);
      later_.push_back(c);
      return {};
    }
    if (r.path() != "/") return WebAnswer{.status = 404, .body = shared_text("none")};
    return WebAnswer{.tag = "\"1\"", .body = shared_text("page")};
  }
  void opened(Client, Role) override { ++open; }
  void received(Client c, std::string text) override {
    if (text == "flood") {
      const std::vector<std::byte> some(100'000);
      while (server->send_live(c, some)) {
      }
      ++dropped;
      return;
    }
    if (text.starts_with("hold")) {
      ++held;
      server->hold(c, true);
      server->wake();
      return;
    }
    if (text == "close") return server->close(c, Code::policy, "as you wish");
    server->send(c, text);
  }
  void closed(Client) override {
    --open;
    ++closings;
  }
  Clock::time_point serve(Clock::time_point) override {
    if (releases && held > 0) {
      releases = releases - 1;
      for (Client c = 1; c < 10; ++c) server->hold(c, false);
      server->wake();
    }
    if (hold_answers) return forever;
    const std::lock_guard lock(mutex_);
    for (const Client c : std::exchange(later_, {}))
      server->answer(c, {.type = "text/plain", .body = shared_text("late")});
    return forever;
  }

 private:
  std::mutex mutex_;
  std::vector<Client> later_;
};

/// A visitor that blocks.
class Visitor {
 public:
  explicit Visitor(int port, const Tls* tls = nullptr) {
    stream_ = Stream(std::move(*connected({"127.0.0.1", std::to_string(port)}, forever)));
    if (!tls) return;
    stream_.secure(*tls, "127.0.0.1");
    for (auto s = stream_.shake(); s != Stream::State::done; s = stream_.shake()) {
      if (s == Stream::State::closed) throw std::runtime_error(stream_.why());
      wait_for(stream_, s, forever);
    }
  }

  void send(std::string_view text) { send(std::as_bytes(std::span(text))); }
  void send(Bytes bytes) {
    while (!bytes.empty()) {
      const auto m = stream_.write(bytes);
      bytes = bytes.subspan(m.bytes);
      if (m.state == Stream::State::closed) return;
      if (m.state != Stream::State::done) wait_for(stream_.descriptor(), writable, forever);
    }
  }
  /// The next bytes are in `in_`. False: the peer has closed.
  bool read_more() {
    while (true) {
      std::vector<std::byte> some(65536);
      const auto m = stream_.read(some);
      if (m.state == Stream::State::closed) return false;
      if (m.state == Stream::State::done) {
        in_.append(reinterpret_cast<const char*>(some.data()), m.bytes);
        return true;
      }
      wait_for(stream_, m.state, forever);
    }
  }
  std::string rest() {
    while (read_more()) {
    }
    return std::exchange(in_, {});
  }
  /// Head and body of an answer.
  std::string answer(bool has_body = true) {
    std::size_t end = 0;
    while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) return in_;
    }
    std::size_t size = end + 4;
    const std::size_t length = in_.find("Content-Length: ");
    if (has_body && length < end) size += std::stoul(in_.substr(length + 16));
    while (in_.size() < size) {
      if (!read_more()) return in_;
    }
    std::string one = in_.substr(0, size);
    in_.erase(0, size);
    return one;
  }
  std::string get(const std::string& path, const std::string& fields = {}) {
    send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n");
    return answer();
  }

  void say(std::string_view text, Kind kind = Kind::text) {
    std::vector<std::byte> frame;
    websocket::append_client_frame(frame, kind, std::as_bytes(std::span(text)), {});
    send(frame);
  }
  /// The next message; a close without a code when the connection ends.
  websocket::Message hear() {
    while (true) {
      Bytes bytes = std::as_bytes(std::span(in_));
      websocket::Message m;
      const auto got = messages_.take(bytes, m);
      in_.erase(0, in_.size() - bytes.size());
      if (got == websocket::Receiver::Got::message) return m;
      if (!read_more()) return {.kind = Kind::close};
    }
  }
  void close() { stream_.close(); }
  void finish() { stream_.finish(); }

 private:
  Stream stream_;
  std::string in_;
  websocket::Receiver messages_{websocket::Side::client, 64u << 20};
};

const std::string cookie = "Cookie: v=token\r\n";
const std::string socket_fields =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: echo.1\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

class WebServers : public ::testing::Test {
 protected:
  static WebServer::Settings usual() {
    return {.access = {.control_token = "token",
                       .watch_token = "other",
                       .cookie = "v",
                       .hosts = {"localhost"}},
            .subprotocol = "echo.1"};
  }
  void begin(WebServer::Settings s = usual()) {
    auto listener = listening({"127.0.0.1", "0"});
    port = port_of(*listener);
    server.emplace(std::move(*listener), std::move(s), site);
    site.server = &*server;
    thread = std::thread([this] { server->serve(); });
  }
  ~WebServers() override {
    if (server) server->stop();
    if (thread.joinable()) thread.join();
  }
  Visitor with_socket() {
    Visitor v(port);
    EXPECT_THAT(v.get("/ws", cookie + socket_fields), StartsWith("HTTP/1.1 101 "));
    return v;
  }
  static void wait_until(const std::function<bool()>& holds) {
    while (!holds()) std::this_thread::sleep_for(1ms);
  }

  EchoSite site;
  std::optional<WebServer> server;
  int port = 0;
  std::thread thread;
};

TEST_F(WebServers, ServeFilesToHoldersOfTheToken) {
  begin();
  Visitor v(port);
  EXPECT_THAT(v.get("/?token=token"), HasSubstr("Set-Cookie: v=token;"));
  const std::string page = v.get("/", cookie);
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(page, HasSubstr("\r\nContent-Security-Policy: default-src 'self';"));
  EXPECT_THAT(page, HasSubstr("\r\nX-Frame-Options: DENY\r\n"));
  EXPECT_THAT(page, ::testing::EndsWith("\r\n\r\npage"));
  EXPECT_THAT(v.get("/nothing", cookie), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(v.get("/", cookie + "If-None-Match: \"1\"\r\n"), StartsWith("HTTP/1.1 304 "));
  v.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n" + cookie + "\r\n");
  EXPECT_THAT(v.answer(false), HasSubstr("Content-Length: 4"));
  EXPECT_THAT(v.get("/", cookie), StartsWith("HTTP/1.1 200"));
}

TEST_F(WebServers, GiveNothingToOthers) {
  begin();
  EXPECT_THAT(Visitor(port).get("/"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Visitor(port).get("/?token=wrong"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Visitor(port).get("/ws", socket_fields), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Visitor(port).get("/ws", cookie + socket_fields + "Origin: http://evil\r\n"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_EQ(site.open, 0);
}

TEST_F(WebServers, AnswerRequestsInTheirOrder) {
  begin();
  Visitor v(port);
  const std::string end = " HTTP/1.1\r\nHost: localhost\r\n" + cookie + "\r\n";
  v.send("GET /later" + end + "GET /" + end);
  EXPECT_THAT(v.answer(), ::testing::EndsWith("late"));
  EXPECT_THAT(v.answer(), ::testing::EndsWith("page"));
}

TEST_F(WebServers, AnswerAPeerThatSendsNoMore) {
  begin();
  for (const char* path : {"/", "/later"}) {
    site.hold_answers = path[1] != 0;
    Visitor v(port);
    v.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n" + cookie + "\r\n");
    v.finish();
    site.hold_answers = false;
    server->wake();
    const std::string all = v.rest();
    EXPECT_THAT(all, StartsWith("HTTP/1.1 200 OK\r\n")) << path;
  }
}

TEST_F(WebServers, CloseAfterWhatIsNoRequest) {
  begin();
  Visitor v(port);
  v.send("nonsense\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n" + cookie + "\r\n");
  const std::string all = v.rest();
  EXPECT_THAT(all, StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(all, ::testing::Not(HasSubstr("200")));
}

TEST_F(WebServers, NeedTheWholeHandshake) {
  begin();
  EXPECT_THAT(Visitor(port).get("/ws", cookie), StartsWith("HTTP/1.1 426 "));
  std::string fields = socket_fields;
  fields.replace(fields.find("13"), 2, "12");
  EXPECT_THAT(Visitor(port).get("/ws", cookie + fields), StartsWith("HTTP/1.1 426 "));
  fields = socket_fields;
  fields.replace(fields.find("echo.1"), 6, "echo.2");
  EXPECT_THAT(Visitor(port).get("/ws", cookie + fields), StartsWith("HTTP/1.1 400 "));
  fields = socket_fields;
  fields.replace(fields.find("Q=="), 3, "===");
  EXPECT_THAT(Visitor(port).get("/ws", cookie + fields), StartsWith("HTTP/1.1 400 "));
}

TEST_F(WebServers, PassMessagesOn) {
  begin();
  Visitor v = with_socket();
  wait_until([&] { return site.open == 1; });
  const std::string large(3'000'000, 'x');
  v.say("one");
  v.say("ping", Kind::ping);
  v.say(large);
  EXPECT_EQ(v.hear().content, "one");
  EXPECT_EQ(v.hear().kind, Kind::pong);
  EXPECT_EQ(v.hear().content, large);
  v.say(websocket::close_content(Code::normal, ""), Kind::close);
  EXPECT_EQ(v.hear().code, Code::normal);
  wait_until([&] { return site.open == 0; });
  EXPECT_FALSE(v.read_more());
}

TEST_F(WebServers, CloseASocketThatSpeaksOtherwise) {
  begin();
  for (const auto& [bytes, code] : std::map<std::string, Code>{
           {"\xc1\x80\1\2\3\4", Code::protocol_error},
           {"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\1\2\3\4", Code::too_big},
           {"\x81\x81\1\2\3\4\xff", Code::not_utf8}}) {
    Visitor v = with_socket();
    v.send(bytes);
    EXPECT_EQ(v.hear().code, code);
    EXPECT_FALSE(v.read_more());
  }
  Visitor binary = with_socket();
  binary.say("x", Kind::binary);
  EXPECT_EQ(binary.hear().code, Code::not_supported);
  Visitor asked = with_socket();
  asked.say("close");
  EXPECT_EQ(asked.hear().code, Code::policy);
  wait_until([&] { return site.open == 0; });
}

TEST_F(WebServers, DropLiveMessagesForAClientThatDoesNotRead) {
  begin();
  Visitor slow = with_socket(), other = with_socket();
  slow.say("flood");
  wait_until([&] { return site.dropped == 1; });
  // others are served meanwhile
  other.say("hello");
  EXPECT_EQ(other.hear().content, "hello");
  // what it asks now waits until it reads, and is not lost
  slow.say("after");
  websocket::Message m;
  std::size_t bytes = 0;
  while ((m = slow.hear()).kind == Kind::binary) bytes += m.content.size();
  EXPECT_EQ(m.content, "after");
  EXPECT_GT(bytes, 1'000'000u);
}

TEST_F(WebServers, ReadNoFasterThanTheyAnswer) {
  begin();
  // each message holds the client, and is let go a thousand times: then it must not have sent much
  // more than a thousand
  site.releases = 1000;
  Visitor v = with_socket();
  const std::string large = "hold" + std::string(1000, 'x');
  std::atomic<int> sent{0};
  std::thread sending([&] {
    for (; sent < 100'000; ++sent) v.say(large);
  });
  wait_until([&] { return site.releases == 0; });
  const auto& settled = [&, last = -1]() mutable {
    std::this_thread::sleep_for(50ms);
    return std::exchange(last, sent.load()) == sent.load();
  };
  wait_until(settled);
  EXPECT_LT(sent, 100'000) << "all was read";
  server->stop();  // so that the sender ends
  thread.join();
  server.reset();
  sending.join();
}

TEST_F(WebServers, DisconnectAClientThatReadsNothing) {
  auto settings = usual();
  settings.stalled = 300ms;
  begin(settings);
  Visitor slow = with_socket();
  slow.say("flood");
  wait_until([&] { return site.closings == 1; });
}

TEST_F(WebServers, DisconnectAClientThatIsSilent) {
  auto settings = usual();
  settings.stalled = 300ms;
  begin(settings);
  Visitor silent = with_socket();
  EXPECT_EQ(silent.hear().kind, Kind::ping);
  wait_until([&] { return site.closings == 1; });
}

TEST_F(WebServers, DoNotWaitForSlowRequests) {
  auto settings = usual();
  settings.head_within = 100ms;
  begin(settings);
  Visitor half(port), nothing(port);
  half.send("GET / HTTP/1.1\r\nHost: loc");
  EXPECT_EQ(half.rest(), "");
  EXPECT_EQ(nothing.rest(), "");
}

TEST_F(WebServers, MakeRoomForNewVisitors) {
  auto settings = usual();
  settings.most_connections = 4;
  begin(settings);
  Visitor a = with_socket();
  std::vector<Visitor> idle;
  for (int n = 0; n < 10; ++n) idle.emplace_back(port);
  Visitor b = with_socket();
  for (Visitor* v : {&a, &b}) {
    v->say("hello");
    EXPECT_EQ(v->hear().content, "hello");
  }
  EXPECT_EQ(idle.front().rest(), "");
}

TEST_F(WebServers, RefuseWhenAllConnectionsAreInUse) {
  auto settings = usual();
  settings.most_connections = 2;
  begin(settings);
  Visitor a = with_socket(), b = with_socket();
  Visitor c(port);
  EXPECT_EQ(c.rest(), "");
  a.close();
  wait_until([&] { return site.open == 1; });
  with_socket();
}

TEST_F(WebServers, SayGoodbyeAtTheirEnd) {
  begin();
  Visitor v = with_socket();
  v.say("x");
  EXPECT_EQ(v.hear().content, "x");
  server->stop();
  EXPECT_EQ(v.hear().code, Code::going_away);
  wait_until([&] { return site.open == 0; });
}

TEST_F(WebServers, SpeakTls) {
  const TemporaryFolder folder;
  const std::string name = (folder.path() / "own").string();
  ASSERT_EQ(std::system(("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
                         "-keyout " +
                         name + ".key -out " + name +
                         ".pem -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 "
                         "2>/dev/null")
                            .c_str()),
            0);
  std::string why;
  auto settings = usual();
  settings.tls = Tls::of_server(name + ".pem", name + ".key", why);
  settings.access.secure = true;
  const auto authority = Tls::of_client(name + ".pem", why);
  ASSERT_TRUE(settings.tls && authority) << why;
  begin(settings);
  Visitor plain(port);
  plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  Visitor v(port, authority.get());
  EXPECT_THAT(v.get("/?token=token"), HasSubstr("; Secure\r\n"));
  EXPECT_THAT(v.get("/ws", cookie + socket_fields + "Origin: https://localhost\r\n"),
              StartsWith("HTTP/1.1 101 "));
  const std::string large(3'000'000, 'x');
  v.say(large);
  v.say("two");
  EXPECT_EQ(v.hear().content, large);
  EXPECT_EQ(v.hear().content, "two");
  plain.rest();  // it was closed
}

}  // namespace
}  // namespace vernier::net
