#include "vernier/kernel/machine/assembler.hpp"

namespace vernier::machine {
namespace {

int number(Base b) noexcept { return static_cast<int>(b); }

}  // namespace

void Assembler::word(std::uint32_t value) {
  for (int i = 0; i < 4; ++i) byte(static_cast<int>(value >> (8 * i) & 0xff));
}

// Intel 64 manual, volume 2A, section 2.3.5: the bits R, X, B and vvvv are inverted.
void Assembler::vex_prefix(Opcode o, bool wide, int to, int first, bool second_extended) {
  const int low = (~first & 15) << 3 | (wide ? 4 : 0) | o.prefix;
  const int r = to >= 8 ? 0 : 0x80;
  if (o.map == 1 && !o.w && !second_extended) {
    byte(0xc5);
    byte(r | low);
  } else {
    byte(0xc4);
    byte(r | 0x40 | (second_extended ? 0 : 0x20) | o.map);
    byte((o.w ? 0x80 : 0) | low);
  }
  byte(o.code);
}

void Assembler::vex(Opcode o, bool wide, int to, int first, int second) {
  vex_prefix(o, wide, to, first, second >= 8);
  byte(0xc0 | (to & 7) << 3 | (second & 7));
}

void Assembler::vex(Opcode o, bool wide, int to, int first, const Memory& second,
                    int immediate_bytes) {
  const int reg = (to & 7) << 3;
  if (second.base == Base::pool) {
    vex_prefix(o, wide, to, first, false);
    byte(reg | 5);
    // The displacement counts from the end of the instruction.
    const std::size_t end = origin_ + bytes_.size() + 4 + static_cast<std::size_t>(immediate_bytes);
    word(static_cast<std::uint32_t>(second.offset - static_cast<std::int64_t>(end)));
    return;
  }
  const int base = number(second.base);
  vex_prefix(o, wide, to, first, base >= 8);
  const bool near = second.offset >= -128 && second.offset < 128;
  byte((near ? 0x40 : 0x80) | reg | (base & 7));
  if ((base & 7) == 4) byte(0x24);
  if (near) {
    byte(second.offset & 0xff);
  } else {
    word(static_cast<std::uint32_t>(second.offset));
  }
}

// Intel 64 manual, volume 2A, section 2.7: registers 0 to 15 only, so that R', X and V' stay 1.
void Assembler::evex_prefix(Opcode o, int to, int first, bool second_extended, int mask,
                            bool zeroing) {
  byte(0x62);
  byte((to >= 8 ? 0 : 0x80) | 0x40 | (second_extended ? 0 : 0x20) | 0x10 | o.map);
  byte(0x80 | (~first & 15) << 3 | 4 | o.prefix);
  byte((zeroing ? 0x80 : 0) | 0x40 | 8 | mask);
  byte(o.code);
}

void Assembler::evex(Opcode o, int to, int first, int second, int mask, bool zeroing) {
  evex_prefix(o, to, first, second >= 8, mask, zeroing);
  byte(0xc0 | (to & 7) << 3 | (second & 7));
}

void Assembler::evex(Opcode o, int to, int first, const Memory& second, int immediate_bytes,
                     int mask, bool zeroing) {
  const int reg = (to & 7) << 3;
  if (second.base == Base::pool) {
    evex_prefix(o, to, first, false, mask, zeroing);
    byte(reg | 5);
    const std::size_t end = origin_ + bytes_.size() + 4 + static_cast<std::size_t>(immediate_bytes);
    word(static_cast<std::uint32_t>(second.offset - static_cast<std::int64_t>(end)));
    return;
  }
  const int base = number(second.base);
  evex_prefix(o, to, first, base >= 8, mask, zeroing);
  // EVEX compresses an 8-bit displacement: it counts in multiples of the operand size.
  constexpr int operand = 64;
  const bool near = second.offset % operand == 0 && second.offset >= -128 * operand &&
                    second.offset < 128 * operand;
  byte((near ? 0x40 : 0x80) | reg | (base & 7));
  if ((base & 7) == 4) byte(0x24);
  if (near) {
    byte(second.offset / operand & 0xff);
  } else {
    word(static_cast<std::uint32_t>(second.offset));
  }
}

void Assembler::push(Base b) {
  if (number(b) >= 8) byte(0x41);
  byte(0x50 | (number(b) & 7));
}

void Assembler::pop(Base b) {
  if (number(b) >= 8) byte(0x41);
  byte(0x58 | (number(b) & 7));
}

void Assembler::move(Base to, Base from) {
  byte(0x48 | (number(from) >= 8 ? 4 : 0) | (number(to) >= 8 ? 1 : 0));
  byte(0x89);
  byte(0xc0 | (number(from) & 7) << 3 | (number(to) & 7));
}

void Assembler::move(Base to, std::uint64_t value) {
  byte(0x48 | (number(to) >= 8 ? 1 : 0));
  byte(0xb8 | (number(to) & 7));
  word(static_cast<std::uint32_t>(value));
  word(static_cast<std::uint32_t>(value >> 32));
}

void Assembler::add(Base to, std::int32_t value) {
  byte(0x48 | (number(to) >= 8 ? 1 : 0));
  byte(0x81);
  byte(0xc0 | (number(to) & 7));
  word(static_cast<std::uint32_t>(value));
}

void Assembler::add(Base to, Base what) {
  byte(0x48 | (number(what) >= 8 ? 4 : 0) | (number(to) >= 8 ? 1 : 0));
  byte(0x01);
  byte(0xc0 | (number(what) & 7) << 3 | (number(to) & 7));
}

void Assembler::load(Base to, const Memory& from) { word_of(0x8b, to, from); }

void Assembler::address(Base to, const Memory& of) { word_of(0x8d, to, of); }

void Assembler::word_of(int opcode, Base to, const Memory& of) {
  byte(0x48 | (number(to) >= 8 ? 4 : 0) | (number(of.base) >= 8 ? 1 : 0));
  byte(opcode);
  byte(0x80 | (number(to) & 7) << 3 | (number(of.base) & 7));
  if ((number(of.base) & 7) == 4) byte(0x24);
  word(static_cast<std::uint32_t>(of.offset));
}

void Assembler::call(Base b) {
  if (number(b) >= 8) byte(0x41);
  byte(0xff);
  byte(0xd0 | (number(b) & 7));
}

void Assembler::zero_upper() {
  byte(0xc5);
  byte(0xf8);
  byte(0x77);
}

void Assembler::decrement_and_loop(Base counter, std::size_t target) {
  add(counter, -1);
  byte(0x0f);
  byte(0x85);
  const std::size_t end = bytes_.size() + 4;
  word(static_cast<std::uint32_t>(static_cast<std::int64_t>(target) -
                                  static_cast<std::int64_t>(end)));
}

}  // namespace vernier::machine
