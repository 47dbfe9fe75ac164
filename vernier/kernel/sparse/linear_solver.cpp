#include "vernier/kernel/sparse/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "vernier/base/require.hpp"

namespace vernier::sparse {
namespace {

// More samples do not improve the pivots, they only slow down their choice.
constexpr std::size_t most_samples = 8;

}  // namespace

LinearSolver::LinearSolver(Pattern pattern, std::vector<std::vector<double>> samples,
                           const Settings& settings)
    : pattern_(std::move(pattern)),
      samples_(std::move(samples)),
      settings_(settings),
      program_(pattern_, samples_, settings.factorization),
      klu_(pattern_, samples_.front()),
      assembled_(program_.values().size()) {}

// KLU's pivots are determined by the pattern and the values on which they were chosen.
LinearSolver::LinearSolver(const LinearSolver& other)
    : pattern_(other.pattern_),
      samples_(other.samples_),
      settings_(other.settings_),
      program_(other.program_),
      klu_(pattern_, other.counts_.repivots > 0 ? samples_.back() : samples_.front()),
      assembled_(program_.values().size()) {}

Quality LinearSolver::by_program() noexcept {
  ++counts_.factorizations;
  method_ = Method::program;
  return program_.factorize();
}

Quality LinearSolver::factorize() noexcept {
  const std::span<double> values = program_.values();
  std::copy(values.begin(), values.end(), assembled_.begin());
  const Quality quality = by_program();
  return trusted(quality) ? quality : otherwise(quality, assembled_);
}

/// Called after the program failed on `values`.
Quality LinearSolver::otherwise(Quality quality, std::span<const double> values) noexcept {
  const std::span<const int> from = program_.slots();
  const std::span<const int> to = klu_.slots();
  for (std::size_t k = 0; k < from.size(); ++k) klu_.values()[to[k]] = values[from[k]];
  if (settings_.may_allocate && repivot()) {
    quality = program_.factorize();
    if (trusted(quality)) return quality;
  }
  const Quality by_klu = klu_.factorize();
  // If KLU also fails, the result of the program names the row.
  if (trusted(by_klu)) {
    ++counts_.by_klu;
    method_ = Method::klu;
    return by_klu;
  }
  ++counts_.failures;
  method_ = Method::none;
  quality.usable = false;
  return quality;
}

// Chooses pivots that are also good for the current values. The values are then in the new program.
bool LinearSolver::repivot() noexcept {
  try {
    std::vector<double> present(pattern_.entries.size());
    for (std::size_t k = 0; k < present.size(); ++k) present[k] = klu_.values()[klu_.slots()[k]];
    if (!std::all_of(present.begin(), present.end(), [](double v) { return std::isfinite(v); }))
      return false;
    klu_.choose_pivots();
    std::vector<std::vector<double>> samples = samples_;
    if (samples.size() == most_samples) samples.erase(samples.begin());
    samples.push_back(present);
    Factorization better(pattern_, samples, settings_.factorization);
    assembled_.resize(better.values().size());
    for (std::size_t k = 0; k < present.size(); ++k)
      better.values()[better.slots()[k]] = present[k];
    program_ = std::move(better);
    samples_ = std::move(samples);
    ++counts_.repivots;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void LinearSolver::solve(std::span<double> b) noexcept {
  require(method_ != Method::none);
  if (method_ == Method::program) {
    program_.solve(b);
  } else {
    klu_.solve(b);
  }
}

}  // namespace vernier::sparse
