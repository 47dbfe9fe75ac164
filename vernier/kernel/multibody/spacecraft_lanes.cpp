#include "vernier/kernel/multibody/spacecraft_lanes.hpp"

#include <algorithm>

#include "vernier/base/require.hpp"
#include "vernier/kernel/multibody/detail/central_gravity.hpp"
#include "vernier/kernel/multibody/detail/data.hpp"
#include "vernier/kernel/multibody/detail/lane_craft.hpp"
#include "vernier/kernel/multibody/detail/spacecraft_data.hpp"

namespace vernier::multibody {

namespace {

constexpr std::size_t lanes = SpacecraftLanes::count;

const detail::LanesCode& code_of(Instructions set) noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  if (set == Instructions::avx512) return detail::lanes_avx512;
  if (set == Instructions::avx2) return detail::lanes_avx2;
#endif
  static_cast<void>(set);
  return detail::lanes_sse2;
}

/// Numbers of eight states, and space for those of one.
class Wide {
 public:
  explicit Wide(std::size_t count = 0) : numbers_(lanes * count), one_(count) {}

  double* get() const noexcept { return numbers_.get(); }
  std::size_t size() const noexcept { return one_.size(); }
  std::span<const double> all() const noexcept { return {get(), lanes * size()}; }
  void put(std::span<const double> from) noexcept {
    require(from.size() == lanes * size());
    std::copy(from.begin(), from.end(), get());
  }
  /// The same if there are any; returns the address, or null.
  const double* put_if(std::span<const double> from) noexcept {
    if (from.empty()) return nullptr;
    put(from);
    return get();
  }
  std::span<double> lane(std::size_t l) noexcept {
    for (std::size_t i = 0; i < size(); ++i) one_[i] = get()[lanes * i + l];
    return one_;
  }
  void set_lane(std::size_t l, std::span<const double> from) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) get()[lanes * i + l] = from[i];
  }

 private:
  detail::AlignedNumbers numbers_;
  std::vector<double> one_;
};

}  // namespace

struct SpacecraftLanes::Data {
  explicit Data(const Spacecraft& s);

  void put_adjustable(std::size_t lane) noexcept;
  std::span<const double> parameters_of(std::size_t lane) noexcept;
  void take_parameters() noexcept;
  void attract() noexcept;
  template <class F>
  void each_attracted(std::size_t lane, const F&) noexcept;
  detail::LaneDrive drive() const noexcept {
    return {given.get(), any_prescribed ? regular.data() : nullptr};
  }
  void read_lane(std::size_t lane) noexcept;
  bool evaluate(std::size_t lane) noexcept;

  const Spacecraft* craft;
  const Tree::Data* tree;
  const detail::LanesCode* code;
  bool in_lanes;  // otherwise one state at a time
  detail::OwnedLaneCraft owned;
  std::vector<SpacecraftEvaluation> evaluations;  // one for each lane
  Wide q, u, momentum, fuel, parameters, force, commands, torque, given, tau, udot, qdot, hdot,
      fdot;
  // What the equipment needs: see SurroundingsPoint.
  Wide laws, rotors, softer, inertias, R, p, pushes, fade, thrust, products, loads, jet, weighed;
  Wide speeds, efforts, readings, totals, reactions;
  detail::AlignedNumbers memory;
  detail::SurroundingsPoint point{};
  std::vector<std::uint8_t> prescribed;
  std::vector<double> regular;
  bool any_prescribed = false, weigh = true;
  bool adjusted = false;  // parameters were given
};

