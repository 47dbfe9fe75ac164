#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "vernier/base/random.hpp"
#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse {

/// Matrices shaped like those of implicit steps of constrained mechanisms: M + h²K with columns and
/// rows of joint multipliers, all of order one; used by tests and benchmarks. The same seed: the
/// same values; the same mechanism: the same pattern.
class MechanismMatrix {
 public:
  explicit MechanismMatrix(std::uint64_t seed) : random_(seed) {}

  Pattern pattern() const {
    Pattern p{size_, {}};
    for (const auto& [place, value] : entries_) p.entries.push_back({place.first, place.second});
    return p;
  }
  std::vector<double> values() const {
    std::vector<double> v;
    for (const auto& [place, value] : entries_) v.push_back(value);
    return v;
  }
  int size() const noexcept { return size_; }

  /// First of six unknowns; with inertia.
  int node() {
    const int at = unknowns(6);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        add(at + i, at + j, (i == j ? 1.0 + 0.5 * random_.uniform() : 0.0) + noise(0.1));
    return at;
  }

  /// Three nodes, each coupled with each.
  void beam(const std::array<int, 3>& nodes) {
    for (const int a : nodes)
      for (const int b : nodes)
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j)
            add(a + i, b + j, noise(0.15) + (i == j ? (a == b ? 0.4 : -0.2) : 0.0));
  }

  /// Five multipliers between two nodes, or a node and the ground (−1).
  int revolute(int a, int b) {
    const int at = unknowns(5);
    for (const auto& [node, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
      if (node < 0) continue;
      for (int i = 0; i < 3; ++i) {
        mirrored(at + i, node + i, sign);
        for (int j = 0; j < 3; ++j)
          if (i != j) mirrored(at + i, node + 3 + j, noise(0.6));
      }
      for (int i = 3; i < 5; ++i)
        for (int j = 0; j < 3; ++j)
          mirrored(at + i, node + 3 + j, (j == i - 3 ? sign : 0.0) + noise(0.3));
    }
    // directions turn with the nodes
    for (const int p : {a, b})
      for (const int q : {a, b})
        for (int i = 0; p >= 0 && q >= 0 && i < 3; ++i)
          for (int j = 0; j < 3; ++j) add(p + 3 + i, q + 3 + j, noise(0.02));
    return at;
  }

  /// A state of a controller that measures rotations of a node and turns it.
  void scalar(int node) {
    const int at = unknowns(1);
    add(at, at, 1.0);
    for (int j = 0; j < 3; ++j) add(at, node + 3 + j, noise(0.1));
    for (int j = 0; j < 3; ++j) add(node + 3 + j, at, noise(0.1));
  }

  /// Momenta of a node, not condensed: β = M ẋ, β̇ = f.
  void momenta(int node) {
    const int at = unknowns(6);
    for (int i = 0; i < 6; ++i) {
      add(at + i, at + i, -1.0);
      add(node + i, at + i, 1.0);
      for (int j = i < 3 ? 3 : 0; j < 6; ++j)
        add(at + i, node + j, noise(0.3) + (i == j ? 1.0 : 0.0));
      if (i < 3) add(at + i, node + i, 1.0);
    }
  }

  void add(int row, int column, double value) { entries_[{row, column}] += value; }
  int unknowns(int count) {
    size_ += count;
    return size_ - count;
  }
  double noise(double size) noexcept { return size * (2.0 * random_.uniform() - 1.0); }

 private:
  void mirrored(int row, int column, double value) {
    add(row, column, value);
    add(column, row, value);
  }

  Random random_;
  int size_ = 0;
  std::map<std::pair<int, int>, double> entries_;
};

/// 11 unknowns: a body on a hinge.
inline MechanismMatrix pendulum_matrix(std::uint64_t seed) {
  MechanismMatrix m(seed);
  m.revolute(-1, m.node());
  return m;
}

/// 48 unknowns, or 84 with momenta: two links of one three-node beam each, two hinges, two
/// controllers.
inline MechanismMatrix robot_matrix(std::uint64_t seed, bool condensed) {
  MechanismMatrix m(seed);
  std::array<int, 6> nodes{};
  for (int& node : nodes) {
    node = m.node();
    if (!condensed) m.momenta(node);
  }
  m.beam({nodes[0], nodes[1], nodes[2]});
  m.beam({nodes[3], nodes[4], nodes[5]});
  m.revolute(-1, nodes[0]);
  m.revolute(nodes[2], nodes[3]);
  m.scalar(nodes[0]);
  m.scalar(nodes[3]);
  return m;
}

/// 11 unknowns for each link: bodies on hinges, each on the one before.
inline MechanismMatrix chain_matrix(std::uint64_t seed, int links) {
  MechanismMatrix m(seed);
  int last = -1;
  for (int k = 0; k < links; ++k) {
    const int next = m.node();
    m.revolute(last, next);
    last = next;
  }
  return m;
}

/// `size` unknowns with about `per_row` entries in a row, most diagonals missing; a hidden
/// permutation keeps it regular.
inline MechanismMatrix random_matrix(std::uint64_t seed, int size, int per_row) {
  MechanismMatrix m(seed);
  Random random(seed * 77 + 1);
  m.unknowns(size);
  std::vector<int> to(size);
  for (int i = 0; i < size; ++i) to[i] = i;
  for (int i = size - 1; i > 0; --i)
    std::swap(to[i], to[random.bits() % static_cast<unsigned>(i + 1)]);
  for (int i = 0; i < size; ++i) {
    m.add(i, to[i], 2.0 + m.noise(1.0));
    for (int k = 1; k < per_row; ++k)
      m.add(i, static_cast<int>(random.bits() % static_cast<unsigned>(size)), m.noise(1.0));
  }
  return m;
}

}  // namespace vernier::sparse
