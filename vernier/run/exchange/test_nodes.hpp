#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/net/stream.hpp"
#include "vernier/run/exchange/exchange.hpp"

/// Nodes for tests: connected in this process, each to be used by a thread or a forked process.
namespace vernier::exchange::testing {

/// Every pair connected, nothing sent.
class Connections {
 public:
  virtual ~Connections() = default;
  /// Once for each node. A process that uses one node destroys the rest before it begins.
  virtual std::unique_ptr<Exchange> node(std::uint32_t self) = 0;
};
/// `kind`: one of kinds().
std::unique_ptr<Connections> connections(const std::string& kind, std::uint32_t nodes);
std::vector<std::string> kinds();

/// The network plug-in of examples/network, as it is built.
std::filesystem::path example_network();

/// Two ends of a TCP connection.
struct Ends {
  net::Stream near, far;
};
Ends tcp_pair();

/// All nodes at once, each in a thread.
void in_threads(const std::string& kind, std::uint32_t nodes,
                const std::function<void(Exchange&)>& work);

/// A node in a process of its own, which ends with the work: status 0 if it returned true.
class Child {
 public:
  Child(std::unique_ptr<Connections>& all, std::uint32_t self,
        const std::function<bool(Exchange&)>& work);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void kill() noexcept;
  /// The status of waitpid().
  int ended() noexcept;

 private:
  pid_t process_ = -1;
};

/// Content that depends on who sends it when.
std::vector<std::byte> content(std::uint32_t from, std::uint32_t to, std::uint64_t tick,
                               std::size_t size);
/// A frame that must come.
Bytes received(Exchange&, std::uint32_t peer);
bool same(Bytes, Bytes);

/// One frame from everybody to everybody.
void round(Exchange&, std::uint64_t tick,
           const std::function<std::size_t(std::uint32_t from, std::uint64_t tick)>& size);
/// A size.
std::size_t small(std::uint32_t from, std::uint64_t tick);

// What each node does in tests of all kinds.
void carry_any_size(Exchange&);
void keep_in_step(Exchange&, std::uint64_t ticks);
void send_much_first(Exchange&);
void keep_frames_valid(Exchange&);

}  // namespace vernier::exchange::testing
