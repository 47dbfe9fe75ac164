#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vernier/kernel/machine/assembler.hpp"
#include "vernier/kernel/sparse/detail/elimination.hpp"

namespace vernier::sparse::detail {

/// An elimination as straight machine code (AVX2), without loops: the operations of factorize() and
/// solve() on every number, in the same order, up to four numbers at a time.
class Translator {
 public:
  /// In: values, reciprocals, 16 words: high_bits() of the largest magnitudes before (first eight)
  /// and met; the even ones of each eight mean nothing.
  using Factorize = void (*)(double*, double*, std::uint32_t*);
  /// In: values, reciprocals, b, work.
  using Solve = void (*)(const double*, const double*, double*, double*);

  /// Doubles beyond the values that may be read; the code also takes their largest magnitude, so
  /// they are 0.
  static constexpr int margin = 16;

  explicit Translator(const Elimination&);

  const std::vector<std::uint8_t>& image() const noexcept { return image_; }
  std::size_t factorize() const noexcept { return factorize_; }
  std::size_t solve() const noexcept { return solve_; }
  /// Instructions that subtract products: a measure of the time it will take.
  int subtractions() const noexcept { return subtractions_; }

 private:
  /// value −= factor of pivot · source.
  struct Update {
    int pivot, factor, source;
  };
  /// Neighbouring values of a row that are computed together, with the updates they share.
  struct Group {
    int first, count;
    int lowest;  // column
    int shared;  // updates
  };

  void write_factorize();
  void write_largest();
  void write_row(int row);
  void collect(int row);
  void divide(int first, int last, bool right);
  double cost(const Group&, bool right) const;
  Group group(int first, int count) const;
  void assign_registers(int row);
  void write_group(const Group&, bool right);
  void write_rest(int value, int after);
  void write_pivot(int row);
  int factor_register(const Update&);
  void subtract(const Update&, int count);
  void load(int to, int count, const machine::Memory&);
  void store(const machine::Memory&, int count, int from);
  void take_largest(int count);
  machine::Memory at(int value) const;
  void write_solve();

  const Elimination& e_;
  machine::Assembler code_;
  std::vector<std::uint8_t> image_;
  std::size_t factorize_ = 0, solve_ = 0;
  int subtractions_ = 0;
  int row_begin_ = 0;                         // value that the row's address is of
  std::vector<std::vector<Update>> updates_;  // of the values of the present row, by pivot
  int offset_ = 0;                            // of that row
  std::vector<Group> groups_;
  std::vector<int> register_of_;  // of factors, by pivot; -1: none
  std::vector<bool> loaded_;
};

}  // namespace vernier::sparse::detail
