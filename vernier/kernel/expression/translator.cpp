#include "vernier/kernel/expression/detail/translator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "vernier/base/require.hpp"
#include "vernier/kernel/elementary/lane_functions.hpp"
#include "vernier/kernel/expression/program.hpp"

namespace vernier::expression::detail {
namespace {

constexpr int lanes = Program::lanes;
constexpr int mask_register = 1;
// Callee-saved registers of the System V ABI, used if the code calls functions. An odd number, so
// that with the return address the stack stays aligned to 16 bytes.
constexpr Base kept[] = {Base::rbx, Base::rbp, Base::r12, Base::r14, Base::r15};

// Opcodes: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
constexpr std::uint8_t op_add = 0x58, op_multiply = 0x59, op_subtract = 0x5c, op_minimum = 0x5d,
                       op_divide = 0x5e, op_maximum = 0x5f, op_sqrt = 0x51, op_compare = 0xc2;
constexpr Opcode op_and{prefix::packed, 1, 0x54}, op_or{prefix::packed, 1, 0x56},
    op_xor{prefix::packed, 1, 0x57}, op_copy{prefix::packed, 1, 0x28},
    op_blend{prefix::packed, 3, 0x4b}, op_round_scalar{prefix::packed, 3, 0x0b},
    op_round_packed{prefix::packed, 3, 0x09}, op_blend_by_mask{prefix::packed, 2, 0x65};
constexpr int round_down = 0x09, round_up = 0x0a;

// Predicates of VCMPPD that agree with the operators of C++, including for NaN.
constexpr int is_equal = 0x00, is_less = 0x01, is_less_equal = 0x02, is_not_equal = 0x04,
              is_greater_equal = 0x0d, is_greater = 0x0e;

int predicate(Operation o) noexcept {
  switch (o) {
    case Operation::less:
      return is_less;
    case Operation::less_equal:
      return is_less_equal;
    case Operation::greater:
      return is_greater;
    case Operation::greater_equal:
      return is_greater_equal;
    case Operation::equal:
      return is_equal;
    default:
      return is_not_equal;
  }
}

// The comparison with operands exchanged: only the second operand may be in memory.
Operation mirrored(Operation o) noexcept {
  switch (o) {
    case Operation::less:
      return Operation::greater;
    case Operation::less_equal:
      return Operation::greater_equal;
    case Operation::greater:
      return Operation::less;
    case Operation::greater_equal:
      return Operation::less_equal;
    default:
      return o;
  }
}

using elementary::LaneFunctions;

LaneFunctions::Unary LaneFunctions::*unary_in_lanes(Operation o) noexcept {
  switch (o) {
    case Operation::sin:
      return &LaneFunctions::sin;
    case Operation::cos:
      return &LaneFunctions::cos;
    case Operation::tan:
      return &LaneFunctions::tan;
    case Operation::asin:
      return &LaneFunctions::asin;
    case Operation::acos:
      return &LaneFunctions::acos;
    case Operation::atan:
      return &LaneFunctions::atan;
    case Operation::sinh:
      return &LaneFunctions::sinh;
    case Operation::cosh:
      return &LaneFunctions::cosh;
    case Operation::tanh:
      return &LaneFunctions::tanh;
    case Operation::exp:
      return &LaneFunctions::exp;
    case Operation::log:
      return &LaneFunctions::log;
    default:
      return &LaneFunctions::log10;
  }
}

LaneFunctions::Binary LaneFunctions::*binary_in_lanes(Operation o) noexcept {
  switch (o) {
    case Operation::power:
      return &LaneFunctions::pow;
    case Operation::atan2:
      return &LaneFunctions::atan2;
    default:
      return &LaneFunctions::hypot;
  }
}

template <class F>
std::uint64_t address(F f) noexcept {
  return reinterpret_cast<std::uint64_t>(f);
}

}  // namespace

Pool::Pool(const Values& values, int width) : index(values.size()) {
  const auto put = [this](std::uint64_t bits, int times) {
    for (int i = 0; i < times; ++i) {
      const auto* raw = reinterpret_cast<const std::uint8_t*>(&bits);
      bytes.insert(bytes.end(), raw, raw + sizeof bits);
    }
  };
  put(0x8000000000000000u, 8);
  put(0x7fffffffffffffffu, 8);
  put(std::bit_cast<std::uint64_t>(1.0), 8);
  put(std::bit_cast<std::uint64_t>(-1.0), 8);
  put(0, 8);
  std::vector<std::uint64_t> constants;
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    if (values.node(v).operation != Operation::constant) continue;
    index[v] = static_cast<std::uint32_t>(constants.size());
    constants.push_back(std::bit_cast<std::uint64_t>(values.node(v).value));
  }
  single = static_cast<std::int32_t>(bytes.size());
  for (const std::uint64_t c : constants) put(c, 1);
  while (bytes.size() % 64 != 0) bytes.push_back(0);
  repeated = static_cast<std::int32_t>(bytes.size());
  for (const std::uint64_t c : constants) put(c, width > 1 ? width : 0);
  while (bytes.size() % 64 != 0) bytes.push_back(0);
}

