#include "vernier/kernel/sparse/detail/translator.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace vernier::sparse::detail {
namespace {

using machine::Base;
using machine::Memory;
using machine::Opcode;
using machine::prefix::packed;
using machine::prefix::scalar;

constexpr Opcode broadcast{packed, 2, 0x19}, permute{packed, 3, 0x01, true},
    bits_and{packed, 1, 0x54}, bits_xor{packed, 1, 0x57}, larger{packed, 2, 0x3d};
constexpr std::uint8_t read = 0x10, write = 0x11, multiply = 0x59, subtract = 0x5c, divide = 0x5e;

// The use of vector registers
constexpr int sum = 0, product = 1, reciprocal = 2, first_factor = 3, last_factor = 12, met = 13,
              one = 14, magnitudes = 15;

// Constants before the code; then masks of lanes, 32 bytes each.
constexpr std::int32_t pool_magnitudes = 0, pool_one = 32, pool_lanes = 64,
                       pool_size = 64 + 16 * 32;

constexpr Base values = Base::rdi, reciprocals = Base::rsi, third = Base::rdx,
               row_address = Base::rax, work = Base::rcx, counter = Base::rcx;

Opcode operation(std::uint8_t code, int width) noexcept {
  return {width == 1 ? scalar : packed, 1, code};
}

std::vector<std::uint8_t> constants() {
  std::vector<std::uint8_t> pool(pool_size, 0);
  const std::uint64_t magnitude = 0x7fffffffffffffffU;
  const double unit = 1.0;
  for (int k = 0; k < 4; ++k) std::memcpy(pool.data() + pool_magnitudes + 8 * k, &magnitude, 8);
  std::memcpy(pool.data() + pool_one, &unit, 8);
  for (int lanes = 0; lanes < 16; ++lanes)
    for (int k = 0; k < 4; ++k)
      if ((lanes >> k & 1) != 0)
        std::memset(pool.data() + pool_lanes + 32 * lanes + 8 * k, 0xff, 8);
  return pool;
}

}  // namespace

Translator::Translator(const Elimination& e, const std::vector<Repeat>& repeats)
    : e_(e), repeats_(repeats), code_(pool_size), image_(constants()) {
  factorize_ = image_.size();
  write_factorize();
  while (code_.bytes().size() % 64 != 0) code_.byte(0xcc);  // int3: traps if it is ever reached
  solve_ = image_.size() + code_.bytes().size();
  write_solve();
  image_.insert(image_.end(), code_.bytes().begin(), code_.bytes().end());
}

Memory Translator::at(int value) const {
  const std::int32_t from_row = 8 * (value - middle_);
  if (from_row >= -128 && from_row < 128) return {row_address, from_row};
  return {values, 8 * (value - value_base_)};
}

/// From here on, addresses are relative to those of row `row`.
void Translator::go_to(int row) {
  code_.add(values, 8 * (e_.row_values[row] - value_base_));
  code_.add(reciprocals, 8 * (row - row_base_));
  if (solving_) code_.add(work, 8 * (row - row_base_));
  row_base_ = row;
  value_base_ = e_.row_values[row];
}

/// Ends the code of one block of a repeat that began at `again` and continues with the next, `by`
/// blocks away.
void Translator::write_loop_end(const Repeat& r, int by, Base counter, std::size_t again) {
  code_.add(values, by * 8 * r.values);
  code_.add(reciprocals, by * 8 * r.period);
  if (solving_) code_.add(work, by * 8 * r.period);
  code_.decrement_and_loop(counter, again);
}

void Translator::load(int to, int width, const Memory& from) {
  code_.vex(operation(read, width), width == 4, to, 0, from);
}
void Translator::store(const Memory& to, int width, int from) {
  code_.vex(operation(write, width), width == 4, from, 0, to);
}

/// Broadcasts one lane of `from` to all lanes of `to`.
void Translator::spread(int to, int from, int lane) {
  if (lane == 0) return code_.vex(broadcast, true, to, 0, from);
  code_.vex(permute, true, to, 0, from);
  code_.byte(0x55 * lane);
}

