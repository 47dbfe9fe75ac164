#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/parameters.hpp"
#include "vernier/component/scene.hpp"
#include "vernier/document/document.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

/// Multibody spacecraft from documents (formats/multibody).
namespace vernier::multibody_tree {

struct ModalFile;

/// The places of the parts of a spacecraft in its document, by index in the model.
struct Places {
  struct OfBody {
    Place body, hinge;
    std::vector<Place> nodes;
  };
  std::vector<OfBody> bodies;
  std::vector<Place> actuators, sensors, rotors, tanks;
};

/// A spacecraft as described by its document; q, u and prescribed of the model are complete.
struct Spacecraft {
  multibody::SpacecraftModel model;
  std::vector<std::uint8_t> held;  // by speed: no acceleration input required, zero is intended
  Places places;
  std::vector<std::shared_ptr<const ModalFile>> files;  // of the modes of each body; null: none
  std::vector<std::vector<scene::Shape>> meshes;        // of each body, for pictures
};

/// A document that was read and found good. Its parameters are the constants by their names, and
/// of its parts what a run begins with:
///
///   BODY.mass, BODY.centre or .moment, BODY.inertia     where the document gives them
///   BODY.DOF_stiffness, _damping, _friction             likewise
///   BODY.frequency, BODY.damping                        of all modes, where all have them
///   WHEEL.inertia (not counted in its body), WHEEL.friction
///   BODY.DOF, BODY.DOF_rate                  hinges with angles and distances: panel.turn
///   BODY.quaternion, BODY.rate               ball and free; scalar last, as in kernel/spatial
///   BODY.position, BODY.velocity             free
///   BODY.eta, BODY.eta_rate                  modes
///   WHEEL.speed, TANK.fuel
///
/// The first four rows may stay adjustable.
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::string& name() const noexcept = 0;
  virtual const std::string& summary() const noexcept = 0;  // one line
  virtual const std::vector<ParameterSpec>& parameters() const noexcept = 0;
  virtual std::vector<std::filesystem::path> files() const = 0;  // files that it names
  /// The spacecraft with these parameters. Throws ConfigurationError if they are invalid.
  virtual Spacecraft made(const Parameters&) const = 0;
};

/// The grammar of multibody documents.
document::Grammar grammar();

/// Reads and checks a document and the modal files it names. All problems go into `problems`,
/// findings of multibody::check() at the places of the bodies. Returns nothing if there is an
/// error.
std::shared_ptr<const Source> read_source(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; messages use `name` as the file name, and modal files are searched
/// for next to it.
std::shared_ptr<const Source> parse_source(std::string content, const DocumentFile& name,
                                           Diagnostics& problems);

}  // namespace vernier::multibody_tree
