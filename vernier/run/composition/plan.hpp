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

/// A composition checked and ready to run: components made, ports matched, order of evaluation
/// found.
namespace vernier::composition {

/// One component of the run: an instance, or an island of several systems.
struct Part {
  std::string name;                    // "bus.wheel1"; of an island of several: "island craft"
  std::string prefix;                  // path of a port = prefix + its name: "bus.wheel1."; empty
                                       // for an island of several, whose ports carry the instance
  std::vector<std::string> instances;  // those in it
  /// Islands of several name their events by the label; here the path of the first instance that
  /// emits or awaits it. Others are in Plan::aliases.
  std::map<std::string, std::string> emitted = {}, awaited = {};
  std::unique_ptr<Component> component;
  Rate rate;  // none: continuous, advanced at every instant of the run
  Duration offset{};
  Place place;
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
  std::vector<Wire> wires;
  /// Calls of output() in an order in which every output is right after its last call. A part is
  /// called more than once only when its outputs need each other through other parts. Calls of one
  /// level do not depend on each other.
  struct Call {
    std::uint32_t part = 0;
    std::uint32_t level = 0;
  };
  std::vector<Call> order;
  Duration step{};  // of the tick that all continuous parts share
  Duration stop{};
  std::uint64_t seed = 1;
  bool early_return = false;       // continuous parts may stop at each other's events
  std::vector<std::string> notes;  // what the user may want to know: why there is no early return
  std::vector<std::pair<std::string, std::string>> aliases;  // a further path of a port, its path
  std::vector<std::filesystem::path> files;  // that the documents of parts name, and that were read
};

/// The path of an output or an input of a part.
std::string path(const Part&, const Port&, bool output);

/// Makes all components and checks everything that can be known before running. All problems go
/// into `problems`; with errors among them it throws ConfigurationError carrying all of them.
Plan make_plan(const Composition&, const Catalogue&, Diagnostics& problems);

/// Completes a plan made by hand, of parts, wires and step: finds the order, decides on early
/// return. Reports algebraic loops.
void arrange(Plan&, Diagnostics& problems);

}  // namespace vernier::composition
