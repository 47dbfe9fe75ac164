#include "vernier/kernel/hybrid/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::hybrid {

namespace {

// Mean square of the direction relative to the magnitude of the point, element by element.
double relative_square(std::span<const double> at, std::span<const double> along) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const double ratio = along[i] / (std::abs(at[i]) + 1e-3);
    sum += ratio * ratio;
  }
  return sum;
}

void displace(std::span<const double> at, std::span<const double> along, double h,
              std::span<double> result) noexcept {
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = at[i] + (along.empty() ? 0.0 : h * along[i]);
  }
}

std::span<const double> take(const double* from, std::size_t lane, std::vector<double>& to) {
  if (from == nullptr) return {};
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * lanes + lane];
  return to;
}

void put(std::span<const double> from, std::size_t lane, double* to) noexcept {
  for (std::size_t i = 0; i < from.size(); ++i) to[i * lanes + lane] = from[i];
}
void put(const Tangent& from, std::size_t lane, const Tangents& to) noexcept {
  put(from.xdot, lane, to.xdot);
  put(from.y, lane, to.y);
  put(from.z, lane, to.z);
}

}  // namespace

std::size_t size(std::span<const Signal> signals) noexcept {
  std::size_t elements = 0;
  for (const Signal& s : signals) elements += s.count;
  return elements;
}

std::vector<double> initial_values(std::span<const Signal> signals) {
  std::vector<double> values;
  for (const Signal& s : signals) {
    const std::size_t first = values.size();
    values.resize(first + s.count, 0.0);
    const std::size_t given = s.initial ? std::min<std::size_t>(s.count, s.initial->size()) : 0;
    for (std::size_t i = 0; i < given; ++i) values[first + i] = (*s.initial)[i];
  }
  return values;
}

Points Points::some_blocks(std::size_t first, std::size_t count) const noexcept {
  const auto from = [first](const double* v, std::size_t apart) {
    return v == nullptr ? v : v + first * apart * lanes;
  };
  Points some = *this;
  some.t = from(t, blocks.t);
  some.x = from(x, blocks.x);
  some.u = from(u, blocks.u);
  some.p = from(p, blocks.p);
  if (u_at != nullptr) some.u_at = u_at + first * blocks.u;
  some.blocks.count = count;
  return some;
}

const double* together(const Points& p, std::span<double> memory) noexcept {
  if (p.u_at == nullptr) return p.u;
  for (std::size_t i = 0; i < memory.size() / lanes; ++i)
    std::copy_n(p.u_at[i], lanes, &memory[i * lanes]);
  return memory.data();
}

Workspace::Workspace(const SystemSpec& s) : doubles_(s.work) {
  const std::size_t n = size(s.states), m = size(s.inputs), q = size(s.parameters);
  const std::size_t p = size(s.outputs);
  for (Place* place : {&lane_, &moves_, &near_}) {
    place->x.resize(n);
    place->u.resize(m);
    place->p.resize(q);
  }
  xdot_.resize(n);
  y_.resize(p);
  z_.resize(s.guards);
  before_.resize(std::max({n, p, s.guards}));
  directions_.resize((n + m + q) * lanes);
  tangents_.resize((n + p + s.guards) * lanes);
}

std::unique_ptr<Workspace> System::workspace() const { return std::make_unique<Workspace>(spec()); }

void System::guards(const Point&, std::span<double> z, Workspace&) const noexcept {
  std::fill(z.begin(), z.end(), 1.0);
}

bool System::select(const Point&, std::span<const std::uint8_t>, std::span<int> chosen,
                    Workspace&) const noexcept {
  std::fill(chosen.begin(), chosen.end(), -1);
  return false;
}

bool System::undecided(const Point&, std::span<const std::uint8_t>, Workspace&) const noexcept {
  return false;
}

void System::jump(const Point&, std::span<const int>, Jump&, Workspace&) const noexcept {}

