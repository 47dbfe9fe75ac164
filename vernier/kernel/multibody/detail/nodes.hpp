#pragma once

#include <cstddef>
#include <vector>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/detail/node_view.hpp"
#include "vernier/kernel/multibody/model.hpp"

namespace vernier::multibody::detail {

/// The quaternion q with A(q) = A.
spatial::Quaternion quaternion_of(const Matrix3& A) noexcept;

/// Owns the memory behind a NodeView of one body.
class NodeBank {
 public:
  static constexpr std::size_t widest = 8;  // lanes of the widest instruction set

  explicit NodeBank(std::size_t modes_of_body, bool shortens = false)
      : modes_(modes_of_body), slides_(modes_ + (shortens ? pairs_of(modes_) : 0)) {}
  void add(const Node&);
  std::size_t nodes() const noexcept { return nodes_.size(); }
  const Node& node(std::size_t i) const noexcept { return nodes_[i]; }
  std::size_t lanes() const noexcept { return (nodes() + widest - 1) / widest * widest; }
  /// Builds the arrays; no nodes can be added afterwards. The view is valid while the bank exists.
  void finish();
  const NodeView& view() const noexcept { return view_; }

 private:
  std::size_t modes_, slides_;
  std::vector<Node> nodes_;
  std::vector<double> p_, R_, q_, phi_t_, phi_r_;
  NodeView view_;
};

const NodeKernels& node_kernels(Instructions, Arithmetic = Arithmetic::reproducible) noexcept;

}  // namespace vernier::multibody::detail
