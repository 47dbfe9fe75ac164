#pragma once

#include <string>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody_tree::detail {

/// A degree of freedom, with one automaton that switches its motion.
struct SwitchedDof {
  int body = 0;
  std::size_t speed = 0;     // in u of the tree
  std::size_t hinge_labels;  // first of the labels free, prescribe, lock of its hinge
  std::size_t own_labels;    // first of its own labels; the same for a hinge with one dof
};

/// Locations of the automaton of a dof.
enum Status : int { regular = 0, prescribed = 1, locked = 2 };

/// The signals of the system of a spacecraft, and the positions of its parts in them.
struct Signals {
  hybrid::SystemSpec spec;
  std::vector<SwitchedDof> dofs;  // by automaton
  // Offsets in x: q, u, momenta of rotors, fuel.
  std::size_t q = 0, u = 0, momentum = 0, fuel = 0, states = 0;
  // Offsets in the inputs: forces and accelerations by dof, then commands, then torques of rotors.
  std::size_t forces = 0, accelerations = 0, commands = 0, torques = 0;
  bool reactions = false;
};

/// `held`: by speed, see MultibodySystem::Options.
Signals signals_of(const multibody::Spacecraft&, const std::vector<std::uint8_t>& held,
                   bool reactions);

}  // namespace vernier::multibody_tree::detail
