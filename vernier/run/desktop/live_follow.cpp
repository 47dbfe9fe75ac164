#include "vernier/run/desktop/live_follow.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "vernier/base/codec.hpp"
#include "vernier/run/desktop/messages.hpp"

namespace vernier::desktop {
namespace {

constexpr double intervals_a_second = 60.0;      // as many as pictures
constexpr std::size_t intervals_at_first = 500;  // for what the run remembers
constexpr std::size_t most_at_first = 500'000;   // intervals of all columns

double value_at(const std::byte* at, Scalar scalar) noexcept {
  switch (scalar) {
    case Scalar::real:
      return load<double>(at);
    case Scalar::integer:
      return static_cast<double>(load<std::int64_t>(at));
    case Scalar::boolean:
    case Scalar::byte:
      return std::to_integer<int>(*at);
  }
  return 0.0;
}

std::size_t bytes_of(Scalar s) noexcept {
  return s == Scalar::real || s == Scalar::integer ? 8u : 1u;
}

}  // namespace

LiveFollow::LiveFollow(const std::filesystem::path& run_folder, const std::vector<Column>& columns,
                       double rate)
    : reader_(run_folder),
      intervals_(std::max<std::size_t>(1, std::lround(intervals_a_second / rate))),
      intervals_at_first_(std::clamp<std::size_t>(
          most_at_first / std::max<std::size_t>(1, columns.size()), 1, intervals_at_first)) {
  std::map<Column, std::vector<std::uint32_t>> wanted;  // positions
  for (std::uint32_t c = 0; c < columns.size(); ++c) wanted[columns[c]].push_back(c);
  const record::ResultLayout& layout = reader_.layout();
  groups_.resize(layout.groups.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::vector<record::SignalSpec>& signals = layout.groups[g].signals;
    for (std::size_t s = 0; s < signals.size(); ++s) {
      for (auto w = wanted.lower_bound({signals[s].path, 0});
           w != wanted.end() && w->first.first == signals[s].path; ++w) {
        const std::uint32_t element = w->first.second;
        if (element >= signals[s].count) break;
        groups_[g].places.push_back(
            {.positions = w->second,
             .offset = reader_.row(g).columns[s].offset + element * bytes_of(signals[s].scalar),
             .scalar = signals[s].scalar});
      }
    }
  }
}

std::vector<std::byte> LiveFollow::poll(std::uint32_t follow, std::uint64_t dropped) {
  // asked before the rows are: what is written until the end is then read
  const bool ends = reader_.over();
  for (Group& g : groups_) {
    g.time.clear();
    for (Place& p : g.places) p.values.clear();
  }
  lost_ += reader_.poll([this](const record::LiveRowReader::Row& row) {
    Group& g = groups_[row.group];
    if (g.places.empty()) return;
    g.time.push_back(row.time);
    for (Place& p : g.places) p.values.push_back(value_at(row.bytes.data() + p.offset, p.scalar));
  });
  over_ = ends;

  std::vector<std::byte> message;
  ByteWriter w(message);
  std::uint32_t blocks = 0;
  samples_ = 0;
  w(live_kind, follow, blocks, static_cast<std::uint32_t>(dropped));
  const std::size_t intervals = first_ ? intervals_at_first_ : intervals_;
  std::vector<std::size_t> kept;
  for (const Group& g : groups_) {
    if (g.time.empty()) continue;
    for (const Place& p : g.places) {
      keep_extremes(p.values, intervals, kept);
      for (const std::uint32_t position : p.positions) {
        w(position, static_cast<std::uint32_t>(kept.size()));
        for (const std::size_t i : kept) w(g.time[i]);
        for (const std::size_t i : kept) w(p.values[i]);
        samples_ += kept.size();
        ++blocks;
      }
    }
  }
  if (blocks == 0) return {};
  first_ = false;
  store(message.data() + 8, blocks);
  return message;
}

void keep_extremes(std::span<const double> values, std::size_t intervals,
                   std::vector<std::size_t>& kept) {
  kept.clear();
  const std::size_t n = values.size();
  const bool all = n <= 2 * intervals + 1;
  for (std::size_t k = 0; k < (all ? n : intervals); ++k) {
    if (all) {
      kept.push_back(k);
      continue;
    }
    const std::size_t begin = k * n / intervals, end = (k + 1) * n / intervals;
    std::size_t low = end, high = end, none = end;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::isnan(values[i])) {
        none = std::min(none, i);
        continue;
      }
      if (low == end || values[i] < values[low]) low = i;
      if (high == end || values[i] > values[high]) high = i;
    }
    std::size_t found[] = {low, high, none};
    std::sort(std::begin(found), std::end(found));
    for (const std::size_t i : found) {
      if (i != end && (kept.empty() || kept.back() != i)) kept.push_back(i);
    }
  }
  if (n > 0 && kept.back() != n - 1) kept.push_back(n - 1);
}

}  // namespace vernier::desktop
