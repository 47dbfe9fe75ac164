#include "vernier/kernel/hybrid/detail/composition.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace vernier::hybrid::detail {

namespace {

// Times are compared by their bits: -0 differs from 0.
bool same_bits(const double* a, const double* b, std::size_t count) noexcept {
  return std::equal(a, a + count, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

// One product with rows of the connection matrix M, by runs of contiguous elements.
void gather(const std::vector<Gather>& gathers, std::span<const double> parts,
            std::span<const double> outside, double* to) noexcept {
  using enum Gather::Kind;
  for (const Gather& g : gathers) {
    double* b = to + g.to;
    if (g.outside && outside.empty()) {  // a direction in which the inputs do not move
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
// For elements in lanes.
template <class T>
T* piece(T* whole, std::size_t first) noexcept {
  return whole == nullptr ? whole : whole + first * lanes;
}

CompositionWorkspace& own(Workspace& w) noexcept { return static_cast<CompositionWorkspace&>(w); }

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

std::unique_ptr<Workspace> Composition::make_workspace(bool for_lanes) const {
  auto w = std::make_unique<CompositionWorkspace>(spec_);
  w->u.resize(m_);
  w->y.resize(p_);
  w->du.resize(m_);
  w->dy.resize(p_);
  w->lane_u.resize(m_ * lanes * most_blocks);
  w->lane_y.resize(p_ * lanes * most_blocks);
  w->lane_t.resize(lanes * most_blocks);
  w->lane_du.resize(m_ * lanes);
  w->lane_dy.resize(p_ * lanes);
  w->lane_outside.resize(size(spec_.inputs) * lanes * most_blocks);
  w->labels.resize(most_labels_);
  for (const Place& part : parts_) {
    w->parts.push_back(for_lanes ? part.system->lane_workspace() : part.system->workspace());
    for (const auto& [index, value] : part.fixed) {
      w->u[part.u + index] = value;
      for (std::size_t b = 0; b < most_blocks; ++b)
        std::fill_n(&w->lane_u[(b * m_ + part.u + index) * lanes], lanes, value);
    }
  }
  // Inputs that equal one output are read where the producer wrote it, without a copy.
  for (std::size_t b = 0; b < most_blocks; ++b)
    for (const Place& part : parts_)
      for (std::size_t i = 0; i < part.m; ++i)
        w->inputs.push_back(part.source[i] == Place::computed
                                ? w->lane_u.data() + (b * m_ + part.u + i) * lanes
                                : w->lane_y.data() + (b * p_ + part.source[i]) * lanes);
  return w;
}

// The smallest schedule that provides the inputs for what is requested.
const Schedule& Composition::needed(bool xdot, bool y, bool z) const noexcept {
  if (int(xdot) + int(y) + int(z) != 1) return for_everything_;
  return z ? for_guards_ : xdot ? for_flow_ : for_output_;
}

inline Point Composition::at(const Point& p, const Place& part, const CompositionWorkspace& w,
                             OutputSet outputs) const noexcept {
  return {p.t,
          {p.x.data() + part.x, part.n},
          {p.mode.data() + part.automaton, part.automata},
          {w.u.data() + part.u, part.m},
          {p.p.data() + part.parameter, part.parameters},
          outputs};
}

inline Points Composition::at(const Points& p, const Place& part, const CompositionWorkspace& w,
                              OutputSet outputs, std::size_t results) const noexcept {
  return {p.t,
          piece(p.x, part.x),
          p.mode.subspan(part.automaton, part.automata),
          nullptr,
          piece(p.p, part.parameter),
          outputs,
          w.inputs.data() + part.u,
          {p.blocks.count, p.blocks.t, p.blocks.x, m_, p.blocks.p, results}};
}

inline void Composition::call(const Schedule::Call& c, const Point& p,
                              CompositionWorkspace& w) const noexcept {
  const Place& part = parts_[c.part];
  gather(c.gathers, w.y, p.u, w.u.data());
  if (c.outputs == 0) return;
  part.system->output(at(p, part, w, c.outputs), {w.y.data() + part.y, part.p}, *w.parts[c.part]);
}

inline void Composition::call(const Schedule::Call& c, const Points& p,
                              CompositionWorkspace& w) const noexcept {
  const Place& part = parts_[c.part];
  for (std::size_t b = 0; !c.lane_gathers.empty() && b < p.blocks.count; ++b)
    w.gather(c.lane_gathers, w.lane_y.data() + b * p_ * lanes, p.u + b * p.blocks.u * lanes,
             w.lane_u.data() + b * m_ * lanes);
  if (c.outputs == 0) return;
  part.system->output_lanes(at(p, part, w, c.outputs, p_), w.lane_y.data() + part.y * lanes,
                            *w.parts[c.part]);
}

// Evaluates outputs in dependency order: each call gathers the inputs of a part and computes the
// outputs that later calls need (docs/mathematics/hybrid.md, section 3).
void Composition::propagate(const Schedule& schedule, const Point& p,
                            CompositionWorkspace& w) const noexcept {
  if (!schedule.timed.empty() && (w.timed != &schedule || !same_bits(&w.t, &p.t, 1))) {
    for (const Schedule::Call& c : schedule.timed) call(c, p, w);
    w.timed = &schedule;
    w.t = p.t;
  }
  for (const Schedule::Call& c : schedule.calls) call(c, p, w);
}

void Composition::propagate(const Schedule& schedule, const Points& p,
                            CompositionWorkspace& w) const noexcept {
  if (p.u_at != nullptr) {
    // Inside another composition, the inputs must be contiguous.
    Points joined = p;
    joined.u_at = nullptr;
    joined.u = w.lane_outside.data();
    joined.blocks.u = size(spec_.inputs);
    const std::size_t numbers = joined.blocks.u * lanes;
    for (std::size_t b = 0; b < p.blocks.count; ++b)
      together(p.some_blocks(b), std::span(w.lane_outside).subspan(b * numbers, numbers));
    return propagate(schedule, joined, w);
  }
  if (!schedule.timed.empty()) {
    bool known = w.lane_timed == &schedule && p.blocks.count <= w.lane_blocks;
    for (std::size_t b = 0; b < p.blocks.count; ++b) {
      double* const t = &w.lane_t[b * lanes];
      const double* const now = p.t + b * p.blocks.t * lanes;
      if (known && same_bits(t, now, lanes)) continue;
      known = false;
      std::copy_n(now, lanes, t);
    }
    if (!known) {
      for (const Schedule::Call& c : schedule.timed) call(c, p, w);
      w.lane_timed = &schedule;
      w.lane_blocks = p.blocks.count;
    }
  }
  for (const Schedule::Call& c : schedule.calls) call(c, p, w);
}

// Applies the chain rule in the same order of calls; the values must have been propagated before.
void Composition::propagate_tangent(const Schedule& schedule, const Point& p, const Direction& d,
                                    bool approximate, CompositionWorkspace& w) const noexcept {
  for (const auto* calls : {&schedule.timed, &schedule.calls})
    for (const Schedule::Call& c : *calls) {
      const Place& part = parts_[c.part];
      // Unconnected elements have no rate, and nothing is ever gathered into them.
      gather(c.gathers, w.dy, d.u, w.du.data());
      if (c.outputs == 0) continue;
      part.system->tangent(at(p, part, w, c.outputs),
                           {d.t,
                            piece(d.x, part.x, part.n),
                            {w.du.data() + part.u, part.m},
                            piece(d.p, part.parameter, part.parameters)},
                           {{}, {w.dy.data() + part.y, part.p}, {}, approximate}, *w.parts[c.part]);
    }
}

// The chain rule in lanes: rates of inputs and outputs follow the order of the values, then the
// parts' own rates are requested with them.
template <class At, class Call>
void Composition::chain(const At& p, const Directions& d, const Tangents& wanted,
                        CompositionWorkspace& w, const Call& of_part) const noexcept {
  const Schedule& schedule =
      needed(wanted.xdot != nullptr, wanted.y != nullptr, wanted.z != nullptr);
  propagate(schedule, p, w);
  const auto along = [&](const Place& part) {
    return Directions{d.t, piece(d.x, part.x), piece(w.lane_du.data(), part.u),
                      piece(d.p, part.parameter)};
  };
  for (const auto* calls : {&schedule.timed, &schedule.calls})
    for (const Schedule::Call& c : *calls) {
      const Place& part = parts_[c.part];
      w.gather(c.gathers, w.lane_dy.data(), d.u, w.lane_du.data());
      if (c.outputs == 0) continue;
      of_part(at(p, part, w, c.outputs), part, along(part),
              Tangents{nullptr, w.lane_dy.data() + part.y * lanes, nullptr, wanted.approximate},
              *w.parts[c.part]);
    }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    const Tangents own{part.n > 0 ? piece(wanted.xdot, part.x) : nullptr, nullptr,
                       part.guards > 0 ? piece(wanted.z, part.z) : nullptr, wanted.approximate};
    if (own.xdot == nullptr && own.z == nullptr) continue;
    of_part(at(p, part, w), part, along(part), own, *w.parts[k]);
  }
  if (wanted.y == nullptr) return;
  w.moves.copy(w.lane_dy.data(), p_, wanted.y);
  double* const exported = wanted.y + p_ * lanes;
  std::fill(exported, wanted.y + size(spec_.outputs) * lanes, 0.0);
  w.gather(exports_, w.lane_dy.data(), d.u, exported);
}

void Composition::flow(const Point& p, std::span<double> xdot, Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_flow_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    if (part.n == 0) continue;
    part.system->flow(at(p, part, w), xdot.subspan(part.x, part.n), *w.parts[k]);
  }
}

void Composition::flow_lanes(const Points& p, double* xdot, Workspace& memory) const noexcept {
  if (p.blocks.count > most_blocks) {
    for (std::size_t first = 0; first < p.blocks.count; first += most_blocks)
      flow_lanes(p.some_blocks(first, std::min(most_blocks, p.blocks.count - first)),
                 xdot + first * p.blocks.result * lanes, memory);
    return;
  }
  CompositionWorkspace& w = own(memory);
  propagate(for_flow_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    if (part.n == 0) continue;
    part.system->flow_lanes(at(p, part, w, all_outputs, p.blocks.result), xdot + part.x * lanes,
                            *w.parts[k]);
  }
}

void Composition::output(const Point& p, std::span<double> y, Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_output_, p, w);
  std::copy(w.y.begin(), w.y.end(), y.begin());
  std::fill(y.begin() + static_cast<std::ptrdiff_t>(p_), y.end(), 0.0);
  gather(exports_, w.y, p.u, y.data() + p_);
}

void Composition::output_lanes(const Points& all, double* y, Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  each_block(all, y, [&](const Points& p, double* to) {
    propagate(for_output_, p, w);
    w.moves.copy(w.lane_y.data(), p_, to);
    double* const exported = to + p_ * lanes;
    std::fill(exported, to + size(spec_.outputs) * lanes, 0.0);
    w.gather(exports_, w.lane_y.data(), p.u_at != nullptr ? w.lane_outside.data() : p.u, exported);
  });
}

void Composition::guards(const Point& p, std::span<double> z, Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_guards_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    if (part.guards == 0) continue;
    part.system->guards(at(p, part, w), z.subspan(part.z, part.guards), *w.parts[k]);
  }
}

void Composition::guards_lanes(const Points& p, double* z, Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_guards_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    if (part.guards == 0) continue;
    part.system->guards_lanes(at(p, part, w), z + part.z * lanes, *w.parts[k]);
  }
}

std::span<const std::uint8_t> Composition::labels_of(const Place& part,
                                                     std::span<const std::uint8_t> present,
                                                     CompositionWorkspace& w) noexcept {
  const std::span<std::uint8_t> local = std::span(w.labels).first(part.labels.size());
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = present[part.labels[i]];
  // A part hears further labels as its own event.
  for (const Place::Heard& h : part.heard) local[h.event] |= present[h.label];
  return local;
}

bool Composition::select(const Point& p, std::span<const std::uint8_t> present,
                         std::span<int> chosen, Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_guards_, p, w);
  bool any = false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    if (part.automata == 0) continue;
    any |= part.system->select(at(p, part, w), labels_of(part, present, w),
                               chosen.subspan(part.automaton, part.automata), *w.parts[k]);
  }
  return any;
}

