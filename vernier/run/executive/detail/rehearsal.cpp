#include <algorithm>
#include <utility>

#include "vernier/component/pacer.hpp"
#include "vernier/run/executive/detail/cycle.hpp"

namespace vernier::executive::detail {

namespace {

/// Replaces a component that is skipped.
class Idle final : public Component {
 public:
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

/// Whether everything it does in a tick can be undone: nothing is sent to a file, a link or a
/// device, and no other thread sees its state.
bool can_be_taken_back(const Component& c) {
  const Abilities& can = c.description().abilities;
  return can.rewinds && !can.faces_world && !dynamic_cast<const PacerSource*>(&c) &&
         !dynamic_cast<const ThreadOwner*>(&c);
}

}  // namespace

void Cycle::rehearse(Time now, Time until, int ticks) {
  if (switchboard_) return;  // the other nodes would have to rehearse the same ticks
  Idle idle;
  std::vector<Stopper> kept;
  const auto calls = calls_;
  const auto movers = movers_, reactors = reactors_;
  std::vector<std::uint8_t> known(changed_.size());  // a part may be called more than once
  for (Call& c : calls_) {
    if (!can_be_taken_back(*c.component))
      c.component = &idle;
    else if (!std::exchange(known[c.part], 1))
      kept.push_back(
          stopper({c.component, c.group, c.part, cluster_of_[c.part]}, c.component->description()));
  }
  for (std::vector<Mover>* list : {&movers_, &reactors_})
    for (Mover& m : *list)
      if (!can_be_taken_back(*m.component)) m.component = &idle;
  const Clockwork clockwork = clockwork_;
  const auto clusters = clusters_;
  const auto due = due_;
  const std::size_t due_parts = due_parts_;
  const auto moves = moves_;
  const Statistics statistics = statistics_;
  const auto more_moves = more_moves_;
  const bool measuring = measuring_;
  const Memory::Values values = memory_.values();
  std::vector<Journal> journals;
  for (const Stopper& s : kept) journals.push_back(memory_.journal(s.mover.part));
  for (Stopper& s : kept) keep(s);

  // a tick as in settle() and advance(), without the externally visible parts: streams, observers,
  // journals, delays
  measuring_ = false;
  for (int k = 0; k < ticks && now < until; ++k) {
    from_ = now;
    for (std::size_t i = 0; i < clusters_.size(); ++i)
      if (due_[i]) clusters_[i].limit = clusters_[i].wanted = next_instant(i, now, until);
    move_all();
    if (!collect()) break;  // the run itself will report it
    leave(now);
    now = until;
    for (const Cluster& c : clusters_) now = std::min(now, c.next);
    enter(now);
    outputs(now);
    carry_late();
    bool any = false;
    reactions(now, 0, any);
    if (!collect()) break;
  }

  for (std::size_t i = 0; i < kept.size(); ++i) {
    step_back(kept[i]);
    memory_.journal(kept[i].mover.part) = journals[i];  // including the count of lost entries
  }
  memory_.set(values);
  clockwork_ = clockwork;
  clusters_ = clusters;
  due_ = due;
  due_parts_ = due_parts;
  moves_ = moves;
  statistics_ = statistics;
  more_moves_ = more_moves;
  calls_ = calls;
  movers_ = movers;
  reactors_ = reactors;
  measuring_ = measuring;
  breakdown_ = {};  // there was none
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
}

}  // namespace vernier::executive::detail
