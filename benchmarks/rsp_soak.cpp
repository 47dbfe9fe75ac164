// Long trials of RSP in virtual time: 10000 random experiments and 12 hours of operation with
// failures; prints the results and exits with 1 at the first problem.
// usage: rsp_soak [EXPERIMENTS [HOURS [SEED]]]
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "vernier/gateway/rsp/trials.hpp"

using namespace vernier::rsp;

namespace {

void print(const TrialResult& r) {
  std::printf(
      "  %lld steps, %lld runs, %lld refused, %lld segments, %lld ends looked at, all exact\n",
      static_cast<long long>(r.steps), static_cast<long long>(r.runs),
      static_cast<long long>(r.refused), static_cast<long long>(r.segments),
      static_cast<long long>(r.exact_ends));
  std::printf(
      "  %lld extrapolated, %lld rejoined, %lld late, %lld early, %lld doubled, %lld rejected\n",
      static_cast<long long>(r.extrapolated), static_cast<long long>(r.rejoined),
      static_cast<long long>(r.late), static_cast<long long>(r.early),
      static_cast<long long>(r.duplicates), static_cast<long long>(r.rejected));
  std::printf(
      "  of the limits were used: speed %.4f, acceleration %.4f, jerk %.4f; angular %.4f, %.4f, "
      "%.4f\n",
      r.used.speed, r.used.acceleration, r.used.jerk, r.used.rate, r.used.angular_acceleration,
      r.used.angular_jerk);
}

/// The processor time of a server step, in random experiments.
void cost(long experiments, std::uint64_t seed) {
  std::vector<double> all;
  double worst = 0.0;
  for (long k = 0; k < experiments; ++k) {
    const TrialResult r = random_trial(seed + static_cast<std::uint64_t>(k), &all);
    static_cast<void>(r);
  }
  if (all.empty()) return;
  std::sort(all.begin(), all.end());
  worst = all.back();
  const auto quantile = [&](double p) {
    return all[static_cast<std::size_t>(p * static_cast<double>(all.size() - 1))] * 1e6;
  };
  std::printf(
      "a step of the server, processor time: p50 %.1f us, p99 %.1f us, p99.99 %.1f us, most %.1f "
      "us\n",
      quantile(0.5), quantile(0.99), quantile(0.9999), worst * 1e6);
}

long memory() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
  const long experiments = argc > 1 ? std::atol(argv[1]) : 10000;
  const double hours = argc > 2 ? std::atof(argv[2]) : 12.0;
  const auto seed = static_cast<std::uint64_t>(argc > 3 ? std::atol(argv[3]) : 1);
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  int bad = 0;
  TrialResult all;
  const auto larger = [](double& a, double b) { a = std::max(a, b); };
  for (long k = 0; k < experiments; ++k) {
    const TrialResult r = random_trial(seed + static_cast<std::uint64_t>(k));
    if (!r.problem.empty()) {
      ++bad;
      if (bad <= 10)
        std::printf("experiment %ld: %s\n", static_cast<long>(seed) + k, r.problem.c_str());
    }
    all.steps += r.steps, all.runs += r.runs, all.refused += r.refused, all.segments += r.segments;
    all.exact_ends += r.exact_ends, all.extrapolated += r.extrapolated, all.late += r.late;
    all.rejoined += r.rejoined, all.early += r.early, all.duplicates += r.duplicates;
    all.rejected += r.rejected;
    larger(all.used.speed, r.used.speed), larger(all.used.acceleration, r.used.acceleration);
    larger(all.used.jerk, r.used.jerk), larger(all.used.rate, r.used.rate);
    larger(all.used.angular_acceleration, r.used.angular_acceleration);
    larger(all.used.angular_jerk, r.used.angular_jerk);
  }
  std::printf("%ld random experiments, %d with a problem, in %.1f s\n", experiments, bad,
              seconds());
  print(all);
  cost(std::min(experiments, 100L), seed);
  if (hours > 0.0) {
    const TrialResult warm = operation(seed, std::min(0.2, hours));
    const long before = memory();
    const TrialResult r = operation(seed + 1, hours);
    std::printf("%.1f h of operation with mishaps, after %.1f s: %s\n", hours, seconds(),
                r.problem.empty() ? "no problem" : r.problem.c_str());
    print(r);
    std::printf("  memory grew by %ld kB\n", memory() - before);
    if (!r.problem.empty() || !warm.problem.empty()) ++bad;
  }
  return bad == 0 ? 0 : 1;
}
