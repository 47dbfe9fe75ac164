#include "vernier/gateway/link/packets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "vernier/base/random.hpp"
#include "vernier/base/text.hpp"
#include "vernier/net/loop.hpp"

namespace vernier::link {
namespace {

using net::Clock;

sockaddr address(const char* text) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  inet_pton(AF_INET, text, &a.sin_addr);
  sockaddr plain{};
  std::memcpy(&plain, &a, sizeof plain);
  return plain;
}

bool raise(int socket, const char* device) {
  ifreq r{};
  std::strncpy(r.ifr_name, device, IFNAMSIZ - 1);
  if (ioctl(socket, SIOCGIFFLAGS, &r) != 0) return false;
  r.ifr_flags = static_cast<short>(r.ifr_flags | IFF_UP | IFF_RUNNING);
  return ioctl(socket, SIOCSIFFLAGS, &r) == 0;
}

struct Stack {
  Descriptor space, device;
};

/// Creates a namespace with a device for the calling thread; returns what was refused, or empty.
std::string make_stack(int side, Stack& s) {
  const auto refused = [](const char* what) {
    return std::string(what) + ": " + std::generic_category().message(errno);
  };
  if (unshare(CLONE_NEWNET) != 0) return refused("a network namespace");
  s.space = Descriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  s.device = Descriptor(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!s.space || !s.device) return refused("/dev/net/tun");
  ifreq r{};
  std::strncpy(r.ifr_name, "vernier", IFNAMSIZ - 1);
  r.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(s.device.get(), TUNSETIFF, &r) != 0) return refused("a TUN device");
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  r.ifr_addr = address(PacketNetwork::addresses[side]);
  if (ioctl(socket.get(), SIOCSIFADDR, &r) != 0) return refused("an address");
  r.ifr_dstaddr = address(PacketNetwork::addresses[1 - side]);
  if (ioctl(socket.get(), SIOCSIFDSTADDR, &r) != 0) return refused("an address");
  if (!raise(socket.get(), "vernier") || !raise(socket.get(), "lo")) return refused("a device");
  return {};
}

}  // namespace

struct PacketNetwork::State {
  struct Packet {
    int to;
    std::vector<char> bytes;
  };

  explicit State(std::uint64_t seed) : random(seed) {}

  void read(std::size_t side) {
    std::array<char, 65536> buffer;
    for (ssize_t n; (n = ::read(stacks[side].device.get(), buffer.data(), buffer.size())) > 0;) {
      const auto now = Clock::now();
      const Impairment& i = impairment;
      if (i.stalled || now < dark_until || (i.loss > 0.0 && random.uniform() < i.loss)) {
        ++counts.lost;
        continue;
      }
      double d = i.network ? drawn_delay(*i.network, random) : i.delay;
      if (i.jitter > 0.0) d += i.jitter * random.normal();
      auto due = now + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(std::max(d, 0.0)));
      if (i.reorder > 0.0 && random.uniform() < i.reorder) {
        // later packets do not wait for it
        due +=
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(i.overtaken));
        ++counts.overtaken;
      } else {
        due = last[side] = std::max(due, last[side]);
      }
      waiting.emplace(due,
                      Packet{stacks[1 - side].device.get(), {buffer.data(), buffer.data() + n}});
    }
  }

  void run() {
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    for (const Stack& s : stacks) loop.watch(s.device.get(), net::readable, 0);
    std::unique_lock hold(guard);
    while (!stopping) {
      auto until = Clock::now() + std::chrono::milliseconds(200);
      if (!waiting.empty()) until = std::min(until, waiting.begin()->first);
      hold.unlock();
      loop.wait(until);
      hold.lock();
      read(0);
      read(1);
      const auto now = Clock::now();
      while (!waiting.empty() && waiting.begin()->first <= now) {
        const Packet& p = waiting.begin()->second;
        if (write(p.to, p.bytes.data(), p.bytes.size()) > 0) ++counts.carried;
        waiting.erase(waiting.begin());
      }
    }
  }

  std::array<Stack, 2> stacks;
  net::Loop loop;
  mutable std::mutex guard;
  Impairment impairment;
  Clock::time_point dark_until{};
  std::array<Clock::time_point, 2> last{};
  std::multimap<Clock::time_point, Packet> waiting;
  Counts counts;
  Random random;
  bool stopping = false;
  std::thread thread;
};

Result<std::unique_ptr<PacketNetwork>, std::string> PacketNetwork::made(std::uint64_t seed) {
  std::unique_ptr<PacketNetwork> network(new PacketNetwork);
  network->state_ = std::make_unique<State>(seed);
  State& s = *network->state_;
  for (int side = 0; side < 2; ++side) {
    // in a separate thread, since a thread stays in the namespace that it created
    std::string refused;
    std::thread([&] {
      refused = make_stack(side, s.stacks[static_cast<std::size_t>(side)]);
    }).join();
    if (!refused.empty()) return Failure{refused};
  }
  s.thread = std::thread([&s] { s.run(); });
  return network;
}

PacketNetwork::~PacketNetwork() {
  if (!state_ || !state_->thread.joinable()) return;
  {
    const std::lock_guard hold(state_->guard);
    state_->stopping = true;
  }
  state_->loop.wake();
  state_->thread.join();
}

void PacketNetwork::in(int side, const std::function<void()>& what) const {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      setns(state_->stacks[static_cast<std::size_t>(side)].space.get(), CLONE_NEWNET);
      what();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

void PacketNetwork::impair(const Impairment& i) {
  const std::lock_guard hold(state_->guard);
  state_->impairment = i;
}

void PacketNetwork::cut() {
  const std::lock_guard hold(state_->guard);
  state_->dark_until = Clock::now() + std::chrono::seconds(2);
}

PacketNetwork::Counts PacketNetwork::counts() const {
  const std::lock_guard hold(state_->guard);
  return state_->counts;
}

}  // namespace vernier::link