Translator::Translator(const Values& values, const CodeSchedule& plan, const Pool& pool, int width,
                       std::size_t origin)
    : values_(values),
      plan_(plan),
      pool_(pool),
      width_(width),
      wide_(width > 1),
      code_(origin),
      // Callee-saved registers if the code calls functions, otherwise the registers of the
      // arguments.
      in_(plan.calls() ? Base::rbx : Base::rdi),
      out_(plan.calls() ? Base::rbp : Base::rsi),
      work_(plan.calls() ? Base::r14 : Base::rdx),
      counter_(plan.calls() ? Base::r15 : Base::rcx),
      shift_(plan.calls() ? Base::r12 : Base::r8),
      register_of_(values.size(), -1),
      home_(values.size(), Home::none),
      place_(values.size()),
      cursor_(values.size()) {
  std::fill(std::begin(holds_), std::end(holds_), nothing);
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    const Node& n = values.node(v);
    if (n.operation == Operation::symbol) home_[v] = Home::input, place_[v] = n.symbol;
    if (n.operation == Operation::constant) home_[v] = Home::constant, place_[v] = pool.index[v];
  }
  enter();
  for (const Step& s : plan.steps()) {
    // Advance the cursors: from here on, the next use of an operand is after this step.
    for (int i = 0; i < s.operands; ++i) {
      auto& c = cursor_[s.operand[i]];
      while (c < plan.uses(s.operand[i]).size() && plan.uses(s.operand[i])[c] <= now_) ++c;
    }
    translate(s);
    ++now_;
  }
  pass_through();
  leave();
}

void Translator::enter() {
  if (plan_.calls()) {
    for (const Base b : kept) code_.push(b);
    code_.add(Base::rsp, -144);  // space for operands of calls; a multiple of 16
    code_.move(in_, Base::rdi);
    code_.move(out_, Base::rsi);
    code_.move(work_, Base::rdx);
  }
  if (width_ > 1 && width_ < lanes) {
    code_.move(counter_, std::uint64_t(lanes / width_));
    code_.move(shift_, std::uint64_t{0});
  }
  loop_ = code_.bytes().size();
}

void Translator::leave() {
  if (width_ > 1 && width_ < lanes) {
    const int stride = width_ * 8;
    code_.add(shift_, stride);
    code_.add(out_, stride);
    code_.decrement_and_loop(counter_, loop_);
  }
  if (wide_) code_.zero_upper();
  if (plan_.calls()) {
    code_.add(Base::rsp, 144);
    std::for_each(std::rbegin(kept), std::rend(kept), [this](Base b) { code_.pop(b); });
  }
  code_.ret();
}

// The register cache

std::uint32_t Translator::next_use(std::uint32_t value) const {
  const auto uses = plan_.uses(value);
  return cursor_[value] < uses.size() ? uses[cursor_[value]] : nothing;
}

// Where to read a value that is in no register. Inputs in lanes are given by addresses, so their
// address is loaded first.
Memory Translator::home(std::uint32_t value) {
  const auto place = static_cast<std::int32_t>(place_[value]);
  const int number = width_ * 8;
  const int signal = wide_ ? lanes * 8 : 8;
  switch (home_[value]) {
    case Home::input:
      if (!wide_) return {in_, place * signal};
      code_.load(Base::rax, {in_, place * 8});
      if (width_ < lanes) code_.add(Base::rax, shift_);
      return {Base::rax, 0};
    case Home::output:
      return {out_, place * signal};
    case Home::slot:
      return {work_, place * number};
    case Home::constant:
      return {Base::pool, (wide_ ? pool_.repeated : pool_.single) + place * number};
    case Home::none:
      break;
  }
  require(false);
  return {};
}

std::uint32_t Translator::mask(std::initializer_list<std::uint32_t> values) const noexcept {
  std::uint32_t m = 0;
  for (const std::uint32_t v : values) {
    if (find(v) >= 0) m |= 1u << find(v);
  }
  return m;
}

