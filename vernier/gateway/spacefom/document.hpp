#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/spacefom/objects.hpp"
#include "vernier/gateway/spacefom/values.hpp"

namespace vernier {
class Catalogue;
struct Type;
}  // namespace vernier

namespace vernier::spacefom {

/// How the Pacing federate couples logical time to the clock.
struct Pace {
  enum class Kind { none, scaled, real_time } kind = Kind::none;
  double factor = 1.0;            // simulated seconds per second
  std::string late = "catch-up";  // strict, elastic…, catch-up, slip: realtime::parsed_policy()
};

/// An attribute or parameter of a user class, as a flat vector of numbers; one port for each part
/// of its type.
struct MappedAttribute {
  std::string name, port;
  Flat type;
  std::vector<double> initial;  // one for each number of the type
};
/// What a user class adds to one of the SpaceFOM.
struct Extended {
  std::string object_class;  // empty: the SpaceFOM class itself
  std::vector<MappedAttribute> attributes;
};

struct PublishedFrame {
  std::string name, parent, port;
  frames::FrameState initial;
  Extended extended = {};
};
struct PublishedEntity {
  Entity entity;                     // constant values; ports replace the others
  std::vector<std::string> parents;  // selected by the port `parent`
  std::string expressed;  // the frame in which the ports' state is expressed; empty: the parent
  std::string port;
  Extended extended;
};
struct PublishedInterface {
  Interface interface;
  std::string port;
  Extended extended;
};
struct MappedObject {
  std::string object_class, name;
  std::vector<MappedAttribute> attributes;
};
/// An interaction: an event with the port's name, and a port for each parameter.
struct MappedInteraction {
  std::string interaction_class, port;
  std::vector<MappedAttribute> parameters;
};
/// A frame, an entity or an interface of another federate.
struct Subscribed {
  std::string name, in, port;  // interfaces: `in` is empty
  bool propagated = true, dynamical = false;
  Extended extended = {};
};

/// A federate document (formats/federate) as data.
struct FederateDocument {
  std::string description;
  std::filesystem::path file;
  Settings settings;
  Pace pace;
  std::string central_clock;  // central timing equipment: spacefom::central_clock(); empty: none
  std::vector<PublishedFrame> frames;
  std::vector<PublishedEntity> entities;
  std::vector<PublishedInterface> interfaces;
  std::vector<MappedObject> objects, subscribed_objects;
  std::vector<MappedInteraction> interactions, subscribed_interactions;
  std::vector<Subscribed> subscribed_frames, subscribed_entities, subscribed_interfaces;
  std::vector<std::filesystem::path> modules;
};

document::Grammar grammar() noexcept;

/// Reads and checks a document and the FOM modules it names; all problems go into `problems`.
/// Nothing if it has errors. Contacts no RTI.
std::optional<FederateDocument> read_federate(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; `name` stands for the file in messages.
std::optional<FederateDocument> parse_federate(std::string content, const DocumentFile& name,
                                               Diagnostics& problems);

/// What the federate would do, as lines of text: modules, classes, frames, epoch, steps, lookahead,
/// pacing.
std::string summary(const FederateDocument&);

/// A type for the catalogue, with parameters rti, federation, federate, patience.
Type type_of(const FederateDocument&, std::function<void(const std::string&)> notice = {});
/// Registers federate documents with the catalogue, so that compositions can refer to them.
void add_federates(Catalogue&, std::function<void(const std::string&)> notice = {});

}  // namespace vernier::spacefom
