#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vernier/run/executive/orders.hpp"

namespace vernier::executive::detail {

/// Orders on their way into the loop, and answers on their way out. Those who ask lock against each
/// other; the loop never locks, waits or allocates.
class OrderQueue {
 public:
  /// `most` elements that an order can have.
  OrderQueue(std::size_t capacity, std::size_t most);

  // -- those who ask, from any thread --

  /// The number of the order; none: too many wait.
  std::optional<std::uint64_t> post(OrderKind, std::uint32_t view, std::span<const double> values);
  /// What became of it. Once it is done, its place is free again: ask no more.
  OrderAnswer answer(std::uint64_t number);
  /// Nobody will ask for the answer.
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
  /// The next order that waits, or null.
  Slot* next() noexcept {
    Slot& s = slots_[taken_ % slots_.size()];
    return s.state.load(std::memory_order_acquire) == Slot::waiting ? &s : nullptr;
  }
  /// The order that next() gave was carried out at `t`.
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
