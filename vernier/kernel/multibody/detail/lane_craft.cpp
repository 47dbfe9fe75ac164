#include "vernier/kernel/multibody/detail/lane_craft.hpp"

#include <algorithm>

#include "vernier/kernel/multibody/detail/data.hpp"
#include "vernier/kernel/multibody/detail/spacecraft_data.hpp"

namespace vernier::multibody::detail {

namespace {

void lay3(const Vector3& v, double* to) { std::copy_n(v.data(), 3, to); }
void lay_rows(const Matrix3& m, double* to) {
  for (int i = 0; i < 9; ++i) to[i] = m(i / 3, i % 3);
}
int count_of(const auto& list) { return static_cast<int>(list.size()); }

}  // namespace

OwnedLaneCraft::OwnedLaneCraft(const Spacecraft& s) {
  const Spacecraft::Data& d = s.data();
  const Tree::Data& tree = s.tree().data();
  for (const LawPath& l : d.laws) {
    const HingeLaw& law = l.law;
    laws_.push_back({static_cast<int>(l.u), l.q ? static_cast<int>(*l.q) : -1,
                     law.stop_stiffness != 0.0 || law.stop_damping != 0.0, law.rest,
                     law.friction_speed, law.lower, law.upper, law.stop_stiffness,
                     law.stop_damping});
  }
  for (const GivenModes& g : d.model.modes) {
    const Block b = s.tree().block(g.body);
    for (std::size_t i = 0; i < b.modes; ++i) {
      softer_.push_back(static_cast<int>(b.q + b.coordinates + i));
      softer_.push_back(static_cast<int>(b.u + b.speeds + i));
    }
  }
  add_actuators(s);
  add_bodies(s);
  choose_links(s);
  view_.layout = tree.view;
  view_.around = {laws_.data(),
                  actuators_.data(),
                  feeds_.data(),
                  tanks_.data(),
                  rotors_.data(),
                  loads_.data(),
                  varying_.data(),
                  sensors_.data(),
                  softer_.data(),
                  count_of(laws_),
                  count_of(actuators_),
                  count_of(tanks_),
                  count_of(rotors_),
                  count_of(loads_),
                  count_of(varying_),
                  count_of(sensors_),
                  count_of(softer_) / 2,
                  tree.layout.nodes.data(),
                  tree.layout.node_index({d.model.bus, NodeId::frame}),
                  posed_.data(),
                  count_of(posed_),
                  d.burns,
                  d.model.jet_damping,
                  {},
                  d.model.central_gravity ? d.model.central_gravity->mu : 0.0,
                  d.pushes};
  view_.bus_load = static_cast<int>(d.bus_load);
  lay3(d.model.tree.gravity, view_.around.gravity);
  if (!star_) return;
  view_.star = &star_->plan();
  view_.constants = star_->constants();
  view_.forced = forced_.data();
  view_.links = links_.data();
  view_.groups = groups_.data();
  view_.described = described_.data();
  view_.described_count = count_of(described_);
}

void OwnedLaneCraft::add_actuators(const Spacecraft& s) {
  const Spacecraft::Data& d = s.data();
  const Layout& layout = s.tree().data().layout;
  const auto frame_of = [&](int body) {
    return body == d.model.bus ? -1 : layout.node_index({body, NodeId::frame});
  };
  for (std::size_t k = 0; k < d.actuators.size(); ++k) {
    const ActuatorPath& from = d.actuators[k];
    ActuatorPlan a;
    a.kind = static_cast<ActuatorPlan::Kind>(from.kind);
    a.command = static_cast<int>(from.command);
    a.push = from.push;
    a.push_stride = from.push_stride;
    a.twist = from.twist;
    a.twist_stride = from.twist_stride;
    lay_rows(from.R0, a.R0);
    lay3(from.direction, a.direction);
    a.feed = count_of(feeds_);
    for (const Actuator::Feed& f : d.model.actuators[k].feeds) feeds_.push_back({f.tank, f.flow});
    a.feeds = count_of(feeds_) - a.feed;
    if (a.feeds > 0) a.carrier = frame_of(from.carrier);
    lay3(from.nozzle, a.nozzle);
    actuators_.push_back(a);
  }
  for (const Tank& t : d.model.tanks) {
    TankPlan to;
    to.capacity = t.full.mass;
    to.carrier = frame_of(t.body);
    lay3(t.full.moment / t.full.mass, to.centre);
    lay3(t.full.moment, to.moment);
    lay_rows(t.full.inertia, to.inertia);
    tanks_.push_back(to);
  }
  for (std::size_t k = 0; k < d.rotors.size(); ++k) {
    const Rotor& r = d.model.rotors[k];
    RotorPlan to{&layout.nodes[static_cast<std::size_t>(layout.node_index(r.at))],
                 d.rotors[k].twist,
                 d.rotors[k].stride,
                 {},
                 {}};
    lay3(r.axis, to.axis);
    lay_rows(d.rotors[k].R0, to.R0);
    rotors_.push_back(to);
  }
}

void OwnedLaneCraft::add_bodies(const Spacecraft& s) {
  const Spacecraft::Data& d = s.data();
  const Tree::Data& tree = s.tree().data();
  if (tree.star)
    star_ = std::make_unique<Star>(tree.model, tree.instructions, tree.arithmetic,
                                   Star::In::states_alike);
  for (const LoadBank& b : d.loads)
    loads_.push_back({&tree.layout.node({b.body, NodeId::frame}), b.modes, b.first_q, b.first_u,
                      b.shortens, b.pushed.nodes() > 0 ? &b.pushed.view() : nullptr,
                      b.twisted.nodes() > 0 ? &b.twisted.view() : nullptr, b.push_at, b.twist_at});
  for (const SensorBank& b : d.sensors)
    sensors_.push_back({&tree.layout.node({b.body, NodeId::frame}), b.modes, b.first_q, b.first_u,
                        b.shortens, b.body == d.model.bus, &b.nodes.view(), b.sensors.data()});
  for (const int body : d.varying) {
    VaryingPlan to;
    to.link = tree.layout.link_of[static_cast<std::size_t>(body)];
    const Pose& frame = tree.layout.frames[static_cast<std::size_t>(to.link)];
    lay_rows(frame.R, to.R);
    lay3(frame.p, to.p);
    const Pose& hinge = tree.model.bodies[static_cast<std::size_t>(body)].hinge.inboard.pose;
    lay_rows(hinge.R, to.hinge_R);
    lay3(hinge.p, to.hinge_p);
    std::vector<int>& tanks = tanks_of_.emplace_back();
    for (std::size_t t = 0; t < d.model.tanks.size(); ++t)
      if (d.model.tanks[t].body == body) tanks.push_back(static_cast<int>(t));
    to.tank_count = count_of(tanks);
    varying_.push_back(to);
  }
  for (std::size_t k = 0; k < varying_.size(); ++k) varying_[k].tanks = tanks_of_[k].data();
  if (!star_) return;
  // Loaded are the groups of one state that contain a body with loads.
  const StarPlan& plan = star_->plan();
  const auto groups = static_cast<std::size_t>(plan.group_count);
  forced_.resize(groups + 1);
  links_.resize(groups);
  groups_.resize(tree.layout.links.size());
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const int group = star_->group(tree.layout.links[k].body);
    groups_[k] = group < 0 ? plan.group_count : group;
    if (group >= 0) links_[static_cast<std::size_t>(group)] = static_cast<int>(k);
  }
  for (const LoadPlan& l : loads_) {
    if (l.frame->link < 0) continue;
    const int loaded = groups_[static_cast<std::size_t>(l.frame->link)];
    if (loaded == plan.group_count) forced_[groups] = 1;
    for (std::size_t g = 0; loaded < plan.group_count && g < groups; ++g)
      if (plan.groups[g].whole == plan.groups[loaded].whole) forced_[g] = 1;
  }
}

