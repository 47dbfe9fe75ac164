#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vernier/kernel/machine/assembler.hpp"
#include "vernier/kernel/sparse/detail/repeats.hpp"

namespace vernier::sparse::detail {

/// Translates an elimination to machine code (AVX2), straight-line except for loops over repeats:
/// the operations of factorize() and solve() on every number, in the same order, those of a cell at
/// once.
class Translator {
 public:
  /// In: values, reciprocals, 16 words: high_bits() of the largest magnitudes before (first eight)
  /// and met; the even ones of each eight mean nothing.
  using Factorize = void (*)(double*, double*, std::uint32_t*);
  /// In: values, reciprocals, b, work. If in_order(), `work` holds the right side by pivot, becomes
  /// the unknowns by pivot, and b is not used.
  using Solve = void (*)(const double*, const double*, double*, double*);

  /// Doubles after the values that the code reads when it searches the largest; they must be 0.
  static constexpr int margin = 16;

  Translator(const Elimination&, const std::vector<Repeat>&);

  bool in_order() const noexcept { return !repeats_.empty(); }
  /// Whether all blocks of a repeat have the same code; if not, the code must not be used.
  bool faithful() const noexcept { return faithful_; }
  const std::vector<std::uint8_t>& image() const noexcept { return image_; }
  std::size_t factorize() const noexcept { return factorize_; }
  std::size_t solve() const noexcept { return solve_; }

 private:
  using Cell = Elimination::Cell;
  /// cell −= value of a factor · source.
  struct Update {
    int factor, source;
  };

  void write_factorize();
  void write_largest();
  void collect();
  void write_tasks();
  void go_to(int row);
  void write_loop_end(const Repeat&, int by, machine::Base counter, std::size_t again);
  void enter(int row);
  void assign_registers(int row);
  void finish_row(int row);
  void catch_up(int cell, int before_factor);
  void hold(int cell);
  void leave();
  void write_pivot(int row);
  void write_right(int cell);
  int fetch(int factor);
  void spread(int to, int from, int lane);
  void load(int to, int width, const machine::Memory&);
  void store(const machine::Memory&, int width, int from);
  machine::Memory at(int value) const;
  void write_solve();

  const Elimination& e_;
  const std::vector<Repeat>& repeats_;
  machine::Assembler code_;
  std::vector<std::uint8_t> image_;
  std::size_t factorize_ = 0, solve_ = 0;

  std::vector<std::vector<Update>> updates_;  // of cells, by factor
  std::vector<std::size_t> done_;             // of those
  int row_base_ = 0, value_base_ = 0;         // what the address registers point to
  bool solving_ = false;                      // the unknowns move along
  bool faithful_ = true;
  int middle_ = 0;                // the value to which the row's address refers
  std::vector<int> register_of_;  // of factors; -1: none
  std::vector<bool> loaded_;
  int held_ = -1;  // the cell in the register `sum`
  bool changed_ = false;
};

}  // namespace vernier::sparse::detail