SpacecraftLanes::Data::Data(const Spacecraft& s)
    : craft(&s),
      tree(&s.tree().data()),
      code(&code_of(tree->instructions)),
      in_lanes(tree->arithmetic == Arithmetic::reproducible),
      owned(s),
      q(s.tree().coordinates()),
      u(s.tree().speeds()),
      momentum(s.model().rotors.size()),
      fuel(s.model().tanks.size()),
      parameters(s.parameters().size()),
      force(u.size()),
      commands(s.commands()),
      torque(momentum.size()),
      given(u.size()),
      tau(u.size()),
      udot(u.size()),
      qdot(q.size()),
      hdot(momentum.size()),
      fdot(fuel.size()),
      prescribed(u.size()),
      regular(u.size(), 1.0) {
  for (std::size_t l = 0; l < lanes; ++l) evaluations.emplace_back(s);
  const auto& craft_data = s.data();
  const auto& w = evaluations[0].data();
  laws = Wide(3 * craft_data.laws.size());
  rotors = Wide(2 * craft_data.rotors.size());
  softer = Wide(2 * w.softer.size());
  inertias = Wide(13 * craft_data.varying.size());
  R = Wide(9 * tree->layout.links.size());
  p = Wide(3 * tree->layout.links.size());
  pushes = Wide(craft_data.pushes);
  fade = Wide(fuel.size());
  thrust = Wide(craft_data.actuators.size());
  products = Wide(w.products.size());
  loads = Wide(6 * craft_data.loads.size());
  jet = Wide(6);
  weighed = Wide(fuel.size());
  speeds = Wide(momentum.size());
  efforts = Wide(u.size());
  readings = Wide(detail::reading_size * s.model().sensors.size());
  totals = Wide(detail::totals_size);
  reactions = Wide(6 * tree->layout.links.size());
  point = {q.get(),      u.get(),        momentum.get(), fuel.get(), laws.get(),   rotors.get(),
           softer.get(), inertias.get(), nullptr,        nullptr,    nullptr,      R.get(),
           p.get(),      tau.get(),      pushes.get(),   fade.get(), thrust.get(), products.get(),
           loads.get(),  jet.get(),      hdot.get(),     fdot.get()};
  if (!in_lanes) return;
  const detail::LaneCraft& view = owned.view();
  memory = detail::AlignedNumbers(code->bytes(view) / sizeof(double));
  for (int k = 0; k < tree->view.count; ++k) {
    const int body = tree->layout.links[static_cast<std::size_t>(k)].body;
    const detail::Mass& mass = tree->layout.masses[static_cast<std::size_t>(k)];
    const detail::Mass for_sweeps =
        owned.star() != nullptr
            ? owned.star()->mass(body, w.inertias[static_cast<std::size_t>(body)])
            : mass;
    for (int l = 0; l < static_cast<int>(lanes); ++l)
      code->set_mass(view, memory.get(), k, l, mass, for_sweeps);
  }
  for (std::size_t l = 0; l < lanes; ++l) put_adjustable(l);
}

SpacecraftLanes::SpacecraftLanes(const Spacecraft& s) : data_(std::make_unique<Data>(s)) {}
SpacecraftLanes::~SpacecraftLanes() = default;
SpacecraftLanes::SpacecraftLanes(SpacecraftLanes&&) noexcept = default;
SpacecraftLanes& SpacecraftLanes::operator=(SpacecraftLanes&&) noexcept = default;

/// Copies what parameters can change from the evaluation of a lane.
void SpacecraftLanes::Data::put_adjustable(std::size_t l) noexcept {
  const auto& w = evaluations[l].data();
  const auto put = [l](double*& to, std::initializer_list<double> numbers) {
    for (const double x : numbers) {
      to[l] = x;
      to += lanes;
    }
  };
  double* to = laws.get();
  for (const detail::LawPath& k : w.laws) put(to, {k.law.stiffness, k.law.damping, k.law.friction});
  to = rotors.get();
  for (const auto& r : w.rotors) put(to, {r.inertia, r.friction});
  to = softer.get();
  for (const auto& m : w.softer) put(to, {m.K, m.D});
  to = inertias.get();
  for (const int body : craft->data().varying) {
    const Inertia& of = w.inertias[static_cast<std::size_t>(body)];
    put(to, {of.mass, of.moment[0], of.moment[1], of.moment[2]});
    for (int i = 0; i < 9; ++i) put(to, {of.inertia(i / 3, i % 3)});
  }
  weigh = true;
}

std::span<const double> SpacecraftLanes::Data::parameters_of(std::size_t l) noexcept {
  return adjusted ? std::span<const double>(parameters.lane(l)) : craft->parameters();
}

void SpacecraftLanes::Data::take_parameters() noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    auto& w = evaluations[l].data();
    const std::span<const double> own = parameters_of(l);
    if (std::equal(own.begin(), own.end(), w.set_parameters.begin())) continue;
    detail::take_parameters(craft->data(), own, w);
    put_adjustable(l);
  }
}

void SpacecraftLanes::place(const Spacecraft::State& s) noexcept {
  Data& d = *data_;
  d.q.put(s.q);
  d.u.put(s.u);
  d.momentum.put(s.momentum);
  d.fuel.put(s.fuel);
  d.adjusted = !s.parameters.empty();
  if (d.adjusted) d.parameters.put(s.parameters);
  if (!d.in_lanes) return;
  if (d.parameters.size() > 0) d.take_parameters();
  if (d.weigh || !std::ranges::equal(d.fuel.all(), d.weighed.all())) {
    d.code->weigh(d.owned.view(), d.point, d.memory.get());
    d.weighed.put(d.fuel.all());
    d.weigh = false;
  }
  d.code->place(d.owned.view(), d.point, d.memory.get());
}

