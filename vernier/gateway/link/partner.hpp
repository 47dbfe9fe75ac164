#pragma once

#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/gateway/channel/ports.hpp"
#include "vernier/gateway/link/link.hpp"
#include "vernier/gateway/link/plan.hpp"
#include "vernier/gateway/link/server_time.hpp"
#include "vernier/gateway/link/signals.hpp"

namespace vernier::link {

struct PartnerSettings {
  Settings link;  // sizes and period are filled in from the channels and the rate
  Rate rate = {250, 1};
  std::chrono::milliseconds patience{0};  // for the peer to connect at the start; 0: does not wait
  bool stop_when_lost = false;            // else the last vector is held
  bool follow = false;  // a client's run follows the server's clock; ignored by a server
  std::function<void(const std::string&)> notice = {};  // called before waiting
};

/// The peer of a link as a component, in a run against the wall clock: its inputs are sent as one
/// vector in each step, its outputs are the newest vector received. While nothing is received they
/// hold, the outcome is `held`, and link.stale is set.
///
/// In addition to the channels of the document it has the outputs
///
///   link.state                  0 closed, 1 connecting, 2 up, 3 degraded, 4 broken
///   link.stale                  the vector is old
///   link.age                s   since the vector was received
///   link.send_to_receive, link.acquisition_to_output, link.dead_time   s   mean of the last 20
///   link.last.send_to_receive, …   s   the last
///   link.offset, link.offset_deviation   s    home minus target clock, as estimated
///   link.skew, link.skew_deviation       1
///   link.mean_offset        s   the plain average, for comparison
///   link.target_step            the peer's current step
///   link.sent, link.received, link.replaced, link.missed, link.not_finite, link.losses,
///   link.rejected               counts
///
/// It listens and connects only from initialize() on, so that checking a composition opens nothing.
class Partner final : public Component, public TimeBaseSource, public ThreadOwner {
 public:
  /// Throws ConfigurationError (V5122). Opens nothing.
  Partner(channel::Channels, PartnerSettings);
  ~Partner() override;

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;

  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;

  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

  Telling tell(const Entry&) const override;
  const Fault& fault() const noexcept override { return fault_; }

  TimeBase* time_base() override;
  void set_priority(int p) noexcept override { link_.set_priority(p); }

  /// For addresses, status and tests.
  Link& link() noexcept { return link_; }

 private:
  void begin_step(Time) noexcept;
  void take(const Received&) noexcept;

  channel::Channels channels_;
  PartnerSettings settings_;
  Link link_;
  StepPlan plan_;
  ServerTime server_time_;
  Description description_;
  channel::Ports ports_;
  Signals signals_;
  Fault fault_;

  std::vector<double> out_, in_;
  std::vector<std::int8_t> signed_out_, signed_in_;
  std::vector<std::uint8_t> unsigned_out_, unsigned_in_;
  bool is_stale_ = true;
  Time now_{};
  std::uint64_t losses_before_ = 0;
};

}  // namespace vernier::link
