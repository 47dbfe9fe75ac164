#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {

/// Two values a and b agree when |a - b| <= absolute + relative * max(|a|, |b|).
struct Tolerance {
  std::string pattern = "*";  // of signal paths
  double absolute = 0.0;      // in the signal's unit
  double relative = 0.0;
};

/// Reads a document of formats/tolerances. Throws ConfigurationError.
std::vector<Tolerance> read_tolerances(const std::filesystem::path&);
/// The same of a text; `name` stands for it in messages.
std::vector<Tolerance> parse_tolerances(std::string text, const std::filesystem::path& name);

struct CompareOptions {
  std::vector<std::string> signals = {"*"};  // patterns; of the first run
  std::vector<Tolerance> tolerances = {};    // the first match applies; none: equal to the bit
  double shift = 0.0;                        // s; added to the times of the second run
  bool between = false;  // also at instants of one run within the other: its value there is held or
                         // interpolated
};

struct Difference {
  std::string signal, unit;
  std::uint64_t compared = 0;            // rows at common instants; with `between` also others
  std::uint64_t only_a = 0, only_b = 0;  // rows at instants that the other run lacks
  double largest = 0.0;                  // |a - b|; infinite where only one is finite
  double largest_at = 0.0;               // s; all times are those of the first run
  std::uint32_t largest_element = 0;
  double rms = 0.0;                        // over all elements and rows
  std::optional<double> diverges_at = {};  // s; the first time outside the tolerance
  std::string problem = {};                // why comparison was impossible: another size or unit
  bool within() const noexcept { return !diverges_at && problem.empty(); }
};

struct Comparison {
  std::vector<Difference> signals;          // in the order of their paths
  std::vector<std::string> only_a, only_b;  // signals that the other run lacks
  /// Whether everything compared is within its tolerance, and nothing is missing in either run.
  bool within() const noexcept;
};

/// Compares at the instants that both runs have, after the shift; where an instant has two rows
/// (before and after an event) in one run only, the last ones are compared. Throws
/// ConfigurationError (V7101, V7102; V7124: neither run has a value).
Comparison compare(const ResultReader& a, const ResultReader& b, const CompareOptions& = {});

}  // namespace vernier::record
