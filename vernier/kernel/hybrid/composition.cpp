#include "vernier/kernel/hybrid/detail/composition.hpp"

#include <algorithm>
#include <cstring>

namespace vernier::hybrid::detail {

namespace {

void gather(const std::vector<Gather>& gathers, std::span<const double> parts,
            std::span<const double> outside, double* to) noexcept {
  using enum Gather::Kind;
  for (const Gather& g : gathers) {
    double* b = to + g.to;
    if (g.outside && outside.empty()) {  // a direction that leaves the inputs alone
      const bool adds = g.kind == add_1 || g.kind == add_3 || g.kind == add || g.kind == add_scaled;
      if (!adds) std::fill_n(b, g.count, 0.0);
      continue;
    }
    const double* a = (g.outside ? outside.data() : parts.data()) + g.from;
    switch (g.kind) {
      case copy_1:
        b[0] = a[0];
        break;
      case copy_4:
        b[3] = a[3];
        [[fallthrough]];
      case copy_3:
        b[0] = a[0];
        b[1] = a[1];
        b[2] = a[2];
        break;
      case copy:
        std::memcpy(b, a, g.count * sizeof(double));
        break;
      case add_1:
        b[0] += a[0];
        break;
      case add_3:
        b[0] += a[0];
        b[1] += a[1];
        b[2] += a[2];
        break;
      case add:
        for (std::uint32_t i = 0; i < g.count; ++i) b[i] += a[i];
        break;
      case scale:
        for (std::uint32_t i = 0; i < g.count; ++i) b[i] = g.gain * a[i];
        break;
      case add_scaled:
        for (std::uint32_t i = 0; i < g.count; ++i) b[i] += g.gain * a[i];
        break;
    }
  }
}

template <class T>
std::span<T> piece(std::span<T> whole, std::size_t first, std::size_t count) noexcept {
  return whole.empty() ? whole : whole.subspan(first, count);
}

}  // namespace

Gather::Kind Gather::kind_of(std::size_t count, double gain, bool add) noexcept {
  if (gain != 1.0) return add ? Kind::add_scaled : Kind::scale;
  switch (count) {
    case 1:
      return add ? Kind::add_1 : Kind::copy_1;
    case 3:
      return add ? Kind::add_3 : Kind::copy_3;
    case 4:
      return add ? Kind::add : Kind::copy_4;
    default:
      return add ? Kind::add : Kind::copy;
  }
}

Composition::Memory Composition::divide(Scratch s) const noexcept {
  Memory m;
  m.u = s.subspan(0, m_);
  m.y = s.subspan(m_, p_);
  m.du = s.subspan(m_ + p_, m_);
  m.dy = s.subspan(2 * m_ + p_, p_);
  const std::size_t doubles = (most_labels_ + sizeof(double) - 1) / sizeof(double);
  m.labels = {reinterpret_cast<std::uint8_t*>(s.data() + 2 * (m_ + p_)), most_labels_};
  m.inner = s.subspan(2 * (m_ + p_) + doubles);
  return m;
}

inline Point Composition::at(const Point& p, const Place& part,
                             const Memory& memory) const noexcept {
  return {p.t,
          {p.x.data() + part.x, part.n},
          {p.mode.data() + part.automaton, part.automata},
          {memory.u.data() + part.u, part.m}};
}

void Composition::propagate(const Schedule& schedule, const Point& p,
                            const Memory& memory) const noexcept {
  if (schedule.clear) {
    std::fill(memory.u.begin(), memory.u.end(), 0.0);
    std::fill(memory.y.begin(), memory.y.end(), 0.0);
  }
  for (const Schedule::Call& call : schedule.calls) {
    const Place& part = parts_[call.part];
    if (call.gather) {
      double* u = memory.u.data() + part.u;
      for (const auto& [index, value] : part.fixed) u[index] = value;
      gather(part.gathers, memory.y, p.u, u);
    }
    if (call.output) {
      part.system->output(at(p, part, memory), memory.y.subspan(part.y, part.p), memory.inner);
    }
  }
}

// By the chain rule, along the same order of calls; the values must have been propagated before.
void Composition::propagate_tangent(const Schedule& schedule, const Point& p, const Direction& d,
                                    const Memory& memory) const noexcept {
  std::fill(memory.du.begin(), memory.du.end(), 0.0);
  if (schedule.clear) std::fill(memory.dy.begin(), memory.dy.end(), 0.0);
  for (const Schedule::Call& call : schedule.calls) {
    const Place& part = parts_[call.part];
    const std::span<double> du = memory.du.subspan(part.u, part.m);
    // elements that keep a value have no rate, and nothing is ever gathered into them
    if (call.gather) gather(part.gathers, memory.dy, d.u, du.data());
    if (call.output) {
      part.system->tangent(at(p, part, memory), {d.t, piece(d.x, part.x, part.n), du},
                           {.xdot = {}, .y = memory.dy.subspan(part.y, part.p), .z = {}},
                           memory.inner);
    }
  }
}

void Composition::flow(const Point& p, std::span<double> xdot, Scratch s) const noexcept {
  const Memory memory = divide(s);
  propagate(for_flow_, p, memory);
  for (const Place& part : parts_) {
    if (part.n == 0) continue;
    part.system->flow(at(p, part, memory), xdot.subspan(part.x, part.n), memory.inner);
  }
}

void Composition::output(const Point& p, std::span<double> y, Scratch s) const noexcept {
  const Memory memory = divide(s);
  propagate(for_output_, p, memory);
  std::copy(memory.y.begin(), memory.y.end(), y.begin());
  std::fill(y.begin() + static_cast<std::ptrdiff_t>(p_), y.end(), 0.0);
  gather(exports_, memory.y, p.u, y.data() + p_);
}

void Composition::guards(const Point& p, std::span<double> z, Scratch s) const noexcept {
  const Memory memory = divide(s);
  propagate(for_guards_, p, memory);
  for (const Place& part : parts_) {
    if (part.guards == 0) continue;
    part.system->guards(at(p, part, memory), z.subspan(part.z, part.guards), memory.inner);
  }
}

bool Composition::select(const Point& p, std::span<const std::uint8_t> present,
                         std::span<int> chosen, Scratch s) const noexcept {
  const Memory memory = divide(s);
  propagate(for_guards_, p, memory);
  bool any = false;
  for (const Place& part : parts_) {
    if (part.automata == 0) continue;
    const std::span<std::uint8_t> local = memory.labels.first(part.labels.size());
    for (std::size_t i = 0; i < local.size(); ++i) local[i] = present[part.labels[i]];
    for (const Place::Heard& h : part.heard) local[h.event] |= present[h.label];
    any |= part.system->select(at(p, part, memory), local,
                               chosen.subspan(part.automaton, part.automata), memory.inner);
  }
  return any;
}

void Composition::jump(const Point& p, std::span<const int> chosen, Jump& jump,
                       Scratch s) const noexcept {
  const Memory memory = divide(s);
  propagate(for_jump_, p, memory);
  for (const Place& part : parts_) {
    const std::span<const int> own = chosen.subspan(part.automaton, part.automata);
    if (std::all_of(own.begin(), own.end(), [](int c) { return c < 0; })) continue;
    const std::span<std::uint8_t> local = memory.labels.first(part.labels.size());
    std::fill(local.begin(), local.end(), std::uint8_t{0});
    Jump piecewise{jump.x.subspan(part.x, part.n), jump.mode.subspan(part.automaton, part.automata),
                   local};
    part.system->jump(at(p, part, memory), own, piecewise, memory.inner);
    for (std::size_t i = 0; i < local.size(); ++i) {
      if (local[i] != 0) jump.emitted[part.labels[i]] = 1;
    }
  }
}

void Composition::witness(const Point& p, int automaton, int transition, std::span<double, 2> sides,
                          Scratch s) const noexcept {
  const Memory memory = divide(s);
  propagate(for_guards_, p, memory);
  for (const Place& part : parts_) {
    const std::size_t local = static_cast<std::size_t>(automaton) - part.automaton;
    if (local >= part.automata) continue;
    part.system->witness(at(p, part, memory), static_cast<int>(local), transition, sides,
                         memory.inner);
  }
}

bool Composition::explain(const Point& p, Complaint& complaint, Scratch s) const noexcept {
  const Memory memory = divide(s);
  propagate(for_flow_, p, memory);
  return std::any_of(parts_.begin(), parts_.end(), [&](const Place& part) {
    return part.system->explain(at(p, part, memory), complaint, memory.inner);
  });
}

void Composition::tangent(const Point& p, const Direction& d, const Tangent& wanted,
                          Scratch s) const noexcept {
  const Memory memory = divide(s);
  const int kinds = int(!wanted.xdot.empty()) + int(!wanted.y.empty()) + int(!wanted.z.empty());
  const Schedule& schedule = kinds != 1             ? for_everything_
                             : !wanted.z.empty()    ? for_guards_
                             : !wanted.xdot.empty() ? for_flow_
                                                    : for_output_;
  propagate(schedule, p, memory);
  propagate_tangent(schedule, p, d, memory);
  for (const Place& part : parts_) {
    const Tangent own{.xdot = piece(wanted.xdot, part.x, part.n),
                      .y = {},
                      .z = piece(wanted.z, part.z, part.guards)};
    if (own.xdot.empty() && own.z.empty()) continue;
    part.system->tangent(at(p, part, memory),
                         {d.t, piece(d.x, part.x, part.n), memory.du.subspan(part.u, part.m)}, own,
                         memory.inner);
  }
  if (wanted.y.empty()) return;
  std::copy(memory.dy.begin(), memory.dy.end(), wanted.y.begin());
  std::fill(wanted.y.begin() + static_cast<std::ptrdiff_t>(p_), wanted.y.end(), 0.0);
  gather(exports_, memory.dy, d.u, wanted.y.data() + p_);
}

}  // namespace vernier::hybrid::detail
