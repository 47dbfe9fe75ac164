#pragma once

#include <cstdint>
#include <string>

namespace vernier::spacefom {

/// Logical time of a SpaceFOM federation: microseconds since its start.
using Ticks = std::int64_t;
/// The longest plausible step (12 days); sums of a few do not overflow.
constexpr Ticks longest_step = (Ticks{1} << 40) - 1;

/// The latest start (146 000 years): later steps do not overflow.
constexpr Ticks latest_start = Ticks{1} << 62;

/// The steps of a federate, all constant.
struct Steps {
  Ticks step = 1'000'000;  // the federate's step, and its lookahead (rule 4-20)
  Ticks simulation = 0;    // the internal step; 0: the same
  Ticks federation = 0;    // the Pacing federate's; 0: not known here
  Ticks least_common = 0;  // LCTS; 0: not known yet
  Ticks lookahead = -1;    // negative: the step
};

/// Which step violates which rule, in one sentence with numbers; empty when none does. Checks rules
/// 4-16 to 4-20 and that the LCTS is a common multiple.
std::string broken_rule(const Steps&);

/// The sum of two untrusted times; saturates at the largest time.
Ticks sum_of(Ticks, Ticks) noexcept;

/// The boundary of logical time (HLTB) at which a late joiner starts (rule 7-23): the first
/// multiple of the LCTS strictly after the greatest available logical time, or the largest time.
Ticks boundary_after(Ticks galt, Ticks lcts) noexcept;

/// When a freeze requested at `now` takes effect (rule 7-24): the first multiple of the LCTS at or
/// after now + padding, and after now.
Ticks freeze_time(Ticks now, Ticks padding, Ticks lcts) noexcept;

/// What is wrong with a padding, or empty: it must be a positive multiple of the LCTS, and at least
/// 3 of them unless it is half a second or more.
std::string broken_padding(Ticks padding, Ticks lcts);
/// The smallest allowed padding.
Ticks usual_padding(Ticks lcts) noexcept;

/// Corrects an LCTS that was received with swapped bytes, if it would be too long otherwise.
Ticks straightened(Ticks lcts) noexcept;

/// "1 s", "250000 us".
std::string text_of(Ticks);

}  // namespace vernier::spacefom
