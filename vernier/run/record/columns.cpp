#include "vernier/run/record/columns.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/run/record/detail/blocks.hpp"

namespace vernier::record {

namespace {

constexpr std::uint32_t elements_together = 16;      // of a signal: read at once, kept together
constexpr std::uint64_t numbers_at_once = 1u << 19;  // that are read, in whole blocks of rows

/// What identifies a file: the folder of a run may have been removed and made again.
std::pair<std::uint64_t, std::uint64_t> identity(const std::filesystem::path& file) noexcept {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return {};
  return {s.st_dev, s.st_ino};
}

}  // namespace

struct Columns::State {
  struct Times {
    TimeColumn column;
    std::uint64_t used = 0;  // when it was used last
  };
  struct Values {
    std::string path;
    BlockExtremes blocks;
    std::uint64_t used = 0;
  };
  using ValuesKey = std::pair<std::size_t, std::uint32_t>;  // signal, first element

  State(const std::filesystem::path& path, std::size_t most)
      : reader(path), most_bytes(most), file(identity(reader.file())) {}

  /// The times of the group that the signal belongs to, at least as many as it has rows.
  const TimeColumn& times_of(const Signal& s) {
    Times& t = times[s.group];
    t.used = now;
    std::vector<double> some;
    for (std::uint64_t at = t.column.size(); at < s.rows; at = t.column.size()) {
      some.resize(std::min(s.rows - at, numbers_at_once));
      reader.times(s, at, some);
      t.column.append(some);
    }
    return t.column;
  }

  /// The extremes of blocks, up to the last whole one, for the element of the signal, which is
  /// number `within` among those kept together.
  const BlockExtremes& extremes_of(const Signal& s, std::uint32_t element, std::uint32_t& within) {
    const std::uint32_t first = element / elements_together * elements_together;
    const std::uint32_t count = std::min(elements_together, s.spec.count - first);
    within = element - first;
    const auto index = static_cast<std::size_t>(&s - reader.signals().data());
    Values& v =
        values.try_emplace({index, first}, Values{s.spec.path, BlockExtremes(count)}).first->second;
    v.used = now;
    const std::uint64_t whole = s.rows / block_of_rows * block_of_rows;
    std::vector<double> some;
    for (std::uint64_t at = v.blocks.rows(); at < whole; at = v.blocks.rows()) {
      const std::uint64_t rows = numbers_at_once / count / block_of_rows * block_of_rows;
      some.resize(std::min(whole - at, rows) * count);
      reader.values(s, at, first, count, some);
      v.blocks.append(some);
    }
    return v.blocks;
  }

  /// Calls `take` for rows [first, last) of one element.
  template <class Take>
  void each(const Signal& s, std::uint32_t element, const TimeColumn& t, std::uint64_t first,
            std::uint64_t last, const Take& take) {
    for (; first < last; first += buffer.size()) {
      buffer.resize(std::min(last - first, numbers_at_once));
      reader.values(s, first, element, 1, buffer);
      for (std::size_t k = 0; k < buffer.size(); ++k)
        take(Point{first + k, t[first + k], buffer[k]});
    }
  }

  /// Rows [first, last) of one element: blocks shorter than an interval by their extremes.
  void thin(const Signal& s, std::uint32_t element, const TimeColumn& t, std::uint64_t first,
            std::uint64_t last, Thinning& thinning) {
    std::uint32_t within = 0;
    const BlockExtremes& blocks = extremes_of(s, element, within);
    std::uint64_t single = first;  // rows from here on are read one by one
    const auto flush = [&](std::uint64_t until) {
      each(s, element, t, single, until, [&](const Point& p) { thinning.take(p); });
    };
    for (std::uint64_t b = (first + block_of_rows - 1) / block_of_rows;
         (b + 1) * block_of_rows <= last; ++b) {
      const std::uint64_t begin = b * block_of_rows, end = begin + block_of_rows;
      if (!(std::fabs(t[end - 1] - t[begin]) <= thinning.width())) continue;
      flush(begin);
      thinning.take(t[begin], blocks.of(b, within, t));
      single = end;
    }
    flush(last);
    thinning.finish();
  }

