#pragma once

#include <cstdint>

#include "vernier/gateway/link/clock.hpp"
#include "vernier/gateway/link/messages.hpp"
#include "vernier/gateway/link/steps.hpp"

namespace vernier::link {

enum class LinkState : std::uint8_t {
  closed,      // nobody is there
  connecting,  // the handshake is going on
  up,
  degraded,  // up, but the last ping has been without answer for half of the time-out
  broken     // just lost; closed follows
};
const char* name(LinkState) noexcept;

/// How often things happened since the link was made; they never go back.
struct Counters {
  std::uint64_t sent = 0;         // vectors that went to the network
  std::uint64_t received = 0;     // vectors that came
  std::uint64_t replaced = 0;     // vectors that a newer one replaced before they could be sent
  std::uint64_t missed = 0;       // vectors that came and were replaced before a step took them
  std::uint64_t not_finite = 0;   // vectors with a value that is infinite or not a number
  std::uint64_t misplaced = 0;    // packets on the wrong connection, or at the wrong time: dropped
  std::uint64_t unknown = 0;      // packets of a type or channel not known: dropped
  std::uint64_t gaps = 0;         // sequence numbers that did not follow
  std::uint64_t unasked = 0;      // delay returns and ping returns that nobody asked for: dropped
  std::uint64_t ups = 0;          // times that the link came up
  std::uint64_t losses = 0;       // times that it was lost without BYE
  std::uint64_t timeouts = 0;     // of them, because the other side was silent
  std::uint64_t bad_frames = 0;   // of them, because something came that is not a frame
  std::uint64_t refused = 0;      // handshakes that came to nothing
  std::uint64_t turned_away = 0;  // connections closed without a word: too many, or too slow
};

struct DelaySummary {
  std::uint64_t count = 0;
  double last = 0.0, recent_mean = 0.0, mean = 0.0;  // s; recent: the last twenty
  double least = 0.0, p50 = 0.0, p99 = 0.0, most = 0.0;
};

/// Everything that can be known of a link at one moment; a plain value, passed by mailbox.
struct Quality {
  LinkState state = LinkState::closed;
  std::uint32_t session = 0;
  std::int64_t at = 0;  // home time
  Period peer_period;
  StepMap steps;
  bool steps_known = false;          // a reference came in this session
  bool steps_stale = true;           // none for a second
  std::int64_t reference_start = 0;  // target time at which the reference's step was to begin
  ClockEstimate clock;
  std::int64_t offset = 0;       // ns, slewed; what the delays are computed with
  std::int64_t mean_offset = 0;  // ns, the paper's average
  bool clock_stale = true;
  bool clock_refuted = false;  // the convex hulls prove the estimate wrong
  double round_trip = 0.0;     // s, of the last delay exchange
  double ping_age = 0.0;       // s since the last answered ping was answered
  DelaySummary send_to_receive, acquisition_to_output, dead_time;
  Counters counters;
  Reason last_trouble = Reason::closing;  // why the link was lost or refused last; see troubles
  bool last_trouble_theirs = false;       // the other side said so
  std::uint64_t troubles = 0;             // how often that was
  bool peer_reported = false;             // the two below came
  ClockReport peer_clock;
  StatsReport peer_stats;

  /// The target's step at home time `t`, as a real number; better than `steps`, since the travel
  /// time is taken out. Needs steps_known and clock.ready.
  double target_step_at(std::int64_t t) const noexcept;
};

}  // namespace vernier::link
