#include "vernier/kernel/sparse/factorization.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "vernier/base/instructions.hpp"
#include "vernier/base/require.hpp"
#include "vernier/kernel/machine/executable.hpp"
#include "vernier/kernel/sparse/detail/elimination.hpp"
#include "vernier/kernel/sparse/detail/translator.hpp"

namespace vernier::sparse {
namespace {

using detail::Elimination;
using detail::Translator;

// A cache line
constexpr std::align_val_t alignment{64};
// Larger code does not pay: it would be read from memory every time.
constexpr std::size_t most_code = 16'000'000;
// From this many operations on (half a megabyte of straight-line code), an order that repeats is
// tried.
constexpr long long many = 60'000;

struct Free {
  void operator()(double* memory) const noexcept { ::operator delete(memory, alignment); }
};

double magnitude(std::uint32_t high_bits) noexcept {
  return std::bit_cast<double>(static_cast<std::uint64_t>(high_bits) << 32);
}

/// The largest magnitude, from the odd words.
double largest(const std::uint32_t* words) noexcept {
  return magnitude(std::max(std::max(words[1], words[3]), std::max(words[5], words[7])));
}

}  // namespace

/// The part that does not depend on the values.
struct Factorization::Program {
  Elimination elimination;
  std::vector<detail::Repeat> repeats;
  machine::Executable code;
  std::size_t code_bytes = 0;
  Translator::Factorize factorize_code = nullptr;
  Translator::Solve solve_code = nullptr;
  bool in_order = false;

  Program(const Pattern& pattern, std::span<const std::vector<double>> samples,
          const Settings& settings) {
    const auto made = [&](detail::Order order) {
      return detail::make_elimination(
          pattern, detail::choose_pivots(pattern, samples, settings.threshold, order));
    };
    elimination = made(detail::Order::least_fill);
    if (elimination.operations >= many) sweep(made);
    if (settings.machine_code && chosen_instructions() >= Instructions::avx2) translate();
  }

  /// Repeats become loops whose code stays in the cache, which is worth some more operations.
  template <class Made>
  void sweep(const Made& made) {
    Elimination swept = made(detail::Order::sweep);
    std::vector<detail::Repeat> found = detail::find_repeats(swept);
    if (detail::repeated_rows(found) < swept.size / 2 ||
        swept.operations > 2 * elimination.operations)
      return;
    elimination = std::move(swept);
    repeats = std::move(found);
  }

  void translate() {
    Translator translator(elimination, repeats);
    if (!translator.faithful()) return;
    if (translator.image().size() > most_code) return;
    code = machine::Executable(translator.image());
    if (!code.ready()) return;
    code_bytes = translator.image().size();
    in_order = translator.in_order();
    factorize_code = code.at<Translator::Factorize>(translator.factorize());
    solve_code = code.at<Translator::Solve>(translator.solve());
  }
};

/// The numbers of one matrix.
struct Factorization::Room {
  std::unique_ptr<double[], Free> memory;
  double* values;
  double* reciprocals;
  double* work;

  explicit Room(const Elimination& e) {
    const std::size_t count = (e.values + Translator::margin + 7) / 8 * 8;
    const std::size_t all = count + 2 * e.size;
    memory.reset(static_cast<double*>(::operator new(all * sizeof(double), alignment)));
    std::fill_n(memory.get(), all, 0.0);
    values = memory.get();
    reciprocals = values + count;
    work = reciprocals + e.size;
  }
};

Factorization::Factorization(const Pattern& pattern, std::span<const std::vector<double>> samples,
                             const Settings& settings) {
  require(pattern.size > 0 && !samples.empty());
  for (const std::vector<double>& sample : samples)
    require(sample.size() == pattern.entries.size());
  program_ = std::make_shared<const Program>(pattern, samples, settings);
  room_ = std::make_unique<Room>(program_->elimination);
}

Factorization::Factorization(const Factorization& other)
    : program_(other.program_), room_(std::make_unique<Room>(program_->elimination)) {}
Factorization::Factorization(Factorization&&) noexcept = default;
Factorization& Factorization::operator=(Factorization&&) noexcept = default;
Factorization::~Factorization() = default;

int Factorization::size() const noexcept { return program_->elimination.size; }
std::span<const int> Factorization::slots() const noexcept { return program_->elimination.slots; }
std::span<double> Factorization::values() noexcept {
  return {room_->values, static_cast<std::size_t>(program_->elimination.values)};
}
void Factorization::clear() noexcept {
  std::memset(room_->values, 0, program_->elimination.values * sizeof(double));
}

Quality Factorization::factorize() noexcept {
  const Program& p = *program_;
  const Room& r = *room_;
  double before = 0.0;
  double met = 0.0;
  if (p.factorize_code != nullptr) {
    alignas(32) std::array<std::uint32_t, 16> words;
    p.factorize_code(r.values, r.reciprocals, words.data());
    before = largest(words.data());
    met = largest(words.data() + 8);
  } else {
    std::uint32_t high = 0;
    for (const double v : values()) high = std::max(high, detail::high_bits(v));
    before = magnitude(high);
    met = magnitude(detail::factorize(p.elimination, r.values, r.reciprocals));
  }
  Quality quality{std::isfinite(before) && std::isfinite(met), met / before, 0};
  double worst = 0.0;
  int worst_at = 0;
  for (int k = 0; k < p.elimination.size; ++k) {
    const double shrunk = std::fabs(r.reciprocals[k]) * p.elimination.references[k];
    if (shrunk <= worst) continue;
    worst = shrunk;
    worst_at = k;
    if (std::isfinite(shrunk)) continue;
    quality.usable = false;
    break;
  }
  quality.worst = p.elimination.row_at[worst_at];
  if (!quality.usable) quality.growth = std::numeric_limits<double>::infinity();
  return quality;
}

void Factorization::solve(std::span<double> b) const noexcept {
  const Program& p = *program_;
  const Room& r = *room_;
  const Elimination& e = p.elimination;
  if (p.solve_code != nullptr && p.in_order) {
    for (int i = 0; i < e.size; ++i) r.work[i] = b[e.row_at[i]];
    p.solve_code(r.values, r.reciprocals, nullptr, r.work);
    for (int i = 0; i < e.size; ++i) b[e.column_at[i]] = r.work[i];
  } else if (p.solve_code != nullptr) {
    p.solve_code(r.values, r.reciprocals, b.data(), r.work);
  } else {
    detail::solve(e, r.values, r.reciprocals, b.data(), r.work);
  }
}

Factorization::Statistics Factorization::statistics() const noexcept {
  const int entries = static_cast<int>(program_->elimination.slots.size());
  return {entries, program_->elimination.entries - entries, program_->elimination.operations,
          program_->code_bytes};
}

}  // namespace vernier::sparse
