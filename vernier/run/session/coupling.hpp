#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::session {

/// The effect of the step, at which separately integrated parts exchange values, on a signal.
struct CoupledSignal {
  std::string signal, unit;
  bool real = true;         // others, such as modes and counts, are not judged by their size
  double difference = 0.0;  // the largest between the run at its step and at half of it
  double at = 0.0;          // s
  double largest = 0.0;     // absolute value in the run at its step
  double error = 0.0;       // estimated error of the run at its step, relative to `largest`
  double step = 0.0;        // s; the step at which the error would equal the tolerance
};

struct Coupling {
  Duration step{}, stop{};
  double tolerance = 0.0;
  std::vector<CoupledSignal> signals;  // in the order of their paths

  /// Whether every error is within the tolerance.
  bool within() const noexcept;
  /// The step that satisfies all signals, at most the current one, as a round number: 1, 2 or 5
  /// times a power of ten.
  Duration advised() const noexcept;
};

/// Runs a document at its step and at half of it and compares the recorded signals. Holding values
/// for a step h is a first-order approximation: the error at the step is about twice the difference
/// (Richardson), and it is proportional to the step. Warnings go into `problems`. Throws
/// ConfigurationError: what prepare() throws, V2134 for a document with external connections, or
/// the fault of a run that fails.
Coupling coupling(const std::filesystem::path& document, const Changes&, const Catalogue&,
                  double tolerance, Diagnostics& problems);

}  // namespace vernier::session
