#include "vernier/kernel/sparse/detail/program.hpp"

#include <algorithm>
#include <limits>

namespace vernier::sparse::detail {
namespace {

using Lists = std::vector<std::vector<int>>;

int padded(int width) noexcept { return (width + quad - 1) / quad * quad; }

/// Sorted `a` becomes its union with those elements of sorted `b` that are greater than `least`.
void unite(std::vector<int>& a, const std::vector<int>& b, int least, std::vector<int>& work) {
  work.clear();
  std::set_union(a.begin(), a.end(), std::upper_bound(b.begin(), b.end(), least), b.end(),
                 std::back_inserter(work));
  a.swap(work);
}

Lists transposed(const Lists& rows) {
  Lists columns(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const int j : rows[i]) columns[j].push_back(static_cast<int>(i));
  return columns;
}

/// Adds to sorted rows, each with its diagonal, what elimination fills in.
void fill(Lists& rows) {
  Lists below = transposed(rows);
  std::vector<int> work;
  for (int k = 0; k < static_cast<int>(rows.size()); ++k) {
    for (std::size_t b = 0; b < below[k].size(); ++b) {
      const int i = below[k][b];
      if (i <= k) continue;
      for (auto j = std::upper_bound(rows[k].begin(), rows[k].end(), k); j != rows[k].end(); ++j)
        if (!std::binary_search(rows[i].begin(), rows[i].end(), *j)) below[*j].push_back(i);
      unite(rows[i], rows[k], k, work);
    }
  }
}

/// Cycles, roughly, that eliminating a block takes: `width` pivots with `right` columns and `below`
/// rows.
double cost(int width, int right, int below) noexcept {
  const double w = width;
  const double quads = (right + quad - 1) / quad;
  const double own = 20.0 + w * (22.0 + 0.5 * w + 0.3 * (w + 2.0) * (quads + 1.0));
  const double row = 6.0 + 0.3 * w * w + quads * (0.6 * w + 1.5);
  return own + below * row;
}

/// Ends of blocks of consecutive pivots, chosen for the least cost in all.
std::vector<int> partition(const Lists& rows) {
  const int n = static_cast<int>(rows.size());
  const Lists columns = transposed(rows);
  std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
  std::vector<int> from(n + 1, 0);
  least[0] = 0.0;
  std::vector<int> right, below, work;
  for (int first = 0; first < n; ++first) {
    right.clear();
    below.clear();
    for (int last = first; last < std::min(n, first + widest_block); ++last) {
      unite(right, rows[last], last, work);
      unite(below, columns[last], last, work);
      const auto beyond = [&](const std::vector<int>& v) {
        return static_cast<int>(v.end() - std::upper_bound(v.begin(), v.end(), last));
      };
      const double total = least[first] + cost(last - first + 1, beyond(right), beyond(below));
      if (total < least[last + 1]) {
        least[last + 1] = total;
        from[last + 1] = first;
      }
    }
  }
  std::vector<int> ends;
  for (int end = n; end > 0; end = from[end]) ends.push_back(end);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

/// Appends a run, or makes the last one since `first` longer if this one continues it.
void append(std::vector<Run>& runs, int first, int there, int here, int length) {
  if (static_cast<int>(runs.size()) > first) {
    Run& last = runs.back();
    if (last.there + quad * last.length == there && last.here + quad * last.length == here) {
      last.length += length;
      return;
    }
  }
  runs.push_back({there, here, length});
}

/// Block rows with the blocks they hold, and where.
struct Layout {
  std::vector<int> ends, widths, positions;
  Lists held;           // columns of blocks, sorted
  Lists offsets;        // of those in a row
  std::vector<int> of;  // the block of a pivot

  int offset(int r, int t) const {
    const auto found = std::lower_bound(held[r].begin(), held[r].end(), t);
    return offsets[r][found - held[r].begin()];
  }
};

Layout lay_out(const Lists& rows, std::vector<int> ends) {
  Layout to;
  const int n = static_cast<int>(rows.size());
  const int m = static_cast<int>(ends.size());
  to.ends = std::move(ends);
  to.of.resize(n);
  for (int b = 0, k = 0, position = 0; b < m; ++b) {
    to.widths.push_back(to.ends[b] - k);
    to.positions.push_back(position);
    position += padded(to.widths[b]);
    for (; k < to.ends[b]; ++k) to.of[k] = b;
  }
  to.held.resize(m);
  for (int k = 0; k < n; ++k)
    for (const int j : rows[k]) to.held[to.of[k]].push_back(to.of[j]);
  for (std::vector<int>& row : to.held) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  fill(to.held);
  to.offsets.resize(m);
  for (int r = 0; r < m; ++r) {
    int offset = 0;
    for (const int t : to.held[r]) {
      to.offsets[r].push_back(offset);
      offset += padded(to.widths[t]);
    }
    to.offsets[r].push_back(offset);
  }
  return to;
}

void write_runs(Program& program, const Layout& layout, Block& block, int b) {
  const std::vector<int>& held = layout.held[b];
  block.left = static_cast<int>(program.runs.size());
  for (std::size_t k = 0; held[k] < b; ++k)
    append(program.runs, block.left, layout.positions[held[k]], layout.offsets[b][k],
           padded(layout.widths[held[k]]) / quad);
  block.left_end = block.right = static_cast<int>(program.runs.size());
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k] > b)
      append(program.runs, block.right, layout.positions[held[k]], layout.offsets[b][k],
             padded(layout.widths[held[k]]) / quad);
  block.right_end = static_cast<int>(program.runs.size());
}

void write_target(Program& program, const Layout& layout, int b, int r) {
  const Block& target = program.blocks[r];
  Target to{target.rows, target.stride, target.width, layout.offset(r, b), 0, 0};
  to.first_run = static_cast<int>(program.runs.size());
  for (const int t : layout.held[b])
    if (t > b)
      append(program.runs, to.first_run, layout.offset(r, t), layout.offset(b, t),
             padded(layout.widths[t]) / quad);
  to.last_run = static_cast<int>(program.runs.size());
  program.targets.push_back(to);
}

void count(Program& program, const Layout& layout) {
  const Lists below = transposed(layout.held);
  for (std::size_t b = 0; b < layout.held.size(); ++b) {
    const long long w = layout.widths[b];
    long long right = 0;
    long long rows = 0;
    for (const int t : layout.held[b])
      if (t > static_cast<int>(b)) right += layout.widths[t];
    for (const int r : below[b])
      if (r > static_cast<int>(b)) rows += layout.widths[r];
    program.entries += static_cast<int>(w * (w + right + rows));
    program.operations += w * (w - 1) * (2 * w - 1) / 3 + (w * (w - 1) + w) * right +
                          w * (w - 1) * rows + 2 * rows * w * right;
  }
}

}  // namespace

