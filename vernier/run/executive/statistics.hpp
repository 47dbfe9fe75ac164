#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive {

/// The cost and behaviour of a component. Wall-clock times in ns, over the ticks that were measured
/// (Options::measure_every).
struct PartStatistics {
  std::uint64_t calls = 0;                      // of advance()
  std::uint64_t held = 0;                       // returns of `held`
  std::uint64_t measured = 0;                   // ticks measured
  std::int64_t cost_total = 0, cost_worst = 0;  // ns: output, react and advance of one tick

  double cost_mean() const noexcept {
    return measured ? static_cast<double>(cost_total) / static_cast<double>(measured) : 0.0;
  }
};

struct Statistics {
  std::uint64_t ticks = 0;            // of the base step and of rates
  std::uint64_t instants = 0;         // all, including those of events and samples
  std::uint64_t microsteps = 0;       // rounds of react() in which something changed
  std::uint64_t early_returns = 0;    // steps cut short by an event
  std::uint64_t repeated = 0;         // advances repeated after another part's early return
  std::uint64_t late = 0;             // times a pacer returned `held`
  std::uint64_t journal_lost = 0;     // entries that found no room
  std::uint64_t messages_lost = 0;    // of streams, over all readers
  std::uint64_t delays_merged = 0;    // samples that a connection's delay had no room for
  std::vector<PartStatistics> parts;  // as Executive::parts()
};

}  // namespace vernier::executive