void Translator::free_register(int r) noexcept {
  if (holds_[r] == nothing) return;
  register_of_[holds_[r]] = -1;
  holds_[r] = nothing;
}

// Spills a value, unless it can be read again elsewhere or is not needed any more.
void Translator::store_for_later(std::uint32_t value) {
  if (home_[value] != Home::none || next_use(value) == nothing) return;
  if (free_slots_.empty()) free_slots_.push_back(slots_++);
  home_[value] = Home::slot;
  place_[value] = free_slots_.back();
  free_slots_.pop_back();
  store_to(home(value), find(value));
}

// Returns a free register outside `keep`, evicting the value with the farthest next use if
// necessary.
int Translator::take(std::uint32_t keep) {
  int victim = -1;
  std::uint64_t longest = 0;
  for (int r = 0; r < registers; ++r) {
    if ((keep >> r & 1) != 0) continue;
    if (holds_[r] == nothing) return r;
    // A value that need not be stored is cheaper to evict, so its distance counts 3/2.
    const std::uint64_t distance = next_use(holds_[r]) - now_;
    const std::uint64_t weight = home_[holds_[r]] == Home::none ? 2 * distance : 3 * distance;
    if (victim < 0 || weight > longest) victim = r, longest = weight;
  }
  require(victim >= 0);
  store_for_later(holds_[victim]);
  free_register(victim);
  return victim;
}

int Translator::load(std::uint32_t value, std::uint32_t keep) {
  if (find(value) >= 0) return find(value);
  const int r = take(keep);
  load_from(r, home(value));
  holds_[r] = value;
  register_of_[value] = static_cast<std::int8_t>(r);
  return r;
}

void Translator::release_operands(const Step& s) {
  for (int i = 0; i < s.operands; ++i) {
    const std::uint32_t v = s.operand[i];
    if (next_use(v) == nothing && find(v) >= 0) free_register(find(v));
  }
}

void Translator::define(const Step& s, int in) {
  // Slots are freed only now: the instruction may have read them.
  for (int i = 0; i < s.operands; ++i) {
    const std::uint32_t v = s.operand[i];
    if (next_use(v) != nothing || home_[v] != Home::slot) continue;
    free_slots_.push_back(place_[v]);
    home_[v] = Home::none;
  }
  for (const std::uint32_t output : plan_.outputs(s.value)) {
    home_[s.value] = Home::output;
    place_[s.value] = output;
    store_to(home(s.value), in);
  }
  if (next_use(s.value) == nothing) return;
  holds_[in] = s.value;
  register_of_[s.value] = static_cast<std::int8_t>(in);
}

// Instructions

Opcode Translator::arithmetic_opcode(std::uint8_t code) const noexcept {
  return {wide_ ? prefix::packed : prefix::scalar, 1, code};
}
void Translator::emit(Opcode o, int to, int first, int second) {
  if (width_ == 8) {
    code_.evex(o, to, first, second);
  } else {
    code_.vex(o, wide_, to, first, second);
  }
}
void Translator::emit(Opcode o, int to, int first, const Memory& second, int immediate_bytes) {
  if (width_ == 8) {
    code_.evex(o, to, first, second, immediate_bytes);
  } else {
    code_.vex(o, wide_, to, first, second, immediate_bytes);
  }
}
void Translator::load_from(int to, const Memory& from) {
  emit(arithmetic_opcode(0x10), to, 0, from);
}
void Translator::store_to(const Memory& to, int from) {
  emit(arithmetic_opcode(0x11), from, 0, to);
}

void Translator::translate(const Step& s) {
  switch (s.operation) {
    case Operation::add:
      return arithmetic(s, op_add, true);
    case Operation::subtract:
      return arithmetic(s, op_subtract, false);
    case Operation::multiply:
      return arithmetic(s, op_multiply, true);
    case Operation::divide:
      return arithmetic(s, op_divide, false);
    case Operation::minimum:
      return arithmetic(s, op_minimum, false);
    case Operation::maximum:
      return arithmetic(s, op_maximum, false);
    case Operation::negate:
    case Operation::abs:
    case Operation::sqrt:
    case Operation::floor:
    case Operation::ceil:
    case Operation::sign:
    case Operation::logical_not:
      return unary(s);
    case Operation::logical_and:
    case Operation::logical_or:
      return logical(s);
    case Operation::select:
      return select(s);
    default:
      return comparison(s.operation) ? compare(s) : call(s);
  }
}

