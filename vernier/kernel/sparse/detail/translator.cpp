#include "vernier/kernel/sparse/detail/translator.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace vernier::sparse::detail {
namespace {

using machine::Assembler;
using machine::Base;
using machine::Memory;
using machine::Opcode;
using machine::prefix::packed;
using machine::prefix::scalar;

constexpr Opcode broadcast{packed, 2, 0x19}, extract_half{packed, 3, 0x19},
    bits_and{packed, 1, 0x54}, larger{packed, 2, 0x3d}, bits_xor{packed, 1, 0x57};
constexpr std::uint8_t read = 0x10, write = 0x11, multiply = 0x59, subtraction = 0x5c,
                       division = 0x5e;

// what registers hold
constexpr int sum = 0, product = 1, reciprocal = 2, first_factor = 3, last_factor = 10, one = 11,
              before = 12, met = 13, magnitudes_of_three = 14, magnitudes = 15;

// constants, which stand before the code
constexpr std::int32_t pool_magnitudes = 0, pool_magnitudes_of_three = 32, pool_one = 64,
                       pool_size = 128;

constexpr Base values = Base::rdi, reciprocals = Base::rsi, third = Base::rdx,
               row_address = Base::rax, counter = Base::rcx, work = Base::rcx;

Opcode operation(std::uint8_t code, int count) noexcept {
  return {count == 1 ? scalar : packed, 1, code};
}

std::vector<std::uint8_t> constants() {
  std::vector<std::uint8_t> pool(pool_size, 0);
  const std::uint64_t magnitude = 0x7fffffffffffffffU;
  const double unit = 1.0;
  for (int k = 0; k < 4; ++k) std::memcpy(pool.data() + pool_magnitudes + 8 * k, &magnitude, 8);
  for (int k = 0; k < 3; ++k)
    std::memcpy(pool.data() + pool_magnitudes_of_three + 8 * k, &magnitude, 8);
  std::memcpy(pool.data() + pool_one, &unit, 8);
  return pool;
}

}  // namespace

Translator::Translator(const Elimination& e)
    : e_(e),
      code_(pool_size),
      image_(constants()),
      register_of_(e.size, -1),
      loaded_(e.size, false) {
  factorize_ = image_.size();
  write_factorize();
  while (code_.bytes().size() % 64 != 0) code_.byte(0xcc);  // traps if ever reached
  solve_ = image_.size() + code_.bytes().size();
  write_solve();
  image_.insert(image_.end(), code_.bytes().begin(), code_.bytes().end());
}

Memory Translator::at(int value) const {
  const std::int32_t from_row = 8 * (value - row_begin_);
  if (from_row >= -128 && from_row < 128) return {row_address, from_row};
  return {values, 8 * value};
}

void Translator::load(int to, int count, const Memory& from) {
  code_.vex(operation(read, count), count > 2, to, 0, from);
}

void Translator::store(const Memory& to, int count, int from) {
  if (count != 3) return code_.vex(operation(write, count), count > 2, from, 0, to);
  code_.vex(operation(write, 2), false, from, 0, to);
  code_.vex(extract_half, true, from, 0, product);
  code_.byte(1);
  code_.vex(operation(write, 1), false, product, 0, {to.base, to.offset + 16});
}

void Translator::take_largest(int count) {
  // 128 bits set the other half of the register to zero
  code_.vex(bits_and, count > 2, product, count == 3 ? magnitudes_of_three : magnitudes, sum);
  code_.vex(larger, true, met, met, product);
}

void Translator::write_largest() {
  constexpr int at_once = 4;
  const int rounds = (e_.values() + 4 * at_once - 1) / (4 * at_once);
  code_.move(row_address, values);
  code_.move(counter, static_cast<std::uint64_t>(rounds));
  const std::size_t again = code_.bytes().size();
  for (int k = 0; k < at_once; ++k) {
    code_.vex(bits_and, true, sum + k % 2, magnitudes, {row_address, 32 * k});
    code_.vex(larger, true, before, before, sum + k % 2);
  }
  code_.add(row_address, 32 * at_once);
  code_.decrement_and_loop(counter, again);
}

void Translator::write_factorize() {
  load(magnitudes, 4, {Base::pool, pool_magnitudes});
  load(magnitudes_of_three, 4, {Base::pool, pool_magnitudes_of_three});
  load(one, 1, {Base::pool, pool_one});
  code_.vex(bits_xor, true, before, before, before);
  code_.vex(bits_xor, true, met, met, met);
  write_largest();
  for (int i = 0; i < e_.size; ++i) write_row(i);
  store({third, 0}, 4, before);
  store({third, 32}, 4, met);
  code_.zero_upper();
  code_.ret();
}

