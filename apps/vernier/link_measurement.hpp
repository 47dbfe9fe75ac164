#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "vernier/gateway/link/delays.hpp"
#include "vernier/gateway/link/impairment.hpp"
#include "vernier/gateway/link/link.hpp"

/// A link that is up and does nothing but measure itself: `vernier link test`.
namespace vernier::app {

struct LinkTest {
  link::Settings home;                  // this side
  std::optional<link::Settings> other;  // played here too
  std::optional<link::ImpairmentPlan> impairment;
  bool packets = false;  // with `other`: over a network of packets, where privileges allow it
  double seconds = 60.0, patience = 5.0;
};

struct LinkFindings {
  link::Status status;
  link::DelayFigure round_trip;
  double measured = 0.0;  // s
  std::int64_t steps = 0, late = 0;
  bool farewell = false;         // the other side ended the test
  bool expected_losses = false;  // the impairment makes the link break
  std::string network;           // what the packets went through; empty: the network there is
  std::optional<std::string> fallback;  // why not through a network of packets
  std::uint64_t packets_lost = 0, packets_overtaken = 0;
};

/// Told once when the link is up, and then a few times a second.
struct LinkWatcher {
  virtual ~LinkWatcher() = default;
  virtual void up(const link::Status&) = 0;
  virtual void goes(double measured, const link::Quality&) = 0;
};

/// Waits for the other side, then measures. Throws ConfigurationError: V5121 cannot listen, V5122,
/// V5142 the other side did not come or does not fit. `stop` ends it early.
LinkFindings measure_link(const LinkTest&, const std::atomic<bool>& stop, LinkWatcher&);

/// As a table for people, and as one JSON object.
std::string findings_text(const LinkFindings&);
std::string findings_json(const LinkFindings&, int exit_status);

}  // namespace vernier::app
