#include "vernier/run/desktop/frame_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/run/desktop/problems.hpp"

namespace vernier::desktop {
namespace {

constexpr std::string_view cost_of = "frame.cost_of.";
constexpr std::uint64_t frames_at_once = 1u << 14;
constexpr std::size_t most_blocks = 1u << 14;

/// Nanoseconds, as the run measured them.
std::int64_t ns(double s) noexcept {
  constexpr double most = 9.0e18;
  const double v = s * 1e9;
  return std::isnan(v) ? 0 : static_cast<std::int64_t>(std::llround(std::clamp(v, -most, most)));
}

std::int64_t whole(double v) noexcept {
  constexpr double exact = 9007199254740992.0;  // 2^53
  return std::isnan(v) ? 0 : static_cast<std::int64_t>(std::clamp(v, -exact, exact));
}

std::filesystem::path frames_file(const std::filesystem::path& folder) {
  std::error_code none;
  auto file = folder / "frames.h5";
  if (!std::filesystem::exists(file, none))
    refuse("V8131", "the run in " + folder.string() + " has no frames: it did not keep time",
           "vernier run FILE --rt   keeps time and records every frame");
  return file;
}

bool uses_less(const FrameRow& a, const FrameRow& b) noexcept { return a.used() < b.used(); }

}  // namespace

realtime::Frame FrameRow::frame() const noexcept {
  realtime::Frame f;
  f.number = number;
  f.time = Time(Duration(ns(time)));
  f.wake_up = ns(wake_up);
  f.cost = ns(cost);
  f.margin = ns(margin);
  f.held = ns(held);
  f.late = late;
  f.behind = behind;
  f.cause = cause;
  f.culprit = culprit;
  return f;
}

FrameHistory::FrameHistory(const std::filesystem::path& run_folder)
    : folder_(run_folder), reader_(frames_file(run_folder)) {
  columns();
  for (const record::Signal& s : reader_.signals())
    if (s.spec.path.starts_with(cost_of)) parts_.push_back(s.spec.path.substr(cost_of.size()));
  // the reader sorts by name; the number in the description is the one that `culprit` means
  const auto number = [&](const std::string& part) {
    const std::string& d = reader_.find(std::string(cost_of) + part)->spec.description;
    return std::strtoul(d.c_str() + std::min(d.find_first_of("0123456789"), d.size()), nullptr, 10);
  };
  std::stable_sort(parts_.begin(), parts_.end(), [&](const std::string& a, const std::string& b) {
    return number(a) < number(b);
  });
  statistics_.parts.resize(parts_.size());
  refresh();
}

FrameHistory::Columns FrameHistory::columns() const {
  std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  const auto column = [&](const std::string& path) {
    const record::Signal* s = reader_.find(path);
    if (s == nullptr || s->spec.count != 1)
      refuse(
          "V8132", reader_.file().string() + " is no record of frames: it lacks " + path,
          "the run wrote frames.h5; another file has taken its place, or another version wrote it");
    rows = std::min(rows, s->rows);
    return s;
  };
  Columns c{.number = column("frame.number"),
            .wake_up = column("frame.wake_up"),
            .cost = column("frame.cost"),
            .margin = column("frame.margin"),
            .held = column("frame.held"),
            .late = column("frame.late"),
            .behind = column("frame.behind"),
            .cause = column("frame.cause"),
            .culprit = column("frame.culprit"),
            .parts = {}};
  for (const std::string& p : parts_) c.parts.push_back(column(std::string(cost_of) + p));
  return c;
}

std::vector<FrameRow> FrameHistory::read(std::uint64_t first, std::uint64_t count) const {
  const Columns c = columns();
  const record::Series number = reader_.read(*c.number, first, count);
  std::vector<FrameRow> rows(number.time.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].time = number.time[i];
    rows[i].number = whole(number.values[i]);
    rows[i].parts.resize(parts_.size());
  }
  const auto each = [&](const record::Signal* s, auto&& put) {
    const record::Series values = reader_.read(*s, first, count);
    for (std::size_t i = 0; i < std::min(rows.size(), values.values.size()); ++i)
      put(rows[i], values.values[i]);
  };
  each(c.wake_up, [](FrameRow& r, double v) { r.wake_up = v; });
  each(c.cost, [](FrameRow& r, double v) { r.cost = v; });
  each(c.margin, [](FrameRow& r, double v) { r.margin = v; });
  each(c.held, [](FrameRow& r, double v) { r.held = v; });
  each(c.late, [](FrameRow& r, double v) { r.late = v != 0.0; });
  each(c.behind, [](FrameRow& r, double v) { r.behind = v != 0.0; });
  each(c.cause, [](FrameRow& r, double v) {
    const std::int64_t n = whole(v);
    if (n >= 0 && n < static_cast<std::int64_t>(realtime::causes))
      r.cause = static_cast<realtime::Cause>(n);
  });
  each(c.culprit, [](FrameRow& r, double v) {
    const std::int64_t n = whole(v);
    if (n >= 0 && n < realtime::nobody) r.culprit = static_cast<std::uint32_t>(n);
  });
  for (std::size_t p = 0; p < c.parts.size(); ++p)
    each(c.parts[p], [p](FrameRow& r, double v) { r.parts[p] = v; });
  return rows;
}

