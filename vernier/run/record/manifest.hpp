#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace vernier::record {

/// A document or data file used by a run.
struct Input {
  std::string file;      // below inputs/
  std::string original;  // where it was
  std::string sha256;
  std::uint64_t bytes = 0;
  bool copied = true;     // false: too large, only its digest was kept
  bool executed = false;  // native code that ran in the process
};

/// A reported quantity.
struct Reported {
  std::string name, signal;
  double value = 0.0;  // in `unit`
  std::string unit;
};

/// A check and its result.
struct Checked {
  std::string name, signal;
  bool holds = true;
  bool seen = true;  // false: the run ended before it applied; holds is true then
  double value = 0.0, limit = 0.0;
  std::string words;  // "ΔH/H = 3e-12"
};

/// A run that was killed has continued in its folder.
struct Continued {
  double time = 0.0;  // s, simulated: from where
  std::string at;     // wall time, ISO 8601
};

/// manifest.json: everything about a run except its results.
struct Manifest {
  std::string name;         // of the run's directory: "detumble-0007"
  std::string composition;  // "detumble"
  std::string version;      // of Vernier
  std::vector<std::string> command;
  std::string host;
  std::uint64_t seed = 1;
  std::string arithmetic;        // "reproducible", "fastest"; empty: not recorded
  std::string instructions;      // of the fastest: "avx512"
  std::string started, stopped;  // wall time, ISO 8601; empty: not yet
  /// "running", "finished", "failed", "interrupted", "check failed"; when read back also "killed":
  /// it says running, but no process is.
  std::string status = "running";
  int exit_status = 0;
  std::string message;   // of a failed run: its error in one line
  bool rewound = false;  // an interrupted run: it was to continue in another folder, `next`
  std::vector<Continued> continued;  // after it had been killed
  std::string document;              // the document that was run, below inputs/
  std::vector<Input> inputs;
  std::vector<std::string> set;                              // --set, as given
  std::vector<std::pair<std::string, std::string>> options;  // "until" → "300 s", "rate" → "0.5"
  std::vector<std::pair<std::string, double>> statistics;
  std::vector<std::pair<std::string, std::string>> machine;  // of real-time runs: privileges
  std::vector<Reported> reports;
  std::vector<Checked> checks;
  std::vector<std::string> warnings;
  std::vector<std::string> outputs;  // files that the document wrote; in the folder, or absolute

  /// The value of an option; empty: not given.
  std::string option(std::string_view name) const;
};

std::string to_json(const Manifest&);
/// Throws ConfigurationError (V7108) when the text is not a manifest, or a member has another type
/// than it should. Unknown members are ignored, missing ones keep their defaults.
Manifest manifest_from_json(std::string_view json, const std::filesystem::path& name);

/// "2030-01-01T12:00:00.123Z"
std::string iso8601(std::chrono::system_clock::time_point);
std::string host_name();

}  // namespace vernier::record