bool Composition::undecided(const Point& p, std::span<const std::uint8_t> present,
                            Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_guards_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    if (part.automata == 0) continue;
    if (part.system->undecided(at(p, part, w), labels_of(part, present, w), *w.parts[k]))
      return true;
  }
  return false;
}

void Composition::jump(const Point& p, std::span<const int> chosen, Jump& jump,
                       Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_jump_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    const std::span<const int> mine = chosen.subspan(part.automaton, part.automata);
    if (std::all_of(mine.begin(), mine.end(), [](int c) { return c < 0; })) continue;
    const std::span<std::uint8_t> local = std::span(w.labels).first(part.labels.size());
    std::fill(local.begin(), local.end(), std::uint8_t{0});
    Jump piecewise{jump.x.subspan(part.x, part.n), jump.mode.subspan(part.automaton, part.automata),
                   local};
    part.system->jump(at(p, part, w), mine, piecewise, *w.parts[k]);
    for (std::size_t i = 0; i < local.size(); ++i) {
      if (local[i] != 0) jump.emitted[part.labels[i]] = 1;
    }
  }
}

void Composition::witness(const Point& p, int automaton, int transition, std::span<double, 2> sides,
                          Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_guards_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    const std::size_t local = static_cast<std::size_t>(automaton) - part.automaton;
    if (local >= part.automata) continue;
    part.system->witness(at(p, part, w), static_cast<int>(local), transition, sides, *w.parts[k]);
  }
}

