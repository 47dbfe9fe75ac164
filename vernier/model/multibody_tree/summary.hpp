#pragma once

#include <string>
#include <vector>

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody_tree {

/// Properties of a spacecraft in its initial state.
struct Summary {
  struct Part {
    std::string name, hinge, at;  // at: BODY.NODE of the parent, or ground
    std::size_t dofs = 0, modes = 0;
    double mass = 0.0;                                        // with fuel
    multibody::Vector3 centre = multibody::Vector3::Zero();   // of mass, in its own frame
    multibody::Matrix3 inertia = multibody::Matrix3::Zero();  // about that, in its own axes
  };
  std::vector<Part> bodies;
  std::size_t regular = 0, prescribed = 0, locked = 0;  // hinge dofs
  std::size_t modes = 0;
  double mass = 0.0, fuel = 0.0;
  multibody::Vector3 centre = multibody::Vector3::Zero();   // in the frame of the bus
  multibody::Matrix3 inertia = multibody::Matrix3::Zero();  // about it, in the axes of the bus
  /// Frequencies in Hz, ascending, without rigid motions: with the initially prescribed dofs held,
  /// and with all hinges held, including those to the ground.
  std::vector<double> free, constrained;
  std::string path, instructions;
  double rates_us = 0.0;    // of one evaluation of all rates; 0: not measured
  double sensing_us = 0.0;  // with sensors, energy and momenta
};

/// `timed`: also measures the cost of an evaluation on this machine, which takes about 50 ms.
Summary summary_of(const multibody::Spacecraft&, bool timed);

}  // namespace vernier::multibody_tree
