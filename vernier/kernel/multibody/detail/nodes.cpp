#include "vernier/kernel/multibody/detail/nodes.hpp"

namespace vernier::multibody::detail {

namespace sse2 {
extern const NodeKernels kernels_of_nodes;
}
#if defined(VERNIER_WIDE_INSTRUCTIONS)
namespace avx2 {
extern const NodeKernels kernels_of_nodes;
}
namespace avx512 {
extern const NodeKernels kernels_of_nodes;
}
namespace avx2_fused {
extern const NodeKernels kernels_of_nodes;
}
namespace avx512_fused {
extern const NodeKernels kernels_of_nodes;
}
#endif

const NodeKernels& node_kernels(Instructions set, Arithmetic arithmetic) noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  const bool fused = arithmetic == Arithmetic::fastest;
  if (set == Instructions::avx512)
    return fused ? avx512_fused::kernels_of_nodes : avx512::kernels_of_nodes;
  if (set == Instructions::avx2)
    return fused ? avx2_fused::kernels_of_nodes : avx2::kernels_of_nodes;
#endif
  static_cast<void>(set);
  static_cast<void>(arithmetic);
  return sse2::kernels_of_nodes;
}

spatial::Quaternion quaternion_of(const Matrix3& A) noexcept {
  // Eigen's quaternion transforms from B to N where ours transforms from N to B, hence the
  // transpose.
  const Eigen::Quaterniond q(Matrix3(A.transpose()));
  return {q.x(), q.y(), q.z(), q.w()};
}

void NodeBank::add(const Node& n) { nodes_.push_back(n); }

void NodeBank::finish() {
  const std::size_t L = lanes();
  p_.assign(3 * L, 0.0);
  R_.assign(9 * L, 0.0);
  q_.assign(4 * L, 0.0);
  phi_t_.assign(3 * slides_ * L, 0.0);
  phi_r_.assign(3 * modes_ * L, 0.0);
  for (std::size_t i = 0; i < nodes(); ++i) {
    const Node& n = nodes_[i];
    const auto lay = [&](const auto& m, std::vector<double>& to, std::size_t first = 0) {
      for (Eigen::Index k = 0; k < m.size(); ++k)
        to[(3 * first + static_cast<std::size_t>(k)) * L + i] = m(k % m.rows(), k / m.rows());
    };
    lay(n.pose.p, p_);
    lay(n.pose.R, R_);
    lay(quaternion_of(n.pose.R.transpose()), q_);
    lay(n.phi_t, phi_t_);  // no columns if the modes do not move it
    lay(n.phi_r, phi_r_);
    if (slides_ > modes_) lay(n.phi_2, phi_t_, modes_);
  }
  view_ = {nodes(),   L,         modes_,        slides_,      p_.data(),
           R_.data(), q_.data(), phi_t_.data(), phi_r_.data()};
}

}  // namespace vernier::multibody::detail
