#pragma once

#include <string>
#include <vector>

#include "vernier/kernel/multibody/tree.hpp"

/// The models that engines are compared on, made by numbers that never change: spacecraft after the
/// paper's Cassini, chains, a tree and a star. Every number of them is invented.
namespace vernier::peers {

/// Bus and ten appendages on 6 pins and 4 universals; 20 degrees of freedom, and `modes` (up to 5)
/// of the bus. Thrusters and sensors have nodes on the bus.
multibody::Model cassini(int modes);
multibody::Model chain(int bodies);        // of pins, grounded
multibody::Model binary_tree(int bodies);  // of pins, grounded
multibody::Model star(int appendages);     // pins at a free bus
/// A tree with every hinge that MuJoCo and Simbody have too, grounded or free.
multibody::Model mixed_tree(int bodies, bool free, unsigned seed);

/// Everything that an evaluation needs, as Tree lays it out.
struct State {
  std::vector<double> q, u, force;
};
std::vector<State> random_states(const multibody::Tree&, int count, unsigned seed = 12345);

/// Another engine with the same model. Accelerations are in the terms of Tree.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Accelerations of a state of the pool; nothing is kept from one call to the next.
  virtual void evaluate(std::size_t state) = 0;
  /// Those of the last state.
  virtual std::vector<double> accelerations() const = 0;
};
/// Null if the engine cannot load the model.
std::unique_ptr<Peer> mujoco(const multibody::Tree&, const std::vector<State>&);
std::unique_ptr<Peer> simbody(const multibody::Tree&, const std::vector<State>&);

}  // namespace vernier::peers