void Translator::collect(int row) {
  offset_ = e_.starts[row];
  updates_.assign(e_.ends[row] - offset_, {});
  for (int k = e_.factors_of[row]; k < e_.factors_of[row + 1]; ++k) {
    const Elimination::Factor& f = e_.factors[k];
    const int first = e_.pivots[f.pivot] + 1;
    for (int u = first; u < e_.ends[f.pivot]; ++u)
      updates_[e_.targets[f.first + u - first] - offset_].push_back({f.pivot, f.value, u});
  }
}

Translator::Group Translator::group(int first, int count) const {
  Group g{first, count, std::numeric_limits<int>::max(), -1};
  for (int v = first; v < first + count; ++v) g.lowest = std::min(g.lowest, e_.columns[v]);
  const auto below = [&](int v) {
    const std::vector<Update>& u = updates_[v - offset_];
    return static_cast<int>(
        std::lower_bound(u.begin(), u.end(), g.lowest,
                         [](const Update& a, int pivot) { return a.pivot < pivot; }) -
        u.begin());
  };
  const int shared = below(first);
  const std::vector<Update>& mine = updates_[first - offset_];
  for (int v = first + 1; v < first + count; ++v) {
    if (below(v) != shared) return g;
    const std::vector<Update>& other = updates_[v - offset_];
    for (int k = 0; k < shared; ++k)
      if (mine[k].pivot != other[k].pivot || mine[k].source + v - first != other[k].source)
        return g;
  }
  g.shared = shared;
  return g;
}

// Instructions, roughly.
double Translator::cost(const Group& g, bool right) const {
  constexpr double each = 2.3;
  double sum_of = 0.0;
  if (g.shared > 0 || right)
    sum_of = 2.0 + each * g.shared + (g.count == 3 ? 2.0 : 0.0) + (right ? 3.0 : 0.0);
  for (int v = g.first; v < g.first + g.count; ++v) {
    const int rest = static_cast<int>(updates_[v - offset_].size()) - g.shared;
    if (rest > 0) sum_of += 2.0 + each * rest;
  }
  return sum_of;
}

/// Groups of the least cost for the values from `first` to `last`.
void Translator::divide(int first, int last, bool right) {
  const int n = last - first;
  std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
  std::vector<Group> best(n + 1);
  least[0] = 0.0;
  for (int v = 0; v < n; ++v)
    for (int count = 1; count <= std::min(4, n - v); ++count) {
      const Group g = group(first + v, count);
      if (g.shared < 0) break;
      const double total = least[v] + cost(g, right);
      if (total >= least[v + count]) continue;
      least[v + count] = total;
      best[v + count] = g;
    }
  for (int v = n; v > 0; v -= best[v].count) groups_.push_back(best[v]);
}

/// Factors that are used most stay in registers.
void Translator::assign_registers(int row) {
  std::vector<std::pair<int, int>> uses;
  std::vector<int>& count = register_of_;  // used as counters first
  for (int k = e_.factors_of[row]; k < e_.factors_of[row + 1]; ++k) count[e_.factors[k].pivot] = 0;
  for (const Group& g : groups_) {
    for (int k = 0; k < g.shared; ++k) ++count[updates_[g.first - offset_][k].pivot];
    for (int v = g.first; v < g.first + g.count; ++v)
      for (std::size_t k = g.shared; k < updates_[v - offset_].size(); ++k)
        ++count[updates_[v - offset_][k].pivot];
  }
  for (int k = e_.factors_of[row]; k < e_.factors_of[row + 1]; ++k)
    uses.emplace_back(-count[e_.factors[k].pivot], e_.factors[k].pivot);
  std::sort(uses.begin(), uses.end());
  int next = first_factor;
  for (const auto& [often, pivot] : uses) {
    register_of_[pivot] = often < -1 && next <= last_factor ? next++ : -1;
    loaded_[pivot] = false;
  }
}

int Translator::factor_register(const Update& u) {
  const int kept = register_of_[u.pivot];
  if (kept >= 0 && loaded_[u.pivot]) return kept;
  loaded_[u.pivot] = true;
  code_.vex(broadcast, true, kept >= 0 ? kept : product, 0, at(u.factor));
  return kept >= 0 ? kept : product;
}

void Translator::subtract(const Update& u, int count) {
  const int f = factor_register(u);
  code_.vex(operation(multiply, count), count > 2, product, f, at(u.source));
  code_.vex(operation(subtraction, count), count > 2, sum, sum, product);
  ++subtractions_;
}

