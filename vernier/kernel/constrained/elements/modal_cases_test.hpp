#pragma once

#include <cmath>
#include <vector>

#include "vernier/kernel/constrained/elements/beam_cases_test.hpp"
#include "vernier/kernel/constrained/elements/modal_body.hpp"

namespace vernier::constrained {

/// A flexible body of point masses that turn, with `modes` shapes that are no eigenmodes: every
/// integral is there.
inline multibody::Body flexible_body(int modes, int order = 2) {
  multibody::Body b;
  std::vector<multibody::Lump> lumps;
  for (int k = 0; k < 6; ++k) {
    multibody::Lump l;
    const double t = 0.4 * k;
    l.mass = 1.0 + 0.3 * k;
    l.p = {t, 0.3 * std::sin(t), 0.2 * std::cos(2.0 * t)};
    l.shape.resize(3, modes);
    l.rotation.resize(3, modes);
    for (int i = 0; i < modes; ++i) {
      const double a = 1.0 + 0.7 * i;
      l.shape.col(i) << 0.1 * std::sin(a * t), 0.5 * std::sin(a * t + i), 0.3 * t * std::cos(a * t);
      l.rotation.col(i) << 0.1 * std::cos(t), 0.2 * std::sin(t + i), 0.4 * std::sin(a * t);
    }
    l.inertia = multibody::Vector3(0.01, 0.02, 0.025).asDiagonal();
    lumps.push_back(l);
  }
  b.name = "flexible";
  b.inertia = multibody::rigid_inertia(lumps);
  b.modes = multibody::modal_integrals(lumps);
  b.modes->order = order;
  b.modes->stiffness = multibody::MatrixX::Identity(modes, modes) * 40.0;
  b.modes->stiffness(0, 0) = 25.0;
  b.modes->damping = multibody::MatrixX::Identity(modes, modes) * 0.3;
  for (const int k : {2, 5}) {
    multibody::Node n;
    n.name = k == 2 ? "middle" : "end";
    n.pose.p = lumps[k].p;
    n.phi_t = lumps[k].shape;
    n.phi_r = lumps[k].rotation;
    b.nodes.push_back(n);
  }
  return b;
}

inline std::vector<BeamCase> modal_cases() {
  std::vector<BeamCase> all;
  for (int order = 0; order < 3; ++order) {
    ModalBody b = modal_body(flexible_body(3, order), 0);
    b.gravity = {1.0, -2.0, -9.0};
    all.push_back({make(b), {}});
    b.stations[0].node = 1;
    b.stations[1].node = 2;
    b.stations[1].axes = rotation(Vector3{0.2, -0.4, 0.1});
    all.push_back({make(b), {}});
  }
  return all;
}

}  // namespace vernier::constrained
