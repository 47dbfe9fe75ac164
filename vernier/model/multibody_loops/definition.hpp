#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/component/description.hpp"
#include "vernier/component/scene.hpp"
#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/solver.hpp"

namespace vernier::multibody_tree {
struct ModalFile;
}

namespace vernier::multibody_loops {

/// An output port and the quantity that it shows.
struct Shown {
  enum class Kind : std::uint8_t {
    position,              // of node `index`, global axes
    attitude,              // from global to node axes, scalar last
    velocity,              // global axes
    rate,                  // node axes
    acceleration,          // global axes
    angular_acceleration,  // node axes
    scalar,                // of scalar node `index`
    measure,               // `first` … of the measures of element `index`
    kinetic_energy,
    potential_energy,
    momentum,
    angular_momentum,
    constraint_violation,
    iterations,
    residual,
    unconverged,
  };
  Kind kind = Kind::position;
  int index = 0;
  int first = 0;
  Port port = {};
};

/// What an element joins: for pictures.
struct Joined {
  std::string name;
  std::string kind;  // of a joint; "beam", "rod", "deformable", …
  std::vector<constrained::Attachment> at = {};
  double radius = 0.0;  // m, about, of beams
};
/// A modal body: for pictures.
struct Bending {
  std::string name;
  int node = 0;
  std::shared_ptr<const multibody_tree::ModalFile> file = {};
  std::vector<double> start = {};  // modal coordinates
};

/// A mechanism as described by its document.
struct Definition {
  constrained::Model model;
  constrained::Settings settings;
  double step = 1e-3;        // s, the longest step
  bool equilibrium = false;  // start in static equilibrium instead of the given state
  int load_steps = 10;
  Alone alone;               // how the document is run by itself
  std::vector<Port> inputs;  // one for each drive that is an input, in their order
  std::vector<Shown> outputs;
  /// Where nodes, bodies, elements and drives are in the document, by name.
  std::map<std::string, Place, std::less<>> places;
  Place place;  // of the document
  /// Shared objects with elements of the document that were not loaded: the mechanism lacks these
  /// elements and cannot be run.
  std::vector<std::filesystem::path> not_loaded;
  std::vector<Joined> joined;
  std::vector<Bending> bending;
  std::map<std::string, std::vector<scene::Shape>, std::less<>> meshes;  // by body, for pictures
};

}  // namespace vernier::multibody_loops