bool Composition::explain(const Point& p, Fault& fault, Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_everything_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (parts_[k].system->explain(at(p, parts_[k], w), fault, *w.parts[k])) return true;
  return false;
}

bool Composition::explain_jump(const Point& p, std::span<const int> chosen, Fault& fault,
                               Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  propagate(for_jump_, p, w);
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (parts_[k].system->explain_jump(at(p, parts_[k], w),
                                       chosen.subspan(parts_[k].automaton, parts_[k].automata),
                                       fault, *w.parts[k]))
      return true;
  return false;
}

void Composition::tangent(const Point& p, const Direction& d, const Tangent& wanted,
                          Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  const Schedule& schedule = needed(!wanted.xdot.empty(), !wanted.y.empty(), !wanted.z.empty());
  propagate(schedule, p, w);
  propagate_tangent(schedule, p, d, wanted.approximate, w);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Place& part = parts_[k];
    const Tangent own{.xdot = piece(wanted.xdot, part.x, part.n),
                      .y = {},
                      .z = piece(wanted.z, part.z, part.guards),
                      .approximate = wanted.approximate};
    if (own.xdot.empty() && own.z.empty()) continue;
    part.system->tangent(at(p, part, w),
                         {d.t,
                          piece(d.x, part.x, part.n),
                          {w.du.data() + part.u, part.m},
                          piece(d.p, part.parameter, part.parameters)},
                         own, *w.parts[k]);
  }
  if (wanted.y.empty()) return;
  std::copy(w.dy.begin(), w.dy.end(), wanted.y.begin());
  std::fill(wanted.y.begin() + static_cast<std::ptrdiff_t>(p_), wanted.y.end(), 0.0);
  gather(exports_, w.dy, d.u, wanted.y.data() + p_);
}

