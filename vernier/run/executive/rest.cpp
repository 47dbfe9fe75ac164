#include <utility>

#include "vernier/run/executive/detail/cycle.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::executive {

bool Executive::moving() const noexcept { return cycle_->moving(); }

Duration Executive::longest_rest() const noexcept { return cycle_->longest_rest(); }

bool Executive::come_to_rest(std::span<Pacer* const> pacers) noexcept {
  detail::Cycle& cycle = *cycle_;
  cycle.begin_rest();
  // also what stood still until now: it may have last words
  const bool moves = cycle.moving();
  if (moves) {
    rest_began_ = now_;
    cycle.tell(RestPhase::coming_to_rest);
    if (!std::exchange(paced_, true))
      for (Pacer* p : pacers) p->start(now_);
  }
  // a pacer may have failed after an advance: then the next instant is waiting to be entered, and
  // advance() has nothing to do
  const Time limit = now_ + cycle.longest_rest();
  while (moves && now_ < limit && (cycle.moving() || !cycle.aligned())) {
    if (cycle.aligned()) carry_out_scheduled(true);
    cycle.advance(now_, limit);
    const Time next = cycle.next(limit);
    bool late = false;
    for (Pacer* p : pacers) late |= wait(*p, next) != Outcome::ok;
    cycle.statistics().late += late;
    enter(next);
  }
  const bool rests = !cycle.moving();
  cycle.tell(rests ? RestPhase::at_rest : RestPhase::still_moving);
  return rests;
}

void Executive::end_rest() noexcept {
  cycle_->end_rest();
  const auto began = std::exchange(rest_began_, std::nullopt);
  if (!order_journal_ || !began) return;
  // a repeated run, which is not frozen, comes to rest at the same time
  order_journal_->carried_out({*began, true, OrderKind::rest, 0, {}});
  order_journal_->carried_out({now_, true, OrderKind::move, 0, {}});
}

std::string Executive::motion() const {
  std::string all;
  cycle_->each_rester([&](std::uint32_t part, const ComesToRest& r, bool lost) {
    if (r.at_rest()) return;
    all += (all.empty() ? "" : ", ") + plan_.parts[part].name + ": " + r.motion() +
           (lost ? " when it failed" : "");
  });
  return all;
}

}  // namespace vernier::executive
