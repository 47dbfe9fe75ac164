#include "vernier/kernel/multibody/tree.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/kernel/multibody/detail/data.hpp"

namespace vernier::multibody {

using detail::LinkState;
using detail::Mat3;
using detail::MovingNode;
using detail::NodeRecord;
using detail::TreeLink;
using detail::Vec3;
using detail::Vec6;

namespace {

Model checked(Model model) {
  Diagnostics found;
  for (const Finding& f : check(model)) {
    if (f.severity == Severity::error) found.error(f.code, f.message, {});
  }
  found.throw_if_errors();
  return model;
}

}  // namespace

namespace {

const detail::TreeCode& code_of(Instructions set, Arithmetic arithmetic) noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  const bool fused = arithmetic == Arithmetic::fastest;
  if (set == Instructions::avx512) return fused ? detail::tree_avx512_fused : detail::tree_avx512;
  if (set == Instructions::avx2) return fused ? detail::tree_avx2_fused : detail::tree_avx2;
#endif
  static_cast<void>(set);
  static_cast<void>(arithmetic);
  return detail::tree_sse2;
}

}  // namespace

Tree::Data::Data(Model m, Path path, Arithmetic a)
    : model(checked(std::move(m))),
      layout(model),
      view(layout.view()),
      arithmetic(a),
      instructions(chosen_instructions()),
      code(&code_of(instructions, arithmetic)) {
  if (path == Path::tree) return;
  const bool fits = detail::Star::fits(model);
  require(fits || path != Path::star);
  if (fits) star = std::make_unique<detail::Star>(model, instructions, arithmetic);
}

Evaluation::Data::Data(const Tree& t)
    : tree(&t.data()), masses(tree->layout.masses), gravity(tree->model.gravity) {
  const auto& layout = tree->layout;
  q.resize(layout.coordinates);
  for (auto* v : {&u, &tau, &given, &udot}) v->resize(layout.speeds, 0.0);
  regular.resize(layout.speeds, 1.0);
  R.resize(layout.links.size());
  p.resize(layout.links.size());
  nodes.resize(layout.nodes.size());
  node_placed.resize(layout.nodes.size(), 0);
  memory = std::make_unique<double[]>(detail::workspace_bytes<double>(tree->view) / sizeof(double));
  work = detail::make_workspace<double>(memory.get(), tree->view);
  if (tree->star) {
    star = tree->star->memory();
    described.resize(layout.links.size(), 0);
    answered.resize(layout.links.size(), 0);
  }
}

void Evaluation::Data::settle() const noexcept {
  if (!tree->star || settled == placed) return;
  detail::place_links(tree->view, masses.data(), q.data(), u.data(), work);
  settled = placed;
  // The results of the star remain valid: overwrite poses and motions with its values, so that
  // outputs do not depend in the last bit on whether settle() was called.
  std::fill(described.begin(), described.end(), 0);
  for (int k = 0; k < tree->view.count; ++k) link(k);
}

const LinkState<double>& Evaluation::Data::link(int k) const noexcept {
  LinkState<double>& s = work.links[k];
  if (!tree->star || described[k] == placed) return s;
  const TreeLink& link = tree->layout.links[k];
  if (link.parent < 0) {
    s.E = spatial::mat3<double>(link.R0);
    s.r = spatial::vec3<double>(link.p0);
    detail::place_hinge(link.kind, link.parameter, q.data() + link.q, s.E, s.r, s.trig);
    s.V = spatial::zero6<double>();
    detail::move_hinge(link.kind, link.parameter, u.data() + link.u, s.trig, s.V, s.c);
  } else {
    tree->star->describe_place(star, link.body, u.data(), s.E, s.r, s.V);
    // The star does not store the sines and cosines of the hinge; compute them.
    detail::with_kind(link.kind, [&]<class K>() {
      if constexpr (K::trigs > 0) {
        Mat3<double> E = s.E;
        Vec3<double> r = s.r;
        K::place(q.data() + link.q, link.parameter, E, r, s.trig);
      }
    });
  }
  described[k] = placed;
  return s;
}

const LinkState<double>& Evaluation::Data::accelerated_link(int k) const noexcept {
  link(k);
  LinkState<double>& s = work.links[k];
  if (!tree->star || by_sweeps || answered[k] == accelerated) return s;
  tree->star->describe_acceleration(star, tree->layout.links[k].body, s.V, udot.data(), s.A, s.z);
  answered[k] = accelerated;
  return s;
}