void System::witness(const Point&, int, int, std::span<double, 2> sides,
                     Workspace&) const noexcept {
  sides[0] = sides[1] = std::numeric_limits<double>::quiet_NaN();
}

bool System::explain(const Point&, Fault&, Workspace&) const noexcept { return false; }

bool System::explain_jump(const Point&, std::span<const int>, Fault&, Workspace&) const noexcept {
  return false;
}

void System::tangent(const Point& p, const Direction& d, const Tangent& wanted,
                     Workspace& w) const noexcept {
  // Central differences: the truncation error grows with h^2, the rounding error with 1/h. They
  // balance at the cube root of the machine precision.
  const double t_ratio = d.t / (std::abs(p.t) + 1.0);
  const double length = std::sqrt(relative_square(p.x, d.x) + relative_square(p.u, d.u) +
                                  relative_square(p.p, d.p) + t_ratio * t_ratio);
  const double h =
      length > 0.0 ? elementary::cbrt(std::numeric_limits<double>::epsilon()) / length : 1.0;

  const auto at = [&](double step) {
    displace(p.x, d.x, step, w.near_.x);
    displace(p.u, d.u, step, w.near_.u);
    displace(p.p, d.p, step, w.near_.p);
    return Point{p.t + step * d.t, w.near_.x, p.mode, w.near_.u, w.near_.p, p.outputs};
  };
  const auto difference = [&](std::span<double> result, auto evaluate) {
    if (result.empty()) return;
    const std::span<double> low = std::span(w.before_).first(result.size());
    evaluate(at(-h), low);
    evaluate(at(h), result);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = (result[i] - low[i]) / (2.0 * h);
  };
  difference(wanted.xdot, [&](const Point& q, std::span<double> r) noexcept { flow(q, r, w); });
  difference(wanted.y, [&](const Point& q, std::span<double> r) noexcept { output(q, r, w); });
  difference(wanted.z, [&](const Point& q, std::span<double> r) noexcept { guards(q, r, w); });
}

Point System::lane_of(const Points& p, std::size_t l, Workspace& w) noexcept {
  for (std::size_t i = 0; i < w.lane_.u.size(); ++i) w.lane_.u[i] = p.input(i)[l];
  return {p.t[l], take(p.x, l, w.lane_.x), p.mode, w.lane_.u, take(p.p, l, w.lane_.p), p.outputs};
}

Direction System::lane_of(const Directions& d, std::size_t l, Workspace& w) noexcept {
  return {d.t != nullptr ? d.t[l] : 0.0, take(d.x, l, w.moves_.x), take(d.u, l, w.moves_.u),
          take(d.p, l, w.moves_.p)};
}

Tangent System::lane_of(const Tangents& wanted, Workspace& w) noexcept {
  Tangent one;
  if (wanted.xdot != nullptr) one.xdot = w.xdot_;
  if (wanted.y != nullptr) one.y = w.y_;
  if (wanted.z != nullptr) one.z = w.z_;
  one.approximate = wanted.approximate;
  return one;
}

void System::tangents(const Point& p, const Directions& d, const Tangents& wanted,
                      Workspace& w) const noexcept {
  const Tangent one = lane_of(wanted, w);
  for (std::size_t l = 0; l < lanes; ++l) {
    tangent(p, lane_of(d, l, w), one, w);
    put(one, l, wanted);
  }
}

void System::flow_lanes(const Points& p, double* xdot, Workspace& w) const noexcept {
  each_block(p, xdot, [&](const Points& block, double* to) {
    for (std::size_t l = 0; l < lanes; ++l) {
      flow(lane_of(block, l, w), w.xdot_, w);
      put(w.xdot_, l, to);
    }
  });
}

void System::output_lanes(const Points& p, double* y, Workspace& w) const noexcept {
  each_block(p, y, [&](const Points& block, double* to) {
    for (std::size_t l = 0; l < lanes; ++l) {
      output(lane_of(block, l, w), w.y_, w);
      put(w.y_, l, to);
    }
  });
}

