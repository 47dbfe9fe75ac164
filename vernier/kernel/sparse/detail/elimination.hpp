// Compiled once for each set of instructions, which VERNIER_INSTRUCTIONS names.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "vernier/kernel/sparse/detail/program.hpp"

namespace vernier::sparse::detail::VERNIER_INSTRUCTIONS {

template <int Lanes>
struct Lane {
  typedef double Type __attribute__((vector_size(Lanes * sizeof(double))));
  typedef long long Bits __attribute__((vector_size(Lanes * sizeof(double))));
};
using Quad = Lane<quad>::Type;
using QuadBits = Lane<quad>::Bits;

template <class V>
[[gnu::always_inline]] inline V load(const double* from) noexcept {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class V>
[[gnu::always_inline]] inline void store(double* to, const V& v) noexcept {
  std::memcpy(to, &v, sizeof v);
}

template <int N, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) noexcept {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, N>());
}

/// Largest magnitudes of each lane; `poison` becomes NaN with the first number that is not finite.
struct Largest {
  Quad magnitude{};
  Quad poison{};

  [[gnu::always_inline]] void take(const Quad& v) noexcept {
    const Quad a = (Quad)((QuadBits)v & 0x7fffffffffffffffLL);
    magnitude = a > magnitude ? a : magnitude;
    poison += v - v;
  }

  double all() const noexcept {
    double largest = 0.0;
    for (int i = 0; i < quad; ++i) largest = magnitude[i] > largest ? magnitude[i] : largest;
    return largest + ((poison[0] + poison[1]) + (poison[2] + poison[3]));
  }
};

inline double largest(const double* values, int count) {
  Largest of;
  for (int k = 0; k < count; k += quad) of.take(load<Quad>(values + k));
  return of.all();
}

/// target −= Σ f[k]·source_k over one vector, k ascending.
template <class V, int W>
[[gnu::always_inline]] inline void subtract(double* target, const double* source,
                                            std::ptrdiff_t stride, const double (&f)[W]) noexcept {
  V sum = load<V>(target);
  unrolled<W>([&](auto k)
                  __attribute__((always_inline)) { sum -= f[k] * load<V>(source + k * stride); });
  store(target, sum);
}

/// The block's own rows: L below and on the diagonal, U above, divided by the pivots.
template <int W>
[[gnu::always_inline]] inline void eliminate_own(const Block& block, double* own,
                                                 double* reciprocals, Largest& met) noexcept {
  const std::ptrdiff_t stride = block.stride;
  double lower[W][W];
  unrolled<W>([&](auto j) __attribute__((always_inline)) {
    double* row = own + j * stride;
    double* f = lower[j];
    unrolled<j + 1>([&](auto i) __attribute__((always_inline)) {
      double sum = row[i];
      unrolled<i>([&](auto k)
                      __attribute__((always_inline)) { sum -= f[k] * own[k * stride + i]; });
      f[i] = sum;
    });
    const double reciprocal = 1.0 / f[j];
    reciprocals[j] = reciprocal;
    // lanes on the left of the pivot take nonsense that nobody reads
    constexpr int start = j / quad;
    QuadBits right;
    for (int lane = 0; lane < quad; ++lane) right[lane] = start * quad + lane < j ? 0 : -1;
    for (std::ptrdiff_t v = start; v < block.length; ++v) {
      Quad sum = load<Quad>(row + v * quad);
      unrolled<j>([&](auto k) __attribute__((always_inline)) {
        sum -= f[k] * load<Quad>(own + k * stride + v * quad);
      });
      met.take(v == start ? (Quad)((QuadBits)sum & right) : sum);
      store(row + v * quad, sum * reciprocal);
    }
  });
  // not before: vectors that are read soon after single numbers were written to them are slow
  unrolled<W>([&](auto j) __attribute__((always_inline)) {
    unrolled<j + 1>([&](auto i)
                        __attribute__((always_inline)) { own[j * stride + i] = lower[j][i]; });
  });
}

template <int W>
void eliminate(const Program& program, const Block& block, double* values, double* reciprocals,
               Largest& met) {
  const std::ptrdiff_t stride = block.stride;
  double* const rows = values + block.rows;
  double* const own = rows + block.diagonal;
  eliminate_own<W>(block, own, reciprocals + block.position, met);
  const Target* const last = program.targets.data() + block.last;
  for (const Target* target = program.targets.data() + block.first; target != last; ++target) {
    double* row = values + target->rows;
    const Run* const first_run = program.runs.data() + target->first_run;
    const Run* const last_run = program.runs.data() + target->last_run;
    for (int r = 0; r < target->count; ++r, row += target->stride) {
      double* const factors = row + target->factors;
      double f[W];
      unrolled<W>([&](auto i) __attribute__((always_inline)) {
        double sum = factors[i];
        unrolled<i>([&](auto k)
                        __attribute__((always_inline)) { sum -= f[k] * own[k * stride + i]; });
        f[i] = sum;
        if (i > 0) factors[i] = sum;
      });
      for (const Run* run = first_run; run != last_run; ++run) {
        double* to = row + run->there;
        const double* from = rows + run->here;
        int left = run->length;
#if defined(__AVX512F__)
        for (; left >= 2; left -= 2, to += 2 * quad, from += 2 * quad)
          subtract<Lane<2 * quad>::Type, W>(to, from, stride, f);
#endif
        for (; left > 0; --left, to += quad, from += quad) subtract<Quad, W>(to, from, stride, f);
      }
    }
  }
}