Vec6<double> Evaluation::Data::reaction(int k) const noexcept {
  const LinkState<double>& s = accelerated_link(k);
  const TreeLink& own = tree->layout.links[k];
  if (!tree->star || by_sweeps) {
    if (prescribed || !detail::turns_freely_at_the_end(own)) return s.P * s.a0 + s.z;
    // F = P a0 + z with P - U gᵀ, which gather_leaf() does not store.
    const detail::Mass& m = masses[k];
    const Vec3<double> s0 = spatial::vec3<double>(m.s);
    const auto J0 = spatial::sym3<double>(m.J);
    const Vec6<double> U = detail::about_z(s0, J0), &g = work.columns[own.column].g;
    return spatial::rigid(m.m, s0, J0) * s.a0 - U * spatial::dot(g, s.a0) + s.z;
  }
  return own.parent >= 0 ? s.z : tree->star->hub_reaction(star, tau.data());
}

void Evaluation::Data::pose_link(int k) const noexcept {
  const TreeLink& own = tree->layout.links[k];
  const LinkState<double>& s = link(k);
  R[k] = s.E;
  p[k] = s.r;
  if (own.parent >= 0) {
    R[k] = R[own.parent] * s.E;
    p[k] = p[own.parent] + R[own.parent] * s.r;
  }
  if (own.inboard_moves) {
    const auto& m = work.modal[own.mode];
    R[k] = spatial::times_transposed(R[k], m.Ri);
    p[k] = p[k] - R[k] * m.pi;
  }
}

void Evaluation::Data::pose_links() const noexcept {
  settle();
  if (posed == placed) return;
  for (int k = 0; k < tree->view.count; ++k) pose_link(k);
  posed = placed;
}

void Evaluation::Data::pose_to(int k) const noexcept {
  if (posed == placed) return;
  if (!tree->star) return pose_links();
  pose_link(0);  // the hub comes first
  if (k > 0) pose_link(k);
}

const MovingNode<double>& Evaluation::Data::node(int index) const noexcept {
  if (node_placed[index] != placed) {
    nodes[index] = detail::node_of(tree->view, tree->layout.nodes[index], q.data(), u.data());
    node_placed[index] = placed;
  }
  return nodes[index];
}

Evaluation::Evaluation(const Tree& tree) : data_(std::make_unique<Data>(tree)) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

void Evaluation::set_inertia(int body, const Inertia& inertia) noexcept {
  const auto& layout = data_->tree->layout;
  const int link = layout.link_of[body];
  data_->masses[link] = detail::in_frame(inertia, layout.frames[link]);
  if (data_->tree->star) data_->tree->star->set_inertia(data_->star, body, inertia);
}
void Evaluation::set_gravity(const Vector3& g) noexcept {
  data_->gravity = g;
  if (data_->tree->star) data_->tree->star->set_gravity(data_->star, g);
}

Tree::Tree(Model model, Path path, Arithmetic arithmetic)
    : data_(std::make_unique<Data>(std::move(model), path, arithmetic)) {}
Tree::~Tree() = default;
Tree::Tree(Tree&&) noexcept = default;
Tree& Tree::operator=(Tree&&) noexcept = default;

const Model& Tree::model() const noexcept { return data_->model; }
Path Tree::path() const noexcept { return data_->star ? Path::star : Path::tree; }
const char* Tree::instructions() const noexcept { return vernier::name(data_->instructions); }
std::size_t Tree::coordinates() const noexcept { return data_->layout.coordinates; }
std::size_t Tree::speeds() const noexcept { return data_->layout.speeds; }
Block Tree::block(int body) const noexcept { return data_->layout.blocks[body]; }

namespace {

/// Calls f(index of the first element) for every quaternion in q.
template <class F>
void for_each_quaternion(const Tree::Data& tree, F f) {
  for (const TreeLink& link : tree.layout.links) {
    if (facts(link.kind).quaternion) f(link.q);
  }
}

}  // namespace

void Tree::set_zero(std::span<double> q) const noexcept {
  std::fill(q.begin(), q.end(), 0.0);
  for_each_quaternion(*data_, [q](int first) { q[first + 3] = 1.0; });
}

void Tree::normalise(std::span<double> q) const noexcept {
  for_each_quaternion(*data_, [q](int first) {
    double n = 0.0;
    for (int i = 0; i < 4; ++i) n += q[first + i] * q[first + i];
    n = 1.0 / std::sqrt(n);
    for (int i = 0; i < 4; ++i) q[first + i] *= n;
  });
}