void Translator::arithmetic(const Step& s, std::uint8_t code, bool commutes) {
  std::uint32_t a = s.operand[0], b = s.operand[1];
  // The first operand must be in a register: prefer one that is there already, or is needed again
  // sooner.
  if (commutes && find(a) < 0 && (find(b) >= 0 || next_use(b) < next_use(a))) std::swap(a, b);
  const int first = load(a, mask({b}));
  const int second = find(b);
  release_operands(s);
  const int to = take(0);
  const Opcode o = arithmetic_opcode(code);
  if (second >= 0) {
    emit(o, to, first, second);
  } else {
    emit(o, to, first, home(b));
  }
  define(s, to);
}

void Translator::emit_comparison(int by, int first, int second, int predicate) {
  emit(arithmetic_opcode(op_compare), width_ == 8 ? mask_register : by, first, second);
  code_.byte(predicate);
}

void Translator::emit_comparison(int by, int first, const Memory& second, int predicate) {
  emit(arithmetic_opcode(op_compare), width_ == 8 ? mask_register : by, first, second, 1);
  code_.byte(predicate);
}

void Translator::emit_not_zero(int by, int from) {
  emit_comparison(by, from, Memory{Base::pool, Pool::zero}, is_not_equal);
}

// 1.0 where the mask is set, otherwise 0: a masked load with zeroing, or a bitwise and.
void Translator::emit_truth(int to, int by) {
  const Memory one{Base::pool, Pool::one};
  if (width_ == 8) {
    code_.evex(arithmetic_opcode(0x10), to, 0, one, 0, mask_register, true);
  } else {
    emit(op_and, to, by, one);
  }
}

void Translator::emit_blend(int to, int otherwise, int chosen, int by) {
  if (width_ == 8) {
    code_.evex(op_blend_by_mask, to, otherwise, chosen, mask_register);
  } else {
    code_.vex(op_blend, wide_, to, otherwise, chosen);
    code_.byte(by << 4);
  }
}

void Translator::emit_blend(int to, int otherwise, const Memory& chosen, int by) {
  if (width_ == 8) {
    code_.evex(op_blend_by_mask, to, otherwise, chosen, 0, mask_register);
  } else {
    code_.vex(op_blend, wide_, to, otherwise, chosen, 1);
    code_.byte(by << 4);
  }
}

void Translator::unary(const Step& s) {
  const int from = load(s.operand[0], 0);
  const std::uint32_t keep = mask({s.operand[0]});
  const Memory zero{Base::pool, Pool::zero};
  if (s.operation == Operation::sign) {
    const int by = take(keep), to = take(keep | 1u << by);
    emit_comparison(by, from, zero, is_greater);
    emit_blend(to, from, Memory{Base::pool, Pool::one}, by);
    emit_comparison(by, from, zero, is_less);
    emit_blend(to, to, Memory{Base::pool, Pool::minus_one}, by);
    release_operands(s);
    return define(s, to);
  }
  release_operands(s);
  const int to = take(0);
  switch (s.operation) {
    case Operation::negate:
      emit(op_xor, to, from, Memory{Base::pool, Pool::sign});
      break;
    case Operation::abs:
      emit(op_and, to, from, Memory{Base::pool, Pool::magnitude});
      break;
    case Operation::sqrt:
      emit(arithmetic_opcode(op_sqrt), to, wide_ ? 0 : from, from);
      break;
    case Operation::logical_not:
      emit_comparison(to, from, zero, is_equal);
      emit_truth(to, to);
      break;
    default:
      emit(wide_ ? op_round_packed : op_round_scalar, to, wide_ ? 0 : from, from);
      code_.byte(s.operation == Operation::floor ? round_down : round_up);
  }
  define(s, to);
}

void Translator::emit_comparison(int by, Operation o, std::uint32_t a, std::uint32_t b) {
  if (find(a) < 0) {
    std::swap(a, b);
    o = mirrored(o);
  }
  if (find(b) >= 0) {
    emit_comparison(by, find(a), find(b), predicate(o));
  } else {
    emit_comparison(by, find(a), home(b), predicate(o));
  }
}

void Translator::compare(const Step& s) {
  const std::uint32_t a = s.operand[0], b = s.operand[1];
  if (find(a) < 0 && find(b) < 0) load(a, 0);
  const int to = take(mask({a, b}));
  emit_comparison(to, s.operation, a, b);
  emit_truth(to, to);
  release_operands(s);
  define(s, to);
}