void Translator::write_group(const Group& g, bool right) {
  if (!right && g.shared == 0) return;
  load(sum, g.count, at(g.first));
  for (int k = 0; k < g.shared; ++k) subtract(updates_[g.first - offset_][k], g.count);
  if (right) {
    take_largest(g.count);
    code_.vex(operation(multiply, g.count), g.count > 2, sum, sum, reciprocal);
  }
  store(at(g.first), g.count, sum);
}

void Translator::write_rest(int value, int after) {
  const std::vector<Update>& all = updates_[value - offset_];
  if (after == static_cast<int>(all.size())) return;
  load(sum, 1, at(value));
  for (std::size_t k = after; k < all.size(); ++k) subtract(all[k], 1);
  store(at(value), 1, sum);
}

void Translator::write_pivot(int row) {
  load(sum, 1, at(e_.pivots[row]));
  for (const Update& u : updates_[e_.pivots[row] - offset_]) subtract(u, 1);
  take_largest(1);
  code_.vex(operation(division, 1), false, reciprocal, one, sum);
  store({reciprocals, 8 * row}, 1, reciprocal);
  if (e_.ends[row] > e_.pivots[row] + 1) code_.vex(broadcast, true, reciprocal, 0, reciprocal);
}

void Translator::write_row(int row) {
  collect(row);
  row_begin_ = std::min(e_.starts[row] + 16, (e_.starts[row] + e_.ends[row]) / 2);
  code_.address(row_address, {values, 8 * row_begin_});
  groups_.clear();
  divide(e_.starts[row], e_.pivots[row], false);
  const std::size_t left = groups_.size();
  divide(e_.pivots[row] + 1, e_.ends[row], true);
  assign_registers(row);

  // what columns share as soon as it can be, the rest of a column when all before it are done
  struct Event {
    int column, value, index;
  };
  std::vector<Event> events;
  for (std::size_t g = 0; g < left; ++g) {
    events.push_back({groups_[g].lowest, -1, static_cast<int>(g)});
    for (int v = groups_[g].first; v < groups_[g].first + groups_[g].count; ++v)
      events.push_back({e_.columns[v], v, static_cast<int>(g)});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.column != b.column ? a.column < b.column : a.value < b.value;
  });
  for (const Event& event : events) {
    const Group& g = groups_[event.index];
    if (event.value < 0) {
      write_group(g, false);
    } else {
      write_rest(event.value, g.shared);
    }
  }
  write_pivot(row);
  for (std::size_t g = groups_.size(); g > left; --g) write_group(groups_[g - 1], true);
}

void Translator::write_solve() {
  row_begin_ = std::numeric_limits<int>::max() / 16;
  // unknowns computed last are in registers 2 to 15
  std::vector<int> in(e_.size, -1);
  std::vector<int> held(16, -1);
  int next = 2;
  const auto keep = [&](int k) {
    if (held[next] >= 0) in[held[next]] = -1;
    held[next] = k;
    in[k] = next;
    next = next == 15 ? 2 : next + 1;
    return in[k];
  };
  const auto term = [&](int value, int k) {
    int y = in[k];
    if (y < 0) load(y = product, 1, {work, 8 * k});
    code_.vex(operation(multiply, 1), false, product, y, {values, 8 * value});
    code_.vex(operation(subtraction, 1), false, sum, sum, product);
  };
  for (int i = 0; i < e_.size; ++i) {
    load(sum, 1, {third, 8 * e_.row_at[i]});
    for (int k = e_.factors_of[i]; k < e_.factors_of[i + 1]; ++k)
      term(e_.factors[k].value, e_.factors[k].pivot);
    const int y = keep(i);
    code_.vex(operation(multiply, 1), false, y, sum, {reciprocals, 8 * i});
    store({work, 8 * i}, 1, y);
  }
  for (int i = e_.size - 1; i >= 0; --i) {
    load(sum, 1, {work, 8 * i});
    for (int u = e_.pivots[i] + 1; u < e_.ends[i]; ++u)
      term(e_.rights[u], e_.columns[e_.rights[u]]);
    if (in[i] >= 0) {
      held[in[i]] = -1;  // y, no longer of use
      in[i] = -1;
    }
    const int x = keep(i);
    // xmm moves between registers by a bitwise and with itself
    code_.vex(bits_and, false, x, sum, sum);
    store({work, 8 * i}, 1, x);
    store({third, 8 * e_.column_at[i]}, 1, x);
  }
  code_.ret();
}

}  // namespace vernier::sparse::detail
