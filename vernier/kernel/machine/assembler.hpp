#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vernier::machine {

/// General-purpose registers, by their numbers in instructions.
enum class Base : std::uint8_t {
  rax = 0,
  rcx = 1,
  rdx = 2,
  rbx = 3,
  rsp = 4,
  rbp = 5,
  rsi = 6,
  rdi = 7,
  r8 = 8,
  r12 = 12,
  r14 = 14,
  r15 = 15,
  pool = 255
};

/// A memory operand. With Base::pool, `offset` counts from the start of the constants, which are
/// placed before the code.
struct Memory {
  Base base = Base::pool;
  std::int32_t offset = 0;
};

/// AVX instructions as (prefix, map, opcode), encoded with VEX, or with EVEX for 512 bits.
struct Opcode {
  std::uint8_t prefix, map, code;
  bool w = false;  // the bit W of the prefix
};

// Scalar and packed forms differ only in the prefix, except for instructions with two operands.
namespace prefix {
constexpr std::uint8_t packed = 1;  // 66
constexpr std::uint8_t scalar = 3;  // F2
}  // namespace prefix

/// Writes x86-64 instructions into its own buffer.
class Assembler {
 public:
  /// The code will be placed `origin` bytes after the start of the constants.
  explicit Assembler(std::size_t origin) : origin_(origin) {}

  const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }

  /// to = first (op) second. `wide`: 256 bits. Two-operand instructions have first = 0.
  void vex(Opcode, bool wide, int to, int first, int second);
  void vex(Opcode, bool wide, int to, int first, const Memory& second, int immediate_bytes = 0);
  /// The same with 512 bits (of doubles). `mask`: the mask register that selects lanes, 0: all;
  /// `zeroing`: other lanes become zero.
  void evex(Opcode, int to, int first, int second, int mask = 0, bool zeroing = false);
  void evex(Opcode, int to, int first, const Memory& second, int immediate_bytes = 0, int mask = 0,
            bool zeroing = false);
  void byte(int value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }

  void push(Base);
  void pop(Base);
  void move(Base to, Base from);
  void move(Base to, std::uint64_t value);
  /// Loads a word of 64 bits; not from Base::pool.
  void load(Base to, const Memory& from);
  void add(Base, std::int32_t);
  void add(Base to, Base what);
  /// Loads the address of an operand, not of Base::pool.
  void address(Base to, const Memory&);
  void call(Base);
  void zero_upper();
  void ret() { byte(0xc3); }
  /// Decrements the register and jumps back to `target`, an earlier bytes().size(), unless it is
  /// zero.
  void decrement_and_loop(Base counter, std::size_t target);

 private:
  void vex_prefix(Opcode, bool wide, int to, int first, bool second_extended);
  void evex_prefix(Opcode, int to, int first, bool second_extended, int mask, bool zeroing);
  void word(std::uint32_t value);
  void word_of(int opcode, Base to, const Memory&);

  std::size_t origin_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace vernier::machine
