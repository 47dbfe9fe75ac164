#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier {

/// An event inside a component that users want to see: a change of mode, a limit reached. Numbers
/// only, so that recording it is cheap; the component converts it to text later (Component::tell),
/// on another thread.
struct Entry {
  Instant at;
  double remainder = 0.0;  // s; the exact time is at.time + remainder, -1e-9 < remainder <= 0
  std::int32_t kind = 0;   // the component's own numbering
  std::int32_t from = 0, to = 0;
  std::int32_t item = 0;
  double values[2] = {0.0, 0.0};
};

/// An Entry as text, for the console and events.csv.
struct Telling {
  std::string subject;  // path below the instance: "supervisor"; empty: the instance itself
  std::string kind;     // "transition", "limit", "event"
  std::string from, to;
  std::string reason;           // "sqrt(w1^2+w2^2+w3^2) < 0.017: 0.0169999"
  std::string transition = {};  // its name; empty: none, or not a transition
  bool warning = false;
};

/// What one component recorded since the executive last emptied it. Bounded; entries that do not
/// fit are counted.
class Journal {
 public:
  explicit Journal(std::size_t capacity = 256) : entries_(capacity) {}

  void note(const Entry& e) noexcept {
    if (used_ < entries_.size()) {
      entries_[used_++] = e;
    } else {
      ++lost_;
    }
  }

  std::span<const Entry> entries() const noexcept { return {entries_.data(), used_}; }
  void clear() noexcept { used_ = 0; }
  /// Drops the entries after the first `count`: the step is being repeated.
  void rewind(std::size_t count) noexcept { used_ = count < used_ ? count : used_; }
  std::uint64_t lost() const noexcept { return lost_; }

 private:
  std::vector<Entry> entries_;
  std::size_t used_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace vernier
