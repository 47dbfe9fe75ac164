#include <algorithm>

#include "vernier/kernel/multibody/detail/data.hpp"

namespace vernier::multibody::detail {
namespace {

Matrix3 skew(const Vector3& v) {
  Matrix3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

bool moves(const Node& node) {
  return (node.phi_t.size() > 0 && node.phi_t.cwiseAbs().maxCoeff() > 0.0) ||
         (node.phi_r.size() > 0 && node.phi_r.cwiseAbs().maxCoeff() > 0.0) ||
         (node.phi_2.size() > 0 && node.phi_2.cwiseAbs().maxCoeff() > 0.0);
}

void put_matrix(const Matrix3& m, double* to) {
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>{to} = m;
}
void put(const Vector3& v, double* to) { Eigen::Map<Vector3>{to} = v; }
void put_symmetric(const Matrix3& m, double* to) {
  const Matrix3 s = 0.5 * (m + m.transpose());
  const double values[] = {s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(0, 2), s(1, 2)};
  std::copy(std::begin(values), std::end(values), to);
}

/// Transforms a pose from the body frame to another frame of the body.
Pose in_frame(const Pose& pose, const Pose& frame) {
  return {frame.R.transpose() * pose.R, frame.R.transpose() * (pose.p - frame.p)};
}

}  // namespace

Mass in_frame(const Inertia& in, const Pose& frame) noexcept {
  Mass mass;
  mass.m = in.mass;
  const Matrix3 P = skew(frame.p), S = skew(in.moment);
  put(frame.R.transpose() * (in.moment - in.mass * frame.p), mass.s);
  const Matrix3 J =
      in.inertia - P.transpose() * S - S.transpose() * P + in.mass * P.transpose() * P;
  put_symmetric(frame.R.transpose() * J * frame.R, mass.J);
  return mass;
}

namespace {

/// Bodies in depth-first order: parents first, subtrees contiguous.
std::vector<int> outward_order(const Model& model) {
  const int count = static_cast<int>(model.bodies.size());
  std::vector<std::vector<int>> children(model.bodies.size());
  std::vector<int> waiting, order;
  for (int b = count - 1; b >= 0; --b) {
    const int parent = model.bodies[b].hinge.parent;
    (parent == ground ? waiting : children[parent]).push_back(b);
  }
  while (!waiting.empty()) {
    const int b = waiting.back();
    waiting.pop_back();
    order.push_back(b);
    waiting.insert(waiting.end(), children[b].begin(), children[b].end());
  }
  return order;
}

// Converts a model to links, with all constants in working frames.
class Maker {
 public:
  Maker(const Model& model, Layout& layout) : model_(model), out_(layout) {}

  void make() {
    make_blocks();
    const std::vector<int> order = outward_order(model_);
    out_.link_of.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) out_.link_of[order[k]] = static_cast<int>(k);
    for (const int body : order) make_link(body);
    find_first_and_leaf();
    out_.first_node.resize(order.size());
    for (std::size_t b = 0; b < order.size(); ++b) make_nodes(static_cast<int>(b));
  }

 private:
  void make_blocks() {
    std::size_t q = 0, u = 0;
    for (const Body& b : model_.bodies) {
      Block block{q, u, multibody::coordinates(b.hinge.kind), multibody::speeds(b.hinge.kind),
                  b.mode_count()};
      q += block.coordinates + block.modes;
      u += block.speeds + block.modes;
      out_.blocks.push_back(block);
    }
    out_.coordinates = static_cast<int>(q);
    out_.speeds = static_cast<int>(u);
  }

