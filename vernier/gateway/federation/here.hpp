#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "vernier/gateway/federation/core.hpp"
#include "vernier/gateway/federation/rti_transport.hpp"

namespace vernier::federation {

/// Lets a thread sleep until it is notified; a system call is made only if it really sleeps.
class Bell {
 public:
  /// Makes the next sleep() return at once. True: a thread is asleep and needs a ring().
  bool announce() noexcept { return state_.exchange(announced) == asleep; }
  void ring() noexcept;
  /// Announcements count from now on.
  void listen() noexcept { state_.store(awake); }
  /// Until announce() and ring(), or `until`; may also wake spuriously.
  void sleep(RtiTransport::Clock::time_point until) noexcept;

 private:
  enum : std::uint32_t { awake, asleep, announced };
  std::atomic<std::uint32_t> state_{awake};
};

/// An RTI inside this process: the federates' own threads execute it, one at a time.
class Hub : public std::enable_shared_from_this<Hub> {
 public:
  /// A federate that lags by more than `limit` bytes blocks its senders.
  explicit Hub(std::unique_ptr<Exchange>, std::size_t limit = 4u << 20);

  std::unique_ptr<RtiTransport> connect();
  /// The hub of this process; created on first use, destroyed with its last user.
  static std::shared_ptr<Hub> of_process();

 private:
  friend class HereTransport;

  const std::size_t limit_;
  std::mutex lock_;  // protects everything below
  std::unique_ptr<Exchange> exchange_;
  std::vector<Bell*> to_ring_;
  std::vector<class HereTransport*> given_up_;  // by the exchange; still to be closed
  std::vector<class HereTransport*> channels_;
  std::condition_variable room_;

  std::atomic<std::size_t> backlog_{0};  // of all channels
  std::atomic<int> waiting_{0};          // channels that wait for room
  std::atomic<bool> pulses_{false};      // as the exchange reports
};

}  // namespace vernier::federation
