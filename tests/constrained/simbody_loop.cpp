#include "simbody_loop.hpp"

#include <SimTKsimbody.h>

namespace vernier::peers {

std::vector<std::vector<double>> simbody_motion(const FourBar& f,
                                                const std::vector<double>& times) {
  using namespace SimTK;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  const Force::UniformGravity gravity(forces, matter, Vec3(0, -f.gravity, 0));
  const auto bar = [&](Real length) {
    const Real m = f.density * length;
    const Vec3 centre(length / 2, 0, 0);
    const Inertia about_centre(1e-3 * m * length * length, m * length * length / 12,
                               m * length * length / 12);
    return Body::Rigid(MassProperties(m, centre, about_centre.shiftFromMassCenter(centre, m)));
  };
  MobilizedBody::Pin crank(matter.updGround(), Transform(), bar(f.crank), Transform());
  MobilizedBody::Pin coupler(crank, Transform(Vec3(f.crank, 0, 0)), bar(f.coupler), Transform());
  MobilizedBody::Pin rocker(matter.updGround(), Transform(Vec3(f.ground, 0, 0)), bar(f.rocker),
                            Transform());
  const Constraint::Ball closing(coupler, Vec3(f.coupler, 0, 0), rocker, Vec3(f.rocker, 0, 0));
  State state = system.realizeTopology();
  system.realizeModel(state);

  const Closure c0 = closed(f);
  crank.setAngle(state, f.angle);
  coupler.setAngle(state, c0.coupler - f.angle);
  rocker.setAngle(state, c0.rocker);
  crank.setRate(state, f.rate);
  coupler.setRate(state, c0.coupler_rate - f.rate);
  rocker.setRate(state, c0.rocker_rate);

  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(1e-11);
  integrator.setConstraintTolerance(1e-12);
  TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  std::vector<std::vector<double>> all;
  for (const double t : times) {
    stepper.stepTo(t);
    const State& now = integrator.getState();
    system.realize(now, Stage::Position);
    const Vec3 b = coupler.findStationLocationInGround(now, Vec3(0)),
               c = rocker.findStationLocationInGround(now, Vec3(f.rocker, 0, 0));
    all.push_back({b[0], b[1], c[0], c[1]});
  }
  return all;
}

}  // namespace vernier::peers
