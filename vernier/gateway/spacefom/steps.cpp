#include "vernier/gateway/spacefom/steps.hpp"

#include <algorithm>
#include <limits>

namespace vernier::spacefom {

std::string text_of(Ticks t) {
  if (t % 1'000'000 == 0) return std::to_string(t / 1'000'000) + " s";
  if (t % 1'000 == 0) return std::to_string(t / 1'000) + " ms";
  return std::to_string(t) + " us";
}

std::string broken_rule(const Steps& s) {
  if (s.step <= 0) return "the step must be at least 1 us (rule 4-16)";
  if (s.simulation < 0) return "the simulation step must be positive (rule 4-18)";
  if (s.simulation > 0 && s.step % s.simulation != 0)
    return "the step, " + text_of(s.step) + ", is not a multiple of the simulation step, " +
           text_of(s.simulation) + " (rule 4-18)";
  if (s.federation > 0 && s.step % s.federation != 0)
    return "the step, " + text_of(s.step) + ", is not a multiple of the federation's step, " +
           text_of(s.federation) + ", which the Pacing federate sets (rule 4-19)";
  if (s.lookahead >= 0 && s.lookahead != s.step)
    return "the lookahead, " + text_of(s.lookahead) + ", is not the step, " + text_of(s.step) +
           " (rule 4-20)";
  if (s.least_common < 0) return "the least common time step must be positive (rule 4-17)";
  if (s.least_common > 0 && s.least_common < s.step)
    return "the least common time step, " + text_of(s.least_common) +
           ", is shorter than the step, " + text_of(s.step) + " (rule 4-17)";
  if (s.least_common > 0 && s.least_common % s.step != 0)
    return "the least common time step, " + text_of(s.least_common) +
           ", is not a multiple of the step, " + text_of(s.step) + " (rule 4-17)";
  return {};
}

Ticks sum_of(Ticks a, Ticks b) noexcept {
  Ticks sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<Ticks>::max() : std::numeric_limits<Ticks>::min();
}

Ticks boundary_after(Ticks galt, Ticks lcts) noexcept {
  return (std::min(galt, std::numeric_limits<Ticks>::max() - lcts) / lcts + 1) * lcts;
}

Ticks freeze_time(Ticks now, Ticks padding, Ticks lcts) noexcept {
  const Ticks at = (now + padding + lcts - 1) / lcts * lcts;
  return at > now ? at : boundary_after(now, lcts);
}

Ticks usual_padding(Ticks lcts) noexcept { return lcts >= 500'000 ? lcts : 3 * lcts; }

std::string broken_padding(Ticks padding, Ticks lcts) {
  if (padding < lcts || padding % lcts != 0)
    return "the freeze padding, " + text_of(padding) +
           ", is not a positive multiple of the least common time step, " + text_of(lcts);
  if (padding < 3 * lcts && padding < 500'000)
    return "the freeze padding, " + text_of(padding) +
           ", is below 0.5 s and below 3 times the least common time step, " + text_of(lcts);
  return {};
}

Ticks straightened(Ticks lcts) noexcept {
  if (lcts > 0 && lcts <= longest_step) return lcts;
  std::uint64_t from = static_cast<std::uint64_t>(lcts), to = 0;
  for (int i = 0; i < 8; ++i, from >>= 8) to = to << 8 | (from & 0xff);
  const auto swapped = static_cast<Ticks>(to);
  return swapped > 0 && swapped <= longest_step ? swapped : lcts;
}

}  // namespace vernier::spacefom