/// The links whose poses, and in a star whose motions, the equipment needs.
void OwnedLaneCraft::choose_links(const Spacecraft& s) {
  const Spacecraft::Data& d = s.data();
  const Layout& layout = s.tree().data().layout;
  std::vector<bool> posed(layout.links.size(), d.model.central_gravity.has_value()), moved = posed;
  const auto need_pose = [&](int link) {
    for (int k = link; k >= 0; k = layout.links[static_cast<std::size_t>(k)].parent)
      posed[static_cast<std::size_t>(k)] = true;
  };
  const int bus = layout.link_of[static_cast<std::size_t>(d.model.bus)];
  const auto need_place = [&](int carrier) {
    if (carrier < 0) return;
    need_pose(layout.nodes[static_cast<std::size_t>(carrier)].link);
    need_pose(bus);
  };
  for (const ActuatorPlan& a : actuators_) {
    if (a.feeds == 0 || !d.model.jet_damping) continue;
    need_place(a.carrier);
    for (int i = a.feed; i < a.feed + a.feeds; ++i)
      need_place(
          tanks_[static_cast<std::size_t>(feeds_[static_cast<std::size_t>(i)].tank)].carrier);
  }
  if (d.burns) moved[static_cast<std::size_t>(bus)] = true;
  for (const RotorPlan& r : rotors_)
    if (r.node->link >= 0) moved[static_cast<std::size_t>(r.node->link)] = true;
  for (std::size_t k = 0; k < posed.size(); ++k) {
    if (posed[k]) posed_.push_back(static_cast<int>(k));
    if (posed[k] || moved[k]) described_.push_back(static_cast<int>(k));
  }
}

}  // namespace vernier::multibody::detail
