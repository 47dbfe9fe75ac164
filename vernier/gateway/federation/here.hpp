#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "vernier/gateway/federation/core.hpp"
#include "vernier/gateway/federation/rti_transport.hpp"

namespace vernier::federation {

/// Where a thread sleeps until somebody has something for it; a system call only when it sleeps.
class Bell {
 public:
  /// The next sleep() is over at once. True: somebody sleeps, and wants a ring().
  bool announce() noexcept { return state_.exchange(announced) == asleep; }
  void ring() noexcept;
  /// From here on announcements count.
  void listen() noexcept { state_.store(awake); }
  /// Until announce() and ring(), or `until`; also for no reason.
  void sleep(RtiTransport::Clock::time_point until) noexcept;

 private:
  enum : std::uint32_t { awake, asleep, announced };
  std::atomic<std::uint32_t> state_{awake};
};

/// An RTI inside this process: the federates' own threads do its work, one at a time.
class Hub : public std::enable_shared_from_this<Hub> {
 public:
  /// Somebody who is behind by more than `limit` bytes makes those wait who send to it.
  explicit Hub(std::unique_ptr<Exchange>, std::size_t limit = 4u << 20);

  std::unique_ptr<RtiTransport> connect();
  /// The hub of this process; made when nobody has it, gone with the last who has.
  static std::shared_ptr<Hub> of_process();

 private:
  friend class HereTransport;

  const std::size_t limit_;
  std::mutex lock_;  // for all below
  std::unique_ptr<Exchange> exchange_;
  std::vector<Bell*> to_ring_;
  std::vector<class HereTransport*> given_up_;  // by the exchange, still to be closed
  std::vector<class HereTransport*> channels_;
  std::condition_variable room_;

  std::atomic<std::size_t> backlog_{0};  // of all
  std::atomic<int> waiting_{0};          // for room
  std::atomic<bool> pulses_{false};      // as the exchange says
};

}  // namespace vernier::federation
