#include "simbody_engine.hpp"

#include <SimTKsimbody.h>

namespace vernier::peers {
namespace {

SimTK::Transform transform(const double* R, const double* p) {
  return {SimTK::Rotation(SimTK::Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8])),
          SimTK::Vec3(p[0], p[1], p[2])};
}
SimTK::Vector vector(const std::vector<double>& v) {
  return SimTK::Vector(static_cast<int>(v.size()), v.data());
}

}  // namespace

struct SimbodyEngine::Data {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::DiscreteForces on_speeds{forces, matter};
  SimTK::State state;
  std::vector<SimTK::MobilizedBody> bodies;
  std::vector<SimTK::Vector> q, u, force;

  SimTK::MobilizedBody attach(const SimbodyBody& b) {
    using SimTK::MobilizedBody;
    const SimTK::Body::Rigid body(
        SimTK::MassProperties(b.mass, SimTK::Vec3(b.centre[0], b.centre[1], b.centre[2]),
                              SimTK::Inertia(b.inertia[0], b.inertia[1], b.inertia[2], b.inertia[3],
                                             b.inertia[4], b.inertia[5])));
    MobilizedBody& parent = b.parent < 0 ? static_cast<MobilizedBody&>(matter.updGround())
                                         : bodies[static_cast<std::size_t>(b.parent)];
    const SimTK::Transform out = transform(b.outboard_R, b.outboard_p),
                           in = transform(b.inboard_R, b.inboard_p);
    switch (b.hinge) {
      case SimbodyHinge::free:
        return MobilizedBody::Free(parent, out, body, in);
      case SimbodyHinge::pin:
        return MobilizedBody::Pin(parent, out, body, in);
      case SimbodyHinge::slider_z: {  // theirs slides along x
        const SimTK::Transform z_as_x(SimTK::Rotation(-SimTK::Pi / 2, SimTK::YAxis));
        return MobilizedBody::Slider(parent, out * z_as_x, body, in * z_as_x);
      }
      case SimbodyHinge::cylinder:
        return MobilizedBody::Cylinder(parent, out, body, in);
      case SimbodyHinge::universal:
        return MobilizedBody::Universal(parent, out, body, in);
      case SimbodyHinge::ball:
        return MobilizedBody::Ball(parent, out, body, in);
      default:
        return MobilizedBody::Weld(parent, out, body, in);
    }
  }
};

SimbodyEngine::SimbodyEngine(const std::vector<SimbodyBody>& bodies, const double gravity[3])
    : data_(new Data) {
  Data& d = *data_;
  if (gravity[0] != 0.0 || gravity[1] != 0.0 || gravity[2] != 0.0) {
    SimTK::Force::UniformGravity(d.forces, d.matter,
                                 SimTK::Vec3(gravity[0], gravity[1], gravity[2]));
  }
  for (const SimbodyBody& b : bodies) d.bodies.push_back(d.attach(b));
  d.state = d.system.realizeTopology();
  d.system.realizeModel(d.state);
}
SimbodyEngine::~SimbodyEngine() = default;

int SimbodyEngine::coordinates() const { return data_->state.getNQ(); }
int SimbodyEngine::speeds() const { return data_->state.getNU(); }
int SimbodyEngine::first_coordinate(int body) const {
  return data_->bodies[static_cast<std::size_t>(body)].getFirstQIndex(data_->state);
}
int SimbodyEngine::first_speed(int body) const {
  return data_->bodies[static_cast<std::size_t>(body)].getFirstUIndex(data_->state);
}

void SimbodyEngine::add_state(const std::vector<double>& q, const std::vector<double>& u,
                              const std::vector<double>& force) {
  data_->q.push_back(vector(q));
  data_->u.push_back(vector(u));
  data_->force.push_back(vector(force));
}

void SimbodyEngine::evaluate(int state) {
  Data& d = *data_;
  const auto k = static_cast<std::size_t>(state);
  d.state.updQ() = d.q[k];
  d.state.updU() = d.u[k];
  d.on_speeds.setAllMobilityForces(d.state, d.force[k]);
  d.system.realize(d.state, SimTK::Stage::Acceleration);
}

double SimbodyEngine::udot(int speed) const { return data_->state.getUDot()[speed]; }

}  // namespace vernier::peers