  /// Forgets what was not used for longest, but nothing of the present call.
  void forget() {
    while (true) {
      std::size_t bytes = 0;
      std::uint64_t oldest = now;
      for (const auto& [key, t] : times)
        bytes += t.column.bytes(), oldest = std::min(oldest, t.used);
      for (const auto& [key, v] : values)
        bytes += v.blocks.bytes(), oldest = std::min(oldest, v.used);
      if (bytes <= most_bytes || oldest == now) return;
      std::erase_if(times, [&](const auto& entry) { return entry.second.used == oldest; });
      std::erase_if(values, [&](const auto& entry) { return entry.second.used == oldest; });
    }
  }

  ResultReader reader;
  std::size_t most_bytes;
  std::pair<std::uint64_t, std::uint64_t> file;
  std::map<std::uint64_t, Times> times;  // by group
  std::map<ValuesKey, Values> values;
  std::uint64_t now = 0;  // counts calls
  std::vector<double> buffer;
};

Columns::Columns(const std::filesystem::path& run_or_file, std::size_t most_bytes)
    : state_(std::make_unique<State>(run_or_file, most_bytes)) {}
Columns::~Columns() = default;
Columns::Columns(Columns&&) noexcept = default;

const ResultReader& Columns::reader() const noexcept { return state_->reader; }

void Columns::refresh() {
  State& s = *state_;
  s.reader.refresh();
  const auto& signals = s.reader.signals();
  const bool same = std::exchange(s.file, identity(s.reader.file())) == s.file;
  std::map<std::uint64_t, std::uint64_t> rows;
  for (const Signal& signal : signals) {
    std::uint64_t& most = rows[signal.group];
    most = std::max(most, signal.rows);
  }
  // a file that was repaired or replaced may have fewer rows than were seen
  std::erase_if(s.times, [&](const auto& entry) {
    return !same || entry.second.column.size() > rows[entry.first];
  });
  std::erase_if(s.values, [&](const auto& entry) {
    const std::size_t index = entry.first.first;
    return !same || index >= signals.size() || signals[index].spec.path != entry.second.path ||
           signals[index].rows < entry.second.blocks.rows();
  });
}

Trace Columns::read(const Signal& signal, std::uint32_t element, double from, double to,
                    std::size_t points, bool& whole) {
  State& s = *state_;
  require(element < signal.spec.count);
  Trace trace;
  whole = true;
  if (signal.rows == 0) return trace;
  ++s.now;
  points = std::max<std::size_t>(points, 1);
  const TimeColumn& t = s.times_of(signal);
  // with the rows on both sides
  std::uint64_t first = std::min(t.first_at(from), signal.rows);
  std::uint64_t last = std::min(t.first_after(to), signal.rows);
  first = std::min(first, last);
  whole = last - first <= points;
  first -= first > 0;
  last += last < signal.rows;
  if (whole) {
    trace.time.reserve(last - first);
    trace.values.reserve(last - first);
    s.each(signal, element, t, first, last, [&](const Point& p) {
      trace.time.push_back(p.time);
      trace.values.push_back(p.value);
    });
  } else {
    Thinning thinning(trace, std::max(from, t[first]), std::min(to, t[last - 1]), points);
    const auto keep = [&](const Point& p) { thinning.keep(p); };
    s.each(signal, element, t, first, first + 1, keep);
    s.thin(signal, element, t, first + 1, last - 1, thinning);
    s.each(signal, element, t, last - 1, last, keep);
  }
  s.forget();
  return trace;
}

std::optional<std::vector<double>> Columns::row(const Signal& signal, double at) {
  State& s = *state_;
  ++s.now;
  const std::uint64_t after = std::min(s.times_of(signal).first_after(at), signal.rows);
  s.forget();
  if (after == 0 || std::isnan(at)) return {};
  std::vector<double> found(signal.spec.count);
  s.reader.values(signal, after - 1, 0, signal.spec.count, found);
  return found;
}

}  // namespace vernier::record
