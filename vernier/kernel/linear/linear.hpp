#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::linear {

/// A quantity of a linear system: an element of a signal, or a small rotation about an axis.
struct Quantity {
  std::string name;  // "body.omega[0]", "body.attitude about x"
  std::string unit = "1";
};

/// x' = A x + B u + P p, y = C x + D u + Q p for small changes about a point, in one mode. The
/// states of a quaternion are three small rotations of the body, about its own axes.
struct LinearSystem {
  std::vector<Quantity> states, inputs, parameters, outputs;
  Eigen::MatrixXd A, B, P, C, D, Q;
};

/// Derivatives by System::jacobian(): exact, except for models that use differences.
LinearSystem linearize(const hybrid::System&, const hybrid::Point&);

struct Mode {
  std::complex<double> eigenvalue;          // 1/s
  double frequency = 0.0;                   // Hz, undamped
  double damping = 0.0;                     // of critical; 1 or -1 for a real eigenvalue
  std::vector<std::complex<double>> shape;  // by state, the largest element 1
};

/// Eigenmodes: of each conjugate pair, the one with the positive imaginary part; sorted by
/// frequency, then by real part. Empty if A is not finite.
std::vector<Mode> modes(const LinearSystem&);

}  // namespace vernier::linear