void Translator::logical(const Step& s) {
  const std::uint32_t a = s.operand[0], b = s.operand[1];
  const int first = load(a, mask({b}));
  const int second = load(b, mask({a}));
  const Opcode o = s.operation == Operation::logical_and ? op_and : op_or;
  // Truth values are exactly 0.0 or 1.0, so bitwise operations on them give truth values again.
  if (truth_valued(values_.node(a).operation) && truth_valued(values_.node(b).operation)) {
    release_operands(s);
    const int to = take(0);
    emit(o, to, first, second);
    return define(s, to);
  }
  const int to = take(mask({a, b}));
  const int other = take(mask({a, b}) | 1u << to);
  emit_not_zero(to, first);
  emit_truth(to, to);
  emit_not_zero(other, second);
  emit_truth(other, other);
  emit(o, to, to, other);
  release_operands(s);
  define(s, to);
}

// Both branches are computed and blended by the mask: no jumps, and all lanes stay together.
void Translator::select(const Step& s) {
  const std::uint32_t chosen = s.operand[s.operands - 2], otherwise = s.operand[s.operands - 1];
  int by = -1;
  if (s.compares) {
    const std::uint32_t a = s.operand[0], b = s.operand[1];
    if (find(a) < 0 && find(b) < 0) load(a, mask({chosen, otherwise}));
    by = take(mask({a, b, chosen, otherwise}));
    emit_comparison(by, s.comparison, a, b);
  } else {
    const int condition = load(s.operand[0], mask({chosen, otherwise}));
    by = take(mask({s.operand[0], chosen, otherwise}));
    emit_not_zero(by, condition);
  }
  const std::uint32_t kept = 1u << by;
  const int yes = load(chosen, kept | mask({otherwise}));
  const int no = load(otherwise, kept | mask({chosen}));
  release_operands(s);
  const int to = take(0);
  emit_blend(to, no, yes, by);
  define(s, to);
}

void Translator::call(const Step& s) {
  // All vector registers are caller-saved in the System V ABI.
  for (const std::uint32_t v : holds_) {
    if (v != nothing) store_for_later(v);
  }
  const Unary one = unary_function(s.operation);
  const Binary two = binary_function(s.operation);
  require(one != nullptr || two != nullptr);
  const int count = one != nullptr ? 1 : 2;
  const auto bring = [&](int to, std::uint32_t value) {
    if (find(value) == to) return;
    if (find(value) >= 0) {
      emit(op_copy, to, 0, find(value));
    } else {
      load_from(to, home(value));
    }
  };
  if (wide_) {
    for (int i = 0; i < count; ++i) {
      const int r = load(s.operand[i], mask({s.operand[0], s.operand[count - 1]}));
      store_to({Base::rsp, i * width_ * 8}, r);
    }
    const LaneFunctions& functions = elementary::lane_functions(
        width_ == 8 ? Instructions::avx512 : std::min(chosen_instructions(), Instructions::avx2));
    const auto numbers = static_cast<std::uint64_t>(width_);
    code_.move(Base::rdi, Base::rsp);
    if (one != nullptr) {
      code_.move(Base::rsi, numbers);
      code_.move(Base::rax, address(functions.*unary_in_lanes(s.operation)));
    } else {
      code_.address(Base::rsi, {Base::rsp, width_ * 8});
      code_.move(Base::rdx, numbers);
      code_.move(Base::rax, address(functions.*binary_in_lanes(s.operation)));
    }
    code_.zero_upper();
    code_.call(Base::rax);
    load_from(0, {Base::rsp, 0});
  } else {
    if (count == 2) {
      // The second operand goes to a spare register first: the two operands may occupy each other's
      // argument registers.
      const int aside = find(s.operand[0]) == 15 ? 14 : 15;
      bring(aside, s.operand[1]);
      bring(0, s.operand[0]);
      code_.vex(op_copy, false, 1, 0, aside);
    } else {
      bring(0, s.operand[0]);
    }
    code_.move(Base::rax, one != nullptr ? address(one) : address(two));
    code_.call(Base::rax);
  }
  for (int r = 0; r < registers; ++r) free_register(r);
  define(s, 0);
}

// Copies inputs and constants that are outputs themselves.
void Translator::pass_through() {
  for (std::uint32_t v = 0; v < values_.size(); ++v) {
    if (home_[v] != Home::input && home_[v] != Home::constant) continue;
    if (plan_.outputs(v).empty()) continue;
    load_from(0, home(v));
    const int signal = wide_ ? lanes * 8 : 8;
    for (const std::uint32_t output : plan_.outputs(v)) {
      store_to({out_, static_cast<std::int32_t>(output) * signal}, 0);
    }
  }
}

}  // namespace vernier::expression::detail
