#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vernier/run/record/compare.hpp"
#include "vernier/run/record/difference.hpp"

/// Runs against each other: the first one is the reference, each of the others is compared with it.
namespace vernier::desktop {

/// A run that takes part, with what is added to its times (s).
struct Compared {
  std::string run;  // as the page names it
  const record::ResultReader* results = nullptr;
  double shift = 0.0;
};

/// One comparison, with the members of `vernier compare --json`.
nlohmann::ordered_json json_of(const record::Comparison&);

/// The answer to `compare`. The numbers are those of record::compare(). Throws ConfigurationError:
/// V8133 unless there are at least two runs.
nlohmann::ordered_json compared(const std::vector<Compared>&, const record::CompareOptions&);

/// The answer to `difference`: a curve for each run but the first. A run without the signal has an
/// empty one. Throws ConfigurationError: V8133; V7102 when the first run lacks the signal.
nlohmann::ordered_json differences(const std::vector<Compared>&, const std::string& signal,
                                   std::uint32_t element, std::size_t most_points);

/// What runs are aligned by.
struct Alignment {
  // the n-th event whose members are these; empty: any
  std::string component = {}, kind = {}, from = {}, to = {};
  // or, if there is a signal, its n-th crossing
  std::string signal = {};
  std::uint32_t element = 0;
  double level = 0.0;
  record::Crossing crossing = record::Crossing::either;
  std::uint64_t n = 1;
};

/// The answer to `align`: when it happens in each run, null where it does not.
nlohmann::ordered_json aligned(const std::vector<Compared>&, const Alignment&);

}  // namespace vernier::desktop
