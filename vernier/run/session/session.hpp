#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/run/executive/statistics.hpp"
#include "vernier/run/realtime/policy.hpp"
#include "vernier/run/realtime/report.hpp"
#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/recorder.hpp"
#include "vernier/run/session/prepare.hpp"
#include "vernier/run/session/result.hpp"
#include "vernier/run/session/timing.hpp"
#include "vernier/run/session/watch.hpp"

namespace vernier::session {

/// How a prepared document is run. None of this changes what the simulation computes, but
/// `overrides`, `orders` and `from`.
struct Options {
  std::filesystem::path from = {};                // a checkpoint to go on from; empty: the start
  std::optional<Duration> checkpoint_every = {};  // of simulated time; and one at the end
  std::optional<double> rate = {};                // × real time; none: as fast as possible
  std::optional<RealTime> real_time = {};         // keep time whatever else the machine does
  realtime::LatePolicy late = {};                 // by the wall clock
  int threads = 1;
  std::vector<std::string> overrides = {};  // "plant.torque=0 0 1e-3": replaces what a port carries
  std::vector<executive::ScheduledOrder> orders = {};  // of a run that is repeated
  std::filesystem::path runs = "runs";                 // where the run's folder is made
  bool keep = true;                                    // false: nothing is left on disk
  // for the manifest
  Changes changes = {};
  std::string version = {};
  std::vector<std::string> command = {};
  /// Called for every event of the run, in order, from another thread.
  std::function<void(const record::Event&)> on_event = {};
  /// Called by run() before the loop, when something that was asked for is not to be had.
  std::function<void(const Diagnostics&)> on_warnings = {};
};

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
  std::uint64_t orders_lost = 0;  // not written down: a repetition would lack them
  /// Somebody asked to begin again at this checkpoint; an empty path: at the start.
  std::optional<std::filesystem::path> rewind = {};
  std::optional<realtime::Health> real_time = {};

  /// Simulated time over wall time.
  double factor() const noexcept;
};

/// One run of a prepared document, from its folder to its manifest. The executive, the recorder and
/// the watch are put together here and nowhere else.
class Session {
 public:
  /// Makes the run's folder and brings everything to the start, so that run() can follow at once.
  /// Warnings go into `problems`. Throws ConfigurationError; then nothing was run.
  Session(Prepared, Options, Diagnostics& problems);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs to the end, closes the files and completes the manifest. Once. Throws ConfigurationError
  /// when real time is required and cannot be had; then nothing was run.
  Summary run();

  // -- piece by piece, instead of run(), by one thread ------------------------------------------

  /// Runs to the first instant not before `t` that all clusters with continuous parts have, adding
  /// none, so that the pieces give the bits of the whole; answers `frozen` there. At the end of the
  /// run it answers `reached`; after a failure `failed`, see fault(). Throws as run().
  executive::Ending run_until(Time t);
  /// Lets run_until(), or the next one, come back at the next such instant. From any thread.
  void request_return() noexcept;
  /// Carries an order out at once, between two calls of run_until(). Throws as ask().
  executive::OrderAnswer carry_out(const executive::Order&);
  /// As Executive::observe() and remove().
  void observe(executive::Observer&, const executive::Sampling&);
  void remove(executive::Observer&) noexcept;
  /// Everything needed to continue to the bit. Throws ConfigurationError: V4121 after a failure,
  /// V7203.
  record::Checkpoint state() const;
  /// Continues from there, with reports and checks that begin anew; also after a failure. Warnings
  /// go into `problems`. Throws ConfigurationError when the state does not fit, or when the run is
  /// kept (V4121).
  void restore(const record::Checkpoint&, Diagnostics& problems);
  /// Why run_until() answered `failed`.
  const std::optional<Diagnostic>& fault() const noexcept;
  /// Ends the run where it is: closes the files and completes the manifest. Once.
  Summary finish();

  /// Lets run() come back after the current tick, with everything closed. From any thread or signal
  /// handler.
  void request_stop() noexcept;

  /// Lets time stand still after the current tick, and go on. Also asked by other programs through
  /// the run's folder (control.hpp). From any thread.
  void request_freeze() noexcept;
  void request_resume() noexcept;
  bool frozen() const noexcept;
  /// How it keeps time. From any thread; all zero when it does not.
  Pulse pulse() const;

  /// Orders to the run while it goes on, as Executive::ask() and its kin. From any thread, while
  /// the session lives.
  std::uint64_t ask(const executive::Order&);
  executive::OrderAnswer answer(std::uint64_t order);
  void forget(std::uint64_t order);

  /// How far the run is. From any thread.
  Time now() const noexcept;
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

/// How to do again what is in a run's folder: its document and how it was run. Throws
/// ConfigurationError.
struct Again {
  std::filesystem::path document;
  Options options;
};
Again repeated(const std::filesystem::path& run_folder);

/// The exit status of the command line for a run: 0 finished, 3 a broken check, 130 interrupted;
/// failed: 4 by lateness, 5 by a peer, else 1.
int exit_status(const Summary&) noexcept;
/// The same for what kept a run from beginning: 2.
inline constexpr int nothing_was_run = 2;

}  // namespace vernier::session