void Composition::tangents(const Point& p, const Directions& d, const Tangents& wanted,
                           Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  chain(p, d, wanted, w,
        [](const Point& here, const Place& part, const Directions& along, const Tangents& own,
           Workspace& inner) { part.system->tangents(here, along, own, inner); });
}

void Composition::tangent_lanes(const Points& p, const Directions& d, const Tangents& wanted,
                                Workspace& memory) const noexcept {
  CompositionWorkspace& w = own(memory);
  chain(p, d, wanted, w,
        [](const Points& here, const Place& part, const Directions& along, const Tangents& own,
           Workspace& inner) { part.system->tangent_lanes(here, along, own, inner); });
}

namespace {

/// Sets of columns, one for each row of a vector.
class Columns {
 public:
  Columns(std::size_t rows, std::size_t columns)
      : words_((columns + 63) / 64), bits_(rows * words_, 0) {}
  void set(std::size_t row, std::size_t column) noexcept {
    bits_[row * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  bool has(std::size_t row, std::size_t column) const noexcept {
    return (bits_[row * words_ + column / 64] >> (column % 64) & 1) != 0;
  }
  /// Adds a row of another set; true if it changed this one.
  bool add(std::size_t row, const Columns& other, std::size_t from) noexcept {
    bool more = false;
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t before = bits_[row * words_ + i];
      bits_[row * words_ + i] |= other.bits_[from * words_ + i];
      more |= bits_[row * words_ + i] != before;
    }
    return more;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

// The sparsity of the Jacobian: the patterns of the parts, propagated through the connections until
// nothing changes. Rows are sets of columns, 64 in a word.
Pattern Composition::pattern() const {
  const std::size_t n = size(spec_.states), m = size(spec_.inputs), q = size(spec_.parameters);
  const std::size_t p = size(spec_.outputs), columns = n + m + q;
  Columns base(columns, columns), u(m_, columns), y(p_, columns);
  Columns all(n + p + spec_.guards, columns);
  for (std::size_t c = 0; c < columns; ++c) base.set(c, c);
  std::vector<Pattern> of_parts;
  for (const Place& part : parts_) of_parts.push_back(part.system->pattern());
  // Propagates the sparsity pattern along connections and through parts.
  const auto travel = [&](std::size_t k, bool outputs) {
    const Place& part = parts_[k];
    const Pattern& own = of_parts[k];
    bool more = false;
    for (std::size_t c = 0; c < own.columns(); ++c) {
      const bool state = c < part.n, input = !state && c < part.n + part.m;
      const Columns& from = input ? u : base;
      const std::size_t row = state   ? part.x + c
                              : input ? part.u + (c - part.n)
                                      : n + m + part.parameter + (c - part.n - part.m);
      for (std::size_t i = own.start[c]; i < own.start[c + 1]; ++i) {
        const std::size_t r = own.row[i];
        const bool is_output = r >= part.n && r < part.n + part.p;
        if (is_output != outputs) continue;
        if (outputs)
          more |= y.add(part.y + (r - part.n), from, row);
        else if (r < part.n)
          all.add(part.x + r, from, row);
        else
          all.add(n + p + part.z + (r - part.n - part.p), from, row);
      }
    }
    return more;
  };
  const auto gathered = [&](const std::vector<Gather>& gathers, std::size_t first, Columns& to) {
    bool more = false;
    for (const Gather& g : gathers)
      for (std::size_t i = 0; i < g.count; ++i)
        more |= to.add(first + g.to + i, g.outside ? base : y, g.from + i + (g.outside ? n : 0));
    return more;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      more |= gathered(parts_[k].gathers, 0, u);
      more |= travel(k, true);
    }
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) travel(k, false);
  for (std::size_t r = 0; r < p_; ++r) all.add(n + r, y, r);
  gathered(exports_, n + p_, all);
  Pattern result;
  result.rows = n + p + spec_.guards;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < result.rows; ++r)
      if (all.has(r, c)) result.row.push_back(static_cast<std::uint32_t>(r));
    result.start.push_back(result.row.size());
  }
  return result;
}

}  // namespace vernier::hybrid::detail
