#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vernier/run/executive/orders.hpp"

namespace vernier::executive::detail {

/// Orders on their way to the loop, and answers on their way back. Requesters lock against each
/// other; the loop never locks, waits or allocates.
class OrderQueue {
 public:
  /// `most`: elements that an order can have.
  OrderQueue(std::size_t capacity, std::size_t most);

  // -- requesters, from any thread --

  /// The number of the order; none: too many are waiting.
  std::optional<std::uint64_t> post(OrderKind, std::uint32_t view, std::span<const double> values);
  /// The result. Once the order is done, its slot is free again: do not call this again.
  OrderAnswer answer(std::uint64_t number);
  /// The answer will not be requested.
  void forget(std::uint64_t number);

  // -- the loop --

  struct Slot {
    enum State : std::uint8_t { empty, waiting, done };
    std::atomic<std::uint8_t> state{empty};
    bool forgotten = false;  // guarded by mutex_
    OrderKind kind = OrderKind::replace;
    std::uint32_t view = 0;
    std::uint32_t count = 0;
    Time at{};
    double* values = nullptr;
  };
  /// The next waiting order, or null.
  Slot* next() noexcept {
    Slot& s = slots_[taken_ % slots_.size()];
    return s.state.load(std::memory_order_acquire) == Slot::waiting ? &s : nullptr;
  }
  /// The order from next() was carried out at `t`.
  void finish(Time t) noexcept {
    Slot& s = slots_[taken_++ % slots_.size()];
    s.at = t;
    s.state.store(Slot::done, std::memory_order_release);
  }

 private:
  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<double> values_;
  std::size_t most_;
  std::uint64_t posted_ = 0;  // guarded by mutex_
  std::uint64_t taken_ = 0;   // by the loop
};

}  // namespace vernier::executive::detail
