// Unwelcome connections to a link.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/link/link_rig_test.hpp"

namespace vernier::link {
namespace {

Descriptor knock(const net::Address& a) {
  auto d = net::connected(a, net::Clock::now() + 2s);
  EXPECT_TRUE(d.has_value());
  return d ? std::move(*d) : Descriptor();
}
void say(const Descriptor& d, std::span<const std::byte> bytes) {
  EXPECT_EQ(::send(d.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

TEST(Link, StrangersAreNamedAndCounted) {
  Link server(server_settings());
  server.start();
  std::uint64_t refused = 0;
  const auto says = [&](const net::Address& to, std::span<const std::byte> bytes) {
    const auto d = knock(to);
    say(d, bytes);
    ++refused;
    EXPECT_TRUE(eventually([&] { return server.status().quality.counters.refused == refused; }));
    return server.status().last_error;
  };
  const std::string_view web = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(says(server.control_address(), std::as_bytes(std::span(web))), message("magic"));
  std::array<std::byte, header_bytes> frame;
  encode({.type = Type::hello, .payload = 0xffffffff}, frame);
  EXPECT_EQ(says(server.control_address(), frame), message("too_long"));
  encode({.type = Type::ping}, frame);
  EXPECT_EQ(says(server.control_address(), frame), message("no_greeting"));
  encode({.type = Type::hello}, frame);
  frame[4] = std::byte{2};
  EXPECT_EQ(says(server.control_address(), frame), message("version"));
  // a data connection without a control connection
  encode({.type = Type::hello, .session = 99}, frame);
  EXPECT_EQ(says(server.data_address(), frame), message("no_session"));
  Link client(client_settings(server));
  client.start();
  EXPECT_TRUE(comes_up(client));
}

TEST(Link, EveryBadFrameIsNamedAndTheLinkComesBack) {
  Impaired i;
  std::uint64_t bad = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(VERNIER_SOURCE_DIR "/formats/scp/bad")) {
    if (entry.path().extension() != ".hex") continue;
    ASSERT_TRUE(comes_up(i.client));
    ASSERT_TRUE(comes_up(i.server));
    std::ifstream in(entry.path());
    std::string word;
    std::getline(in, word);
    std::vector<std::byte> frame;
    while (in >> word) frame.push_back(static_cast<std::byte>(std::stoi(word, nullptr, 16)));
    i.relay.inject(Connection::data, Direction::to_server, frame);
    ++bad;
    ASSERT_TRUE(eventually([&] { return i.server.status().quality.counters.bad_frames == bad; }))
        << entry.path();
    EXPECT_EQ(i.server.status().last_error, message(entry.path().stem()));
    ASSERT_TRUE(eventually([&] { return i.client.status().quality.counters.losses == bad; }));
  }
  EXPECT_GE(bad, 10u);
}

TEST(Link, SaysThatTheOtherSideHasEnded) {
  Link server(server_settings());
  Link client(client_settings(server));
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  client.stop();
  ASSERT_TRUE(eventually([&] { return server.status().quality.troubles > 0; }));
  EXPECT_EQ(server.status().last_error, message("ended"));
  EXPECT_EQ(server.status().quality.counters.losses, 0u);
  client.start();
  EXPECT_TRUE(comes_up(client));
}

TEST(Link, TheTwoPortsInterchangedAreRefused) {
  Link server(server_settings());
  server.start();
  Link client(client_settings(server.data_address(), server.control_address()));
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("ports_interchanged"));
}

TEST(Link, SlowConnectionsDoNotKeepOthersOut) {
  Link server(server_settings());
  server.start();
  std::vector<Descriptor> slow;
  for (int k = 0; k < 20; ++k) {
    slow.push_back(knock(server.control_address()));
    const std::byte one{'S'};
    say(slow.back(), {&one, 1});
  }
  Link client(client_settings(server));
  client.start();
  EXPECT_TRUE(comes_up(client));
  EXPECT_GE(server.status().quality.counters.turned_away, 12u);
}

TEST(Link, AKeyKeepsOthersOut) {
  const auto key = [](std::string_view s) {
    const auto b = std::as_bytes(std::span(s));
    return std::vector<std::byte>(b.begin(), b.end());
  };
  Settings s = server_settings();
  s.key = key("correct horse battery staple");
  Link server(s);
  server.start();
  for (const char* wrong : {"", "Correct horse battery staple"}) {
    Settings c = client_settings(server);
    c.key = key(wrong);
    Link client(c);
    client.start();
    ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
    EXPECT_EQ(client.status().last_error, message(wrong[0] == 0 ? "no_key" : "key"));
    EXPECT_NE(client.state(), LinkState::up);
  }
  Settings c = client_settings(server);
  c.key = s.key;
  Link client(c);
  client.start();
  EXPECT_TRUE(comes_up(client));
}

TEST(Link, SaysWhatDoesNotFit) {
  Link server(server_settings());
  server.start();
  Settings c = client_settings(server);
  c.send = 4;
  Link client(c);
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("dimensions"));
}

TEST(Link, ComparesWhatTheVectorsMean) {
  Settings s = server_settings();
  s.interface_hash = 0xbb;
  Link server(s);
  Settings c = client_settings(server);
  c.interface_hash = 0xaa;
  server.start();
  Link client(c);
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("interface"));
  EXPECT_EQ(interface_hash(""), 0u);
  EXPECT_NE(interface_hash("two bodies"), interface_hash("three bodies"));
}

TEST(Link, SaysThatNobodyAnswers) {
  Link client(client_settings({"127.0.0.1", "1"}, {"127.0.0.1", "1"}));
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("nobody"));
}

TEST(Link, RefusesSettingsThatCannotBe) {
  const auto refused = [](auto change) {
    Settings s = server_settings();
    change(s);
    try {
      Link l(s);
      l.open();
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics()).substr(0, 12);
    }
    return std::string();
  };
  EXPECT_EQ(refused([](Settings& s) { s.period = {}; }), "error[V5122]");
  EXPECT_EQ(refused([](Settings& s) { s.send = 200'000; }), "error[V5122]");
  EXPECT_EQ(refused([](Settings& s) { s.ping_timeout = s.ping_interval; }), "error[V5122]");
  EXPECT_EQ(refused([](Settings& s) { s.control = {"203.0.113.1", "1"}; }), "error[V5121]");
}

}  // namespace
}  // namespace vernier::link
