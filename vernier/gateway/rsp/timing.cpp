#include "vernier/gateway/rsp/timing.hpp"

#include <cmath>
#include <numeric>

namespace vernier::rsp {

__extension__ using Wide = __int128;

std::optional<Ratio> forerun(double nu) noexcept {
  if (!(nu >= 0.0 && nu <= 1.0)) return {};
  constexpr std::int64_t parts = 1'000'000;
  const std::int64_t n = std::llround(nu * static_cast<double>(parts));
  if (std::abs(static_cast<double>(n) / parts - nu) > 1e-12) return {};
  const std::int64_t common = std::gcd(n, parts);
  return Ratio{n / common, parts / common};
}

std::optional<Start> start_of_run(Duration initial, const Period& client, const Ratio& nu,
                                  const StepMap& steps, std::int64_t now) noexcept {
  if (!plausible(client) || initial.count() < 0 || nu.under < 1 || nu.under > 1'000'000) return {};
  // (9): periods of nanoseconds/parts
  const Wide span = Wide{initial.count()} * client.parts, period = client.nanoseconds;
  const Wide needed = (span + period - 1) / period;
  constexpr std::int64_t most = std::int64_t{1} << 50;
  if (needed > most || now > most || now < -most) return {};
  Start s;
  s.client_step = now + static_cast<std::int64_t>(needed);
  s.mapped = steps.target(s.client_step);
  // (10): rest/under + (1+ν) over/under, with a common denominator
  const Ratio& r = steps.home_to_target;
  const Wide under = Wide{r.under} * nu.under;
  if (s.mapped.under != r.under || r.over > most || r.under > most) return {};
  const Wide sum = Wide{s.mapped.rest} * nu.under + Wide{nu.under + nu.over} * r.over;
  const Wide up = (sum + under - 1) / under;
  if (up > most || s.mapped.whole > most || s.mapped.whole < -most) return {};
  s.server_step = s.mapped.whole + static_cast<std::int64_t>(up);
  return s;
}

}  // namespace vernier::rsp
