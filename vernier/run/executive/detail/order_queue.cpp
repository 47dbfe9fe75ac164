#include "vernier/run/executive/detail/order_queue.hpp"

#include <algorithm>

#include "vernier/base/require.hpp"

namespace vernier::executive::detail {

OrderQueue::OrderQueue(std::size_t capacity, std::size_t most)
    : slots_(capacity), values_(capacity * most), most_(most) {
  for (std::size_t i = 0; i < capacity; ++i) slots_[i].values = values_.data() + i * most;
}

std::optional<std::uint64_t> OrderQueue::post(OrderKind kind, std::uint32_t view,
                                              std::span<const double> values) {
  require(values.size() <= most_);
  const std::lock_guard lock(mutex_);
  Slot& s = slots_[posted_ % slots_.size()];
  const std::uint8_t state = s.state.load(std::memory_order_acquire);
  if (state == Slot::waiting || (state == Slot::done && !s.forgotten)) return {};
  s.kind = kind;
  s.view = view;
  s.count = static_cast<std::uint32_t>(values.size());
  s.forgotten = false;
  std::copy(values.begin(), values.end(), s.values);
  s.state.store(Slot::waiting, std::memory_order_release);
  return posted_++;
}

OrderAnswer OrderQueue::answer(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  Slot& s = slots_[number % slots_.size()];
  require(number < posted_ && posted_ - number <= slots_.size());
  if (s.state.load(std::memory_order_acquire) != Slot::done) return {};
  OrderAnswer a{.done = true, .at = s.at, .values = {}};
  if (s.kind == OrderKind::read) a.values.assign(s.values, s.values + s.count);
  s.state.store(Slot::empty, std::memory_order_release);
  return a;
}

void OrderQueue::forget(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (posted_ - number <= slots_.size()) slots_[number % slots_.size()].forgotten = true;
}

}  // namespace vernier::executive::detail
