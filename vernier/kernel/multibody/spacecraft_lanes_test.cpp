#include "vernier/kernel/multibody/spacecraft_lanes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/random_craft_test.hpp"
#include "vernier/kernel/multibody/random_star_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::multibody {
namespace {

constexpr std::size_t lanes = SpacecraftLanes::count;

/// Arrays of eight states, each near one.
struct Eight {
  Eight(RandomCraft& at, unsigned seed) : random(seed) {
    for (std::size_t l = 0; l < lanes; ++l) {
      q.push_back(random.coordinates(at.craft.tree()));
      if (at.craft.model().central_gravity) {
        for (std::size_t i = 0; i < at.q.size(); ++i) q[l][i] = at.q[i] + 0.1 * q[l][i];
        at.craft.tree().normalise(q[l]);
      }
      u.push_back(random.speeds(at.craft.tree(), 0.8));
      momentum.push_back(varied(at.momentum));
      fuel.push_back(varied(at.fuel));
      force.push_back(varied(at.force));
      acceleration.push_back(varied(at.acceleration));
      commands.push_back(varied(at.commands));
      torque.push_back(varied(at.torque));
    }
  }
  std::vector<double> varied(std::vector<double> x) {
    for (double& v : x) v *= random.real(0.8, 1.1);
    return x;
  }
  static std::vector<double> wide(const std::vector<std::vector<double>>& x) {
    std::vector<double> out(lanes * x[0].size());
    for (std::size_t l = 0; l < lanes; ++l)
      for (std::size_t i = 0; i < x[l].size(); ++i) out[lanes * i + l] = x[l][i];
    return out;
  }
  RandomTree random;
  std::vector<std::vector<double>> q, u, momentum, fuel, force, acceleration, commands, torque;
};

void add(std::vector<double>& to, const Vector3& v) { to.insert(to.end(), v.begin(), v.end()); }

/// Everything that can be read of an evaluation.
std::vector<double> readings(const Spacecraft& craft, SpacecraftEvaluation& e) {
  std::vector<double> out(craft.tree().speeds());
  craft.efforts(e, out);
  for (std::size_t k = 0; k < craft.model().rotors.size(); ++k)
    out.push_back(craft.rotor_speed(e, static_cast<int>(k)));
  for (const Reading& r : craft.sense(e)) {
    add(out, r.position);
    out.insert(out.end(), r.attitude.begin(), r.attitude.end());
    for (const Vector3& v : {r.velocity.angular, r.velocity.linear, r.acceleration.angular,
                             r.acceleration.linear, r.specific_force})
      add(out, v);
  }
  const SpacecraftTotals t = craft.totals(e);
  for (const double v : {t.mass, t.kinetic, t.deformation, t.springs, t.gravitational, t.energy})
    out.push_back(v);
  for (const Vector3& v : {t.momentum, t.angular_momentum, t.centre, t.centre_velocity})
    add(out, v);
  for (int k = 0; k < static_cast<int>(craft.model().tree.bodies.size()); ++k) {
    const Force f = craft.tree().reaction(e.tree(), k);
    add(out, f.moment);
    add(out, f.resultant);
  }
  return out;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// oracle: the evaluation of one state, to the last bit
void expect_the_same(RandomCraft& at, unsigned seed, const std::string& what) {
  Eight x(at, seed);
  const Spacecraft& craft = at.craft;
  const std::size_t nq = at.q.size(), nu = at.u.size(), nh = at.momentum.size(),
                    nf = at.fuel.size();
  SpacecraftLanes eight(craft);
  SpacecraftEvaluation e(craft);
  std::vector<double> qdot(lanes * nq), udot(lanes * nu), hdot(lanes * nh), fdot(lanes * nf);
  for (const bool held : {false, true}) {
    const std::span<const std::uint8_t> prescribed =
        held ? std::span<const std::uint8_t>(at.prescribed) : std::span<const std::uint8_t>();
    const auto q = Eight::wide(x.q), u = Eight::wide(x.u), h = Eight::wide(x.momentum),
               fuel = Eight::wide(x.fuel), force = Eight::wide(x.force),
               given = Eight::wide(x.acceleration), commands = Eight::wide(x.commands),
               torque = Eight::wide(x.torque);
    const long before = testing::allocations();
    eight.place({q, u, h, fuel});
    EXPECT_EQ(eight.accelerate({force, given, prescribed, commands, torque}, {udot, hdot, fdot}),
              255u)
        << what;
    eight.coordinate_rates(qdot);
    const SpacecraftLanes::Readings read = eight.read(true);
    EXPECT_EQ(testing::allocations(), before) << what;
    for (std::size_t l = 0; l < lanes; ++l) {
      std::vector<double> a(nu), b(nh), c(nf), r(nq);
      craft.place({x.q[l], x.u[l], x.momentum[l], x.fuel[l]}, e);
      ASSERT_TRUE(craft.accelerate(
          {x.force[l], x.acceleration[l], prescribed, x.commands[l], x.torque[l]}, {a, b, c}, e));
      craft.tree().coordinate_rates(x.q[l], x.u[l], r);
      for (std::size_t i = 0; i < nu; ++i)
        EXPECT_TRUE(same_bits(a[i], udot[lanes * i + l])) << what << " lane " << l << " u " << i;
      for (std::size_t i = 0; i < nh; ++i)
        EXPECT_TRUE(same_bits(b[i], hdot[lanes * i + l])) << what;
      for (std::size_t i = 0; i < nf; ++i)
        EXPECT_TRUE(same_bits(c[i], fdot[lanes * i + l])) << what;
      for (std::size_t i = 0; i < nq; ++i)
        EXPECT_TRUE(same_bits(r[i], qdot[lanes * i + l])) << what;
      const auto one = readings(craft, e);
      std::vector<double> in_lanes;
      for (const std::span<const double> part :
           {read.efforts, read.speeds, read.sensors, read.totals, read.reactions})
        for (std::size_t i = l; i < part.size(); i += lanes) in_lanes.push_back(part[i]);
      ASSERT_EQ(one.size(), in_lanes.size());
      for (std::size_t i = 0; i < one.size(); ++i)
        EXPECT_TRUE(same_bits(one[i], in_lanes[i])) << what << " lane " << l << " read " << i;
    }
  }
}

TEST(SpacecraftLanes, HaveTheBitsOfOneStateOnRandomTrees) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    RandomOptions options;
    options.rotors = seed % 3 == 0;
    options.order = static_cast<int>(seed % 3);
    options.shortens = seed >= 16;
    RandomCraft at(seed, 1 + static_cast<int>(seed % 7), seed % 2 == 0, options);
    expect_the_same(at, seed + 100, "seed " + std::to_string(seed));
  }
}

