#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/native_code.hpp"
#include "vernier/base/time.hpp"
#include "vernier/component/catalogue.hpp"

/// The composition document as data: instances, their connections and placement. Reading checks its
/// form; make_plan() (plan.hpp) checks its meaning.
namespace vernier::composition {

class Sources;

/// The value of `island` for a system that is integrated separately from all others.
inline constexpr std::string_view own_island = "own";

/// More nodes do not run the same part.
inline constexpr std::uint32_t most_replicas = 8;

struct Instance {
  using Kind = InstanceKind;
  Kind kind = Kind::system;
  std::string name;            // path: "bus.wheel1" when it came from a nested composition
  std::string type;            // a type of the catalogue, or
  std::filesystem::path file;  // a document
  std::string island;  // systems: the island that integrates it; own_island: a separate one;
                       // empty: the one of the systems that undelayed connections join
  std::string node;
  std::uint32_t replicas = 1;  // the nodes that run it, at most most_replicas
  Rate rate;  // overrides the type's own; a system with a rate is sampled and runs separately
  Duration offset{};
  ParameterValues parameters;
  Place place;
  Place type_place = {};  // of the type or the file
};

/// One end of a connection: an instance's port, or elements [first, last) of it. `text` is as
/// written.
struct Endpoint {
  std::string text;      // "body.omega[0:3]"
  std::string instance;  // "body"; "ext" for the composition's own inputs
  std::string port;      // "omega"
  std::uint32_t first = 0;
  std::uint32_t last = std::numeric_limits<std::uint32_t>::max();  // max: to the end
  Place place;
};

/// The elements that an endpoint selects, as written: "[0:3]"; empty: all.
inline std::string elements_in(const std::string& endpoint) {
  const std::size_t bracket = endpoint.find('[');
  return bracket == std::string::npos ? std::string() : endpoint.substr(bracket);
}

/// Several connections to one input are added.
struct Connection {
  Endpoint from, to;
  double gain = 1.0;
  Duration delay{};     // the delay belongs to the model
  int delay_ticks = 0;  // "1 tick": of the run's step
  Place place;
};

/// An input of the composition: constant unless a stimulus or an enclosing composition drives it.
struct ExternalInput {
  std::string name;
  std::string unit = "1";
  std::vector<double> value = {0.0};
  Place place;
};

struct Export {
  std::string name;
  Endpoint from;
};

/// At a given time: sends an event, or replaces an input's value from then on.
struct Stimulus {
  Time at;
  Endpoint to;
  std::optional<std::vector<double>> value;  // none: an event
  std::string unit = {};                     // as written with the value; empty: none
};

/// Signals to record: a pattern over paths ("plant.*").
struct Record {
  std::string signals;
  Rate rate;  // none: at every instant of the run
  Place place;
};

/// A quantity printed at the end.
struct Report {
  enum class Kind { last, first, maximum, minimum, mean, rms, time_of_maximum };
  std::string name;
  Endpoint signal;
  Kind kind = Kind::last;
  std::string unit;  // to show it in; empty: the signal's
};

/// A requirement on the run; if it is violated, the run ends with status 3.
struct Check {
  enum class Kind { constant, below, above, near };
  std::string name;
  Endpoint signal;
  Kind kind = Kind::constant;
  double limit = 0.0;        // below, above, near: SI
  double tolerance = 0.0;    // constant: of |value - first| / |first| (relative) ; near: absolute
  std::optional<Time> from;  // only from then on
  Place place;
  std::string unit = {};  // as written with the limit; empty: none
};

struct Curve {
  Endpoint signal;
  std::string label;
  std::string unit;
};

/// A plot drawn by `vernier plot RUN --figures`.
struct Figure {
  std::string name, title;
  std::string y_label;
  std::vector<Curve> curves;
};

struct RunSettings {
  Duration stop{};
  Duration step =
      std::chrono::milliseconds(100);  // of the tick that all continuous components share
  Rate step_rate = {};  // periodic where the step is no whole number of nanoseconds, such as 1/330
                        // s: the ticks are then those of this rate, and `step` is rounded down
  std::uint64_t seed = 1;
  Arithmetic arithmetic = Arithmetic::reproducible;
  IslandSettings island;  // of all islands without settings of their own
  Place place;
};

struct Island {
  std::string name;
  IslandSettings settings;
  Place place = {};
};

struct Composition {
  std::string name;
  std::string description;
  std::filesystem::path file;
  std::vector<std::filesystem::path> documents;  // all that were read, this one first
  std::vector<std::filesystem::path> data;       // files that parameters name, without keys
  std::vector<NativeCode::Loaded> executed;  // those of both that are native code and were loaded
  /// Where files are that parameters name, if not there: by absolute path.
  MovedFiles moved;
  std::vector<Instance> instances;
  std::vector<Island> islands;
  std::vector<Connection> connections;
  /// Event labels are global within a composition: every instance that waits for a label receives
  /// all events emitted under it. An event named in a map is connected as the maps say instead.
  std::vector<Connection> event_maps;
  std::vector<ExternalInput> inputs;
  std::vector<Export> exports;
  std::vector<Stimulus> stimuli;
  std::vector<Record> records;
  std::vector<Report> reports;
  std::vector<Check> checks;
  std::vector<Figure> figures;
  RunSettings run;
  std::shared_ptr<Sources> sources;  // of `documents`; null: made by hand
};

/// Reads a composition with all compositions nested in it, flattened. A document of a kind that the
/// catalogue lists becomes a composition of one. Throws ConfigurationError. `sources`: where the
/// documents are stored; null: in the composition alone.
Composition read_composition(const std::filesystem::path&, const Catalogue&, Diagnostics& warnings,
                             std::shared_ptr<Sources> sources = {});

/// The same for a composition in memory; `name` stands for the file in messages, and its directory
/// is where referenced files are searched.
Composition parse_composition(std::string content, const std::filesystem::path& name,
                              Diagnostics& warnings);

/// Numbers separated by blanks or commas, with a unit after the last ("0 0 1 mN*m") or in `unit`;
/// in SI. Nothing when they are invalid or of another dimension.
std::optional<std::vector<double>> parsed_values(std::string_view text, std::string_view unit);

/// A time or duration, "600 s", "10 ms", "5 min"; a bare number is in seconds.
std::optional<Duration> parsed_time(std::string_view);

/// "10 Hz", "0.5 Hz", "60 per 1 s", or a period, "100 ms"; exact. Positive, at most 1 GHz.
std::optional<Rate> parsed_rate(std::string_view);

/// `--set plant.mass=4.1kg`: a parameter of an instance, or a value of `run` ("run.stop=300s").
/// Throws ConfigurationError naming the nearest path.
void set_value(Composition&, std::string_view assignment);

}  // namespace vernier::composition
