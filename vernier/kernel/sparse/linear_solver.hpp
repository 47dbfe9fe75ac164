#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/factorization.hpp"
#include "vernier/kernel/sparse/klu_factorization.hpp"

namespace vernier::sparse {

struct LinearSolverSettings {
  FactorizationSettings factorization;
  double growth = 1e8;        // above this the static pivots are not trusted
  bool may_allocate = false;  // choose new pivots when the old ones failed; not in real time
};

/// Solves linear systems of one pattern with changing values: by the static program while its
/// pivots are good, otherwise by KLU from the same values.
///
///   clear(); values()[slots()[k]] += …; factorize(); solve(b);
///
/// A copy has the same program and pivots, and its own values and counts: one for each thread.
class LinearSolver {
 public:
  using Settings = LinearSolverSettings;
  enum class Method : std::uint8_t { program, klu, none };
  struct Counts {
    long long factorizations = 0;
    long long by_klu = 0;    // of those
    long long repivots = 0;  // new programs
    long long failures = 0;  // not solved by either
  };

  /// Throws Singular if one of the samples is singular (values in the order of the pattern's
  /// entries, at least one sample).
  LinearSolver(Pattern, std::vector<std::vector<double>> samples, const Settings& = {});
  LinearSolver(const LinearSolver&);
  LinearSolver(LinearSolver&&) noexcept = default;

  int size() const noexcept { return program_.size(); }
  /// slots()[k]: the position of the pattern's entry k in values(). A factorize() that may allocate
  /// can change them: read them again when generation() has changed.
  std::span<const int> slots() const noexcept { return program_.slots(); }
  int generation() const noexcept { return static_cast<int>(counts_.repivots); }
  std::span<double> values() noexcept { return program_.values(); }
  void clear() noexcept { program_.clear(); }

  /// If the result is not usable, solve() must not be called, and `worst` names the row. Allocates
  /// only with LinearSolverSettings::may_allocate.
  Quality factorize() noexcept;
  /// The same without a copy of the matrix: if the program fails, `again` must fill values() with
  /// the same numbers again.
  template <class Again>
  Quality factorize(Again&& again) noexcept {
    const Quality quality = by_program();
    if (trusted(quality)) return quality;
    clear();
    again();
    return otherwise(quality, values());
  }
  /// b becomes the solution, in the pattern's numbering; any number of times.
  void solve(std::span<double> b) noexcept;

  /// The method of the last factorize().
  Method method() const noexcept { return method_; }
  const Counts& counts() const noexcept { return counts_; }
  Factorization::Statistics statistics() const noexcept { return program_.statistics(); }

 private:
  bool trusted(const Quality& q) const noexcept { return q.usable && q.growth <= settings_.growth; }
  Quality by_program() noexcept;
  Quality otherwise(Quality, std::span<const double> values) noexcept;
  bool repivot() noexcept;

  Pattern pattern_;
  std::vector<std::vector<double>> samples_;
  Settings settings_;
  Factorization program_;
  KluFactorization klu_;
  std::vector<double> assembled_;  // the matrix given to factorize()
  Method method_ = Method::none;
  Counts counts_;
};

}  // namespace vernier::sparse
