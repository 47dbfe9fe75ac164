#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "vernier/kernel/dense/dense.hpp"
#include "vernier/kernel/multibody/detail/hinges.hpp"
#include "vernier/kernel/multibody/model.hpp"
#include "vernier/kernel/spatial/inertia.hpp"

namespace vernier::multibody {
namespace {

constexpr double identity_bound = 1e-6;  // relative: data from files often has seven digits
constexpr double rotation_bound = 1e-9;
constexpr double semidefinite_bound = 1e-9;

Matrix3 skew(const Vector3& v) {
  Matrix3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

/// Three significant digits, for messages.
std::string shown(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

class Checker {
 public:
  explicit Checker(const Model& model) : model_(model) {}

  std::vector<Finding> all() {
    if (model_.bodies.empty()) add(Severity::error, "V1612", "the model has no bodies", ground);
    if (!model_.gravity.allFinite()) not_finite("the gravity", ground);
    for (body_ = 0; body_ < static_cast<int>(model_.bodies.size()); ++body_) check_body();
    check_topology();
    if (!broken_) check_massless();
    std::stable_partition(findings_.begin(), findings_.end(),
                          [](const Finding& f) { return f.severity == Severity::error; });
    return std::move(findings_);
  }

 private:
  const Body& at(int body) const { return model_.bodies[static_cast<std::size_t>(body)]; }
  std::string named(int body) const { return "body \"" + at(body).name + "\""; }

  void add(Severity severity, const char* code, std::string message, int body, int node = -1) {
    broken_ = broken_ || severity == Severity::error;
    findings_.push_back({severity, code, std::move(message), {}, body, node});
  }
  void not_finite(const std::string& what, int body, int node = -1) {
    add(Severity::error, "V1603", what + " holds a number that is not finite", body, node);
  }
  void wrong_size(const std::string& what, int node = -1) {
    add(Severity::error, "V1604", named(body_) + ": " + what, body_, node);
  }

  bool has_parent(int body) const {
    const int p = at(body).hinge.parent;
    return p >= 0 && p < static_cast<int>(model_.bodies.size());
  }

  void check_body() {
    const Body& b = at(body_);
    check_inertia(b.inertia);
    if (b.modes) check_modes(*b.modes);
    const Hinge& h = b.hinge;
    if (h.parent != ground && !has_parent(body_)) {
      add(Severity::error, "V1602",
          named(body_) + " is joined to body " + std::to_string(h.parent) +
              ", which does not exist",
          body_);
    }
    if (!std::isfinite(h.parameter)) not_finite("the hinge of " + named(body_), body_);
    for (const double r : h.rotor) {
      if (!std::isfinite(r)) {
        not_finite("the rotor of the hinge of " + named(body_), body_);
      } else if (r < 0.0) {
        add(Severity::error, "V1605",
            "the rotor of the hinge of " + named(body_) + " has negative inertia", body_);
      }
    }
    check_node(h.outboard, has_parent(body_) ? at(h.parent).mode_count() : 0,
               "the outboard node of " + named(body_), -1);
    check_node(h.inboard, b.mode_count(), "the inboard node of " + named(body_), -1);
    for (std::size_t i = 0; i < b.nodes.size(); ++i) {
      check_node(b.nodes[i], b.mode_count(), "node \"" + b.nodes[i].name + "\" of " + named(body_),
                 static_cast<int>(i));
      const bool moves = b.nodes[i].phi_t.size() > 0 && !b.nodes[i].phi_t.isZero(0.0);
      if (b.modes && b.modes->shortens() && moves && b.nodes[i].phi_2.cols() == 0) {
        add(Severity::warning, "V1615",
            "node \"" + b.nodes[i].name + "\" of " + named(body_) +
                " has no second-order shapes, as its body has: forces and bodies there do not "
                "change the stiffness of the modes",
            body_, static_cast<int>(i));
      }
    }
  }

  void check_node(const Node& node, std::size_t modes, const std::string& what, int index) {
    if (!node.pose.R.allFinite() || !node.pose.p.allFinite() || !node.phi_t.allFinite() ||
        !node.phi_r.allFinite() || !node.phi_2.allFinite()) {
      not_finite(what, body_, index);
      return;
    }
    const Matrix3 error = node.pose.R * node.pose.R.transpose() - Matrix3::Identity();
    if (error.norm() > rotation_bound || node.pose.R.determinant() < 0.0) {
      add(Severity::error, "V1611", what + " has axes that are not a rotation", body_, index);
    }
    for (const Matrix3X* phi : {&node.phi_t, &node.phi_r}) {
      const auto columns = static_cast<std::size_t>(phi->cols());
      if (columns != 0 && columns != modes) {
        wrong_size(what + " has " + std::to_string(columns) + " mode shapes, but the body has " +
                       std::to_string(modes) + " modes",
                   index);
        return;
      }
    }
    if (node.phi_2.cols() != 0 && static_cast<std::size_t>(node.phi_2.cols()) != pairs_of(modes))
      wrong_size(what + " has " + std::to_string(node.phi_2.cols()) +
                     " second-order shapes, but the body has " + std::to_string(pairs_of(modes)) +
                     " pairs of modes",
                 index);
  }

  void check_inertia(const Inertia& in) {
    if (!std::isfinite(in.mass) || !in.moment.allFinite() || !in.inertia.allFinite()) {
      not_finite("the inertia of " + named(body_), body_);
      return;
    }
    if (in.mass < 0.0) {
      add(Severity::error, "V1605", named(body_) + " has negative mass", body_);
      return;
    }
    const double size = in.inertia.norm();
    if ((in.inertia - in.inertia.transpose()).norm() > identity_bound * size) {
      add(Severity::error, "V1605", "the inertia of " + named(body_) + " is not symmetric", body_);
      return;
    }
    if (in.mass == 0.0 && in.moment.norm() > 0.0) {
      add(Severity::error, "V1605", named(body_) + " has a first moment but no mass", body_);
      return;
    }
    // Principal moments about the centre of mass: none may be negative, and none exceeds the sum of
    // the other two.
    const Vector3 c = in.mass > 0.0 ? Vector3(in.moment / in.mass) : Vector3(Vector3::Zero());
    const Matrix3 centred = in.inertia - in.mass * skew(c).transpose() * skew(c);
    const spatial::InertiaCheck found = spatial::checked_inertia(centred, size);
    if (!found.positive) {
      add(Severity::error, "V1605",
          "the inertia of " + named(body_) + " about its centre of mass is not positive: " +
              shown(found.principal[0]) + " kg m^2 about one axis",
          body_);
    } else if (!found.triangle) {
      add(Severity::warning, "V1606",
          "the inertia of " + named(body_) + " " + spatial::broken_triangle(found), body_);
    }
  }

  void check_modes(const Modes& m) {
    const Eigen::Index n = m.S1.cols();
    const auto count = static_cast<std::size_t>(n);
    const auto square = [n](const MatrixX& x) { return x.rows() == n && x.cols() == n; };
    if (m.order < 0 || m.order > 2) {
      wrong_size("the order of its modes is " + std::to_string(m.order) + ", not 0, 1 or 2");
      return;
    }
    if (m.H0.cols() != n || !square(m.mass) || !square(m.stiffness) || !square(m.damping) ||
        (m.order >= 1 && (m.N0.size() != count || m.H1.size() != count)) ||
        ((m.order == 2 || m.shortens()) && m.J2.size() != count * count) ||
        (!m.S2.empty() && m.S2.size() != pairs_of(count)) || m.N2.size() != m.S2.size() ||
        (m.order >= 1 &&
         std::any_of(m.H1.begin(), m.H1.end(), [n](const Matrix3X& h) { return h.cols() != n; }))) {
      wrong_size("its modal integrals are not all of " + std::to_string(n) +
                 (n == 1 ? " mode" : " modes"));
      return;
    }
    bool finite = m.S1.allFinite() && m.H0.allFinite() && m.mass.allFinite() &&
                  m.stiffness.allFinite() && m.damping.allFinite();
    if (m.order >= 1) {
      for (const Matrix3& x : m.N0) finite = finite && x.allFinite();
      for (const Matrix3X& x : m.H1) finite = finite && x.allFinite();
    }
    if (m.order == 2 || m.shortens()) {
      for (const Matrix3& x : m.J2) finite = finite && x.allFinite();
    }
    for (const Vector3& x : m.S2) finite = finite && x.allFinite();
    for (const Matrix3& x : m.N2) finite = finite && x.allFinite();
    finite = finite && std::isfinite(m.limit);
    if (!finite) {
      not_finite("a modal integral of " + named(body_), body_);
      return;
    }
    if (n == 0) return;
    check_modal_matrices(m);
    if (m.order >= 1) check_identities(m);
  }

  void check_modal_matrices(const Modes& m) {
    const auto symmetric = [](const MatrixX& x) {
      return (x - x.transpose()).norm() <= identity_bound * x.norm();
    };
    for (const auto& [x, what] : {std::pair(&m.mass, "mass"), std::pair(&m.stiffness, "stiffness"),
                                  std::pair(&m.damping, "damping")}) {
      if (!symmetric(*x)) {
        add(Severity::error, "V1610",
            std::string("the modal ") + what + " of " + named(body_) + " is not symmetric", body_);
        return;
      }
      if (x != &m.mass && dense::symmetric_eigenvalues(*x)[0] < -semidefinite_bound * x->norm()) {
        add(Severity::warning, "V1613",
            std::string("the modal ") + what + " of " + named(body_) +
                " is negative for some motion",
            body_);
      }
    }
    // The mass matrix of modes and body, scaled to a unit diagonal, so that units do not matter. A
    // negative eigenvalue means that modes and inertia are inconsistent.
    const Eigen::Index n = m.S1.cols();
    const Inertia& in = at(body_).inertia;
    MatrixX M = MatrixX::Zero(n + 6, n + 6);
    M.topLeftCorner(n, n) = m.mass;
    M.block(n, 0, 3, n) = m.H0;
    M.block(n + 3, 0, 3, n) = m.S1;
    M.block(0, n, n, 3) = m.H0.transpose();
    M.block(0, n + 3, n, 3) = m.S1.transpose();
    M.block<3, 3>(n, n) = in.inertia;
    M.block<3, 3>(n, n + 3) = skew(in.moment);
    M.block<3, 3>(n + 3, n) = -skew(in.moment);
    M.block<3, 3>(n + 3, n + 3) = in.mass * Matrix3::Identity();
    if (!M.allFinite()) return;  // reported elsewhere
    const auto smallest = [](const MatrixX& x) {
      Eigen::VectorXd scale = x.diagonal().cwiseAbs().cwiseSqrt();
      for (double& s : scale) s = s > 0.0 ? 1.0 / s : 1.0;
      const MatrixX scaled = scale.asDiagonal() * x * scale.asDiagonal();
      return dense::symmetric_eigenvalues(scaled)[0];
    };
    if (smallest(m.mass) < semidefinite_bound) {
      add(Severity::error, "V1607",
          "the modal mass of " + named(body_) + " is not positive definite", body_);
    } else if (smallest(M) < -1e-6) {
      add(Severity::error, "V1607",
          "the modes of " + named(body_) +
              " move more than its mass and inertia allow: units or normalisation differ",
          body_);
    }
  }

  void check_identities(const Modes& m) {
    const auto n = m.count();
    // Upper bounds of the integrals by the Cauchy-Schwarz inequality: a scale for the errors even
    // where the integrals themselves cancel to zero.
    const double h1_size = m.mass.diagonal().cwiseAbs().maxCoeff();
    const double n0_size = std::sqrt(at(body_).inertia.inertia.norm() * h1_size) + m.H0.norm();
    double n0 = 0.0, h1 = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      n0 = std::max(n0, (m.N0[i] - m.N0[i].transpose() + skew(m.H0.col(i))).norm());
      for (std::size_t k = 0; k < n; ++k) {
        h1 = std::max(h1, (m.H1[i].col(k) + m.H1[k].col(i)).norm());
      }
    }
    const auto broken = [this](Severity s, const char* identity) {
      add(s, "V1608", "the modal integrals of " + named(body_) + " break " + identity, body_);
    };
    if (n0 > identity_bound * n0_size) broken(Severity::error, "N0_i - N0_i^T = -skew(H0_i)");
    if (h1 > identity_bound * h1_size) broken(Severity::error, "H1_i[l] = -H1_l[i]");
    if (m.order < 2 && !m.shortens()) return;
    double more = 0.0, less = 0.0, mirrored = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double excess = m.J2[i * n + i].trace() / (2.0 * m.mass(i, i)) - 1.0;
      more = std::max(more, excess);
      less = std::max(less, -excess);
      for (std::size_t k = 0; k < n; ++k) {
        mirrored = std::max(mirrored, (m.J2[i * n + k] - m.J2[k * n + i].transpose()).norm());
      }
    }
    if (mirrored > identity_bound * h1_size) broken(Severity::error, "J2_il = J2_li^T");
    if (more > identity_bound) broken(Severity::error, "trace(J2_ii) = 2 Mff_ii");
    if (less > identity_bound) {  // rotary inertia of lumps is in Mff, not in J2
      broken(Severity::warning,
             "trace(J2_ii) = 2 Mff_ii; only nodes with inertia of their own may");
    }
  }

  void check_topology() {
    const int count = static_cast<int>(model_.bodies.size());
    // 0: not visited, 1: on the current path, 2: leads to the ground or was reported.
    std::vector<int> state(model_.bodies.size(), 0);
    for (int first = 0; first < count; ++first) {
      std::vector<int> way;
      int b = first;
      while (b >= 0 && b < count && state[b] == 0) {
        state[b] = 1;
        way.push_back(b);
        b = at(b).hinge.parent;
      }
      if (b >= 0 && b < count && state[b] == 1) {
        std::string names;
        auto i = std::find(way.begin(), way.end(), b);
        for (auto k = i; k != way.end(); ++k) names += "\"" + at(*k).name + "\", ";
        add(Severity::error, "V1601",
            "the hinges make a loop: " + names + "and again \"" + at(b).name + "\"", b);
      }
      for (const int w : way) state[w] = 2;
    }
  }

  /// Bodies whose hinge has no inertia to move: no mass outboard of it, or a leaf without inertia
  /// along one of the motions of the hinge.
  void check_massless() {
    const std::size_t count = model_.bodies.size();
    std::vector<bool> massive(count, false), leaf(count, true);
    for (std::size_t i = 0; i < count; ++i) {
      const Inertia& in = model_.bodies[i].inertia;
      const bool mine = in.mass > 0.0 || in.inertia.norm() > 0.0;
      for (int b = static_cast<int>(i); mine && b != ground; b = at(b).hinge.parent) {
        massive[b] = true;
      }
      if (model_.bodies[i].hinge.parent != ground) leaf[model_.bodies[i].hinge.parent] = false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const int b = static_cast<int>(i);
      const auto free = speeds(at(b).hinge.kind);
      const auto& rotor = at(b).hinge.rotor;
      const bool driven = std::all_of(rotor.begin(), rotor.begin() + static_cast<long>(free),
                                      [](double r) { return r > 0.0; });
      if (free == 0 || driven) continue;
      if (!massive[i]) {
        add(Severity::error, "V1609",
            named(b) + " and what hangs at it have no mass, but its hinge moves", b);
      } else if (leaf[i] && !resists(at(b))) {
        add(Severity::error, "V1609", named(b) + " has no inertia along a motion of its hinge", b);
      }
    }
  }

  /// Whether a leaf has inertia along each motion of its hinge.
  static bool resists(const Body& body) {
    const Inertia& in = body.inertia;
    const Pose& node = body.hinge.inboard.pose;
    const Vector3 s = node.R.transpose() * (in.moment - in.mass * node.p);
    const Matrix3 shifted = in.inertia - skew(node.p).transpose() * skew(in.moment) -
                            skew(in.moment).transpose() * skew(node.p) +
                            in.mass * skew(node.p).transpose() * skew(node.p);
    const Matrix3 J = node.R.transpose() * shifted * node.R;
    Eigen::Matrix<double, 6, 6> P;
    P << J, skew(s), -skew(s), in.mass * Matrix3::Identity();
    const Hinge& hinge = body.hinge;
    if (speeds(hinge.kind) == 0) return true;
    Eigen::Matrix<double, 6, Eigen::Dynamic> S(6, static_cast<Eigen::Index>(speeds(hinge.kind)));
    // S at zero coordinates.
    double q[7] = {}, trig[4];
    if (facts(hinge.kind).quaternion) q[3] = 1.0;
    auto E = spatial::identity3<double>();
    auto r = spatial::zero3<double>();
    detail::place_hinge(hinge.kind, hinge.parameter, q, E, r, trig);
    for (int i = 0; i < S.cols(); ++i) {
      const auto axis = detail::hinge_axis(hinge.kind, hinge.parameter, i, trig);
      S.col(i) << axis.a.x, axis.a.y, axis.a.z, axis.l.x, axis.l.y, axis.l.z;
    }
    // D = Sᵀ P S + rotor must be positive definite; it is scaled to a unit diagonal before the
    // test.
    MatrixX D = S.transpose() * P * S;
    for (Eigen::Index i = 0; i < D.rows(); ++i)
      D(i, i) += body.hinge.rotor[static_cast<std::size_t>(i)];
    const double size = D.diagonal().maxCoeff();
    Eigen::VectorXd scale = D.diagonal();
    if (scale.minCoeff() <= 1e-14 * size) return false;
    scale = scale.cwiseSqrt().cwiseInverse();
    const MatrixX scaled = scale.asDiagonal() * D * scale.asDiagonal();
    return dense::symmetric_eigenvalues(scaled)[0] > 1e-10;
  }

  const Model& model_;
  std::vector<Finding> findings_;
  int body_ = 0;
  bool broken_ = false;
};

}  // namespace

std::vector<Finding> check(const Model& model) { return Checker(model).all(); }

}  // namespace vernier::multibody
