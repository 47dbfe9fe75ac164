#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "vernier/gateway/link/delays.hpp"
#include "vernier/gateway/link/impairment.hpp"
#include "vernier/gateway/link/link.hpp"

/// A link that only measures itself: `vernier link test`.
namespace vernier::app {

struct LinkTest {
  link::Settings home;                  // this side
  std::optional<link::Settings> other;  // the peer, if simulated here
  std::optional<link::ImpairmentPlan> impairment;
  bool packets = false;  // with `other`: over a packet network, if the privileges permit it
  double seconds = 60.0, patience = 5.0;
};

struct LinkFindings {
  link::Status status;
  link::DelayFigure round_trip;
  double measured = 0.0;  // s
  std::int64_t steps = 0, late = 0;
  bool farewell = false;                // the peer ended the test
  bool expected_losses = false;         // the impairment breaks the link
  std::string network;                  // the simulated network; empty: the real one
  std::optional<std::string> fallback;  // why there is no packet network
  std::uint64_t packets_lost = 0, packets_overtaken = 0;
};

/// Called once when the link is up, and then a few times per second.
struct LinkWatcher {
  virtual ~LinkWatcher() = default;
  virtual void up(const link::Status&) = 0;
  virtual void goes(double measured, const link::Quality&) = 0;
};

/// Waits for the peer, then measures. Throws ConfigurationError: V5121 cannot listen, V5122, V5142
/// the peer did not connect or does not fit. `stop` ends it early.
LinkFindings measure_link(const LinkTest&, const std::atomic<bool>& stop, LinkWatcher&);

/// As a table, and as one JSON object.
std::string findings_text(const LinkFindings&);
std::string findings_json(const LinkFindings&, int exit_status);

}  // namespace vernier::app
