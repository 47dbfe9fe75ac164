#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/session/result.hpp"

/// Simulations in your own program: the library `vernier::standard`.
///
///   vernier::Simulation s("cassini.xml", {.set = {"plant.sloshing = 0.6"}});
///   s.run_until(10.0);
///   const double rate = s.read("plant.bus.rate")[0];
///
/// Values are in the SI unit of their signal, times are in seconds. A path is the one that
/// documents and the command line use.
namespace vernier {

struct SimulationOptions {
  std::vector<std::string> set = {};       // as --set: "plant.mass = 4.1 kg"
  std::optional<double> until = {};        // s; overrides the document's stop
  std::optional<std::uint64_t> seed = {};  // of the random numbers
  std::filesystem::path results = {};      // where the run's directory is created; empty: none is
  std::vector<std::string> record = {};    // patterns that replace the document's records
  std::filesystem::path from = {};         // a checkpoint to continue from
  std::optional<double> rate = {};         // × real time; none: as fast as possible
  int threads = 1;                         // never changes a result
  std::function<void(const std::string&)> notice = {};  // receives reports of connections
  /// Native code that the document may load, as these files are now: plug-ins, elements. Files that
  /// the user trusted with `vernier trust` may be loaded too.
  std::vector<std::filesystem::path> trust = {};
  /// Folders in which the document may write files, besides that of the run.
  std::vector<std::filesystem::path> allow_write = {};
};

/// A port of a simulation.
struct SignalInformation {
  std::string path;  // "plant.bus.rate"
  std::string unit;  // SI; "1" without a dimension
  std::string frame;
  std::string description;
  std::size_t elements = 1;
  bool output = false;
  bool event = false;  // its value is the count of occurrences
};

/// A quantity requested with <report>.
struct ReportedValue {
  std::string name, signal, unit;
  double value = 0.0;  // in `unit`
};

/// A requirement stated with <check>.
struct CheckedValue {
  std::string name, signal, unit;
  bool kept = true;
  double worst = 0.0, allowed = 0.0;
  double at = 0.0;  // s; of the worst value
};

struct SimulationSummary {
  session::Result result = session::Result::finished;
  double from = 0.0, reached = 0.0;  // s, simulated
  double wall = 0.0;                 // s, spent running
  std::optional<double> rest;  // s, that it took to come to rest at the end; none: nothing moved
  std::vector<ReportedValue> reports;
  std::vector<CheckedValue> checks;
  std::filesystem::path folder;  // of the run; empty: nothing was kept
};

/// A run failed while time advanced: a component could not continue, a peer was lost.
class SimulationFailure : public std::runtime_error {
 public:
  explicit SimulationFailure(Diagnostic);
  ~SimulationFailure() override;

  /// Code, one sentence, the component and the time in the notes.
  const Diagnostic& diagnostic() const noexcept { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// A run of a document, advanced by the program that owns it. Splitting a run into pieces does not
/// change a single bit.
///
/// One thread at a time uses a simulation; any threads may use different simulations; any thread
/// may call stop(). All functions throw ConfigurationError for invalid arguments: a document, a
/// path, a value; with file, line and column where applicable.
class Simulation {
 public:
  /// The state of a run, in the format of checkpoint files (.vchk): written to a file, it can be
  /// read by `from` and `vernier run --from`.
  using State = std::vector<std::byte>;
  /// Called during the run; `values` holds the elements of all paths, in sequence.
  using Observer = std::function<void(double time, std::span<const double> values)>;

  /// Reads and checks the document and initializes everything. A document without a stop time runs
  /// as long as requested.
  explicit Simulation(const std::filesystem::path& document, const SimulationOptions& = {});
  /// Finishes, if finish() was not called: what moves comes to rest.
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Warnings about the document.
  const Diagnostics& warnings() const noexcept;
  /// All ports except streams.
  std::vector<SignalInformation> signals() const;

  /// The time reached; everything due at it is done.
  double time() const noexcept;
  /// Whether the end of the run was reached: time cannot advance further.
  bool ended() const noexcept;

  /// Continues by `count` instants that all parts share, such as ticks of the document's step.
  void step(int count = 1);
  /// Continues to the first such instant at or after `time`; time() returns which. Throws
  /// SimulationFailure, and what an observer throws.
  void run_until(double time);
  /// Continues to the end, and finishes. Throws ConfigurationError for a document without an end.
  SimulationSummary run();
  /// Makes run_until(), step() or run() return at the next such instant. From any thread.
  void stop() noexcept;

  std::vector<double> read(std::string_view path) const;
  /// From now on all readers see these values instead of the port's; an input is replaced only for
  /// its component. The effects are computed at the next instant.
  void write(std::string_view path, std::span<const double> values);
  void write(std::string_view path, std::initializer_list<double> values) {
    write(path, std::span(values.begin(), values.size()));
  }
  void write(std::string_view path, double value) { write(path, {value}); }
  /// Undoes write().
  void release(std::string_view path);
  /// Triggers an event input once, at the next instant.
  void send(std::string_view path);

  /// From now on calls `observer` on the thread that runs the simulation, after everything has
  /// settled: at every instant, or at the ticks of `rate` ("10 Hz", "100 ms"). Observing does not
  /// change a single bit. If it throws, the run returns at the next instant and throws the same.
  void observe(const std::vector<std::string>& paths, Observer observer,
               std::string_view rate = {});

  /// Throws ConfigurationError when a component cannot rewind (V7203).
  State save() const;
  /// Continues from that state, to the bit; it may come from this simulation or another one of the
  /// same document. Reports and checks start again. Also possible after a failure; not when results
  /// are recorded (V4121).
  void restore(const State&);

  /// Ends the run at its current time and closes its files. What moves, such as a facility, comes
  /// to rest first; observers see that. Throws SimulationFailure (V4123) when it does not come to
  /// rest. Afterwards it can only be read.
  SimulationSummary finish();
  /// The recorded results, after finish(). Throws ConfigurationError when nothing was kept.
  record::ResultReader results() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace vernier
