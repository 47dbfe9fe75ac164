#include "vernier/kernel/constrained/probe.hpp"

#include <algorithm>

#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

const NodeState at_rest{
    {0.0, 0.0, 0.0}, spatial::identity3<double>(), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

/// Pseudorandom numbers in [-1, 1], the same on every machine (splitmix64).
class Scatter {
 public:
  explicit Scatter(unsigned seed) : state_(0x9e3779b97f4a7c15ULL * (seed + 1ULL)) {}
  double operator()() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
  }
  Vector3 vector(double size) noexcept {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return Vector3{x, y, z} * size;
  }

 private:
  std::uint64_t state_;
};

/// Maps equal numbers to one index each.
std::vector<int> numbered(const std::vector<int>& names, std::vector<int>& distinct) {
  std::vector<int> places;
  for (int n : names) {
    const auto found = std::find(distinct.begin(), distinct.end(), n);
    places.push_back(static_cast<int>(found - distinct.begin()));
    if (found == distinct.end()) distinct.push_back(n);
  }
  return places;
}

Matrix3 turn_of(const NodeState& n, double c) noexcept {
  Matrix3 m = spatial::skew(n.omega);
  for (int i = 0; i < 9; ++i) m.a[i] = (i % 4 == 0 ? 1.0 : 0.0) - c * m.a[i];
  return m;
}

}  // namespace

Probe::Probe(const Shape& shape) : shape_(&shape) {
  // The ground has its own index, the last.
  std::vector<int> nodes, scalars, drives;
  for (int n : shape.nodes) {
    if (n != ground && std::find(nodes.begin(), nodes.end(), n) == nodes.end()) nodes.push_back(n);
  }
  nodes.push_back(ground);
  node_numbers_ = numbered(shape.nodes, nodes);
  scalar_numbers_ = numbered(shape.scalars, scalars);
  drive_numbers_ = numbered(shape.drives, drives);
  nodes_.assign(nodes.size(), at_rest);
  turns_.assign(nodes.size(), spatial::identity3<double>());
  scalars_.resize(scalars.size());
  scalar_rates_.resize(scalars.size());
  drives_.assign(drives.size(), {});
  const std::size_t own =
      static_cast<std::size_t>(shape.coordinates) + static_cast<std::size_t>(shape.differential);
  own_.resize(own);
  own_rates_.resize(own);
  algebraic_.resize(static_cast<std::size_t>(shape.algebraic));
  memory_.resize(static_cast<std::size_t>(shape.memory));
}

Probe::Probe(const Shape& shape, const Point& p) : Probe(shape) {
  time_ = p.time;
  c_ = p.c;
  for (std::size_t i = 0; i < node_numbers_.size(); ++i) {
    nodes_[node_numbers_[i]] = p.node(static_cast<int>(i));
    if (p.node_turns != nullptr) turns_[node_numbers_[i]] = p.turn(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < scalar_numbers_.size(); ++i) {
    scalars_[scalar_numbers_[i]] = p.scalar(static_cast<int>(i));
    scalar_rates_[scalar_numbers_[i]] = p.scalar_rate(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < drive_numbers_.size(); ++i) {
    drives_[drive_numbers_[i]] = p.drive(static_cast<int>(i));
  }
  const auto copy = [](const double* from, std::vector<double>& to) {
    if (from != nullptr) std::copy_n(from, to.size(), to.begin());
  };
  copy(p.own, own_);
  copy(p.own_rates, own_rates_);
  copy(p.own_algebraic, algebraic_);
  copy(p.memory, memory_);
}

void Probe::scatter(unsigned seed, const Surroundings& s) {
  Scatter random(seed);
  c_ = s.c;
  time_ = random();
  for (std::size_t i = 0; i < node_numbers_.size(); ++i) {
    if (shape_->nodes[i] == ground) continue;
    NodeState& n = nodes_[node_numbers_[i]];
    n = i < s.about.size() ? s.about[i] : at_rest;
    n.x += random.vector(s.shift);
    n.R = rotation(random.vector(s.turn)) * n.R;
    n.v += random.vector(s.motion);
    n.omega += random.vector(s.motion);
    turns_[node_numbers_[i]] = turn_of(n, c_);
  }
  const auto fill = [&](std::vector<double>& v) {
    for (double& x : v) x = random() * s.motion;
  };
  fill(scalars_);
  fill(scalar_rates_);
  fill(own_);
  fill(own_rates_);
  fill(algebraic_);
  for (DriveState& d : drives_) {
    d = {random() * s.turn, random() * s.motion, random() * s.motion};
  }
  std::fill(memory_.begin(), memory_.end(), 0.0);
}

bool Probe::grounded(int column) const noexcept {
  return column < shape_->scalar_row() && shape_->nodes[column / 6] == ground;
}

void Probe::perturb(int column, double by) {
  const Shape& s = *shape_;
  if (column < s.scalar_row()) {
    const int k = node_numbers_[column / 6];
    NodeState& n = nodes_[k];
    const Vector3 d = spatial::along_axis(column % 3, by);
    if (column % 6 < 3) {
      n.x += d * c_;
      n.v += d;
    } else {
      n.R = rotation(d * c_) * n.R;
      n.omega += turns_[k] * d;
    }
  } else if (column < s.own_row()) {
    const int k = scalar_numbers_[column - s.scalar_row()];
    scalars_[k] += c_ * by;
    scalar_rates_[k] += by;
  } else if (column < s.algebraic_row()) {
    own_[column - s.own_row()] += c_ * by;
    own_rates_[column - s.own_row()] += by;
  } else {
    algebraic_[column - s.algebraic_row()] += by;
  }
}

void Probe::move(double t, bool drives_only) {
  time_ += t;
  for (DriveState& d : drives_) {
    d.value += t * (d.rate + 0.5 * t * d.acceleration);
    d.rate += t * d.acceleration;
  }
  if (drives_only) return;
  for (NodeState& n : nodes_) {
    n.x += n.v * t;
    n.R = rotation(n.omega * t) * n.R;
  }
  for (std::size_t i = 0; i < own_.size(); ++i) own_[i] += t * own_rates_[i];
}

void Probe::carry(const Matrix3& Q, const Vector3& by, bool points) {
  for (NodeState& n : nodes_) {
    n = {Q * n.x + by, Q * n.R, Q * n.v, Q * n.omega};
    turns_[static_cast<std::size_t>(&n - nodes_.data())] = turn_of(n, c_);
  }
  nodes_.back() = at_rest;
  if (!points) return;
  const Vector3 l = Q * Vector3{algebraic_[0], algebraic_[1], algebraic_[2]};
  algebraic_[0] = l.x, algebraic_[1] = l.y, algebraic_[2] = l.z;
}

Point Probe::point() const noexcept {
  Point p;
  p.time = time_;
  p.c = c_;
  p.node_states = nodes_.data();
  p.node_turns = turns_.data();
  p.nodes = node_numbers_.data();
  p.scalar_values = scalars_.data();
  p.scalar_rates = scalar_rates_.data();
  p.scalars = scalar_numbers_.data();
  p.own = own_.data();
  p.own_rates = own_rates_.data();
  p.own_algebraic = algebraic_.data();
  p.drive_states = drives_.data();
  p.drives = drive_numbers_.data();
  p.memory = memory_.data();
  return p;
}

}  // namespace vernier::constrained
