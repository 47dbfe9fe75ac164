#include "vernier/run/exchange/test_nodes.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/exchange/plugin_exchange.hpp"
#include "vernier/run/exchange/shared_exchange.hpp"
#include "vernier/run/exchange/socket_exchange.hpp"

namespace vernier::exchange::testing {
namespace {

Ends unix_pair() {
  const TemporaryFolder folder;
  const std::string path = (folder / "node").string();
  const auto listener = net::listening_at(path);
  auto near = net::connected_to(path);
  auto far = net::accepted(*listener, net::forever);
  return {net::Stream(std::move(*near)), net::Stream(std::move(*far))};
}

/// A certificate for 127.0.0.1, made once.
class Certificate {
 public:
  Certificate() {
    const std::string command =
        "cd " + folder_.path().string() +
        " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout a.key "
        "-out a.pem -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::string why;
    server = net::Tls::of_server(folder_ / "a.pem", folder_ / "a.key", why);
    client = net::Tls::of_client(folder_ / "a.pem", why);
    EXPECT_EQ(why, "");
  }
  std::shared_ptr<net::Tls> server, client;

 private:
  TemporaryFolder folder_;
};

Ends tls_pair() {
  static const Certificate certificate;
  Ends e = tcp_pair();
  e.near.secure(*certificate.client, "127.0.0.1");
  e.far.secure(*certificate.server);
  bool near = false, far = false;
  while (!near || !far) {
    near = near || e.near.shake() == net::Stream::State::done;
    far = far || e.far.shake() == net::Stream::State::done;
  }
  return e;
}

class Sockets final : public Connections {
 public:
  Sockets(Ends (*pair)(), std::uint32_t nodes) : rows_(nodes) {
    for (auto& row : rows_) row.resize(nodes);
    for (std::uint32_t i = 0; i < nodes; ++i)
      for (std::uint32_t j = 0; j < i; ++j) {
        Ends e = pair();
        rows_[i][j] = std::move(e.near);
        rows_[j][i] = std::move(e.far);
      }
  }
  std::unique_ptr<Exchange> node(std::uint32_t self) override {
    return std::make_unique<SocketExchange>(self, std::move(rows_[self]));
  }

 private:
  std::vector<std::vector<net::Stream>> rows_;
};

class Memory final : public Connections {
 public:
  explicit Memory(std::uint32_t nodes) {
    auto made = made_memory(nodes);
    EXPECT_TRUE(made);
    memory_ = std::move(*made);
  }
  std::unique_ptr<Exchange> node(std::uint32_t self) override {
    auto made = SharedExchange::of(self, memory_);
    EXPECT_TRUE(made) << made.error();
    return std::move(*made);
  }

 private:
  Descriptor memory_;
};

class Plugins final : public Connections {
 public:
  explicit Plugins(std::uint32_t nodes) : met_(nodes) {
    const std::filesystem::path file = example_network();
    const auto code = code_of({file});
    std::vector<std::unique_ptr<NetworkPlugin>> ends;
    Meeting::With with{.epoch = 0, .self = 0, .addresses = {}, .key = std::vector<std::byte>(32)};
    for (std::uint32_t i = 0; i < nodes; ++i) {
      ends.push_back(std::make_unique<NetworkPlugin>(file, "", "127.0.0.1", *code));
      with.addresses.push_back(ends.back()->address());
    }
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < nodes; ++i)
      threads.emplace_back([&, i, own = with]() mutable {
        own.self = i;
        auto made = ends[i]->meet(own, net::forever);
        EXPECT_TRUE(made) << made.error().why;
        met_[i] = std::move(*made);
      });
    for (std::thread& t : threads) t.join();
  }
  std::unique_ptr<Exchange> node(std::uint32_t self) override { return std::move(met_[self]); }

 private:
  std::vector<std::unique_ptr<Exchange>> met_;
};

}  // namespace

std::filesystem::path example_network() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() /
         "network/tcp_network.so";
}

std::vector<std::string> kinds() { return {"tcp", "unix", "tls", "shared", "plugin"}; }

std::unique_ptr<Connections> connections(const std::string& kind, std::uint32_t nodes) {
  if (kind == "shared") return std::make_unique<Memory>(nodes);
  if (kind == "plugin") return std::make_unique<Plugins>(nodes);
  return std::make_unique<Sockets>(kind == "tls"    ? tls_pair
                                   : kind == "unix" ? unix_pair
                                                    : tcp_pair,
                                   nodes);
}

Ends tcp_pair() {
  const auto listener = net::listening({"127.0.0.1", "0"});
  auto near = net::connected({"127.0.0.1", std::to_string(net::port_of(*listener))}, net::forever);
  auto far = net::accepted(*listener, net::forever);
  return {net::Stream(std::move(*near)), net::Stream(std::move(*far))};
}