inline double factorize(const Program& program, double* values, double* reciprocals) {
  Largest met;
  for (const Block& block : program.blocks) {
    switch (block.width) {
      case 1:
        eliminate<1>(program, block, values, reciprocals, met);
        break;
      case 2:
        eliminate<2>(program, block, values, reciprocals, met);
        break;
      case 3:
        eliminate<3>(program, block, values, reciprocals, met);
        break;
      case 4:
        eliminate<4>(program, block, values, reciprocals, met);
        break;
      case 5:
        eliminate<5>(program, block, values, reciprocals, met);
        break;
      case 6:
        eliminate<6>(program, block, values, reciprocals, met);
        break;
      case 7:
        eliminate<7>(program, block, values, reciprocals, met);
        break;
      default:
        eliminate<8>(program, block, values, reciprocals, met);
        break;
    }
  }
  return met.all();
}

/// x_j − Σ row_j·x over the runs, for all rows of a block; four partial sums, whatever the
/// instructions.
template <int W>
[[gnu::always_inline]] inline void reduce(const Run* run, const Run* last, const double* rows,
                                          std::ptrdiff_t stride, const double* x,
                                          double (&y)[W]) noexcept {
  Quad sums[W] = {};
  for (; run != last; ++run) {
    const double* here = rows + run->here;
    const double* there = x + run->there;
    for (int left = run->length; left > 0; --left, here += quad, there += quad) {
      const Quad v = load<Quad>(there);
      unrolled<W>([&](auto j) __attribute__((always_inline)) {
        sums[j] += load<Quad>(here + j * stride) * v;
      });
    }
  }
  unrolled<W>([&](auto j) __attribute__((always_inline)) {
    y[j] -= (sums[j][0] + sums[j][2]) + (sums[j][1] + sums[j][3]);
  });
}

template <int W>
void substitute(const Program& program, const Block& block, const double* values,
                const double* reciprocals, double* x) {
  const std::ptrdiff_t stride = block.stride;
  const double* const rows = values + block.rows;
  const double* const own = rows + block.diagonal;
  double* const at = x + block.position;
  double y[W];
  unrolled<W>([&](auto j) __attribute__((always_inline)) { y[j] = at[j]; });
  if (reciprocals != nullptr) {
    reduce<W>(program.runs.data() + block.left, program.runs.data() + block.left_end, rows, stride,
              x, y);
    unrolled<W>([&](auto j) __attribute__((always_inline)) {
      unrolled<j>([&](auto i)
                      __attribute__((always_inline)) { y[j] -= own[j * stride + i] * y[i]; });
      y[j] *= reciprocals[block.position + j];
    });
  } else {
    reduce<W>(program.runs.data() + block.right, program.runs.data() + block.right_end, rows,
              stride, x, y);
    unrolled<W>([&](auto up) __attribute__((always_inline)) {
      constexpr int j = W - 1 - up;
      unrolled<up>([&](auto i) __attribute__((always_inline)) {
        y[j] -= own[j * stride + W - 1 - i] * y[W - 1 - i];
      });
    });
  }
  unrolled<W>([&](auto j) __attribute__((always_inline)) { at[j] = y[j]; });
}

/// Forward with the reciprocals of the pivots, backward without.
inline void substitute(const Program& program, const Block& block, const double* values,
                       const double* reciprocals, double* x) {
  switch (block.width) {
    case 1:
      return substitute<1>(program, block, values, reciprocals, x);
    case 2:
      return substitute<2>(program, block, values, reciprocals, x);
    case 3:
      return substitute<3>(program, block, values, reciprocals, x);
    case 4:
      return substitute<4>(program, block, values, reciprocals, x);
    case 5:
      return substitute<5>(program, block, values, reciprocals, x);
    case 6:
      return substitute<6>(program, block, values, reciprocals, x);
    case 7:
      return substitute<7>(program, block, values, reciprocals, x);
    default:
      return substitute<8>(program, block, values, reciprocals, x);
  }
}

inline void solve(const Program& program, const double* values, const double* reciprocals,
                  double* x) {
  for (const Block& block : program.blocks) substitute(program, block, values, reciprocals, x);
  for (auto block = program.blocks.rbegin(); block != program.blocks.rend(); ++block)
    substitute(program, *block, values, nullptr, x);
}

constexpr Code code{largest, factorize, solve};

}  // namespace vernier::sparse::detail::VERNIER_INSTRUCTIONS