  void make_link(int body) {
    const Body& b = model_.bodies[body];
    const Block& block = out_.blocks[body];
    TreeLink link;
    link.kind = b.hinge.kind;
    link.body = body;
    link.parent = b.hinge.parent == ground ? -1 : out_.link_of[b.hinge.parent];
    link.q = static_cast<int>(block.q);
    link.u = static_cast<int>(block.u);
    link.q_modes = static_cast<int>(block.q + block.coordinates);
    link.u_modes = static_cast<int>(block.u + block.speeds);
    link.speeds = static_cast<int>(block.speeds);
    link.column = out_.columns;
    out_.columns += link.speeds;
    link.modes = static_cast<int>(block.modes);
    link.mode = out_.modes;
    out_.modes += link.modes;
    link.pair = out_.pairs;
    out_.pairs += link.modes * (link.modes + 1) / 2;
    for (std::size_t i = 0; i < 6; ++i) {
      link.rotor[i] = i < block.speeds ? b.hinge.rotor[i] : 0.0;
      link.driven = link.driven || link.rotor[i] != 0.0;
    }
    link.parameter = b.hinge.parameter;
    link.turns_freely =
        !link.driven && detail::with_kind(link.kind, []<class K>() { return K::about_z; });
    link.inboard_moves = link.modes > 0 && moves(b.hinge.inboard);
    const Pose frame = link.inboard_moves ? Pose{} : b.hinge.inboard.pose;
    out_.frames.push_back(frame);
    const Pose inboard = in_frame(b.hinge.inboard.pose, frame);
    put_matrix(link.inboard_moves ? inboard.R : Matrix3(Matrix3::Identity()), link.Ri);
    put(link.inboard_moves ? inboard.p : Vector3(Vector3::Zero()), link.pi);
    if (link.inboard_moves) {
      link.inboard_shape = put_shape(b.hinge.inboard, frame, link.modes, b.modes->shortens());
      link.inboard_psi = out_.psis;
      out_.psis += link.modes;
    }
    Pose outboard = b.hinge.outboard.pose;
    if (link.parent >= 0) {
      const Pose& on = out_.frames[link.parent];
      const int n = out_.links[link.parent].modes;
      outboard = in_frame(outboard, on);
      link.outboard_moves = n > 0 && moves(b.hinge.outboard);
      if (link.outboard_moves) {
        link.outboard_shape = put_shape(b.hinge.outboard, on, n, out_.links[link.parent].shortens);
        link.outboard_psi = out_.psis;
        out_.psis += n;
      }
    }
    put_matrix(outboard.R, link.R0);
    put(outboard.p, link.p0);
    if (link.modes > 0) {
      link.shortens = b.modes->shortens();
      link.order = link.shortens ? 2 : b.modes->order;
      link.constants = put_modes(*b.modes, frame);
    }
    out_.links.push_back(link);
    out_.masses.push_back(detail::in_frame(b.inertia, frame));
  }

  std::size_t put_shape(const Node& node, const Pose& frame, int n, bool shortens) {
    const std::size_t at = out_.numbers.size(), modes = static_cast<std::size_t>(n);
    out_.numbers.resize(at + 6 * modes + (shortens ? 3 * pairs_of(modes) : 0), 0.0);
    double* p = out_.numbers.data() + at;
    for (int i = 0; i < n; ++i) {
      if (node.phi_t.cols() == n) put(frame.R.transpose() * node.phi_t.col(i), p + 3 * i);
      if (node.phi_r.cols() == n) put(frame.R.transpose() * node.phi_r.col(i), p + 3 * (n + i));
    }
    for (Eigen::Index k = 0; shortens && k < node.phi_2.cols(); ++k)
      put(frame.R.transpose() * node.phi_2.col(k), p + 6 * n + 3 * k);
    return at;
  }

