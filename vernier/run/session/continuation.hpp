#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/descriptor.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/orders.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/progress.hpp"
#include "vernier/run/record/recorder.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {

/// A run that was killed, and continues in its own folder.
struct Continuation {
  std::filesystem::path folder;
  /// What take_over() also waits for when it waits: that no process elsewhere leads the run. May be
  /// empty.
  std::function<void()> wait_until_free = {};

  // after take_over()
  Descriptor lock = {};
  record::Manifest manifest = {};
  std::filesystem::path checkpoint = {};  // empty: it continues from where it began
  record::Progress progress = {};         // at the checkpoint
  std::optional<record::Earlier> results = {}, frames = {};  // nothing: the files begin anew
  std::vector<record::Event> remarks = {};                   // of the user, after the checkpoint
  std::vector<executive::ScheduledOrder> executed = {};      // before the checkpoint
  std::vector<executive::ScheduledOrder> pending = {};       // and after it
  std::vector<std::filesystem::path> automatic = {};  // checkpoints that the run removes itself
};

/// How to continue the run in a folder: as repeated(), with Options::continuation. Throws
/// ConfigurationError; V7133: another version of the program.
Again continued(const std::filesystem::path& run_folder, const std::string& version);

/// Whether the run can be continued once it is killed. Throws ConfigurationError (V7134).
void check_continuable(const Continuation&, const composition::Plan&);

/// Takes the folder as soon as the run no longer runs, chooses the last checkpoint that is complete
/// and of which the files have everything, and cuts off what comes after it. False: the run has
/// ended by itself, and nothing is to be continued; its manifest tells how. `wait`: until it no
/// longer runs; everything else can be prepared before. Throws ConfigurationError: V7131 it runs,
/// V7132 it has ended and `wait` is false, V7135, V7136.
bool take_over(Continuation&, bool wait, const composition::Plan&);

/// The orders that a run is to execute, in its folder: it may be killed before it has executed
/// them.
inline constexpr const char* pending_orders_file = "checkpoints/orders.csv";
/// The same of remarks of the user: its events.csv.
inline constexpr const char* pending_remarks_folder = "checkpoints";

}  // namespace vernier::session
