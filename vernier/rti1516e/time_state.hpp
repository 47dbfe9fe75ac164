#pragma once

#include <algorithm>
#include <limits>

#include "vernier/gateway/federation/time_manager.hpp"

namespace vernier::hla {

using federation::AdvanceKind;
using federation::Stamp;
using federation::TimeKind;

/// Logical time as a federate knows it: by its own requests and the callbacks it has got.
struct TimeState {
  TimeKind kind{};
  bool regulating = false, regulation_pending = false;
  bool constrained = false, constrained_pending = false;
  bool asynchronous = false, advancing = false;
  AdvanceKind how{};
  Stamp time{}, target{};  // target: asked for; while next-message requests run, of what has come
  Stamp lookahead{};       // as asked for
  Stamp promised{};        // no message below this is sent any more

  static bool exclusive(AdvanceKind k) noexcept {
    return k == AdvanceKind::to || k == AdvanceKind::next;
  }
  static bool is_next(AdvanceKind k) noexcept {
    return k == AdvanceKind::next || k == AdvanceKind::next_available;
  }

  /// The least stamp of a message sent at `t`. With lookahead zero, a federate that has asked for
  /// all messages up to t sends later than t only.
  Stamp output(Stamp t) const noexcept {
    const Stamp s = federation::sum(kind, t, lookahead)
                        .value_or(Stamp{std::numeric_limits<std::int64_t>::max()});
    return s == t && exclusive(how) && t.raw < std::numeric_limits<std::int64_t>::max()
               ? Stamp{t.raw + 1}
               : s;
  }
  /// The least stamp a regulating federate may send now.
  Stamp bound() const noexcept { return advancing ? std::max(promised, output(target)) : promised; }

  void ask(AdvanceKind k, Stamp t) noexcept {
    advancing = true;
    how = k;
    target = t;
  }
  /// A message in time stamp order was delivered: the grant of a next-message request will be
  /// there.
  void got(Stamp t) noexcept {
    if (advancing && is_next(how)) target = std::min(target, t);
  }
  void granted(Stamp t) noexcept {
    advancing = false;
    time = t;
    promised = std::max(promised, output(t));
  }
  /// `after`: with lookahead zero it sends later than t only.
  void enabled_regulation(Stamp t, bool after) noexcept {
    regulating = true;
    regulation_pending = false;
    time = std::max(time, t);
    how = after ? AdvanceKind::to : AdvanceKind::to_available;
    promised = output(time);
  }
  void enabled_constrained(Stamp t) noexcept {
    constrained = true;
    constrained_pending = false;
    time = std::max(time, t);
  }
  /// One that shrinks takes effect as time advances.
  void modify(Stamp span) noexcept {
    lookahead = span;
    promised = std::max(promised, output(time));
  }
};

}  // namespace vernier::hla
