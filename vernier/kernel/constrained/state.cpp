#include "vernier/kernel/constrained/state.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vernier/base/require.hpp"

namespace vernier::constrained {

State::State(const Level& zero, std::vector<double> initial, std::size_t drive_count,
             std::size_t memory_count)
    : history(zero),
      auxiliary(zero),
      memory(memory_count, 0.0),
      inputs(std::move(initial)),
      held_reactions(zero.algebraic.size(), 0.0),
      drives(drive_count) {}

void State::restart() noexcept {
  past = 0;
  rates_valid = false;
}

namespace {

struct Counter {
  std::size_t bytes = 0;
  template <class T>
  void operator()(const T*, std::size_t count) noexcept {
    bytes += count * sizeof(T);
  }
};
struct Writer {
  std::byte* to;
  template <class T>
  void operator()(const T* from, std::size_t count) noexcept {
    if (count > 0) std::memcpy(to, from, count * sizeof(T));
    to += count * sizeof(T);
  }
};
struct Reader {
  const std::byte* from;
  template <class T>
  void operator()(T* to, std::size_t count) noexcept {
    if (count > 0) std::memcpy(to, from, count * sizeof(T));
    from += count * sizeof(T);
  }
};

template <class L, class Visit>
void visit_level(L& l, Visit& visit) noexcept {
  visit(&l.time, 1);
  visit(&l.step, 1);
  visit(l.nodes.data(), l.nodes.size());
  for (auto* list : {&l.momenta, &l.momentum_rates, &l.values, &l.rates, &l.algebraic}) {
    visit(list->data(), list->size());
  }
}

/// Visits all fields in the order of the saved image.
template <class S, class Visit>
void visit_state(S& s, Visit& visit) noexcept {
  for (int i = 0; i < History::length; ++i) visit_level(s.history[i], visit);
  visit_level(s.auxiliary, visit);
  visit(s.memory.data(), s.memory.size());
  visit(s.inputs.data(), s.inputs.size());
  visit(s.held_reactions.data(), s.held_reactions.size());
  visit(s.drives.data(), s.drives.size());
  visit(&s.past, 1);
  visit(&s.rates_valid, 1);
  visit(&s.references.force, 1);
  visit(&s.references.moment, 1);
  visit(&s.references.other, 1);
  visit(&s.steps, 1);
  visit(&s.substep, 1);
  visit(&s.c, 1);
}

}  // namespace

std::size_t State::bytes() const noexcept {
  Counter count;
  visit_state(*this, count);
  return count.bytes;
}

void State::save(std::span<std::byte> to) const noexcept {
  require(to.size() == bytes());
  Writer write{to.data()};
  visit_state(*this, write);
}

void State::load(std::span<const std::byte> from) noexcept {
  require(from.size() == bytes());
  Reader read{from.data()};
  visit_state(*this, read);
  // An image may come from a file, so it is not trusted.
  past = std::clamp(past, 0, History::length - 1);
  unsigned char valid = 0;
  std::memcpy(&valid, &rates_valid, sizeof valid);
  rates_valid = valid != 0;
}

}  // namespace vernier::constrained
