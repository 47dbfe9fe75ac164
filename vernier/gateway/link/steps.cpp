#include "vernier/gateway/link/steps.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::link {
namespace {

__extension__ using Wide = __int128;

Wide gcd(Wide a, Wide b) noexcept {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

ExactStep scaled(std::int64_t steps, const Ratio& r, std::int64_t from) noexcept {
  const Wide product = Wide{steps} * r.over;
  Wide whole = product / r.under, rest = product % r.under;
  if (rest < 0) {
    rest += r.under;
    whole -= 1;
  }
  // such a step is beyond 64 bits only for a useless mapping: saturate
  constexpr Wide most = std::int64_t{1} << 62;
  whole = std::clamp<Wide>(whole + from, -most, most);
  return {static_cast<std::int64_t>(whole), static_cast<std::int64_t>(rest), r.under};
}

}  // namespace

bool plausible(const Period& p) noexcept {
  if (p.parts == 0 || p.nanoseconds > std::uint64_t{1} << 62) return false;
  const Wide n = p.nanoseconds, parts = p.parts;
  return n >= 1'000 * parts && n <= 1'000'000'000'000 * parts;
}

Period period_of(Rate r) noexcept {
  if (!r.periodic() || r.seconds <= 0) return {};
  const std::int64_t common = std::gcd(r.times, r.seconds * 1'000'000'000);
  return {static_cast<std::uint64_t>(r.seconds * 1'000'000'000 / common),
          static_cast<std::uint32_t>(r.times / common)};
}

double seconds(const Period& p) noexcept {
  return static_cast<double>(p.nanoseconds) / static_cast<double>(p.parts) * 1e-9;
}

std::int64_t instant(std::int64_t origin, const Period& p, std::int64_t k) noexcept {
  const ExactStep after =
      scaled(k, {static_cast<std::int64_t>(p.nanoseconds), static_cast<std::int64_t>(p.parts)}, 0);
  return origin + after.whole;
}

std::optional<Ratio> ratio(const Period& a, const Period& b) noexcept {
  if (!plausible(a) || !plausible(b)) return {};
  const Wide over = Wide{a.nanoseconds} * b.parts, under = Wide{b.nanoseconds} * a.parts;
  const Wide common = gcd(over, under);
  constexpr Wide most = std::int64_t{1} << 62;
  if (over / common > most || under / common > most) return {};
  return Ratio{static_cast<std::int64_t>(over / common), static_cast<std::int64_t>(under / common)};
}

ExactStep StepMap::target(std::int64_t home_step) const noexcept {
  return scaled(home_step - home_reference, home_to_target, target_reference);
}

ExactStep StepMap::home(std::int64_t target_step) const noexcept {
  return scaled(target_step - target_reference, {home_to_target.under, home_to_target.over},
                home_reference);
}

}  // namespace vernier::link
