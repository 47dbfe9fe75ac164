#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/component/catalogue.hpp"

/// The composition document as data: what, wired how, placed where. Reading it checks its form;
/// make_plan() (plan.hpp) checks its meaning.
namespace vernier::composition {

class Sources;

/// What `island` says of a system that shall be integrated apart from all others.
inline constexpr std::string_view own_island = "own";

struct Instance {
  using Kind = InstanceKind;
  Kind kind = Kind::system;
  std::string name;            // path: "bus.wheel1" when it came from a nested composition
  std::string type;            // a type of the catalogue, or
  std::filesystem::path file;  // a document
  std::string island;          // systems: which island integrates it; own_island: none but it;
                               // empty: the one of the systems that undelayed connections join
  std::string node;
  Rate rate;  // overrides the type's own; a system with one is sampled, and runs by itself
  Duration offset{};
  ParameterValues parameters;
  Place place;
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

/// Several connections to one input add up.
struct Connection {
  Endpoint from, to;
  double gain = 1.0;
  Duration delay{};     // the delay belongs to the model
  int delay_ticks = 0;  // "1 tick": of the run's step
  Place place;
};

/// Event labels are global within a composition: what one emits, all that wait for the same label
/// see. An event that is named in a map is connected as the maps say instead.
struct EventMap {
  Endpoint from, to;
  Place place;
};

/// An input of the composition: constant unless a stimulus or an outer composition drives it.
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

/// At a time: an event sent, or an input's value replaced from then on.
struct Stimulus {
  Time at;
  Endpoint to;
  std::optional<std::vector<double>> value;  // none: an event
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

/// A promise of the run; broken, the run ends with status 3.
struct Check {
  enum class Kind { constant, below, above, near };
  std::string name;
  Endpoint signal;
  Kind kind = Kind::constant;
  double limit = 0.0;        // below, above, near: SI
  double tolerance = 0.0;    // constant: of |value - first| / |first| (relative) ; near: absolute
  std::optional<Time> from;  // only from then on
  Place place;
};

struct Curve {
  Endpoint signal;
  std::string label;
  std::string unit;
};

/// A picture that `vernier plot RUN --figures` draws.
struct Figure {
  std::string name, title;
  std::string y_label;
  std::vector<Curve> curves;
};

struct RunSettings {
  Duration stop{};
  Duration step =
      std::chrono::milliseconds(100);  // of the tick that all continuous components share
  std::uint64_t seed = 1;
  Arithmetic arithmetic = Arithmetic::reproducible;
  IslandSettings island;  // of all islands that say nothing else
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
  std::vector<Instance> instances;
  std::vector<Island> islands;
  std::vector<Connection> connections;
  std::vector<EventMap> event_maps;
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
/// catalogue lists becomes a composition of one. Throws ConfigurationError.
/// `sources`: where the documents are kept; null: in the composition alone.
Composition read_composition(const std::filesystem::path&, const Catalogue&, Diagnostics& warnings,
                             std::shared_ptr<Sources> sources = {});

/// The same for a composition in memory; `name` stands for the file in messages, and its folder is
/// where the files that it names are looked for.
Composition parse_composition(std::string content, const std::filesystem::path& name,
                              Diagnostics& warnings);

/// Numbers separated by blanks or commas, with a unit after the last ("0 0 1 mN*m") or in `unit`;
/// in SI. Nothing when they do not read or are of another dimension.
std::optional<std::vector<double>> parsed_values(std::string_view text, std::string_view unit);

/// A time or a span of it, "600 s", "10 ms", "5 min"; a bare number is in seconds.
std::optional<Duration> parsed_time(std::string_view);

/// "10 Hz", "0.5 Hz", "60 per 1 s", or a period, "100 ms"; exact. Positive, at most 1 GHz.
std::optional<Rate> parsed_rate(std::string_view);

/// `--set plant.mass=4.1kg`: a parameter of an instance, or a value of `run` ("run.stop=300s").
/// Throws ConfigurationError naming the nearest path.
void set_value(Composition&, std::string_view assignment);

}  // namespace vernier::composition
