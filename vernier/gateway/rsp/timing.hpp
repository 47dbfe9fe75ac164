#pragma once

#include <cstdint>
#include <optional>

#include "vernier/base/time.hpp"
#include "vernier/gateway/link/steps.hpp"

/// When a run begins and when each command is due, in exact arithmetic: equations (9) to (11) of
/// the EPOS paper. Only the step at which the run begins is rounded.
namespace vernier::rsp {

using link::ExactStep;
using link::Period;
using link::Ratio;
using link::StepMap;

/// A fraction of the client's period, 0 to 1, as a ratio: 0.1 is a tenth. Nothing unless it is
/// within 1e-12 of a ratio with a denominator of at most a million.
std::optional<Ratio> forerun(double nu) noexcept;

struct Start {
  std::int64_t client_step = 0;  // n_init,c in the client's count: the state sent in the INIT
  ExactStep mapped;              // the same instant in the server's
  std::int64_t server_step = 0;  // n_init,s: the server is in that state
};

///   (9)   n_init,c = ceil(Δt_init/Δt_c) + now
///   (11)  mapped   = (n_init,c − n_ref_C) Δt_c/Δt_s + n_ref_S
///   (10)  n_init,s = ceil(mapped + (1+ν) Δt_c/Δt_s)
///
/// `steps` has the client as home. Nothing when the numbers are out of range.
std::optional<Start> start_of_run(Duration initial, const Period& client, const Ratio& nu,
                                  const StepMap& steps, std::int64_t now) noexcept;

/// Server steps at which commands are due: τ_k = n_init,s + (k − n_init,c) Δt_c/Δt_s.
class DueTimes {
 public:
  DueTimes() = default;
  DueTimes(const Ratio& client_to_server, std::int64_t client_step,
           std::int64_t server_step) noexcept
      : map_{client_to_server, client_step, server_step} {}

  ExactStep of(std::int64_t k) const noexcept { return map_.target(k); }
  /// The last k that is due at or before server step n.
  std::int64_t last(std::int64_t n) const noexcept { return map_.home(n).floor(); }
  const Ratio& ratio() const noexcept { return map_.home_to_target; }
  /// Delays everything by this many server steps.
  void postpone(std::int64_t steps) noexcept { map_.target_reference += steps; }

 private:
  StepMap map_;
};

/// The server steps from `from` to `to`.
inline double between(const ExactStep& from, const ExactStep& to) noexcept {
  return static_cast<double>(to.whole - from.whole) +
         (static_cast<double>(to.rest) / static_cast<double>(to.under) -
          static_cast<double>(from.rest) / static_cast<double>(from.under));
}
inline ExactStep exactly(std::int64_t n) noexcept { return {n, 0, 1}; }
/// Whether n is at or after `t`.
inline bool reached(const ExactStep& t, std::int64_t n) noexcept { return t.ceil() <= n; }

}  // namespace vernier::rsp
