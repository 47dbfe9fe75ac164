#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::session {

/// What the step, at which parts that are integrated apart see each other, does to a signal.
struct CoupledSignal {
  std::string signal, unit;
  bool real = true;         // others, such as modes and counts, are not judged by their size
  double difference = 0.0;  // the largest between the run at its step and the one at half of it
  double at = 0.0;          // s
  double largest = 0.0;     // absolute value in the run at its step
  double error = 0.0;       // of the run at its step, estimated, as a share of `largest`
  double step = 0.0;        // s; one at which the error would be the tolerance
};

struct Coupling {
  Duration step{}, stop{};
  double tolerance = 0.0;
  std::vector<CoupledSignal> signals;  // in the order of their paths

  /// Every error is within the tolerance.
  bool within() const noexcept;
  /// The step that all signals need, at most the present one, as a round number: 1, 2 or 5 times a
  /// power of ten.
  Duration advised() const noexcept;
};

/// Runs a document at its step and at half of it and compares what both record. Values that are
/// held for a step h cause errors that grow as h; so the error at the step is about twice the
/// difference, and a step that is shorter by a factor makes it smaller by the same. Warnings go
/// into `problems`. Throws ConfigurationError: what prepare() throws, V2134 for a document bound to
/// the outside, the fault of a run that fails.
Coupling coupling(const std::filesystem::path& document, const Changes&, const Catalogue&,
                  double tolerance, Diagnostics& problems);

}  // namespace vernier::session