void System::guards_lanes(const Points& p, double* z, Workspace& w) const noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    guards(lane_of(p, l, w), w.z_, w);
    put(w.z_, l, z);
  }
}

void System::tangent_lanes(const Points& p, const Directions& d, const Tangents& wanted,
                           Workspace& w) const noexcept {
  const Tangent one = lane_of(wanted, w);
  for (std::size_t l = 0; l < lanes; ++l) {
    tangent(lane_of(p, l, w), lane_of(d, l, w), one, w);
    put(one, l, wanted);
  }
}

Pattern System::pattern() const {
  const SystemSpec& s = spec();
  const std::size_t n = size(s.states), m = size(s.inputs), q = size(s.parameters);
  const std::size_t p = size(s.outputs);
  Pattern all;
  all.rows = n + p + s.guards;
  std::vector<std::size_t> output_of, input_of;  // signals, by element
  for (std::size_t k = 0; k < s.outputs.size(); ++k)
    output_of.insert(output_of.end(), s.outputs[k].count, k);
  for (std::size_t k = 0; k < s.inputs.size(); ++k)
    input_of.insert(input_of.end(), s.inputs[k].count, k);
  for (std::size_t c = 0; c < n + m + q; ++c) {
    for (std::size_t r = 0; r < all.rows; ++r) {
      if (c >= n && c < n + m && r >= n && r < n + p) {
        const Dependence d{output_of[r - n], input_of[c - n]};
        const bool direct = std::any_of(
            s.feedthrough.begin(), s.feedthrough.end(),
            [&](const Dependence& f) { return f.output == d.output && f.input == d.input; });
        if (!direct) continue;
      }
      all.row.push_back(static_cast<std::uint32_t>(r));
    }
    all.start.push_back(all.row.size());
  }
  return all;
}

void System::jacobian(const Point& point, const Pattern& pattern, std::span<double> values,
                      Workspace& w) const noexcept {
  const std::size_t n = w.lane_.x.size(), m = w.lane_.u.size(), q = w.lane_.p.size();
  const std::size_t p = w.y_.size();
  double* const along = w.directions_.data();
  double* const result = w.tangents_.data();
  const Directions directions{nullptr, along, along + n * lanes, along + (n + m) * lanes};
  std::fill(w.directions_.begin(), w.directions_.end(), 0.0);
  for (std::size_t c = 0; c < n + m + q; c += lanes) {
    const std::size_t end = std::min(c + lanes, n + m + q);
    bool xdot = false, y = false, z = false;
    for (std::size_t k = pattern.start[c]; k < pattern.start[end]; ++k) {
      xdot |= pattern.row[k] < n;
      y |= pattern.row[k] >= n && pattern.row[k] < n + p;
      z |= pattern.row[k] >= n + p;
    }
    if (!xdot && !y && !z) continue;
    // Of the directions in x, u and p, pass only those that move.
    const Directions some{nullptr, c < n ? directions.x : nullptr,
                          end > n && c < n + m ? directions.u : nullptr,
                          end > n + m ? directions.p : nullptr};
    const Tangents wanted{xdot ? result : nullptr, y ? result + n * lanes : nullptr,
                          z ? result + (n + p) * lanes : nullptr};
    for (std::size_t k = c; k < end; ++k) along[k * lanes + (k - c)] = 1.0;
    tangents(point, some, wanted, w);
    for (std::size_t k = c; k < end; ++k) along[k * lanes + (k - c)] = 0.0;
    for (std::size_t k = c; k < end; ++k)
      for (std::size_t i = pattern.start[k]; i < pattern.start[k + 1]; ++i)
        values[i] = result[pattern.row[i] * lanes + (k - c)];
  }
}

}  // namespace vernier::hybrid
