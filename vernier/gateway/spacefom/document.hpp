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

/// How the Pacing federate ties logical time to the clock.
struct Pace {
  enum class Kind { none, scaled, real_time } kind = Kind::none;
  double factor = 1.0;            // simulated seconds per second
  std::string late = "catch-up";  // strict, elastic…, catch-up, slip: realtime::parsed_policy()
};

/// An attribute or a parameter of a class of the user's, as a flat vector of numbers; one port for
/// each part of its type.
struct MappedAttribute {
  std::string name, port;
  Flat type;
  std::vector<double> initial;  // as many as the type has
};
/// What a class of the user's adds to one of the SpaceFOM.
struct Extended {
  std::string object_class;  // empty: that of the SpaceFOM itself
  std::vector<MappedAttribute> attributes;
};

struct PublishedFrame {
  std::string name, parent, port;
  frames::FrameState initial;
  Extended extended = {};
};
struct PublishedEntity {
  Entity entity;                     // what stays, and what ports replace
  std::vector<std::string> parents;  // the port `parent` chooses
  std::string expressed;             // the frame of the ports' state; empty: the parent
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
/// An interaction: an event of the name of the port, and a port for each parameter.
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
/// Nothing when it cannot be used. Talks to no RTI.
std::optional<FederateDocument> read_federate(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; `name` stands for the file in messages.
std::optional<FederateDocument> parse_federate(std::string content,
                                               const std::filesystem::path& name,
                                               Diagnostics& problems);

/// What the federate would do, in lines for people: modules, classes, frames, epoch, steps,
/// lookahead, who paces.
std::string summary(const FederateDocument&);

/// A type for the catalogue, with parameters rti, federation, federate, patience.
Type type_of(const FederateDocument&, std::function<void(const std::string&)> notice = {});
/// Lets compositions name federate documents.
void add_federates(Catalogue&, std::function<void(const std::string&)> notice = {});

}  // namespace vernier::spacefom
