#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "vernier/gateway/link/link.hpp"
#include "vernier/gateway/link/relay.hpp"

/// Pairs of links for tests, on free ports of this machine.
namespace vernier::link {

using namespace std::chrono_literals;

inline bool eventually(const std::function<bool()>& holds,
                       std::chrono::milliseconds within = 120s) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

/// A peer counts as silent after `silence`. Where that is not the subject, the time is long enough
/// for a busy machine.
inline Settings server_settings(std::chrono::milliseconds silence = 60s) {
  Settings s;
  s.name = "facility";
  s.role = Role::server;
  s.control = s.data = {"127.0.0.1", "0"};
  s.period = {4'000'000, 1};
  s.send = 2;
  s.receive = 3;
  s.ping_interval = 20ms;
  s.ping_timeout = silence;
  s.delay_interval = 20ms;
  s.stale_periods = 1000;
  return s;
}
inline Settings client_settings(const net::Address& control, const net::Address& data,
                                std::chrono::milliseconds silence = 60s) {
  Settings s = server_settings(silence);
  s.name = "simulator";
  s.role = Role::client;
  s.control = control;
  s.data = data;
  s.period = {100'000'000, 1};
  s.send = 3;
  s.receive = 2;
  return s;
}
inline Settings client_settings(Link& server, std::chrono::milliseconds silence = 60s) {
  server.open();
  return client_settings(server.control_address(), server.data_address(), silence);
}
inline ::testing::AssertionResult comes_up(Link& l) {
  if (eventually([&] { return l.state() == LinkState::up; })) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << name(l.state()) << ", " << l.status().last_error;
}
/// The expected message of this case, stored with the format.
inline std::string message(const std::string& name) {
  std::ifstream in(VERNIER_SOURCE_DIR "/formats/scp/bad/" + name + ".txt");
  std::string line;
  std::getline(in, line);
  EXPECT_FALSE(line.empty()) << name;
  return line;
}
inline bool ends(Link& l) {
  return eventually(
      [&] { return l.state() == LinkState::closed || l.state() == LinkState::broken; });
}
/// Sends until the peer has received it.
inline bool passes(Link& from, Link& to, std::vector<double> v) {
  return eventually([&] {
    from.begin_step(1, from.now());
    from.send(v);
    const Received& r = to.receive();
    std::vector<double> got(r.bytes.size() / 8);
    unpack(r.bytes, std::span(got));
    return r.number > 0 && got == v;
  });
}

inline Link& opened(Link& l) {
  l.open();
  return l;
}

struct Impaired {
  explicit Impaired(std::chrono::milliseconds silence = 60s)
      : server(server_settings(silence)),
        relay(opened(server).control_address(), opened(server).data_address()),
        client(client_settings(relay.control(), relay.data(), silence)) {
    server.start();
    client.start();
  }
  Link server;
  Relay relay;
  Link client;
};

}  // namespace vernier::link
