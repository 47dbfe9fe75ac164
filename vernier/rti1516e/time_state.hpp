#pragma once

#include <algorithm>
#include <limits>

#include "vernier/gateway/federation/time_manager.hpp"

namespace vernier::hla {

using federation::AdvanceKind;
using federation::Stamp;
using federation::TimeKind;

/// Logical time as the federate knows it, from its own requests and the callbacks delivered to it
/// (IEEE 1516.1-2010, section 8).
struct TimeState {
  TimeKind kind{};
  bool regulating = false, regulation_pending = false;
  bool constrained = false, constrained_pending = false;
  bool asynchronous = false, advancing = false;
  AdvanceKind how{};
  Stamp time{}, target{};  // target: requested; next-message requests lower it to a message's stamp
  Stamp lookahead{};       // as requested
  Stamp promised{};        // no later message has a stamp below this

  static bool exclusive(AdvanceKind k) noexcept {
    return k == AdvanceKind::to || k == AdvanceKind::next;
  }
  static bool is_next(AdvanceKind k) noexcept {
    return k == AdvanceKind::next || k == AdvanceKind::next_available;
  }

  /// The least stamp of a message sent at `t`. With zero lookahead, a federate that advanced by
  /// Time Advance Request or Next Message Request (8.8, 8.10) has received all messages up to t, so
  /// its own must lie after t; the two "Available" services (8.9, 8.11) allow t itself.
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
  /// A message in time stamp order was delivered: a next-message request is granted its time.
  void got(Stamp t) noexcept {
    if (advancing && is_next(how)) target = std::min(target, t);
  }
  void granted(Stamp t) noexcept {
    advancing = false;
    time = t;
    promised = std::max(promised, output(t));
  }
  /// `after`: with zero lookahead, messages must lie after t.
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
  /// A shorter lookahead takes effect only as time advances (8.19): earlier promises remain.
  void modify(Stamp span) noexcept {
    lookahead = span;
    promised = std::max(promised, output(time));
  }
};

}  // namespace vernier::hla