void in_threads(const std::string& kind, std::uint32_t nodes,
                const std::function<void(Exchange&)>& work) {
  const auto all = connections(kind, nodes);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::uint32_t i = 0; i < nodes; ++i) exchanges.push_back(all->node(i));
  std::vector<std::thread> threads;
  for (auto& e : exchanges) threads.emplace_back([&] { work(*e); });
  for (std::thread& t : threads) t.join();
}

Child::Child(std::unique_ptr<Connections>& all, std::uint32_t self,
             const std::function<bool(Exchange&)>& work) {
  process_ = fork();
  if (process_ != 0) return;
  bool good = false;
  {
    const std::unique_ptr<Exchange> own = all->node(self);
    all.reset();
    good = work(*own);
  }
  _exit(good ? 0 : 1);
}

Child::~Child() {
  kill();
  ended();
}

void Child::kill() noexcept {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

int Child::ended() noexcept {
  int status = -1;
  if (process_ > 0) waitpid(process_, &status, 0);
  process_ = -1;
  return status;
}

std::vector<std::byte> content(std::uint32_t from, std::uint32_t to, std::uint64_t tick,
                               std::size_t size) {
  std::vector<std::byte> all(size);
  std::uint64_t x = 1 + from + 64 * to + 4096 * tick;
  for (std::byte& b : all) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    b = static_cast<std::byte>(x >> 56);
  }
  return all;
}

Bytes received(Exchange& e, std::uint32_t peer) {
  Bytes frame;
  const Received what = e.receive(peer, frame);
  EXPECT_EQ(what, Received::frame) << e.why(peer);
  return what == Received::frame ? frame : Bytes{};
}

bool same(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::size_t small(std::uint32_t from, std::uint64_t tick) { return (from * 977 + tick * 31) % 700; }

void round(Exchange& e, std::uint64_t tick,
           const std::function<std::size_t(std::uint32_t, std::uint64_t)>& size) {
  const std::uint32_t self = e.self();
  for (std::uint32_t peer = 0; peer < e.nodes(); ++peer)
    if (peer != self)
      ASSERT_TRUE(e.send(peer, content(self, peer, tick, size(self, tick)))) << e.why(peer);
  for (std::uint32_t peer = 0; peer < e.nodes(); ++peer)
    if (peer != self)
      ASSERT_TRUE(same(received(e, peer), content(peer, self, tick, size(peer, tick))))
          << "node " << self << " from " << peer << ", tick " << tick;
}

void carry_any_size(Exchange& e) {
  constexpr std::array<std::size_t, 9> sizes{0, 1, 15, 200, 4096, 65'536, 300'000, 0, 5'000'000};
  e.reserve(5'000'000);
  for (int turn = 0; turn < 3; ++turn)
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (e.self() == 0) {
        ASSERT_TRUE(e.send(1, content(0, 1, i, sizes[i])));
      } else {
        ASSERT_TRUE(same(received(e, 0), content(0, 1, i, sizes[i]))) << sizes[i];
      }
    }
  EXPECT_TRUE(e.flush(Exchange::Clock::time_point::max()));
}

void keep_in_step(Exchange& e, std::uint64_t ticks) {
  for (std::uint64_t tick = 0; tick < ticks && !::testing::Test::HasFatalFailure(); ++tick)
    round(e, tick, small);
  EXPECT_TRUE(e.flush(Exchange::Clock::time_point::max()));
}

void send_much_first(Exchange& e) {
  constexpr std::size_t large = 3'000'000;
  e.reserve(large);
  for (std::uint64_t tick = 0; tick < 3; ++tick)
    for (std::uint32_t peer = 0; peer < e.nodes(); ++peer)
      if (peer != e.self()) ASSERT_TRUE(e.send(peer, content(e.self(), peer, tick, large)));
  for (std::uint32_t peer = 0; peer < e.nodes(); ++peer)
    for (std::uint64_t tick = 0; peer != e.self() && tick < 3; ++tick)
      ASSERT_TRUE(same(received(e, peer), content(peer, e.self(), tick, large)));
  EXPECT_TRUE(e.flush(Exchange::Clock::time_point::max()));
}

void keep_frames_valid(Exchange& e) {
  constexpr std::size_t large = 1'000'000;
  e.reserve(large);
  const auto send = [&](std::uint64_t tick) {
    for (std::uint32_t peer = 0; peer < e.nodes(); ++peer)
      if (peer != e.self()) ASSERT_TRUE(e.send(peer, content(e.self(), peer, tick, large)));
  };
  for (std::uint64_t tick = 0; tick < 4; ++tick) {
    std::vector<Bytes> frames(e.nodes());
    send(tick);
    for (std::uint32_t peer = 0; peer < e.nodes(); ++peer)
      if (peer != e.self()) frames[peer] = received(e, peer);
    send(tick);
    for (std::uint32_t peer = 0; peer < e.nodes(); ++peer) {
      if (peer == e.self()) continue;
      ASSERT_TRUE(same(frames[peer], content(peer, e.self(), tick, large)));
      received(e, peer);
    }
  }
  EXPECT_TRUE(e.flush(Exchange::Clock::time_point::max()));
}

}  // namespace vernier::exchange::testing
