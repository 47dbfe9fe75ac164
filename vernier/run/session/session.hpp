#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/run/executive/statistics.hpp"
#include "vernier/run/realtime/policy.hpp"
#include "vernier/run/realtime/report.hpp"
#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/recorder.hpp"
#include "vernier/run/session/control.hpp"
#include "vernier/run/session/prepare.hpp"
#include "vernier/run/session/result.hpp"
#include "vernier/run/session/timing.hpp"
#include "vernier/run/session/watch.hpp"

namespace vernier {
class Pacer;
}
namespace vernier::executive {
struct Options;
}

namespace vernier::session {

struct Options;
struct Summary;

/// Accompanies a run, and may end it: keeps others informed of where it is. Lives as long as the
/// session; its functions are called by the thread that runs.
class Companion {
 public:
  /// What it is given.
  struct Run {
    const Options& options;
    const composition::Composition& composition;
    const executive::Executive& executive;  // outlives it
    std::filesystem::path folder;           // empty: nothing is kept
    /// Ends the run as failed, for this reason, because another process may continue it now; from
    /// any thread.
    std::function<void(Diagnostic)> fail;
  };

  Companion() = default;
  virtual ~Companion() = default;
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  /// A checkpoint was written.
  virtual void saved(const std::filesystem::path&, Time) = 0;
  /// The run has ended, and all its files are closed.
  virtual void ended(const Summary&) = 0;
};
struct Continuation;

/// How a prepared document is run. Only `overrides`, `orders` and `from` change what the simulation
/// computes.
struct Options {
  /// Makes the executive; empty: an Executive of this process. `timing`: of a run by the clock, in
  /// which what runs in other processes keeps time there; else null.
  using MakeExecutive = std::function<std::unique_ptr<executive::Executive>(
      const composition::Composition&, const Options&, composition::Plan, std::vector<Pacer*>,
      const executive::Options&, Timing* timing)>;
  MakeExecutive executive = {};
  /// Another way on which requests of other programs come, as long as what it returns exists: takes
  /// the run's name, and what answers a request line, from any thread and also when real time is
  /// kept. Empty: none.
  using Access =
      std::function<std::shared_ptr<void>(const std::string& run, const Control::Answer&)>;
  Access access = {};
  /// Called when the run's folder is there and nothing is initialized. May return null. Throws
  /// ConfigurationError; then nothing is run.
  using MakeCompanion = std::function<std::unique_ptr<Companion>(Companion::Run)>;
  MakeCompanion companion = {};
  std::filesystem::path from = {};                // a checkpoint to continue from; empty: the start
  std::optional<Duration> checkpoint_every = {};  // of simulated time; and one at the end
  /// Without it, in a run as fast as possible: checkpoints of which the last two stay while the run
  /// runs; the first after this wall time, others at ten times this.
  std::chrono::milliseconds keep_state_after = std::chrono::milliseconds(0);
  /// A run that was killed continues in its own folder. Shared, because options are copied.
  std::shared_ptr<Continuation> continuation = {};
  std::optional<double> rate = {};         // × real time; none: as fast as possible
  std::optional<RealTime> real_time = {};  // real-time privileges
  realtime::LatePolicy late = {};          // by the wall clock
  int threads = 1;
  std::vector<std::string> overrides = {};  // "plant.torque=0 0 1e-3": replaces the value of a port
  std::vector<executive::ScheduledOrder> orders = {};  // of a run that is repeated
  std::filesystem::path runs = "runs";                 // where the run's directory is created
  bool keep = true;                                    // false: nothing is left on disk
  // for the manifest
  Changes changes = {};
  std::vector<std::pair<std::string, std::string>> nodes = {};  // "on" → "local:2"
  std::string version = {};
  std::vector<std::string> command = {};
  std::string registry = {}, registry_run = {};  // its address, and the name of the run there
  /// Called for every event of the run, in order, from another thread.
  std::function<void(const record::Event&)> on_event = {};
  /// Called when something that was asked for is not to be had: by run() before the loop, and from
  /// another thread when a run by the clock finds no room for its results.
  std::function<void(const Diagnostics&)> on_warnings = {};
};

/// What holds simulated time back: "as fast as possible", "in real time", "2 × real time", "paced
/// by the federation".
std::string pace_text(const Prepared&, const Options&);

/// What became of a run.
struct Summary {
  Result result = Result::finished;
  std::optional<Diagnostic> fault = {};  // of a run that failed
  Time from{}, reached{};
  double wall = 0.0;  // s
  std::vector<ReportResult> reports = {};
  std::vector<CheckResult> checks = {};
  executive::Statistics statistics = {};
  record::RecorderStatistics recorded = {};
  std::vector<std::filesystem::path> checkpoints = {};
  /// How long it took to come to rest at the end (or in the last freeze), after the end that was
  /// requested; none: nothing moved.
  std::optional<Duration> rest = {};
  Duration longest_rest{};  // that it may take; zero: nothing in this run can move
  std::vector<std::filesystem::path> files = {};  // that the document wrote
  std::uint64_t orders_lost = 0;                  // not recorded: a repetition would lack them
  /// It was requested to begin again at this checkpoint; an empty path: at the start.
  std::optional<std::filesystem::path> rewind = {};
  std::optional<realtime::Health> real_time = {};