// all numbers of appendages of a kind: places with none, one and several
TEST(SpacecraftLanes, HaveTheBitsOfOneStateOnStars) {
  unsigned seed = 0;
  for (const int appendages : {1, 2, 5, 14, 27, 64}) {
    for (const int modes : {0, 3}) {
      ++seed;
      const bool central = seed % 3 == 0;
      Model tree = random::star(seed, {.modes = modes,
                                       .order = static_cast<int>(seed % 3),
                                       .free = central || seed % 5 != 0,
                                       .appendages = appendages,
                                       .full = seed % 2 == 0});
      if (central) tree.gravity.setZero();
      RandomCraft at(seed, std::move(tree), central);
      ASSERT_EQ(at.craft.tree().path(), Path::star);
      expect_the_same(at, seed + 200, std::to_string(appendages) + " appendages");
    }
  }
}

TEST(SpacecraftLanes, HaveTheBitsOfOneStateWithEverySetOfInstructions) {
  for (const Instructions set : {Instructions::sse2, Instructions::avx2, Instructions::avx512}) {
    if (set > best_instructions()) continue;
    ::setenv("VERNIER_INSTRUCTIONS", vernier::name(set), 1);
    RandomCraft tree(4, 6, true), star(5, random::star(5, {.modes = 3}), false);
    ::unsetenv("VERNIER_INSTRUCTIONS");
    ASSERT_STREQ(tree.craft.tree().instructions(), vernier::name(set));
    expect_the_same(tree, 300, "a tree");
    expect_the_same(star, 301, "a star");
  }
}

TEST(SpacecraftLanes, ASingularStateSpoilsItsOwnLaneOnly) {
  SpacecraftModel m;
  Body b;
  b.name = "b";
  b.inertia.mass = 2.0;
  b.inertia.inertia = Vector3(1, 2, 3).asDiagonal();
  b.hinge.kind = HingeKind::gimbal;
  m.tree.bodies = {b};
  const Spacecraft craft(std::move(m));
  SpacecraftLanes eight(craft);
  std::vector<double> q(3 * lanes, 0.1), u(3 * lanes, 0.2), udot(3 * lanes);
  q[lanes + 5] = 1.5707963267948966;
  eight.place({q, u, {}, {}});
  EXPECT_EQ(eight.accelerate({}, {udot, {}, {}}), 255u & ~(1u << 5));
}

}  // namespace
}  // namespace vernier::multibody