void Translator::write_largest() {
  constexpr int at_once = 4;
  const int rounds = (e_.values + 4 * at_once - 1) / (4 * at_once);
  code_.move(row_address, values);
  code_.move(counter, static_cast<std::uint64_t>(rounds));
  for (int k = 0; k < at_once; ++k)
    code_.vex(bits_xor, true, first_factor + k, first_factor + k, first_factor + k);
  const std::size_t again = code_.bytes().size();
  for (int k = 0; k < at_once; ++k) {
    code_.vex(bits_and, true, product, magnitudes, {row_address, 32 * k});
    code_.vex(larger, true, first_factor + k, first_factor + k, product);
  }
  code_.add(row_address, 32 * at_once);
  code_.decrement_and_loop(counter, again);
  for (int k = 1; k < at_once; ++k)
    code_.vex(larger, true, first_factor, first_factor, first_factor + k);
  store({third, 0}, 4, first_factor);
}

void Translator::write_factorize() {
  load(magnitudes, 4, {Base::pool, pool_magnitudes});
  load(one, 1, {Base::pool, pool_one});
  write_largest();
  code_.vex(bits_xor, true, met, met, met);
  collect();
  write_tasks();
  store({third, 32}, 4, met);
  code_.zero_upper();
  code_.ret();
}

void Translator::collect() {
  updates_.resize(e_.cells.size());
  done_.assign(e_.cells.size(), 0);
  register_of_.assign(e_.factors.size(), -1);
  loaded_.assign(e_.factors.size(), false);
  for (int f = 0; f < static_cast<int>(e_.factors.size()); ++f) {
    const int pivot = e_.factors[f].pivot;
    for (int c = e_.rights[pivot]; c < e_.rows[pivot + 1]; ++c)
      updates_[e_.targets[e_.factors[f].first + c - e_.rights[pivot]]].push_back(
          {f, e_.cells[c].at});
  }
}

/// Column by column: the factors that end in a column, of all rows, then that row of U.
/// Neighbouring instructions are then mostly independent, so the processor need not wait for sums.
void Translator::write_tasks() {
  struct Task {
    int column, row, cell, factor;
  };
  std::vector<Task> tasks;
  for (int i = 0; i < e_.size; ++i) {
    tasks.push_back({i, i, -1, -1});
    for (int f = e_.factors_of[i]; f < e_.factors_of[i + 1]; ++f) {
      // The last factor of each cell; factors in the pivot's cell belong to its own row.
      if (e_.factor_cells[f] == e_.pivot_cells[i]) continue;
      bool last = true;
      for (int g = f + 1; g < e_.factors_of[i + 1]; ++g)
        last = last && e_.factor_cells[g] != e_.factor_cells[f];
      if (last) tasks.push_back({e_.factors[f].pivot, i, e_.factor_cells[f], f});
    }
  }
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });
  // Tasks by column
  std::vector<std::size_t> starts(e_.size + 1, tasks.size());
  for (std::size_t k = tasks.size(); k-- > 0;) starts[tasks[k].column] = k;
  const auto write = [&](int from, int to) {
    for (std::size_t k = starts[from]; k < starts[to]; ++k) {
      enter(tasks[k].row);
      if (tasks[k].cell < 0) {
        finish_row(tasks[k].row);
      } else {
        catch_up(tasks[k].cell, tasks[k].factor);
      }
      leave();
    }
  };
  int next = 0;
  for (const Repeat& r : repeats_) {
    // Blocks whose columns act only on rows of the repeat.
    const int end = r.first + r.period * r.times;
    int times = 0;
    for (std::size_t k = starts[r.first]; k < tasks.size() && tasks[k].row < end; ++k)
      times = (tasks[k].column + 1 - r.first) / r.period;
    if (times < 2) continue;
    write(next, r.first);
    go_to(r.first);
    code_.move(counter, static_cast<std::uint64_t>(times));
    const std::size_t again = code_.bytes().size();
    write(r.first, r.first + r.period);
    const std::vector<std::uint8_t> block(
        code_.bytes().begin() + static_cast<std::ptrdiff_t>(again), code_.bytes().end());
    write_loop_end(r, 1, counter, again);
    // The other blocks are translated into a scratch buffer, to update the translator and to verify
    // that they have the same code.
    const machine::Assembler kept = std::exchange(code_, machine::Assembler(0));
    for (int k = 1; k < times; ++k) {
      code_ = machine::Assembler(pool_size + again);
      value_base_ += r.values;
      row_base_ += r.period;
      write(row_base_, row_base_ + r.period);
      faithful_ = faithful_ && code_.bytes() == block;
    }
    code_ = kept;
    value_base_ += r.values;
    row_base_ += r.period;
    next = row_base_;
  }
  write(next, e_.size);
}

