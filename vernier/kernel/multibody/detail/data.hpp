#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/detail/node_force.hpp"
#include "vernier/kernel/multibody/detail/solve.hpp"
#include "vernier/kernel/multibody/detail/star.hpp"
#include "vernier/kernel/multibody/detail/tree_plan.hpp"
#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::multibody::detail {

/// The constants of a tree, made from a checked model.
struct Layout {
  explicit Layout(const Model&);

  LayoutView view() const noexcept {
    return {links.data(),   static_cast<int>(links.size()),
            numbers.data(), columns,
            modes,          pairs,
            psis,           coordinates,
            speeds};
  }
  const NodeRecord& node(NodeId) const noexcept;
  int node_index(NodeId) const noexcept;

  std::vector<TreeLink> links;
  std::vector<Mass> masses;  // by link
  std::vector<double> numbers;
  std::vector<NodeRecord> nodes;         // by body: inboard, outboard, frame, then its own
  std::vector<int> link_of, first_node;  // by body
  std::vector<Block> blocks;
  std::vector<Pose> frames;  // by link: its working frame in the body frame
  int columns = 0, modes = 0, pairs = 0, psis = 0, coordinates = 0, speeds = 0;
};

/// An inertia transformed to a frame that is at `frame` in the body.
Mass in_frame(const Inertia&, const Pose& frame) noexcept;

inline Vec3<double> plain(const Vector3& v) noexcept { return {v[0], v[1], v[2]}; }
inline Vector3 eigen(const Vec3<double>& v) noexcept { return {v.x, v.y, v.z}; }
inline Matrix3 eigen(const Mat3<double>& m) noexcept {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.a);
}
inline Mat3<double> plain(const Matrix3& m) noexcept {
  return {{m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)}};
}

/// The inward and second outward sweep on placed links, for any arithmetic.
template <class T>
inline void accelerate(const LayoutView& layout, const Mass* masses, const Vec3<T>& gravity,
                       const Drive<T>& drive, const Workspace<T>& work, T* udot,
                       Watch<T>& watch) noexcept {
  if (drive.regular != nullptr) {
    gather<T, true>(layout, masses, drive, work, watch);
  } else {
    gather<T, false>(layout, masses, drive, work, watch);
  }
  spread(layout, gravity, drive, work, udot);
}

}  // namespace vernier::multibody::detail

namespace vernier::multibody {

struct Tree::Data {
  Data(Model, Path, Arithmetic);
  Model model;
  detail::Layout layout;
  detail::LayoutView view;
  Arithmetic arithmetic;
  Instructions instructions;
  const detail::TreeCode* code;
  std::unique_ptr<detail::Star> star;  // for Path::star
};

struct Evaluation::Data {
  explicit Data(const Tree&);

  const Tree::Data* tree;
  std::vector<detail::Mass> masses;  // by link
  Vector3 gravity;
  std::vector<double> q, u, tau, given, regular, udot;
  bool prescribed = false;  // whether any speed was prescribed at the last accelerate()
  std::unique_ptr<double[]> memory;
  detail::Workspace<double> work;  // for a star, valid after settle()
  detail::StarMemory star;

  // Computed on first use after place(): each is valid if its counter equals `placed`.
  std::uint64_t placed = 1;
  mutable std::uint64_t posed = 0;
  mutable std::vector<detail::Mat3<double>> R;  // of working frames, in the ground frame
  mutable std::vector<detail::Vec3<double>> p;
  mutable std::vector<std::uint64_t> node_placed;
  mutable std::vector<detail::MovingNode<double>> nodes;

  // For a star: links described since the last place(), and since the last accelerate().
  std::uint64_t accelerated = 0;
  bool by_sweeps = false;  // the last accelerations come from the general sweeps
  mutable std::uint64_t settled = 0;
  mutable std::vector<std::uint64_t> described, answered;

  void pose_link(int k) const noexcept;  // from its parent
  void pose_to(int k) const noexcept;    // R and p of this link, at least
  void pose_links() const noexcept;      // R and p of all links; settles the workspace
  const detail::MovingNode<double>& node(int index) const noexcept;
  /// E, r, trig and V of a link; for a star only these are valid.
  const detail::LinkState<double>& link(int k) const noexcept;
  /// The same, and A.
  const detail::LinkState<double>& accelerated_link(int k) const noexcept;
  detail::Vec6<double> reaction(int k) const noexcept;  // of the hinge, on I
  /// Completes the workspace of a star as place() does for a general tree.
  void settle() const noexcept;
};

}  // namespace vernier::multibody
