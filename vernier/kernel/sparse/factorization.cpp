#include "vernier/kernel/sparse/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "vernier/base/instructions.hpp"
#include "vernier/base/require.hpp"
#include "vernier/kernel/sparse/detail/program.hpp"

namespace vernier::sparse {
namespace {

// of a line of the cache
constexpr std::align_val_t alignment{64};

Instructions instructions(const char* asked) noexcept {
  if (asked != nullptr)
    for (const Instructions set : {Instructions::sse2, Instructions::avx2, Instructions::avx512})
      if (std::strcmp(asked, name(set)) == 0) return std::min(set, best_instructions());
  return chosen_instructions();
}

const detail::Code* code_for(Instructions set) noexcept {
#if defined(__x86_64__)
  if (set == Instructions::avx512) return &detail::code_avx512;
  if (set == Instructions::avx2) return &detail::code_avx2;
#endif
  return &detail::code_sse2;
}

}  // namespace

void Factorization::Free::operator()(double* memory) const noexcept {
  ::operator delete(memory, alignment);
}

Factorization::Factorization(const Pattern& pattern, std::span<const std::vector<double>> samples,
                             const Settings& settings) {
  require(pattern.size > 0 && !samples.empty());
  for (const std::vector<double>& sample : samples)
    require(sample.size() == pattern.entries.size());
  program_ = std::make_unique<detail::Program>(
      detail::make_program(pattern, detail::choose_pivots(pattern, samples, settings.threshold)));
  const Instructions set = instructions(settings.instructions);
  code_ = code_for(set);
  instructions_ = name(set);
  const std::size_t count = static_cast<std::size_t>(program_->values) + 2 * program_->unknowns;
  memory_.reset(static_cast<double*>(::operator new(count * sizeof(double), alignment)));
  std::fill_n(memory_.get(), count, 0.0);
  values_ = memory_.get();
  reciprocals_ = values_ + program_->values;
  x_ = reciprocals_ + program_->unknowns;
}

Factorization::Factorization(Factorization&&) noexcept = default;
Factorization& Factorization::operator=(Factorization&&) noexcept = default;
Factorization::~Factorization() = default;

int Factorization::size() const noexcept { return static_cast<int>(program_->rows.size()); }
std::span<const int> Factorization::slots() const noexcept { return program_->slots; }
std::span<double> Factorization::values() noexcept {
  return {values_, static_cast<std::size_t>(program_->values)};
}
void Factorization::clear() noexcept { std::memset(values_, 0, program_->values * sizeof(double)); }

Quality Factorization::factorize() noexcept {
  const double before = code_->largest(values_, program_->values);
  const double met = code_->factorize(*program_, values_, reciprocals_);
  Quality quality{std::isfinite(before) && std::isfinite(met), met / before, 0};
  double worst = 0.0;
  for (int k = 0; k < program_->unknowns; ++k) {
    const double shrunk = std::fabs(reciprocals_[k]) * program_->references[k];
    if (shrunk <= worst) continue;
    quality.worst = program_->row_at[k];
    worst = shrunk;
    if (std::isfinite(shrunk)) continue;
    quality.usable = false;
    break;
  }
  if (!quality.usable) quality.growth = std::numeric_limits<double>::infinity();
  return quality;
}

void Factorization::solve(std::span<double> b) const noexcept {
  const std::vector<int>& rows = program_->rows;
  const std::vector<int>& columns = program_->columns;
  for (std::size_t i = 0; i < rows.size(); ++i) x_[rows[i]] = b[i];
  code_->solve(*program_, values_, reciprocals_, x_);
  for (std::size_t i = 0; i < columns.size(); ++i) b[i] = x_[columns[i]];
}

Factorization::Statistics Factorization::statistics() const noexcept {
  const int entries = static_cast<int>(program_->slots.size());
  return {entries, program_->entries - entries, static_cast<int>(program_->blocks.size()),
          program_->operations, instructions_};
}

}  // namespace vernier::sparse
