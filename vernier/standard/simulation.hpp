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
  std::optional<double> until = {};        // s; ends the run instead of the document's stop
  std::optional<std::uint64_t> seed = {};  // of the random numbers
  std::filesystem::path results = {};      // where the run's folder is made; empty: none is
  std::vector<std::string> record = {};    // patterns instead of the document's records
  std::filesystem::path from = {};         // a checkpoint to continue from
  std::optional<double> rate = {};         // × real time; none: as fast as possible
  int threads = 1;                         // never changes a result
  std::function<void(const std::string&)> notice = {};  // connections report in words
};

/// A port of a simulation.
struct SignalInformation {
  std::string path;  // "plant.bus.rate"
  std::string unit;  // SI; "1" without a dimension
  std::string frame;
  std::string description;
  std::size_t elements = 1;
  bool output = false;
  bool event = false;  // its value counts how often it happened
};

/// A quantity that the document asks for with <report>.
struct ReportedValue {
  std::string name, signal, unit;
  double value = 0.0;  // in `unit`
};

/// A promise of the document, <check>.
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
  std::vector<ReportedValue> reports;
  std::vector<CheckedValue> checks;
  std::filesystem::path folder;  // of the run; empty: nothing was kept
};

/// A run failed while time passed: a component could not continue, a peer was lost.
class SimulationFailure : public std::runtime_error {
 public:
  explicit SimulationFailure(Diagnostic);
  ~SimulationFailure() override;

  /// Code, one sentence, the component and the time in the notes.
  const Diagnostic& diagnostic() const noexcept { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// A run of a document, advanced by the program that owns it. Cutting a run into pieces changes no
/// bit of it.
///
/// A simulation is used by one thread at a time, and different simulations by any threads; only
/// stop() may come from anywhere. All functions throw ConfigurationError, with file, line and
/// column where there are some, for what they were given: a document, a path, a value.
class Simulation {
 public:
  /// A moment of a run, in the form of checkpoint files (.vchk): written to a file, it is what
  /// `from` and `vernier run --from` read.
  using State = std::vector<std::byte>;
  /// Called during the run; `values` holds the elements of all paths, one after the other.
  using Observer = std::function<void(double time, std::span<const double> values)>;

  /// Reads and checks the document and brings everything to its start. A document that does not say
  /// when to stop runs for as long as it is asked to.
  explicit Simulation(const std::filesystem::path& document, const SimulationOptions& = {});
  /// Finishes, if that was not done.
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// What was found questionable in the document.
  const Diagnostics& warnings() const noexcept;
  /// All ports but streams.
  std::vector<SignalInformation> signals() const;

  /// The time that was reached; all that is due at it has happened.
  double time() const noexcept;
  /// The end of the run was reached: time does not pass any more.
  bool ended() const noexcept;

  /// Continues to the next instants that all parts share, such as ticks of the document's step.
  void step(int count = 1);
  /// Continues to the first such instant that is not before `time`; time() says where that is.
  /// Throws SimulationFailure, and what an observer throws.
  void run_until(double time);
  /// Continues to the end, and finishes. Throws ConfigurationError for a document that has no end.
  SimulationSummary run();
  /// Lets run_until(), step() or run() return at the next such instant. From any thread.
  void stop() noexcept;

  std::vector<double> read(std::string_view path) const;
  /// From now on everyone sees these values instead of what the port carries; an input is replaced
  /// for its component alone. What follows from them is computed at the next instant.
  void write(std::string_view path, std::span<const double> values);
  void write(std::string_view path, std::initializer_list<double> values) {
    write(path, std::span(values.begin(), values.size()));
  }
  void write(std::string_view path, double value) { write(path, {value}); }
  /// Undoes write().
  void release(std::string_view path);
  /// Lets an event input happen once, at the next instant.
  void send(std::string_view path);

  /// From now on calls `observer` on the thread that runs the simulation, when everything has
  /// settled: at every instant, or at the ticks of `rate` ("10 Hz", "100 ms"). Watching changes no
  /// bit. If it throws, the run comes back at the next instant and throws the same.
  void observe(const std::vector<std::string>& paths, Observer observer,
               std::string_view rate = {});

  /// Throws ConfigurationError when a component cannot go back (V7203).
  State save() const;
  /// Continues from there, to the bit; of this simulation or of another one of the same document.
  /// Reports and checks begin anew. Also after a failure; not when results are recorded (V4121).
  void restore(const State&);

  /// Ends the run where it is and closes its files. After it, the run can only be read.
  SimulationSummary finish();
  /// What was recorded, after finish(). Throws ConfigurationError when nothing was kept.
  record::ResultReader results() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace vernier
