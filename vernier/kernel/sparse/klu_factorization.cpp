#include "vernier/kernel/sparse/klu_factorization.hpp"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/base/require.hpp"

namespace vernier::sparse {

struct KluFactorization::Klu {
  int size;
  std::vector<int> starts, rows, slots;  // compressed columns
  std::vector<double> values;
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  explicit Klu(const Pattern& pattern) : size(pattern.size), slots(pattern.entries.size()) {
    const std::vector<Entry>& entries = pattern.entries;
    std::vector<int> order(entries.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return entries[a].column != entries[b].column ? entries[a].column < entries[b].column
                                                    : entries[a].row < entries[b].row;
    });
    starts.assign(size + 1, 0);
    for (const int k : order) {
      slots[k] = static_cast<int>(rows.size());
      rows.push_back(entries[k].row);
      ++starts[entries[k].column + 1];
    }
    for (int j = 0; j < size; ++j) starts[j + 1] += starts[j];
    values.assign(entries.size(), 0.0);
    klu_defaults(&common);
    common.scale = 2;  // by the largest of each row
    common.tol = 0.1;
  }

  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  ~Klu() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }

  [[noreturn]] void singular() const {
    const int column =
        common.singular_col >= 0 && common.singular_col < size ? common.singular_col : 0;
    throw Singular({}, {column});
  }
};

KluFactorization::KluFactorization(const Pattern& pattern, std::span<const double> sample)
    : klu_(std::make_unique<Klu>(pattern)) {
  require(pattern.size > 0 && sample.size() == pattern.entries.size());
  for (std::size_t k = 0; k < sample.size(); ++k) klu_->values[klu_->slots[k]] = sample[k];
  klu_->symbolic = klu_analyze(klu_->size, klu_->starts.data(), klu_->rows.data(), &klu_->common);
  if (klu_->symbolic == nullptr) klu_->singular();
  choose_pivots();
}

KluFactorization::KluFactorization(KluFactorization&&) noexcept = default;
KluFactorization& KluFactorization::operator=(KluFactorization&&) noexcept = default;
KluFactorization::~KluFactorization() = default;

int KluFactorization::size() const noexcept { return klu_->size; }
std::span<const int> KluFactorization::slots() const noexcept { return klu_->slots; }
std::span<double> KluFactorization::values() noexcept { return klu_->values; }
void KluFactorization::clear() noexcept {
  std::fill(klu_->values.begin(), klu_->values.end(), 0.0);
}

void KluFactorization::choose_pivots() {
  Klu& k = *klu_;
  klu_numeric* numeric =
      klu_factor(k.starts.data(), k.rows.data(), k.values.data(), k.symbolic, &k.common);
  if (numeric == nullptr || k.common.status != KLU_OK) {
    klu_free_numeric(&numeric, &k.common);
    k.singular();
  }
  klu_free_numeric(&k.numeric, &k.common);
  k.numeric = numeric;
}

Quality KluFactorization::factorize() noexcept {
  Klu& k = *klu_;
  const bool done = klu_refactor(k.starts.data(), k.rows.data(), k.values.data(), k.symbolic,
                                 k.numeric, &k.common) != 0;
  Quality quality{done && k.common.status == KLU_OK, std::numeric_limits<double>::infinity(), 0};
  const double* const pivots = static_cast<const double*>(k.numeric->Udiag);
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < k.size; ++i) {
    const double pivot = std::fabs(pivots[i]);
    if (pivot >= smallest) continue;
    quality.worst = k.numeric->Pnum[i];
    smallest = pivot;
    if (pivot > 0.0) continue;  // not for zero, nor for NaN
    quality.usable = false;
    break;
  }
  if (!quality.usable) return quality;
  klu_rgrowth(k.starts.data(), k.rows.data(), k.values.data(), k.symbolic, k.numeric, &k.common);
  quality.growth = 1.0 / k.common.rgrowth;
  quality.usable = std::isfinite(quality.growth);
  return quality;
}

void KluFactorization::solve(std::span<double> b) noexcept {
  klu_solve(klu_->symbolic, klu_->numeric, klu_->size, 1, b.data(), &klu_->common);
}

double KluFactorization::reciprocal_condition() const noexcept {
  klu_rcond(klu_->symbolic, klu_->numeric, &klu_->common);
  return klu_->common.rcond;
}

}  // namespace vernier::sparse
