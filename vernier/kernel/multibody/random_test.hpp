#pragma once

#include <random>

#include "vernier/kernel/multibody/tree.hpp"

/// Random trees for property tests: every hinge kind, modes at both ends of hinges, bodies made of
/// lumps that are nodes too.
namespace vernier::multibody {

struct RandomOptions {
  std::vector<HingeKind> kinds = {
      HingeKind::fixed,     HingeKind::pin,    HingeKind::prismatic, HingeKind::cylindrical,
      HingeKind::universal, HingeKind::gimbal, HingeKind::ball,      HingeKind::planar,
      HingeKind::free,      HingeKind::screw};
  HingeKind base = HingeKind::free;
  double flexible = 0.6;  // share of bodies with modes
  bool damped = true;
  bool rotors = false;
  int order = 2;
  bool shortens = false;  // modes have second-order displacements
};

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : engine_(seed) {}

  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  Vector3 vector(double size) { return {real(-size, size), real(-size, size), real(-size, size)}; }
  Matrix3 rotation();
  /// Shapes for each mode or pair of modes.
  Matrix3X shapes(std::size_t columns, double size) {
    return Matrix3X::NullaryExpr(3, static_cast<Eigen::Index>(columns),
                                 [&] { return real(-size, size); });
  }
  Node node(int modes, double shape = 0.15, bool shortens = false);

  /// Its bodies are made of lumps; node i of a body is where lump i is. See lumps().
  Model model(int bodies, const RandomOptions& = {});
  const std::vector<std::vector<Lump>>& lumps() const { return lumps_; }

  std::vector<double> coordinates(const Tree&, double modal = 0.05);
  std::vector<double> speeds(const Tree&, double size = 1.0);

 private:
  std::mt19937_64 engine_;
  std::vector<std::vector<Lump>> lumps_;
};

/// The state after `steps` of the classical Runge-Kutta method; loads stay.
void integrate(const Tree&, Evaluation&, std::vector<double>& q, std::vector<double>& u,
               const Loads&, double step, int steps);
/// q + step * the rate that u gives; quaternions stay as long as they come out.
std::vector<double> displaced(const Tree&, const std::vector<double>& q,
                              const std::vector<double>& u, double step);

}  // namespace vernier::multibody
