#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/component/component.hpp"
#include "vernier/run/composition/composition.hpp"

/// A composition that is checked and ready to run: components created, ports matched, order of
/// evaluation determined.
namespace vernier::composition {

/// One component of the run: an instance, or an island of several systems.
struct Part {
  std::string name;                    // "bus.wheel1"; of an island of several: "island craft"
  std::string prefix;                  // path of a port = prefix + its name: "bus.wheel1."; empty
                                       // for an island of several, whose ports carry the instance
  std::vector<std::string> instances;  // those in it
  std::unique_ptr<Component> component;
  /// Of an island: outputs that feed its own members, and the inputs that they feed, by path, each
  /// with one at the other end. The equations exchange them without a port.
  std::map<std::string, std::string, std::less<>> inside = {};
  Rate rate;  // none: continuous, advanced at every instant of its cluster
  Duration offset{};
  std::uint32_t cluster = 0;  // index into Plan::clusters
  Place place;
  std::uint32_t replicas = 1;  // the nodes that are to run it; of an island the most of its members
};

/// Parts that connections without delay join, directly or through others. They share their instants
/// and have no others: events in one cluster never shorten a step of another.
struct Cluster {
  bool early_return = false;  // its continuous parts may stop at each other's events
  bool dense = true;          // all of them can be sampled between instants
};

/// to[to_first + i] += gain * from[from_first + i] for i < count, `delay` later.
/// `from` is an output of parts[from_part], `to` an input of parts[to_part] (indices into the
/// description). Streams: from and to only.
struct Wire {
  std::uint32_t from_part = 0, from = 0;
  std::uint32_t to_part = 0, to = 0;
  std::uint32_t from_first = 0, to_first = 0, count = 1;
  double gain = 1.0;
  Duration delay{};
  Place place;
};

struct Plan {
  std::string name;
  std::vector<Part> parts;
  std::vector<Cluster> clusters;
  std::vector<Wire> wires;
  /// Calls of output() in an order in which every output is valid after its last call. A part is
  /// called more than once only when its outputs depend on each other through other parts. Calls of
  /// one level are independent.
  struct Call {
    std::uint32_t part = 0;
    std::uint32_t level = 0;
  };
  std::vector<Call> order;
  Duration step{};      // of the tick that all continuous parts share
  Rate step_rate = {};  // as RunSettings::step_rate
  Duration stop{};
  std::uint64_t seed = 1;
  std::vector<std::string> notes;            // notes for the user: why there is no early return
  std::vector<std::filesystem::path> files;  // read because documents of parts refer to them
  std::vector<std::filesystem::path> data;   // files that parameters name, without keys
};

/// The path of a port of a part.
inline std::string path(const Part& part, const Port& port) { return part.prefix + port.name; }

/// Creates all components and checks everything that can be known before running. All problems go
/// into `problems`; if there are errors, throws ConfigurationError with all of them.
Plan make_plan(const Composition&, const Catalogue&, Diagnostics& problems);

/// Completes a plan made of parts, wires and step: finds clusters and order, decides on early
/// return. Reports algebraic loops.
void arrange(Plan&, Diagnostics& problems);

}  // namespace vernier::composition
