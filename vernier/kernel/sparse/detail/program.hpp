#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/detail/pivots.hpp"

namespace vernier::sparse::detail {

/// Most pivots that are eliminated together.
constexpr int widest_block = 8;
/// Columns of a block are stored in multiples of this many, so that vectors need no rest.
constexpr int quad = 4;

// Offsets count doubles; lengths count quads.

/// Columns that lie behind each other in two places.
struct Run {
  std::int32_t there, here, length;
};

/// Rows below that a block of pivots is subtracted from: one block row.
struct Target {
  std::int32_t rows, stride, count;  // of values: first row, distance, how many
  std::int32_t factors;              // where in each row the columns of the pivots are
  std::int32_t first_run, last_run;  // there: in the target's rows; here: in those of the pivots
};

/// Pivots that are eliminated together: `width` rows and columns. A row holds the columns of the
/// blocks on the left, its own, and those on the right.
struct Block {
  std::int32_t rows, stride, width;
  std::int32_t diagonal;          // where in each row the columns of the pivots are
  std::int32_t length;            // quads from there to the end of the row
  std::int32_t position;          // of its first unknown in the work vector
  std::int32_t first, last;       // targets
  std::int32_t left, left_end;    // runs; there: in the work vector, here: in the rows
  std::int32_t right, right_end;  // runs
};

/// The elimination of one pattern in one order, ready to be executed without searching.
struct Program {
  std::vector<Block> blocks;
  std::vector<Target> targets;
  std::vector<Run> runs;
  int values = 0;                  // doubles for the matrix and its factors
  int unknowns = 0;                // doubles for the work vector
  std::vector<int> slots;          // of the pattern's entries in the values
  std::vector<int> rows, columns;  // place in the work vector of each row and column
  std::vector<double> references;  // by place: smallest pivot in the samples, 0 where there is none
  std::vector<int> row_at;         // by place: row of the matrix, -1 where there is none
  long long operations =
      0;            // multiplications and subtractions that are not with stored zeros of padding
  int entries = 0;  // of L + U
};

Program make_program(const Pattern&, const Pivots&);

/// What one set of instructions executes. All sets do the same operations on each number, in the
/// same order.
struct Code {
  /// Largest magnitude of the values.
  double (*largest)(const double* values, int count);
  /// LU with the unit diagonal in U, in place; reciprocal pivots by place. Answers the largest
  /// magnitude met, or NaN if something was not finite.
  double (*factorize)(const Program&, double* values, double* reciprocals);
  /// `x` in the order of places, padding 0.
  void (*solve)(const Program&, const double* values, const double* reciprocals, double* x);
};

extern const Code code_sse2, code_avx2, code_avx512;

}  // namespace vernier::sparse::detail
