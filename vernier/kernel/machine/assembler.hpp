#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vernier::machine {

/// Registers of the processor that hold addresses, by their numbers in instructions.
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

/// A place in memory. With Base::pool, `offset` counts from the start of the constants, which stand
/// before the code.
struct Memory {
  Base base = Base::pool;
  std::int32_t offset = 0;
};

/// AVX instructions as (prefix, map, opcode), encoded with VEX, or with EVEX for 512 bits.
struct Opcode {
  std::uint8_t prefix, map, code;
  bool w = false;  // the bit of this name
};

// Scalar and packed forms differ in the prefix alone, but for those with two operands.
namespace prefix {
constexpr std::uint8_t packed = 1;  // 66
constexpr std::uint8_t scalar = 3;  // F2
}  // namespace prefix

/// Writes x86-64 instructions into memory of its own.
class Assembler {
 public:
  /// The code will stand `origin` bytes after the start of the constants.
  explicit Assembler(std::size_t origin) : origin_(origin) {}

  const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }

  /// to = first (op) second. `wide`: 256 bits. Two-operand instructions have first = 0.
  void vex(Opcode, bool wide, int to, int first, int second);
  void vex(Opcode, bool wide, int to, int first, const Memory& second, int immediate_bytes = 0);
  /// The same of 512 bits (of doubles). `mask`: the mask register that chooses lanes, 0: all;
  /// `zeroing`: lanes that are not chosen become zero.
  void evex(Opcode, int to, int first, int second, int mask = 0, bool zeroing = false);
  void evex(Opcode, int to, int first, const Memory& second, int immediate_bytes = 0, int mask = 0,
            bool zeroing = false);
  void byte(int value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }

  void push(Base);
  void pop(Base);
  void move(Base to, Base from);
  void move(Base to, std::uint64_t value);
  /// A word of 64 bits; not from Base::pool.
  void load(Base to, const Memory& from);
  void add(Base, std::int32_t);
  void add(Base to, Base what);
  /// The address of a place, not of Base::pool.
  void address(Base to, const Memory&);
  void call(Base);
  void zero_upper();
  void ret() { byte(0xc3); }
  /// Counts the register down and jumps back to `target`, a size of bytes(), unless it is zero.
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