/// Calls f(k, pose, inertia) for each lane and each load k with central gravity.
template <class F>
void SpacecraftLanes::Data::each_attracted(std::size_t l, const F& f) noexcept {
  const auto& of = craft->data();
  auto& w = evaluations[l].data();
  const std::span<const double> fuel_of = fuel.lane(l), Rs = R.lane(l), ps = p.lane(l);
  std::copy(fuel_of.begin(), fuel_of.end(), w.fuel.begin());
  for (std::size_t k = 0; k < of.loads.size(); ++k) {
    const detail::LoadBank& b = of.loads[k];
    if (!b.gravity) continue;
    const detail::NodeRecord& frame = tree->layout.node({b.body, NodeId::frame});
    const auto link = static_cast<std::size_t>(frame.link);
    const auto turned = spatial::mat3<double>(Rs.data() + 9 * link);
    const auto at = spatial::vec3<double>(ps.data() + 3 * link);
    f(k,
      Pose{detail::eigen(turned * spatial::mat3<double>(frame.R0)),
           detail::eigen(at + turned * spatial::vec3<double>(frame.p0))},
      detail::with_fuel(of, w, b.body));
  }
}

namespace {

const Modes* modes_of_load(const Spacecraft::Data& d, const detail::LoadBank& b) noexcept {
  const auto& modes = d.model.tree.bodies[static_cast<std::size_t>(b.body)].modes;
  return modes ? &*modes : nullptr;
}

}  // namespace

/// Adds central gravity to the loads, lane by lane: gather_loads().
void SpacecraftLanes::Data::attract() noexcept {
  const auto& of = craft->data();
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::span<const double> own = q.lane(l);
    const std::span<double> taus = tau.lane(l);
    each_attracted(l, [&](std::size_t k, const Pose& pose, const Inertia& inertia) {
      const detail::LoadBank& b = of.loads[k];
      const Force g =
          detail::central_force(of.model.central_gravity->mu, pose, inertia, modes_of_load(of, b),
                                own.subspan(b.first_q, b.modes), taus.subspan(b.first_u, b.modes));
      for (std::size_t i = 0; i < 3; ++i) {
        double* load = loads.get() + lanes * (6 * k + i) + l;
        load[0] += g.moment[static_cast<Eigen::Index>(i)];
        load[3 * lanes] += g.resultant[static_cast<Eigen::Index>(i)];
      }
    });
    tau.set_lane(l, taus);
  }
}

unsigned SpacecraftLanes::accelerate(const Spacecraft::Commands& c,
                                     const Spacecraft::Rates& rates) noexcept {
  Data& d = *data_;
  d.point.force = d.force.put_if(c.force);
  d.point.commands = d.commands.put_if(c.actuators);
  d.point.torque = d.torque.put_if(c.torque);
  d.any_prescribed = false;
  for (std::size_t i = 0; i < d.u.size(); ++i) {
    const bool on = !c.prescribed.empty() && c.prescribed[i] != 0;
    d.prescribed[i] = on ? 1 : 0;
    d.regular[i] = on ? 0.0 : 1.0;
    d.any_prescribed = d.any_prescribed || on;
    double* to = d.given.get() + lanes * i;
    if (on && !c.acceleration.empty()) {
      std::copy_n(c.acceleration.data() + lanes * i, lanes, to);
    } else {
      std::fill_n(to, lanes, 0.0);
    }
  }
  unsigned good = 0;
  if (d.in_lanes) {
    const detail::LaneCraft& craft = d.owned.view();
    d.code->gather(craft, d.point, d.memory.get());
    if (d.craft->model().central_gravity) d.attract();
    good = d.code->accelerate(craft, d.point, d.drive(), d.memory.get(), d.udot.get());
  } else {
    for (std::size_t l = 0; l < lanes; ++l) good |= d.evaluate(l) ? 1u << l : 0u;
  }
  const auto give = [](const Wide& from, std::span<double> to) {
    std::copy_n(from.get(), to.size(), to.begin());
  };
  give(d.udot, rates.u);
  give(d.hdot, rates.momentum);
  give(d.fdot, rates.fuel);
  return good;
}