  std::size_t put_modes(const Modes& m, const Pose& frame) {
    const int n = static_cast<int>(m.count());
    const std::size_t at = out_.numbers.size();
    out_.numbers.resize(at + ModalConstants::size(n, m.shortens()), 0.0);
    const ModalConstants c(out_.numbers.data() + at, n);
    const auto to = [this](const double* p) {
      return out_.numbers.data() + (p - out_.numbers.data());
    };
    const Matrix3 Rt = frame.R.transpose();
    for (int i = 0; i < n; ++i) {
      put(Rt * m.S1.col(i), to(c.S1) + 3 * i);
      // Integrals over p shift with the origin: H0 -= p × S1, N0 -= (p·S1) 1 - S1 pᵀ. S1, H1 and J2
      // only rotate.
      put(Rt * (m.H0.col(i) - frame.p.cross(Vector3(m.S1.col(i)))), to(c.H0) + 3 * i);
      for (int l = 0; l <= i; ++l) {
        to(c.mass)[i * (i + 1) / 2 + l] = 0.5 * (m.mass(i, l) + m.mass(l, i));
      }
      for (int l = 0; l < n; ++l) {
        to(c.K)[n * i + l] = m.stiffness(i, l);
        to(c.D)[n * i + l] = m.damping(i, l);
      }
    }
    if (m.order >= 1) {
      double* H1 = to(c.H1);
      for (int i = 0; i < n; ++i) {
        const Vector3 S1 = m.S1.col(i);
        const Matrix3 N0 =
            m.N0[i] - frame.p.dot(S1) * Matrix3::Identity() + S1 * frame.p.transpose();
        put_symmetric(2.0 * (Rt * N0 * frame.R), to(c.N) + 6 * i);
        for (int l = i + 1; l < n; ++l, H1 += 3) {
          put(Rt * (0.5 * (m.H1[i].col(l) - m.H1[l].col(i))), H1);
        }
      }
    }
    if (m.order == 2 || m.shortens()) {
      double *J2 = to(c.J2), *g = to(c.g);
      for (int i = 0; i < n; ++i) {
        for (int l = 0; l <= i; ++l, J2 += 6) {
          Matrix3 J = 0.5 * (m.J2[i * n + l] + m.J2[l * n + i]);
          if (m.shortens()) {
            // S2 and N2 shift like S1 and N0; the axial part of N2 is ∫ p × g dm.
            const Vector3 S2 = m.S2[pair_of(i, l)];
            const Matrix3 N2 = m.N2[pair_of(i, l)] - frame.p.dot(S2) * Matrix3::Identity() +
                               S2 * frame.p.transpose();
            J += 0.5 * (N2 + N2.transpose());
            put(Rt * Vector3(N2(1, 2) - N2(2, 1), N2(2, 0) - N2(0, 2), N2(0, 1) - N2(1, 0)), g);
            put(Rt * S2, g + 3);
            g += 6;
          }
          put_symmetric(Rt * J * frame.R, J2);
        }
      }
    }
    return at;
  }

  // The first child (in inward order) of a rigid parent initializes the parent's P instead of
  // adding to it, so P needs no separate initialization.
  void find_first_and_leaf() {
    std::vector<bool> seen(out_.links.size(), false);
    for (std::size_t k = out_.links.size(); k-- > 0;) {
      TreeLink& link = out_.links[k];
      if (link.parent < 0) continue;
      TreeLink& parent = out_.links[link.parent];
      parent.leaf = false;
      link.first = !seen[link.parent] && parent.modes == 0;
      seen[link.parent] = true;
    }
  }

  void add_node(const Node& node, int link) {
    NodeRecord record;
    record.link = link;
    const Pose frame = link >= 0 ? out_.frames[link] : Pose{};
    const Pose pose = in_frame(node.pose, frame);
    put_matrix(pose.R, record.R0);
    put(pose.p, record.p0);
    const int n = link >= 0 ? out_.links[link].modes : 0;
    record.moves = n > 0 && moves(node);
    if (record.moves) record.shape = put_shape(node, frame, n, out_.links[link].shortens);
    out_.nodes.push_back(record);
  }

  void make_nodes(int body) {
    const Body& b = model_.bodies[body];
    const int link = out_.link_of[body];
    out_.first_node[body] = static_cast<int>(out_.nodes.size());
    add_node(b.hinge.inboard, link);
    add_node(b.hinge.outboard, out_.links[link].parent);
    add_node(Node{}, link);
    for (const Node& node : b.nodes) add_node(node, link);
  }

  const Model& model_;
  Layout& out_;
};

}  // namespace

Layout::Layout(const Model& model) { Maker(model, *this).make(); }

int Layout::node_index(NodeId id) const noexcept {
  const int first = first_node[id.body];
  switch (id.node) {
    case NodeId::inboard:
      return first;
    case NodeId::outboard:
      return first + 1;
    case NodeId::frame:
      return first + 2;
    default:
      return first + 3 + id.node;
  }
}

const NodeRecord& Layout::node(NodeId id) const noexcept { return nodes[node_index(id)]; }

}  // namespace vernier::multibody::detail