void Translator::enter(int row) {
  middle_ = e_.cells[e_.rows[row]].at + 16;
  code_.address(row_address, {values, 8 * (middle_ - value_base_)});
}

/// The most used factors stay in registers.
void Translator::assign_registers(int row) {
  std::vector<std::pair<int, int>> uses;  // negative count; factor
  for (int f = e_.factors_of[row]; f < e_.factors_of[row + 1]; ++f) {
    const int pivot = e_.factors[f].pivot;
    uses.emplace_back(e_.rights[pivot] - e_.rows[pivot + 1], f);
  }
  std::sort(uses.begin(), uses.end());
  int next = first_factor;
  for (const auto& [often, f] : uses)
    if (often < -1 && next <= last_factor) register_of_[f] = next++;
}

/// The register that holds a factor of this row in all lanes: its own, or `product`.
int Translator::fetch(int factor) {
  const int kept = register_of_[factor];
  if (kept >= 0 && loaded_[factor]) return kept;
  loaded_[factor] = kept >= 0;
  const int to = kept >= 0 ? kept : product;
  if (e_.factor_cells[factor] == held_) {
    spread(to, sum, e_.factors[factor].value - e_.cells[held_].at);
  } else {
    code_.vex(broadcast, true, to, 0, at(e_.factors[factor].value));
  }
  return to;
}

void Translator::leave() {
  if (held_ >= 0 && changed_) store(at(e_.cells[held_].at), e_.cells[held_].width, sum);
  held_ = -1;
  changed_ = false;
}

void Translator::hold(int cell) {
  if (held_ == cell) return;
  leave();
  load(sum, e_.cells[cell].width, at(e_.cells[cell].at));
  held_ = cell;
}

/// Applies the pending updates of earlier factors to the cell.
void Translator::catch_up(int cell, int before_factor) {
  const std::vector<Update>& all = updates_[cell];
  std::size_t& next = done_[cell];
  const int width = e_.cells[cell].width;
  for (; next < all.size() && all[next].factor < before_factor; ++next) {
    const int factor = all[next].factor;
    if (e_.factor_cells[factor] != cell) catch_up(e_.factor_cells[factor], factor);
    hold(cell);
    const int f = fetch(factor);
    code_.vex(operation(multiply, width), width == 4, product, f, at(all[next].source));
    code_.vex(operation(subtract, width), width == 4, sum, sum, product);
    changed_ = true;
  }
}

void Translator::write_pivot(int row) {
  const int cell = e_.pivot_cells[row];
  catch_up(cell, std::numeric_limits<int>::max());
  hold(cell);
  spread(reciprocal, sum, e_.pivots[row] - e_.cells[cell].at);
  code_.vex(bits_and, true, product, magnitudes, reciprocal);
  code_.vex(larger, true, met, met, product);
  code_.vex(operation(divide, 1), false, reciprocal, one, reciprocal);
  store({reciprocals, 8 * (row - row_base_)}, 1, reciprocal);
  if (e_.rights[row] < e_.rows[row + 1]) spread(reciprocal, reciprocal, 0);
}

