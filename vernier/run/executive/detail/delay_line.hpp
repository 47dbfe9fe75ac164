#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive::detail {

/// The delay of one connection: the source's value `delay` ago, as of the instants of the run. Only
/// changes are stored; when there is no room for another, the latest two are merged, and that is
/// counted.
class DelayLine {
 public:
  /// `source` has `initial.size()` bytes; `initial` is the output before anything arrives.
  DelayLine(const std::byte* source, std::span<const std::byte> initial, Duration delay,
            std::size_t capacity);

  /// Outputs what was pushed up to `now - delay`.
  void read(Time now) noexcept;
  /// Stores the source's value as of `now`.
  void push(Time now) noexcept;
  /// When the next change arrives; Time::max(): none is pending.
  Time next_arrival() const noexcept;
  /// The same, if push(now) follows.
  Time next_arrival_after_push(Time now) const noexcept;
  /// Empty again, with `initial` as the output.
  void reset() noexcept;

  /// The output; its address never changes.
  const std::byte* out() const noexcept { return out_.data(); }
  std::uint64_t merged() const noexcept { return merged_; }

  /// The image at a time, without what was pushed later; its size depends on how many changes are
  /// pending.
  std::size_t state_bytes(Time until) const noexcept;
  void save(Time until, std::span<std::byte> image) const noexcept;
  /// False, with nothing changed, when the image does not belong to such a line.
  bool load(std::span<const std::byte>);

 private:
  bool unchanged() const noexcept;
  std::size_t pushed_until(Time) const noexcept;
  std::byte* slot(std::size_t i) noexcept { return ring_.data() + i * out_.size(); }
  const std::byte* slot(std::size_t i) const noexcept { return ring_.data() + i * out_.size(); }
  std::size_t wrapped(std::size_t i) const noexcept { return i % times_.size(); }

  const std::byte* source_;
  Duration delay_;
  std::vector<std::byte> initial_, out_, ring_, last_;
  std::vector<Time> times_;
  std::size_t head_ = 0, used_ = 0;
  bool pushed_ = false;  // last_ is valid
  bool output_ = false;  // a change was output
  std::uint64_t merged_ = 0;
};

}  // namespace vernier::executive::detail
