#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "vernier/run/executive/snapshot.hpp"
#include "vernier/run/server/messages.hpp"
#include "vernier/run/server/results.hpp"

namespace vernier::server {

/// What a run on several nodes can return to: the last state of which every node has sent its
/// share, and the orders that were executed since, which are then repeated.
class Past {
 public:
  /// Shares come from so many nodes from now on; incomplete copies are dropped.
  void begin_epoch(std::size_t nodes);
  /// Nothing more comes from a node, and nothing is missing without it: others run its parts.
  void lose(std::uint32_t node);
  /// A share of the state; it contains the orders that this node had executed before.
  void take(std::uint32_t node, const Share&);
  /// An order that was given while the run ran; `node`: anyone if several have executed it, while
  /// all stood still at the same time.
  static constexpr std::uint32_t anyone = 0xffffffff;
  void executed(std::uint32_t node, TimedOrder o) { live_.push_back({node, std::move(o)}); }
  /// Orders of a run that is repeated.
  void schedule(std::vector<TimedOrder> orders) { scheduled_ = std::move(orders); }
  const std::vector<TimedOrder>& scheduled() const noexcept { return scheduled_; }
  /// The nodes are at `t`, in this state of the whole run.
  void remember(std::vector<std::byte> whole, Time t);
  /// The run begins anew, or was given another state: nothing is repeated.
  void forget_orders() noexcept { live_.clear(); }

  Time at() const noexcept { return good_.at; }
  /// The state of the whole run at at(). Throws ConfigurationError.
  using Merge = std::function<executive::Snapshot(const std::vector<executive::Snapshot>&)>;
  const std::vector<std::byte>& whole(const Merge&);
  /// The orders to execute after a return to at().
  std::vector<TimedOrder> again();

 private:
  struct Copy {
    Time at{};
    std::vector<std::optional<std::vector<std::byte>>> shares;  // by node; empty: it was lost
    std::vector<std::size_t> orders;  // by node: how many of live_ are in its share
  };
  struct Live {
    std::uint32_t node = 0;
    TimedOrder order;
    bool again = false;  // the nodes repeat it
  };
  /// Whether the i-th order is part of the last complete copy.
  bool included(std::size_t i) const noexcept;
  /// Keeps the latest copy that is complete.
  void settle();

  std::vector<std::uint8_t> lost_;  // by node
  std::vector<Copy> incomplete_;
  Copy good_;
  std::vector<std::byte> whole_;  // of good_; empty: its shares were not put together yet
  std::vector<Live> live_;
  std::vector<TimedOrder> scheduled_;
};

/// The state of a whole run from the shares of its nodes; empty: one was lost. Throws
/// ConfigurationError.
std::vector<std::byte> put_together(const std::vector<std::vector<std::byte>>& shares,
                                    const Past::Merge&);

}  // namespace vernier::server
