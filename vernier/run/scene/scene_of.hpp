#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/component/scene.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::scene {

/// Whether the run has the values of a port, by its path.
using Recorded = std::function<bool(std::string_view path)>;

/// What to add to documents, so that signals are recorded that poses need.
struct Advice {
  std::vector<std::string> signals;
  std::string add;  // an element; empty: nothing helps
};

/// The scene of a whole composition: the names of bodies and signals are paths.
struct Composed {
  std::string name;
  Scene scene;  // `places`: empty
  std::vector<Advice> missing;
};

/// Puts together what the instances of a composition look like. An input of an instance is bound to
/// the output that feeds it. Orbits, wheels, coils and fields are given to the craft that their
/// connections lead to. An instance whose type knows no scene is drawn where it has a position (m)
/// or an attitude among its ports.
///
/// `recorded`: null: what the composition records. A type that cannot be made, or whose scene
/// throws, is left out: make_plan() reports it.
Composed scene_of(const composition::Composition&, const composition::Plan&, const Catalogue&,
                  const Recorded& recorded = {});

/// As formats/scene has it.
std::string to_json(const Composed&);

}  // namespace vernier::scene