  /// Simulated time over wall time.
  double factor() const noexcept;
};

/// One run of a prepared document, from its directory to its manifest. Combines the executive, the
/// recorder and the watch.
class Session {
 public:
  /// Creates the run's directory and initializes everything, so that run() can follow at once.
  /// Warnings go into `problems`. Throws ConfigurationError; nothing was then run.
  Session(Prepared, Options, Diagnostics& problems);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs to the end, closes the files and completes the manifest. Once. Throws ConfigurationError
  /// when real time is required and not available; nothing was then run.
  Summary run();

  // -- piece by piece, instead of run(), by one thread ------------------------------------------

  /// Runs to the first instant at or after `t` that all clusters with continuous parts share,
  /// adding none, so that the pieces give the same bits as the whole; returns `frozen` there. At
  /// the end of the run it returns `reached`; after a failure `failed`, see fault(). Throws as
  /// run().
  executive::Ending run_until(Time t);
  /// Makes run_until(), or its next call, return at the next such instant. From any thread.
  void request_return() noexcept;
  /// Executes an order at once, between two calls of run_until(). Throws as ask().
  executive::OrderAnswer carry_out(const executive::Order&);
  /// As Executive::observe() and remove().
  void observe(executive::Observer&, const executive::Sampling&);
  void remove(executive::Observer&) noexcept;
  /// Everything needed to continue to the bit. Throws ConfigurationError: V4121 after a failure,
  /// V7203.
  record::Checkpoint state() const;
  /// Continues from that state; reports and checks start again. Also possible after a failure.
  /// Warnings go into `problems`. Throws ConfigurationError when the state does not fit, or when
  /// the run is kept (V4121).
  void restore(const record::Checkpoint&, Diagnostics& problems);
  /// Why run_until() returned `failed`.
  const std::optional<Diagnostic>& fault() const noexcept;
  /// Ends the run at its current time, or when everything that moves has come to rest: closes the
  /// files and completes the manifest. Once.
  Summary finish();

  /// Makes run() return after the current tick, when everything that moves has come to rest, with
  /// everything closed. From any thread or signal handler.
  void request_stop() noexcept;

  /// Freezes the run after the current tick, when everything that moves has come to rest, and
  /// resumes it. Other programs can request it too,
  /// through the run's directory (control.hpp). From any thread.
  void request_freeze() noexcept;
  void request_resume() noexcept;
  bool frozen() const noexcept;
  /// How well it keeps time. From any thread; all zero when it does not.
  Pulse pulse() const;

  /// Orders to the run while it runs, as Executive::ask() and its companions. From any thread,
  /// during the life of the session.
  std::uint64_t ask(const executive::Order&);
  executive::OrderAnswer answer(std::uint64_t order);
  void forget(std::uint64_t order);

  /// The current simulated time. From any thread.
  Time now() const noexcept;
  /// All events before this time were handed to Options::on_event. From any thread.
  Time told() const noexcept;
  Time begins() const noexcept;
  Time ends() const noexcept;

  const composition::Composition& composition() const noexcept;
  const executive::Executive& executive() const noexcept;
  /// Empty when nothing is kept.
  const std::filesystem::path& folder() const noexcept;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// How to repeat the run in a directory: its document and how it was run. Throws
/// ConfigurationError.
struct Again {
  std::filesystem::path document;
  Options options;
};
Again repeated(const std::filesystem::path& run_folder);

/// The exit status of the command line for a run: 0 finished, 3 a broken check, 130 interrupted;
/// failed: 4 by lateness, 5 by a peer, else 1.
int exit_status(const Summary&) noexcept;

}  // namespace vernier::session