/// Places and accelerates the evaluation of one lane alone; its rates go to the results.
bool SpacecraftLanes::Data::evaluate(std::size_t l) noexcept {
  SpacecraftEvaluation& e = evaluations[l];
  craft->place({q.lane(l), u.lane(l), momentum.lane(l), fuel.lane(l), parameters_of(l)}, e);
  const auto part = [l](const double* there, Wide& from) {
    return there != nullptr ? std::span<const double>(from.lane(l)) : std::span<const double>();
  };
  const std::span<double> rates = udot.lane(l), turned = hdot.lane(l), burnt = fdot.lane(l);
  const bool good = static_cast<bool>(
      craft->accelerate({part(point.force, force), given.lane(l),
                         any_prescribed ? prescribed : std::span<const std::uint8_t>(),
                         part(point.commands, commands), part(point.torque, torque)},
                        {rates, turned, burnt}, e));
  udot.set_lane(l, rates);
  hdot.set_lane(l, turned);
  fdot.set_lane(l, burnt);
  return good;
}

/// Reads the evaluation of one lane.
void SpacecraftLanes::Data::read_lane(std::size_t l) noexcept {
  SpacecraftEvaluation& e = evaluations[l];
  const std::span<double> own = speeds.lane(l), forces = efforts.lane(l), seen = readings.lane(l),
                          sum = totals.lane(l), held = reactions.lane(l);
  for (std::size_t k = 0; k < own.size(); ++k) own[k] = craft->rotor_speed(e, static_cast<int>(k));
  craft->efforts(e, forces);
  double* to = seen.data();
  const auto put = [&to](const auto& v) { to = std::copy_n(v.data(), v.size(), to); };
  const auto put_number = [&to](double v) { *to++ = v; };
  for (const Reading& r : craft->sense(e)) {
    put(r.position);
    put(r.attitude);
    for (const Vector3& v : {r.velocity.angular, r.velocity.linear, r.acceleration.angular,
                             r.acceleration.linear, r.specific_force})
      put(v);
  }
  to = sum.data();
  const SpacecraftTotals t = craft->totals(e);
  for (const double v : {t.mass, t.kinetic, t.deformation, t.springs, t.gravitational, t.energy})
    put_number(v);
  for (const Vector3& v : {t.momentum, t.angular_momentum, t.centre, t.centre_velocity}) put(v);
  to = held.data();
  for (std::size_t k = 0; k < tree->layout.links.size(); ++k) {
    const Force f = craft->tree().reaction(e.tree(), static_cast<int>(k));
    put(f.moment);
    put(f.resultant);
  }
  speeds.set_lane(l, own);
  efforts.set_lane(l, forces);
  readings.set_lane(l, seen);
  totals.set_lane(l, sum);
  reactions.set_lane(l, held);
}

SpacecraftLanes::Readings SpacecraftLanes::read(bool reactions) noexcept {
  Data& d = *data_;
  if (d.in_lanes) {
    d.code->read(d.owned.view(), d.point, d.drive(), d.memory.get(), d.udot.get(),
                 {d.speeds.get(), d.efforts.get(), d.readings.get(), d.totals.get(),
                  reactions ? d.reactions.get() : nullptr});
    const auto& of = d.craft->data();
    for (std::size_t l = 0; of.model.central_gravity && l < lanes; ++l) {
      const std::span<const double> q = d.q.lane(l);
      const std::span<double> t = d.totals.lane(l);
      d.each_attracted(l, [&](std::size_t k, const Pose& pose, const Inertia& inertia) {
        const detail::LoadBank& b = of.loads[k];
        t[detail::total_gravitational] +=
            detail::central_potential(of.model.central_gravity->mu, pose, inertia,
                                      modes_of_load(of, b), q.subspan(b.first_q, b.modes));
      });
      t[detail::total_energy] = t[detail::total_kinetic] + t[detail::total_deformation] +
                                t[detail::total_springs] + t[detail::total_gravitational];
      d.totals.set_lane(l, t);
    }
  } else {
    for (std::size_t l = 0; l < lanes; ++l) d.read_lane(l);
  }
  return {d.speeds.all(), d.efforts.all(), d.readings.all(), d.totals.all(),
          reactions ? d.reactions.all() : std::span<const double>()};
}

void SpacecraftLanes::coordinate_rates(std::span<double> qdot) noexcept {
  Data& d = *data_;
  require(qdot.size() == lanes * d.q.size());
  d.code->coordinate_rates(d.tree->view, d.q.get(), d.u.get(), d.qdot.get());
  std::copy_n(d.qdot.get(), qdot.size(), qdot.begin());
}

}  // namespace vernier::multibody