void Translator::write_right(int cell) {
  const Cell& to = e_.cells[cell];
  const bool wide = to.width == 4;
  catch_up(to.from, std::numeric_limits<int>::max());
  hold(to.from);
  const Memory lanes{Base::pool, pool_lanes + 32 * static_cast<std::int32_t>(to.lanes)};
  // A 128-bit instruction clears the upper half of the register.
  code_.vex(bits_and, wide, product, sum, magnitudes);
  if (to.from != cell) code_.vex(bits_and, wide, product, product, lanes);
  code_.vex(larger, true, met, met, product);
  if (to.from == cell) {
    code_.vex(operation(multiply, to.width), wide, sum, sum, reciprocal);
    changed_ = true;
  } else {
    code_.vex(operation(multiply, to.width), wide, product, sum, reciprocal);
    code_.vex(bits_and, wide, product, product, lanes);
    store(at(to.at), to.width, product);
  }
}

void Translator::finish_row(int row) {
  assign_registers(row);
  write_pivot(row);
  for (int c = e_.rights[row]; c < e_.rows[row + 1]; ++c) write_right(c);
}

void Translator::write_solve() {
  solving_ = true;
  row_base_ = value_base_ = 0;
  // The unknowns computed last are in registers 2 to 15.
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
  const auto forget = [&] {
    for (int& k : held) {
      if (k >= 0) in[k] = -1;
      k = -1;
    }
    next = 2;
  };
  const auto unknown = [&](int k) { return Memory{work, 8 * (k - row_base_)}; };
  const auto term = [&](int value, int k) {
    int y = in[k];
    if (y < 0) load(y = product, 1, unknown(k));
    code_.vex(operation(multiply, 1), false, product, y, {values, 8 * (value - value_base_)});
    code_.vex(operation(subtract, 1), false, sum, sum, product);
  };
  const auto forward = [&](int i) {
    load(sum, 1, in_order() ? unknown(i) : Memory{third, 8 * e_.row_at[i]});
    for (int k = e_.factors_of[i]; k < e_.factors_of[i + 1]; ++k)
      term(e_.factors[k].value, e_.factors[k].pivot);
    const int y = keep(i);
    code_.vex(operation(multiply, 1), false, y, sum, {reciprocals, 8 * (i - row_base_)});
    store(unknown(i), 1, y);
  };
  const auto backward = [&](int i) {
    load(sum, 1, unknown(i));
    for (int k = e_.terms_of[i]; k < e_.terms_of[i + 1]; ++k)
      term(e_.terms[k].value, e_.terms[k].column);
    if (in[i] >= 0) {
      held[in[i]] = -1;  // not the unknown yet
      in[i] = -1;
    }
    const int x = keep(i);
    code_.vex(bits_and, false, x, sum, sum);  // moves it
    store(unknown(i), 1, x);
    if (!in_order()) store({third, 8 * e_.column_at[i]}, 1, x);
  };
  // `by` = 1: forwards; -1: backwards, in blocks and rows.
  const auto loop = [&](const Repeat& r, int by, const auto& row) {
    const int first = by > 0 ? r.first : r.first + r.period * (r.times - 1);
    forget();
    go_to(first);
    code_.move(row_address, static_cast<std::uint64_t>(r.times));
    const std::size_t again = code_.bytes().size();
    for (int k = 0; k < r.period; ++k) row(by > 0 ? first + k : first + r.period - 1 - k);
    write_loop_end(r, by, row_address, again);
    forget();
    value_base_ += by * r.times * r.values;
    row_base_ += by * r.times * r.period;
  };
  int i = 0;
  for (const Repeat& r : repeats_) {
    while (i < r.first) forward(i++);
    loop(r, 1, forward);
    i += r.period * r.times;
  }
  while (i < e_.size) forward(i++);
  for (auto r = repeats_.rbegin(); r != repeats_.rend(); ++r) {
    while (i > r->first + r->period * r->times) backward(--i);
    loop(*r, -1, backward);
    i = r->first;
  }
  while (i > 0) backward(--i);
  code_.ret();
}

}  // namespace vernier::sparse::detail