void Tree::coordinate_rates(std::span<const double> q, std::span<const double> u,
                            std::span<double> qdot) const noexcept {
  require(q.size() == coordinates() && qdot.size() == coordinates() && u.size() == speeds());
  for (const TreeLink& link : data_->layout.links) {
    detail::hinge_rates(link.kind, q.data() + link.q, u.data() + link.u, qdot.data() + link.q);
    std::copy_n(u.data() + link.u_modes, link.modes, qdot.data() + link.q_modes);
  }
}

void Tree::place(std::span<const double> q, std::span<const double> u,
                 Evaluation& evaluation) const noexcept {
  auto& e = evaluation.data();
  require(q.size() == e.q.size() && u.size() == e.u.size() && e.tree == data_.get());
  std::copy(q.begin(), q.end(), e.q.begin());
  std::copy(u.begin(), u.end(), e.u.begin());
  ++e.placed;
  if (data_->star) {
    data_->star->place(e.star, e.q.data(), e.u.data());
  } else {
    data_->code->place(data_->view, e.masses.data(), e.q.data(), e.u.data(), e.memory.get());
  }
}

namespace {

Vec6<double> plain(const Force& f) noexcept {
  return {detail::plain(f.moment), detail::plain(f.resultant)};
}

// Node forces are reduced to the body frame and the modes of the hub before the star is solved.
int accelerate_star(const Tree::Data& tree, const Loads& loads, Evaluation::Data& e) noexcept {
  const detail::Star& star = *tree.star;
  e.by_sweeps = false;
  star.forget_forces(e.star);
  for (const NodeForce& f : loads.nodes) {
    const int index = tree.layout.node_index(f.at);
    const NodeRecord& record = tree.layout.nodes[index];
    if (record.link < 0) continue;
    const MovingNode<double>& node = e.node(index);
    const TreeLink& link = tree.layout.links[record.link];
    const Vec6<double> force = spatial::rotated(node.R, plain(f.force));
    double* modal = star.push(e.star, link.body, spatial::force_from(force, node.p));
    if (!record.moves) continue;
    const detail::NodeShape phi(tree.view.numbers + record.shape, link.modes);
    const Vec3<double> moment = spatial::transposed_times(node.J, force.a);
    for (int i = 0; i < link.modes; ++i) {
      modal[i] += spatial::dot(spatial::vec3<double>(phi.t + 3 * i), force.l) +
                  spatial::dot(spatial::vec3<double>(phi.r + 3 * i), moment);
    }
  }
  detail::StarLoads all;
  all.force = e.tau.data();
  all.acceleration = e.given.data();
  all.prescribed = e.prescribed ? loads.prescribed.data() : nullptr;
  const int singular = star.accelerate(e.star, e.q.data(), e.u.data(), all, e.udot.data());
  const TreeLink& hub = tree.layout.links[0];
  std::copy_n(e.udot.begin() + hub.u_modes, hub.modes, e.work.etadd + hub.mode);
  return singular;
}

}  // namespace

Solution Tree::accelerate(const Loads& loads, std::span<double> udot,
                          Evaluation& evaluation) const noexcept {
  auto& e = evaluation.data();
  const std::size_t n = e.u.size();
  const auto fits = [n](auto span) { return span.empty() || span.size() == n; };
  require(udot.size() == n && fits(loads.force) && fits(loads.acceleration) &&
          fits(loads.prescribed));
  if (loads.force.empty()) {
    std::fill(e.tau.begin(), e.tau.end(), 0.0);
  } else {
    std::copy(loads.force.begin(), loads.force.end(), e.tau.begin());
  }
  e.prescribed = false;
  for (std::size_t i = 0; i < loads.prescribed.size(); ++i) {
    const bool on = loads.prescribed[i] != 0;
    e.regular[i] = on ? 0.0 : 1.0;
    e.given[i] = on && !loads.acceleration.empty() ? loads.acceleration[i] : 0.0;
    e.prescribed = e.prescribed || on;
  }
  ++e.accelerated;
  const double* regular = e.prescribed ? e.regular.data() : nullptr;
  int singular = -1;
  if (data_->star) {
    singular = accelerate_star(*data_, loads, e);
  } else {
    data_->code->begin(data_->view, e.masses.data(), e.tau.data(), e.memory.get());
    for (const NodeForce& f : loads.nodes) {
      const int index = data_->layout.node_index(f.at);
      const NodeRecord& record = data_->layout.nodes[index];
      if (record.link >= 0)
        detail::apply(data_->view, record, e.node(index), e.q.data(), plain(f.force), e.work);
    }
    const int link =
        data_->code->accelerate(data_->view, e.masses.data(), e.gravity.data(), e.tau.data(),
                                e.given.data(), regular, e.memory.get(), e.udot.data());
    if (link >= 0) singular = data_->layout.links[link].body;
  }
  std::copy(e.udot.begin(), e.udot.end(), udot.begin());
  if (singular >= 0) return {singular};
  for (const TreeLink& link : data_->layout.links) {
    for (int i = 0; i < link.speeds + link.modes; ++i) {
      if (!std::isfinite(e.udot[link.u + i])) return {link.body};
    }
  }
  return {};
}

