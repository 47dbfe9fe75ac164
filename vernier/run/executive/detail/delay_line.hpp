#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive::detail {

/// The delay of one connection: what the source was `delay` ago, as of the instants of the run.
/// Only changes are kept; when more of them are under way than there is room for, the latest two
/// become one, and it is counted.
class DelayLine {
 public:
  /// `source` is `initial.size()` bytes; what comes out before anything arrived is `initial`.
  DelayLine(const std::byte* source, std::span<const std::byte> initial, Duration delay,
            std::size_t capacity);

  /// Lets what was pushed up to `now - delay` come out.
  void read(Time now) noexcept;
  /// Takes the source's value as of `now`.
  void push(Time now) noexcept;
  /// When the next change comes out; Time::max(): none is under way.
  Time next_arrival() const noexcept;
  /// Empty again, with `initial` coming out.
  void reset() noexcept;

  /// What comes out; stays at its place.
  const std::byte* out() const noexcept { return out_.data(); }
  std::uint64_t merged() const noexcept { return merged_; }

  std::vector<std::byte> save() const;
  /// False, and nothing changed, when the image is not one of such a line.
  bool load(std::span<const std::byte>);

 private:
  std::byte* slot(std::size_t i) noexcept { return ring_.data() + i * out_.size(); }
  const std::byte* slot(std::size_t i) const noexcept { return ring_.data() + i * out_.size(); }
  std::size_t wrapped(std::size_t i) const noexcept { return i % times_.size(); }

  const std::byte* source_;
  Duration delay_;
  std::vector<std::byte> initial_, out_, ring_, last_;
  std::vector<Time> times_;
  std::size_t head_ = 0, used_ = 0;
  bool pushed_ = false;  // last_ means something
  std::uint64_t merged_ = 0;
};

}  // namespace vernier::executive::detail
