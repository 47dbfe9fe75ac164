#include <cmath>
#include <vector>

#include "vernier/kernel/constrained/elements/ends.hpp"
#include "vernier/kernel/constrained/elements/laws.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

/// Six coordinates s of b relative to a: the point along the axes of a, and the rotation vector.
struct Strain {
  double s[6], rate[6];
  double gradient[6][12], rate_slopes[6][12];
};

class Deformable final : public Element {
 public:
  explicit Deformable(const DeformableJoint& j) : joint_(j) {
    ends_ = joined(shape_, j.a, j.b);
    bool any = j.full.has_value();
    for (int i = 0; i < 6; ++i) {
      const auto& law = law_of(i);
      any = any || law.has_value();
      demand(!j.full || !law, "a deformable joint has a full matrix and single laws");
      active_[i] = law.has_value() || j.full;
      const int drive = i < 3 ? j.rest[i] : j.reference[i - 3];
      demand(drive == no_drive || active_[i],
             "a deformable joint has a rest position or reference where it has no law");
      targets_[i] = place_drive(shape_, drive);
      if (!law) continue;
      parts::check(*law);
      if (law->kind == Law::Kind::viscoelastic) relaxing_[i] = shape_.differential++;
    }
    demand(any, "a deformable joint has no law");
    if (j.full) {
      for (int i = 0; i < 36; ++i) {
        check_finite({j.full->stiffness[i], j.full->damping[i]},
                     "a number of a deformable joint's matrix is not finite");
      }
    }
    shape_.measures = {{"displacement", "m", 3, "of the point of b, axes of a"},
                       {"rotation", "rad", 3, "rotation vector of b in a"},
                       {"force", "N", 3, "on b, axes of a"},
                       {"moment", "N·m", 3, "along the rotation vector's components"}};
    find_pattern();
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    const Rows o(out, ends_, p.c);
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    const Matrix3 A = na.R * ends_.on_a.axes;
    const Turned t = turned(A, nb.R * ends_.on_b.axes);
    Strain x;
    strain(p, t, o.J != nullptr, x);
    Laws f;
    laws(p, x, f);
    // Generalised forces F along the coordinates s become forces Fᵀ ∂s/∂q on the nodes.
    const Vector3 force = A * Vector3{f.F[0], f.F[1], f.F[2]}, db = nb.R * ends_.on_b.offset;
    project_forces(o, force, nb.x + db - na.x, db);
    turned_forces(o, t, {f.F[3], f.F[4], f.F[5]});
    for (int i = 0; i < 6; ++i) {
      if (relaxing_[i] < 0) continue;
      const int row = shape_.own_row(relaxing_[i]);
      const double tau = law_of(i)->relaxation_time;
      o.r[row] = p.own_rates[relaxing_[i]] - (x.s[i] - p.own[relaxing_[i]]) / tau;
    }
    if (o.J == nullptr) return;
    for (int i = 0; i < 6; ++i) {
      if (!active_[i]) continue;
      double v[12] = {};
      for (int k = 0; k < 6; ++k) {
        const double by_s = f.by_s[i][k] * o.c, by_rate = f.by_rate[i][k];
        if (by_s == 0.0 && by_rate == 0.0) continue;
        for (int j = 0; j < 12; ++j) {
          v[j] += by_s * x.gradient[k][j] + by_rate * x.rate_slopes[k][j];
        }
      }
      add_outer(o, x.gradient[i], v, 1.0);
      if (relaxing_[i] < 0) continue;
      const int row = shape_.own_row(relaxing_[i]);
      const double tau = law_of(i)->relaxation_time;
      add_column(o, row, x.gradient[i], f.by_z[i] * o.c);
      add_row(o, row, x.gradient[i], -o.c / tau);
      out.at(row, row) += 1.0 + o.c / tau;
    }
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    const Turned t =
        turned(ends_.node_a(p).R * ends_.on_a.axes, ends_.node_b(p).R * ends_.on_b.axes);
    Strain x;
    strain(p, t, false, x);
    Laws f;
    laws(p, x, f);
    for (int i = 0; i < 6; ++i) {
      to[i] = x.s[i] + target(p, i).value;
      to[6 + i] = -f.F[i];
    }
  }

