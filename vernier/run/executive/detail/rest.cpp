// However a run ends, what moves comes to rest first; parts that fail are left out meanwhile.
#include <algorithm>

#include "vernier/run/executive/detail/cycle.hpp"

namespace vernier::executive::detail {
namespace {

/// In place of a part that failed. It writes nothing, so its outputs keep their last values.
class Absent final : public Component {
 public:
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  Outcome sample(Time) noexcept override { return Outcome::ok; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

}  // namespace

void Cycle::find_resters(const composition::Plan& plan) {
  for (std::uint32_t i = 0; i < plan.parts.size(); ++i) {
    Component* c = plan.parts[i].component.get();
    components_.push_back(c);
    if (!here(i)) continue;
    if (auto* r = dynamic_cast<ComesToRest*>(c)) resters_.push_back({r, i});
    if (auto* l = dynamic_cast<RestListener*>(c)) listeners_.push_back(l);
  }
  if (!resters_.empty()) absent_ = std::make_unique<Absent>();
}

bool Cycle::moving() const noexcept {
  return std::any_of(resters_.begin(), resters_.end(),
                     [](const Rester& r) { return !r.lost && !r.component->at_rest(); });
}

Duration Cycle::longest_rest() const noexcept {
  Duration all{};
  for (const Rester& r : resters_) all += r.component->longest_rest();
  return all;
}

void Cycle::begin_rest() noexcept {
  if (resters_.empty()) return;
  surviving_ = true;
  const Duration all = longest_rest();
  for (const Rester& r : resters_)
    if (!r.lost) r.component->begin_rest(all - r.component->longest_rest());
}

void Cycle::end_rest() noexcept {
  surviving_ = false;
  for (const Rester& r : resters_) r.component->end_rest();
  tell(RestPhase::running);
}

void Cycle::tell(RestPhase p) noexcept {
  for (RestListener* l : listeners_) l->rest(p);
}

bool Cycle::survives() noexcept {
  surviving_ = surviving_ || moving();
  return surviving_;
}

void Cycle::leave_out(std::uint32_t part) noexcept {
  put_in_place(part, absent_.get());
  for (Stopper& s : stoppers_)
    if (s.mover.part == part) s.reached = Time::max();  // it agrees with everything
  changed_[part] = 0;
  for (Rester& r : resters_) r.lost |= r.part == part;
}

void Cycle::put_in_place(std::uint32_t part, Component* c) noexcept {
  const auto put = [&](auto& all) {
    for (auto& x : all)
      if (x.part == part) x.component = c;
  };
  put(calls_);
  put(movers_);
  put(reactors_);
  for (Stopper& s : stoppers_)
    if (s.mover.part == part) s.mover.component = c;
}

void Cycle::reinstate() noexcept {
  surviving_ = false;
  for (Rester& r : resters_) r.lost = false;
  if (!absent_) return;
  for (std::uint32_t i = 0; i < components_.size(); ++i) put_in_place(i, components_[i]);
}

}  // namespace vernier::executive::detail
