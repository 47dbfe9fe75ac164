#pragma once

#include <cstdint>
#include <string>

namespace vernier::spacefom {

/// Logical time of a SpaceFOM federation: microseconds since its start.
using Ticks = std::int64_t;
/// No sane step is longer (12 days); sums of a few stay numbers.
constexpr Ticks longest_step = (Ticks{1} << 40) - 1;

/// Nobody begins later (146 000 years): steps behind it stay numbers.
constexpr Ticks latest_start = Ticks{1} << 62;

/// The steps of a federate, all constant.
struct Steps {
  Ticks step = 1'000'000;  // the federate's, and its lookahead (rule 4-20)
  Ticks simulation = 0;    // the step inside it; 0: the same
  Ticks federation = 0;    // the Pacing federate's; 0: not known here
  Ticks least_common = 0;  // LCTS; 0: not known yet
  Ticks lookahead = -1;    // below 0: the step
};

/// Which step breaks which rule, in one sentence with numbers; empty when none does. Checks 4-16 to
/// 4-20 and that the LCTS is a common multiple.
std::string broken_rule(const Steps&);

/// The sum of two times as another says them; the last time there is where it would be later.
Ticks sum_of(Ticks, Ticks) noexcept;

/// The boundary of logical time (HLTB) on which a late joiner starts: the first multiple of the
/// LCTS that is strictly beyond the greatest available logical time, or the last there is.
Ticks boundary_after(Ticks galt, Ticks lcts) noexcept;

/// When a freeze that is asked for at `now` takes place: the first multiple of the LCTS at or after
/// now + padding, and after now.
Ticks freeze_time(Ticks now, Ticks padding, Ticks lcts) noexcept;

/// What is wrong with a padding, or empty: it is a positive multiple of the LCTS, and at least 3 of
/// them unless it is half a second or more.
std::string broken_padding(Ticks padding, Ticks lcts);
/// The smallest good one.
Ticks usual_padding(Ticks lcts) noexcept;

/// An LCTS that came with its bytes in the wrong order, put right where it is too long otherwise.
Ticks straightened(Ticks lcts) noexcept;

/// "1 s", "250000 us".
std::string text_of(Ticks);

}  // namespace vernier::spacefom
