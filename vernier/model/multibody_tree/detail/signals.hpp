#pragma once

#include <string>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody_tree::detail {

/// A degree of freedom that can be switched: one automaton each.
struct SwitchedDof {
  int body = 0;
  std::size_t speed = 0;     // in u of the tree
  std::size_t hinge_labels;  // first of the labels free, prescribe, lock of its hinge
  std::size_t own_labels;    // of itself; the same when it is the only one of its hinge
};

/// Locations of every automaton of a dof.
enum Status : int { regular = 0, prescribed = 1, locked = 2 };

/// What a system of a spacecraft looks like from outside, and where its numbers are.
struct Signals {
  hybrid::SystemSpec spec;
  std::vector<SwitchedDof> dofs;  // by automaton
  // in x: q, u, momenta of rotors, fuel
  std::size_t q = 0, u = 0, momentum = 0, fuel = 0, states = 0;
  // in the inputs: forces and accelerations by dof, then commands, then torques of rotors
  std::size_t forces = 0, accelerations = 0, commands = 0, torques = 0;
  bool reactions = false;
};

/// `held`: by speed, see MultibodySystem::Options.
Signals signals_of(const multibody::Spacecraft&, const std::vector<std::uint8_t>& held,
                   bool reactions);

}  // namespace vernier::multibody_tree::detail
