#pragma once

#include <filesystem>

#include "apps/vernier/event_lines.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::app {

enum class Show { everything, folder, json };

/// The outcome of a run that was shown.
struct Shown {
  int status = 0;
  std::filesystem::path folder;  // empty: nothing was kept
};

/// Runs a document and shows it as it goes: what runs and how fast, progress on a terminal, events
/// with their reasons, reports and checks, where the results are. Ctrl-C ends it after the current
/// tick, a second one at once. `standby`: a run that is continued is waited for, until it no longer
/// runs. Throws ConfigurationError when nothing was run.
Shown run_and_show(const std::filesystem::path& document, session::Options, const Catalogue&, Show,
                   const EventChoice& = {}, bool standby = false);

}  // namespace vernier::app