Pose Tree::pose(const Evaluation& evaluation, int body) const noexcept {
  return pose(evaluation, {body, NodeId::frame});
}

Pose Tree::pose(const Evaluation& evaluation, NodeId id) const noexcept {
  const auto& e = evaluation.data();
  const int index = data_->layout.node_index(id);
  const MovingNode<double>& node = e.node(index);
  const int link = data_->layout.nodes[index].link;
  if (link < 0) return {detail::eigen(node.R), detail::eigen(node.p)};
  e.pose_to(link);
  return {detail::eigen(e.R[link] * node.R), detail::eigen(e.p[link] + e.R[link] * node.p)};
}

Motion Tree::motion(const Evaluation& evaluation, int body) const noexcept {
  return motion(evaluation, {body, NodeId::frame});
}

namespace {

Motion as_motion(const Vec6<double>& v) noexcept {
  return {detail::eigen(v.a), detail::eigen(v.l)};
}

}  // namespace

Motion Tree::motion(const Evaluation& evaluation, NodeId id) const noexcept {
  const auto& e = evaluation.data();
  const int index = data_->layout.node_index(id);
  const MovingNode<double>& node = e.node(index);
  const int link = data_->layout.nodes[index].link;
  if (link < 0) return {};
  return as_motion(spatial::rotated_back(node.R, node_motion(node, e.link(link).V)));
}

Motion Tree::specific_force(const Evaluation& evaluation, NodeId id) const noexcept {
  const auto& e = evaluation.data();
  const int index = data_->layout.node_index(id);
  const MovingNode<double>& node = e.node(index);
  const NodeRecord& record = data_->layout.nodes[index];
  if (record.link < 0) return {Vector3::Zero(), -(detail::eigen(node.R).transpose() * e.gravity)};
  const LinkState<double>& s = e.accelerated_link(record.link);
  Vec6<double> a = spatial::motion_at(s.A, node.p);
  if (record.moves) {
    const TreeLink& link = data_->layout.links[record.link];
    a += detail::node_bias(link, node, s.V);
    const detail::NodeShape phi(data_->view.numbers + record.shape, link.modes);
    Vec3<double> turn = spatial::zero3<double>();
    for (int i = 0; i < link.modes; ++i) {
      const double x = e.work.etadd[link.mode + i];
      turn += spatial::vec3<double>(phi.r + 3 * i) * x;
      a.l += detail::translation(link, phi, i, e.q.data() + link.q_modes) * x;
    }
    a.a += node.J * turn;
  }
  // From the derivative of components to the true acceleration: a = A_l + ω × v.
  const Vec6<double> v = node_motion(node, s.V);
  a.l += spatial::cross(v.a, v.l);
  return as_motion(spatial::rotated_back(node.R, a));
}

Motion Tree::acceleration(const Evaluation& evaluation, NodeId id) const noexcept {
  Motion a = specific_force(evaluation, id);
  a.linear += pose(evaluation, id).R.transpose() * evaluation.data().gravity;
  return a;
}

Force Tree::reaction(const Evaluation& evaluation, int body) const noexcept {
  const Vec6<double> f = evaluation.data().reaction(data_->layout.link_of[body]);
  return {detail::eigen(f.a), detail::eigen(f.l)};
}

void Tree::forces(const Evaluation& evaluation, std::span<double> tau) const noexcept {
  const auto& e = evaluation.data();
  require(tau.size() == e.tau.size());
  std::copy(e.tau.begin(), e.tau.end(), tau.begin());
  if (!e.prescribed) return;
  // The force of a prescribed speed: S·F of the hinge reaction, plus the torque that
  // accelerates its rotor.
  for (int k = 0; k < data_->view.count; ++k) {
    const TreeLink& link = data_->layout.links[k];
    for (int i = 0; i < link.speeds; ++i) {
      if (e.regular[link.u + i] != 0.0) continue;
      const Vec6<double> S = detail::hinge_axis(link.kind, link.parameter, i, e.link(k).trig);
      tau[link.u + i] = spatial::dot(S, e.reaction(k)) + link.rotor[i] * e.udot[link.u + i];
    }
  }
}

}  // namespace vernier::multibody
