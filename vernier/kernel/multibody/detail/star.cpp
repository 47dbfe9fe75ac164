#include "vernier/kernel/multibody/detail/star.hpp"

#include <algorithm>
#include <span>

#include "vernier/kernel/multibody/detail/star_kernel.hpp"

namespace vernier::multibody::detail {
namespace {

const StarCode& code_of(Instructions set, Arithmetic arithmetic) {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  const bool fused = arithmetic == Arithmetic::fastest;
  if (set == Instructions::avx512) return fused ? star_avx512_fused : star_avx512;
  if (set == Instructions::avx2) return fused ? star_avx2_fused : star_avx2;
#endif
  static_cast<void>(set);
  static_cast<void>(arithmetic);
  return star_sse2;
}

bool in_star(HingeKind kind) {
  return with_kind(kind, []<class K>() { return K::in_star; });
}

bool still(const Matrix3X& shapes) { return shapes.size() == 0 || shapes.isZero(0.0); }

template <class V>
void put3(double* to, const V& v, int stride = 1) {
  for (int i = 0; i < 3; ++i) to[i * stride] = v[i];
}
/// xx yy zz xy xz yz
void put_symmetric(double* to, const Matrix3& m, int stride = 1) {
  const double v[6] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  for (int i = 0; i < 6; ++i) to[i * stride] = v[i];
}
void put_rotation(double* to, const Matrix3& m, int stride = 1) {
  for (int i = 0; i < 9; ++i) to[i * stride] = m(i / 3, i % 3);
}
/// φ_t and φ_r of the given modes.
void put_shapes(double* to, const Node& node, std::span<const int> modes, int stride) {
  for (const int mode : modes) {
    if (node.phi_t.cols() > mode) put3(to, node.phi_t.col(mode), stride);
    if (node.phi_r.cols() > mode) put3(to + 3 * stride, node.phi_r.col(mode), stride);
    to += 6 * stride;
  }
}
bool moves(const Node& node, int mode) {
  return (node.phi_t.cols() > mode && !node.phi_t.col(mode).isZero(0.0)) ||
         (node.phi_r.cols() > mode && !node.phi_r.col(mode).isZero(0.0));
}

/// Allocates blocks of memory in sequence, each aligned to a cache line.
class Allotment {
 public:
  std::size_t take(std::size_t numbers) {
    const std::size_t first = size_;
    size_ += (numbers + 7) / 8 * 8;
    return first;
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

/// The inertia of a body about the frame `at`, in its axes.
Inertia taken_at(const Inertia& i, const Pose& at) {
  const Vector3& p = at.p;
  const Vector3& s = i.moment;
  const Matrix3 J = i.inertia + (i.mass * p.dot(p) - 2.0 * s.dot(p)) * Matrix3::Identity() -
                    i.mass * p * p.transpose() + s * p.transpose() + p * s.transpose();
  return {i.mass, at.R.transpose() * (s - i.mass * p), at.R.transpose() * J * at.R};
}

}  // namespace

// Exactly one hub at the ground, whose inboard node is its frame and is not moved by modes; all
// other bodies are rigid and attached to the hub.
bool Star::fits(const Model& model) {
  int hub = -1;
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Hinge& hinge = model.bodies[i].hinge;
    if (hinge.parent != ground) continue;
    if (hub >= 0) return false;
    hub = i;
    if (hinge.kind != HingeKind::free && hinge.kind != HingeKind::fixed) return false;
    if (!hinge.inboard.pose.R.isIdentity(0.0) || !hinge.inboard.pose.p.isZero(0.0) ||
        !still(hinge.inboard.phi_t) || !still(hinge.inboard.phi_r))
      return false;
    for (const double r : hinge.rotor) {
      if (r != 0.0) return false;
    }
  }
  // The hub has no second-order displacements here.
  if (hub >= 0 && model.bodies[hub].modes && model.bodies[hub].modes->shortens()) return false;
  return hub >= 0 && std::ranges::all_of(model.bodies, [&](const Body& body) {
           if (body.hinge.parent == ground) return true;
           return body.hinge.parent == hub && body.mode_count() == 0 && in_star(body.hinge.kind);
         });
}

Star::Star(const Model& model, Instructions set, Arithmetic arithmetic, In in)
    : code_(&code_of(set, arithmetic)) {
  const auto bodies = static_cast<int>(model.bodies.size());
  const bool by_states = in != In::appendages;
  // Offsets of q and u of each body, in the order of the model.
  int q = 0, u = 0;
  std::vector<int> first_q, first_u;
  for (const Body& body : model.bodies) {
    first_q.push_back(q);
    first_u.push_back(u);
    q += static_cast<int>(coordinates(body.hinge.kind) + body.mode_count());
    u += static_cast<int>(speeds(body.hinge.kind) + body.mode_count());
  }
  for (int i = 0; i < bodies; ++i) {
    if (model.bodies[i].hinge.parent == ground) plan_.hub = i;
  }
  const Body& hub = model.bodies[plan_.hub];
  const int n = plan_.modes = static_cast<int>(hub.mode_count());
  plan_.order = hub.modes ? hub.modes->order : 0;
  plan_.free = hub.hinge.kind == HingeKind::free;
  plan_.hub_q = first_q[plan_.hub];
  plan_.hub_u = first_u[plan_.hub];
  plan_.eta = plan_.hub_q + static_cast<int>(coordinates(hub.hinge.kind));
  plan_.rate = plan_.hub_u + static_cast<int>(speeds(hub.hinge.kind));
  plan_.diagonal =
      n == 0 || (hub.modes->stiffness.isDiagonal(0.0) && hub.modes->damping.isDiagonal(0.0));
  ground_R_ = hub.hinge.outboard.pose.R;

  // Group the appendages by kind of hinge, as many in one vector as fit.
  places_.resize(bodies);
  int wholes = 0;
  for (const HingeFacts& of : hinge_kinds()) {
    const HingeKind kind = of.kind;
    std::vector<int> members;
    for (int i = 0; i < bodies; ++i) {
      if (i != plan_.hub && model.bodies[i].hinge.kind == kind) members.push_back(i);
    }
    for (std::size_t first = 0; first < members.size();) {
      // Groups are formed for the widest instruction set. Narrower sets split them, but with the
      // modes of the whole group, so that all sets add the same terms.
      const int left = static_cast<int>(members.size() - first);
      const int whole = in == In::states ? 1 : left <= star_remainder ? star_remainder : widest;
      const int count = std::min(left, whole);
      const std::span<const int> bodies_of(members.data() + first, static_cast<std::size_t>(count));
      std::vector<int> modes;
      for (int mode = 0; mode < n; ++mode) {
        if (std::ranges::any_of(bodies_of, [&](int body) {
              return moves(model.bodies[body].hinge.outboard, mode);
            }))
          modes.push_back(mode);
      }
      const int part = by_states ? 1 : std::min(whole, code_->width);
      for (int begin = 0; begin < count; begin += part) {
        StarGroup group;
        group.kind = kind;
        group.width = part;
        group.count = std::min(count - begin, part);
        group.place = (whole == widest ? 0 : widest) + begin;
        group.whole = wholes;
        for (int lane = 0; lane < group.width; ++lane) {
          const int body = bodies_of[begin + (lane < group.count ? lane : 0)];
          group.body[lane] = body;
          group.q[lane] = first_q[body];
          group.u[lane] = first_u[body];
          if (lane < group.count) places_[body] = {static_cast<int>(groups_.size()), lane};
        }
        group.moving = static_cast<int>(modes.size());
        moving_.push_back(modes);
        groups_.push_back(group);
      }
      first += count;
      ++wholes;
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g].modes = moving_[g].data();
  lay_out();

  // Constants
  initial_ = AlignedNumbers(plan_.size);
  double* memory = initial_.get();
  inboard_.reserve(bodies);
  for (const Body& body : model.bodies) inboard_.push_back(body.hinge.inboard.pose);
  for (const StarGroup& group : groups_) {
    for (int lane = 0; lane < group.width; ++lane) {
      const int w = group.width;
      double* c = memory + group.constants + lane;
      const bool idle = lane >= group.count;
      const Body& body = model.bodies[group.body[lane]];
      put_rotation(c, idle ? Matrix3(Matrix3::Identity()) : body.hinge.outboard.pose.R, w);
      if (idle) {
        for (const int i : {22, 23, 24})
          c[i * w] = 1.0;  // rotors: avoids division by zero in idle lanes
        continue;
      }
      put3(c + 9 * w, body.hinge.outboard.pose.p, w);
      for (int i = 0; i < 3; ++i) c[(22 + i) * w] = body.hinge.rotor[i];
      c[25 * w] = body.hinge.parameter;
      put_shapes(memory + group.shapes + lane, body.hinge.outboard,
                 {group.modes, static_cast<std::size_t>(group.moving)}, w);
      put_appendage(memory, group.body[lane], body.inertia);
    }
  }
  double* c = memory + plan_.constants;
  const HubFields at(n);
  put_hub(memory, hub.inertia);
  for (int i = 0; i < n; ++i) {
    const Modes& m = *hub.modes;
    put3(c + at.S1 + 3 * i, m.S1.col(i));
    put3(c + at.H0 + 3 * i, m.H0.col(i));
    if (plan_.order >= 1) put_symmetric(c + at.J1 + 6 * i, m.N0[i] + m.N0[i].transpose());
    for (int l = 0; l < n; ++l) {
      if (plan_.order >= 1) put3(c + at.H1 + 3 * (i * n + l), m.H1[i].col(l));
      if (!plan_.diagonal) {
        c[at.K + i * n + l] = m.stiffness(i, l);
        c[at.D + i * n + l] = m.damping(i, l);
      }
    }
    if (plan_.diagonal) {
      c[at.K + i] = m.stiffness(i, i);
      c[at.D + i] = m.damping(i, i);
    }
    for (int l = 0; l <= i; ++l) {
      c[at.Mff + i * (i + 1) / 2 + l] = m.mass(i, l);
      if (plan_.order < 2) continue;
      const Matrix3 both = m.J2[i * n + l] + m.J2[l * n + i];
      put_symmetric(c + at.J2 + 6 * (i * (i + 1) / 2 + l), 0.5 * (both + both.transpose()));
    }
  }
  put3(c + at.gravity, Vector3(ground_R_.transpose() * model.gravity));
}

// Offsets of all blocks in the memory of an evaluation, each aligned to a cache line.
void Star::lay_out() {
  const auto n = static_cast<std::size_t>(plan_.modes), unknowns = n + 6;
  const auto sums = static_cast<std::size_t>(padded_sums_size(plan_.modes));
  Allotment memory;
  for (StarGroup& g : groups_) {
    const auto w = static_cast<std::size_t>(g.width);
    g.constants = memory.take(w * appendage_size);
    g.shapes = memory.take(w * 6 * n);
    if (w == 1) continue;
    g.placed = memory.take(w * sizeof(Placed<double>) / sizeof(double));
    g.psi = memory.take(w * 3 * n);
    g.rows = memory.take(w * (6 + 3 * unknowns));
    g.external = memory.take(w * 6);
  }
  plan_.constants = memory.take(static_cast<std::size_t>(HubFields(plan_.modes).size));
  plan_.sums = memory.take(star_places * std::max(sums, unknowns));
  plan_.spread = memory.take(star_places * 2 * n);
  plan_.own = memory.take(sums);
  plan_.totals = memory.take(sums);
  plan_.factors = memory.take(unknowns * (unknowns + 1) / 2 + 2 * unknowns);
  plan_.solution = memory.take(unknowns);
  plan_.external = memory.take(unknowns);
  plan_.size = memory.size();
  // Indices of the hub's matrix and forces in the layout of Sums and what follows it.
  const int modes = plan_.modes;
  constexpr int symmetric[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int i = 0; i < plan_.unknowns(); ++i) {
    const int a = i - modes;
    for (int j = 0; j <= i; ++j) {
      const int b = j - modes;
      entries_.push_back(a < 0   ? 27 + 7 * modes + i * (i + 1) / 2 + j
                         : b < 0 ? 27 + 7 * j + a
                         : a < 3 ? symmetric[a][b]
                         : b < 3 ? 6 + 3 * b + a - 3
                                 : 15 + symmetric[a - 3][b - 3]);
    }
    forces_.push_back(a < 0 ? 27 + 7 * i + 6 : 21 + a);
  }
  plan_.entries = entries_.data();
  plan_.forces = forces_.data();
  plan_.groups = groups_.data();
  plan_.group_count = static_cast<int>(groups_.size());
}

Mass Star::mass(int body, const Inertia& inertia) const noexcept {
  const Inertia at = body == plan_.hub ? inertia : taken_at(inertia, inboard_[body]);
  Mass m;
  m.m = at.mass;
  put3(m.s, at.moment);
  put_symmetric(m.J, at.inertia);
  return m;
}

void Star::put_appendage(double* memory, int body, const Inertia& inertia) const noexcept {
  const Place place = places_[body];
  const StarGroup& group = groups_[place.group];
  const int w = group.width;
  const Mass at = mass(body, inertia);
  double* c = memory + group.constants + place.lane;
  for (int i = 0; i < 6; ++i) c[(12 + i) * w] = at.J[i];
  put3(c + 18 * w, at.s, w);
  c[21 * w] = at.m;
}

void Star::put_hub(double* memory, const Inertia& inertia) const noexcept {
  double* c = memory + plan_.constants;
  const HubFields at(plan_.modes);
  c[at.mass] = inertia.mass;
  put3(c + at.moment, inertia.moment);
  put_symmetric(c + at.inertia, inertia.inertia);
}

StarMemory Star::memory(std::size_t more) const {
  StarMemory m{AlignedNumbers(plan_.size + more), std::vector<std::uint8_t>(groups_.size())};
  std::copy_n(initial_.get(), plan_.size, m.numbers.get());
  return m;
}

void Star::set_inertia(StarMemory& m, int body, const Inertia& inertia) const noexcept {
  if (body == plan_.hub) {
    put_hub(m.numbers.get(), inertia);
  } else {
    put_appendage(m.numbers.get(), body, inertia);
  }
}

void Star::set_gravity(StarMemory& m, const Vector3& gravity) const noexcept {
  put3(m.numbers.get() + plan_.constants + HubFields(plan_.modes).gravity,
       Vector3(ground_R_.transpose() * gravity));
}

}  // namespace vernier::multibody::detail
