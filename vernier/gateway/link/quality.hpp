#pragma once

#include <cstdint>

#include "vernier/base/instructions.hpp"
#include "vernier/gateway/link/messages.hpp"
#include "vernier/gateway/link/steps.hpp"
#include "vernier/net/clock_filter.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::link {

enum class LinkState : std::uint8_t {
  closed,      // no peer
  connecting,  // during the handshake
  up,
  degraded,  // up, but the last ping is unanswered for half of the timeout
  broken     // just lost; closed follows
};
const char* name(LinkState) noexcept;

/// Event counts since the link was created; they never decrease.
struct Counters {
  std::uint64_t sent = 0;         // vectors sent to the network
  std::uint64_t received = 0;     // vectors received
  std::uint64_t replaced = 0;     // vectors replaced by a newer one before they could be sent
  std::uint64_t missed = 0;       // vectors received and replaced before a step took them
  std::uint64_t not_finite = 0;   // vectors with an infinite value or NaN
  std::uint64_t misplaced = 0;    // packets on the wrong connection or at the wrong time: dropped
  std::uint64_t unknown = 0;      // packets of an unknown type or channel: dropped
  std::uint64_t gaps = 0;         // sequence numbers that were not consecutive
  std::uint64_t unasked = 0;      // delay returns and ping returns without a request: dropped
  std::uint64_t ups = 0;          // how often the link came up
  std::uint64_t losses = 0;       // how often it was lost without BYE
  std::uint64_t timeouts = 0;     // of them, because the peer was silent
  std::uint64_t bad_frames = 0;   // of them, because of a malformed frame
  std::uint64_t refused = 0;      // handshakes that failed
  std::uint64_t turned_away = 0;  // connections closed without a reason sent: too many, or too slow
};

struct DelaySummary {
  std::uint64_t count = 0;
  double last = 0.0, recent_mean = 0.0, mean = 0.0;  // s; recent: the last twenty
  double least = 0.0, p50 = 0.0, p99 = 0.0, most = 0.0;
};

/// Everything known about a link at one moment; a plain value, passed by mailbox.
struct Quality {
  LinkState state = LinkState::closed;
  std::uint32_t session = 0;
  std::int64_t at = 0;  // home time
  Period peer_period;
  StepMap steps;
  bool steps_known = false;          // a reference was received in this session
  bool steps_stale = true;           // none for a second
  std::int64_t reference_start = 0;  // planned start of the reference's step, target time
  net::ClockEstimate clock;
  std::int64_t offset = 0;       // ns, slewed; used for the delays
  std::int64_t mean_offset = 0;  // ns, the average of the EPOS paper
  bool clock_stale = true;
  bool clock_refuted = false;  // the convex hulls prove the estimate wrong
  double round_trip = 0.0;     // s, of the last delay exchange
  double ping_age = 0.0;       // s since the last ping return
  DelaySummary send_to_receive, acquisition_to_output, dead_time;
  Counters counters;
  net::Endpoint peer;  // of the current link, or of the last one
  bool computing_known = false;
  Computing peer_computing;    // as its build tells
  std::uint64_t refusals = 0;  // attempts of others to connect that this side did not accept
  Reason last_refusal = Reason::closing;
  net::Endpoint last_refused;             // who it was
  Reason last_trouble = Reason::closing;  // why the link was last lost or refused; see troubles
  bool last_trouble_theirs = false;       // reported by the peer
  std::uint64_t troubles = 0;             // how often
  bool peer_reported = false;             // the two below were received
  ClockReport peer_clock;
  StatsReport peer_stats;

  /// The target's step at home time `t`, as a real number; more accurate than `steps`, since the
  /// travel time is removed. Requires steps_known and clock.ready.
  double target_step_at(std::int64_t t) const noexcept;
};

}  // namespace vernier::link