void FrameHistory::refresh() {
  if (rows_ > 0 && !reader_.running()) return;
  reader_.refresh();
  while (true) {
    const std::vector<FrameRow> rows = read(rows_, frames_at_once);
    for (const FrameRow& r : rows) take(r);
    if (rows.size() < frames_at_once) break;
  }
}

void FrameHistory::take(const FrameRow& r) {
  realtime::FrameStatistics& s = statistics_;
  const realtime::Frame f = r.frame();
  // it was slept for when the one before ended in time; the first one is not
  if (last_ && last_->margin > 0.0) s.wake_up.add(f.wake_up, f.number, f.time);
  s.cost.add(f.cost, f.number, f.time);
  s.used.add(f.wake_up + f.cost, f.number, f.time);
  s.held.add(f.held, f.number, f.time);
  std::int64_t of_parts = 0;
  for (std::size_t p = 0; p < r.parts.size(); ++p) {
    const std::int64_t cost = ns(r.parts[p]);
    of_parts += cost;
    if (cost > 0) s.parts[p].add(cost, f.number, f.time);
  }
  if (!r.parts.empty()) s.rest.add(f.cost - of_parts - f.held, f.number, f.time);
  ++s.frames;
  s.behind += f.behind;
  s.late += f.late;
  s.late_by[static_cast<std::size_t>(f.cause)] += f.late;
  in_a_row_ = f.late ? in_a_row_ + 1 : 0;
  s.in_a_row = std::max(s.in_a_row, in_a_row_);
  s.worst_lag = std::max(s.worst_lag, f.wake_up);
  if (r.late && late_.size() < most_late) late_.push_back(r);

  if (!first_) first_ = r;
  last_ = r;
  if (!worst_ || r.margin < worst_->margin) worst_ = r;
  if (rows_ % block_ == 0) {
    if (blocks_.size() == most_blocks) halve();
    if (rows_ % block_ == 0) blocks_.push_back({r.time, r, r});
  }
  Block& b = blocks_.back();
  if (uses_less(r, b.least)) b.least = r;
  if (uses_less(b.most, r)) b.most = r;
  ++rows_;
}

/// Two blocks become one.
void FrameHistory::halve() {
  for (std::size_t i = 0; i < blocks_.size(); i += 2) {
    Block b = std::move(blocks_[i]);
    if (i + 1 < blocks_.size()) {
      Block& next = blocks_[i + 1];
      if (uses_less(next.least, b.least)) b.least = std::move(next.least);
      if (uses_less(b.most, next.most)) b.most = std::move(next.most);
    }
    blocks_[i / 2] = std::move(b);
  }
  blocks_.resize((blocks_.size() + 1) / 2);
  block_ *= 2;
}

std::uint64_t FrameHistory::until(double t) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), t,
                                      [](double v, const Block& b) { return v < b.begin; });
  if (after == blocks_.begin()) return 0;
  const std::uint64_t first = static_cast<std::uint64_t>(after - blocks_.begin() - 1) * block_;
  const std::vector<double> times =
      reader_.read(*columns().number, first, std::min(block_, rows_ - first)).time;
  return first + static_cast<std::uint64_t>(std::upper_bound(times.begin(), times.end(), t) -
                                            times.begin());
}

FrameHistory::Strip FrameHistory::strip(double from, double to, std::size_t most) {
  Strip s;
  if (rows_ == 0 || !(from <= to)) return s;
  const std::uint64_t begun = until(from), end = until(to);
  const std::uint64_t begin = begun > 0 ? begun - 1 : 0;
  if (end <= begin) return s;
  s.frames = end - begin;
  most = std::max<std::size_t>(most, 2);
  if (s.frames <= most) {
    s.rows = read(begin, s.frames);
    return s;
  }
  s.whole = false;
  // intervals of a fixed grid, so that the picture of a run that goes on stands still; where blocks
  // are finer, of whole blocks
  std::uint64_t length = (2 * s.frames + most - 1) / most;
  if (length >= block_) length = (length + block_ - 1) / block_ * block_;
  std::uint64_t interval = begin / length;
  std::optional<FrameRow> least, greatest;
  const auto close = [&] {
    if (!least) return;
    const bool less_first = least->time <= greatest->time;
    const FrameRow &one = less_first ? *least : *greatest, &other = less_first ? *greatest : *least;
    s.rows.push_back(one);
    if (other.number != one.number || other.time != one.time) s.rows.push_back(other);
    least.reset();
  };
  const auto add = [&](std::uint64_t row, const FrameRow& low, const FrameRow& high) {
    if (row / length != interval) close();
    interval = row / length;
    if (!least || uses_less(*greatest, high)) greatest = high;
    if (!least || uses_less(low, *least)) least = low;
  };
  std::uint64_t row = begin;
  while (row < end) {
    const std::uint64_t next = std::min(end, (row / block_ + 1) * block_);
    if (length >= block_ && next - row == block_) {
      const Block& b = blocks_[row / block_];
      add(row, b.least, b.most);
      row = next;
      continue;
    }
    // an end of the range, or intervals finer than blocks
    const std::uint64_t stop = length >= block_ ? next : std::min(end, row + frames_at_once);
    for (const FrameRow& r : read(row, stop - row)) add(row++, r, r);
    row = stop;
  }
  close();
  return s;
}

}  // namespace vernier::desktop
