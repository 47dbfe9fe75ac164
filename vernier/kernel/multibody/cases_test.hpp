#pragma once

#include "vernier/kernel/multibody/tree.hpp"

/// Models of the reference on flexible multibody trees, section 12, for tests.
namespace vernier::multibody::cases {

/// A model with its state and what acts on it.
struct Case {
  Model model;
  std::vector<double> q, u, force;
  std::vector<NodeForce> nodes;
};

Case pendulum();  // A: two links
Case bus();       // B: flexible bus with two appendages
Case arm();       // D: grounded, modes at the inboard node

/// A node with shapes; columns: for each mode three numbers.
Node node(const Vector3& p, const Matrix3& R, std::initializer_list<double> phi_t,
          std::initializer_list<double> phi_r);
Matrix3X shapes(std::initializer_list<double>);
Lump lump(double mass, const Vector3& p, std::initializer_list<double> shape = {});

}  // namespace vernier::multibody::cases
