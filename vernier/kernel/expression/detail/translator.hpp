#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "vernier/kernel/expression/detail/code_schedule.hpp"
#include "vernier/kernel/machine/assembler.hpp"

namespace vernier::expression::detail {

using machine::Assembler;
using machine::Base;
using machine::Memory;
using machine::Opcode;
namespace prefix = machine::prefix;

/// The constants placed before the code: masks of 64 bytes each, then the constants of the program,
/// once as single numbers and, for lanes, repeated `width` times each.
struct Pool {
  static constexpr std::int32_t sign = 0, magnitude = 64, one = 128, minus_one = 192, zero = 256;
  std::vector<std::uint8_t> bytes;
  std::int32_t single = 0, repeated = 0;
  std::vector<std::uint32_t> index;  // of a value that is a constant

  Pool(const Values&, int width);
};

/// Translates the schedule to x86-64 vector instructions in one pass. Processor registers are a
/// cache of values. When one is needed, the value whose next use is farthest away is evicted
/// (Belady's rule). Values that can be read again from inputs, constants or outputs are not stored.
/// An operand that is not in a register is read from memory by the instruction itself where
/// possible.
class Translator {
 public:
  /// `width` is how many numbers an instruction computes: 1, 4, or 8 with AVX-512. Above 1, the
  /// code loops over all lanes, and the inputs are given as one address per signal.
  Translator(const Values&, const CodeSchedule&, const Pool&, int width, std::size_t origin);

  const std::vector<std::uint8_t>& bytes() const noexcept { return code_.bytes(); }
  /// The number of values of working memory in use.
  std::size_t slots() const noexcept { return slots_; }

 private:
  using Step = CodeSchedule::Step;
  static constexpr int registers = 16;
  static constexpr std::uint32_t nothing = CodeSchedule::never;

  /// Where a value can be read if it is in no register.
  enum class Home : std::uint8_t { none, input, constant, output, slot };

  void enter();
  void leave();
  void translate(const Step&);
  void pass_through();

  // One function for each group of operations.
  void arithmetic(const Step&, std::uint8_t code, bool commutes);
  void unary(const Step&);
  void compare(const Step&);
  void logical(const Step&);
  void select(const Step&);
  void call(const Step&);
  // Results of comparisons are bit masks in the register `by`, or in a mask register of AVX-512.
  void emit(Opcode, int to, int first, int second);
  void emit(Opcode, int to, int first, const Memory& second, int immediate_bytes = 0);
  void emit_comparison(int by, int first, int second, int predicate);
  void emit_comparison(int by, int first, const Memory& second, int predicate);
  void emit_comparison(int by, Operation, std::uint32_t a, std::uint32_t b);
  void emit_not_zero(int by, int from);
  void emit_truth(int to, int by);
  void emit_blend(int to, int otherwise, int chosen, int by);
  void emit_blend(int to, int otherwise, const Memory& chosen, int by);

  // the cache
  int find(std::uint32_t value) const noexcept { return register_of_[value]; }
  std::uint32_t mask(std::initializer_list<std::uint32_t> values) const noexcept;
  int load(std::uint32_t value, std::uint32_t keep);
  int take(std::uint32_t keep);
  void free_register(int) noexcept;
  void store_for_later(std::uint32_t value);
  void release_operands(const Step&);
  void define(const Step&, int in);
  std::uint32_t next_use(std::uint32_t value) const;
  /// The memory operand of a value. For an input in lanes this loads the address into rax first, so
  /// it is valid for the next instruction only.
  Memory home(std::uint32_t value);

  Opcode arithmetic_opcode(std::uint8_t code) const noexcept;
  void load_from(int to, const Memory&);
  void store_to(const Memory&, int from);

  const Values& values_;
  const CodeSchedule& plan_;
  const Pool& pool_;
  int width_;
  bool wide_;
  Assembler code_;
  Base in_, out_, work_, counter_;
  Base shift_;  // byte offset of the lanes of this pass
  std::size_t loop_ = 0;

  std::uint32_t now_ = 0;
  std::uint32_t holds_[registers];
  std::vector<std::int8_t> register_of_;
  std::vector<Home> home_;
  std::vector<std::uint32_t> place_;   // in its home
  std::vector<std::uint32_t> cursor_;  // how many uses are in the past
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t slots_ = 0;
};

}  // namespace vernier::expression::detail