Program make_program(const Pattern& pattern, const Pivots& pivots) {
  const int n = pattern.size;
  std::vector<int> row_order(n);
  std::vector<int> column_order(n);
  for (int k = 0; k < n; ++k) {
    row_order[pivots.rows[k]] = k;
    column_order[pivots.columns[k]] = k;
  }
  Lists rows(n);
  for (const Entry& e : pattern.entries) rows[row_order[e.row]].push_back(column_order[e.column]);
  for (std::vector<int>& row : rows) std::sort(row.begin(), row.end());
  Lists filled = rows;
  fill(filled);
  const Layout layout = lay_out(rows, partition(filled));

  Program program;
  const int m = static_cast<int>(layout.held.size());
  for (int b = 0; b < m; ++b) {
    Block block{};
    block.rows = program.values;
    block.stride = layout.offsets[b].back();
    block.width = layout.widths[b];
    block.diagonal = layout.offset(b, b);
    block.length = (block.stride - block.diagonal) / quad;
    block.position = layout.positions[b];
    program.values += block.stride * block.width;
    program.unknowns = block.position + padded(block.width);
    write_runs(program, layout, block, b);
    program.blocks.push_back(block);
  }
  const Lists below = transposed(layout.held);
  for (int b = 0; b < m; ++b) {
    program.blocks[b].first = static_cast<int>(program.targets.size());
    for (const int r : below[b])
      if (r > b) write_target(program, layout, b, r);
    program.blocks[b].last = static_cast<int>(program.targets.size());
  }

  const auto first = [&](int k) { return layout.ends[layout.of[k]] - layout.widths[layout.of[k]]; };
  const auto place = [&](int k) { return layout.positions[layout.of[k]] + k - first(k); };
  for (const Entry& e : pattern.entries) {
    const int i = row_order[e.row];
    const int j = column_order[e.column];
    const Block& block = program.blocks[layout.of[i]];
    program.slots.push_back(block.rows + (i - first(i)) * block.stride +
                            layout.offset(layout.of[i], layout.of[j]) + j - first(j));
  }
  program.row_at.assign(program.unknowns, -1);
  program.references.assign(program.unknowns, 0.0);
  program.rows.resize(n);
  program.columns.resize(n);
  for (int k = 0; k < n; ++k) {
    program.rows[pivots.rows[k]] = place(k);
    program.columns[pivots.columns[k]] = place(k);
    program.row_at[place(k)] = pivots.rows[k];
    program.references[place(k)] = pivots.magnitudes[k];
  }
  count(program, layout);
  return program;
}

}  // namespace vernier::sparse::detail