  double energy(const Point& p) const noexcept override {
    const Turned t =
        turned(ends_.node_a(p).R * ends_.on_a.axes, ends_.node_b(p).R * ends_.on_b.axes);
    Strain x;
    strain(p, t, false, x);
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) {
      if (law_of(i)) sum += parts::energy(*law_of(i), x.s[i], relaxed(p, i));
      for (int k = 0; k < 6 && joint_.full; ++k) {
        sum += 0.5 * x.s[i] * joint_.full->stiffness[6 * i + k] * x.s[k];
      }
    }
    return sum;
  }

 private:
  struct Laws {
    double F[6] = {}, by_s[6][6] = {}, by_rate[6][6] = {}, by_z[6] = {};
  };

  const std::optional<Law>& law_of(int i) const noexcept {
    return i < 3 ? joint_.translation[i] : joint_.rotation[i - 3];
  }
  DriveState target(const Point& p, int i) const noexcept {
    return targets_[i] < 0 ? DriveState{} : p.drive(targets_[i]);
  }
  double relaxed(const Point& p, int i) const noexcept {
    return relaxing_[i] < 0 ? 0.0 : p.own[relaxing_[i]];
  }

  void strain(const Point& p, const Turned& t, bool slopes, Strain& x) const noexcept {
    for (int i = 0; i < 3; ++i) {
      const Line l = along(ends_, p, i, slopes);
      x.s[i] = l.s;
      x.rate[i] = l.rate;
      for (int j = 0; j < 12 && slopes; ++j) {
        x.gradient[i][j] = l.gradient[j];
        x.rate_slopes[i][j] = l.rate_slopes[j];
      }
    }
    const Vector3 w = ends_.node_b(p).omega - ends_.node_a(p).omega;
    const Matrix3 G = times_transposed(t.M, t.A);
    const Vector3 rate = G * w;
    for (int i = 0; i < 3; ++i) {
      x.s[3 + i] = spatial::component(t.phi, i);
      x.rate[3 + i] = spatial::component(rate, i);
    }
    for (int i = 0; i < 6; ++i) {
      const DriveState d = target(p, i);
      x.s[i] -= d.value;
      x.rate[i] -= d.rate;
    }
    if (!slopes) return;
    // δ(M Aᵀ ω) = ∂(M w)/∂φ δφ + M Aᵀ (ω × θ_a + δω), w = Aᵀ ω
    const Matrix3 D = tangent_derivative(t.phi, transposed_times(t.A, w), false) * G;
    const Matrix3 Gw = G * spatial::skew(w), none{};
    const Matrix3 Ga = ends_.a < 0 ? none : G * p.turn(ends_.a);
    const Matrix3 Gb = ends_.b < 0 ? none : G * p.turn(ends_.b);
    for (int i = 0; i < 3; ++i) {
      double *g = x.gradient[3 + i], *v = x.rate_slopes[3 + i];
      for (int j = 0; j < 3; ++j) {
        const int k = 3 * i + j;
        g[j] = g[6 + j] = v[j] = v[6 + j] = 0.0;
        g[3 + j] = -G.a[k];
        g[9 + j] = G.a[k];
        v[3 + j] = p.c * (Gw.a[k] - D.a[k]) - Ga.a[k];
        v[9 + j] = p.c * D.a[k] + Gb.a[k];
      }
    }
  }

  void laws(const Point& p, const Strain& x, Laws& f) const noexcept {
    for (int i = 0; i < 6; ++i) {
      if (const auto& law = law_of(i)) {
        const LawForce l = parts::force(*law, x.s[i], x.rate[i], relaxed(p, i));
        f.F[i] = l.force;
        f.by_s[i][i] = l.by_s;
        f.by_rate[i][i] = l.by_rate;
        f.by_z[i] = l.by_z;
      }
      for (int k = 0; k < 6 && joint_.full; ++k) {
        f.by_s[i][k] = joint_.full->stiffness[6 * i + k];
        f.by_rate[i][k] = joint_.full->damping[6 * i + k];
        f.F[i] += f.by_s[i][k] * x.s[k] + f.by_rate[i][k] * x.rate[k];
      }
    }
  }

  /// The pattern is probed with laws that are active everywhere.
  void find_pattern() {
    const DeformableJoint given = joint_;
    for (auto* laws : {&joint_.translation, &joint_.rotation}) {
      for (auto& law : *laws) {
        if (!law || law->kind == Law::Kind::viscoelastic) continue;
        law = Law{.kind = Law::Kind::linear, .stiffness = 1.0, .damping = 1.0};
      }
    }
    shape_.pattern = probed_pattern(*this, shape_);
    joint_ = given;
  }

  DeformableJoint joint_;
  Shape shape_;
  Ends ends_;
  bool active_[6] = {};
  int targets_[6] = {}, relaxing_[6] = {-1, -1, -1, -1, -1, -1};
};

}  // namespace

std::unique_ptr<const Element> make(const DeformableJoint& j) {
  return std::make_unique<Deformable>(j);
}

}  // namespace vernier::constrained
