#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/gateway/channel/ports.hpp"
#include "vernier/gateway/lines/protocol.hpp"
#include "vernier/net/line_stream.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::lines {

struct SimulatorSettings {
  std::string name = "simulator";  // the instance name in the run, for messages
  net::Address address = {"127.0.0.1", "4711"};
  bool listen = true;                          // else connect
  std::chrono::milliseconds timeout{10'000};   // for each answer
  std::chrono::milliseconds patience{30'000};  // for the peer to connect
  bool rollback = true;                        // use SAVE and RESTORE where offered
  bool early = false;                          // the peer may stop at its own events
  bool react = false;  // ask the peer at every instant whether its state jumps
  Rate rate = {};
  std::function<void(const std::string&)> notice = {};  // called once before waiting
};

/// A simulator in another program, connected by the line protocol (formats/lines): Vernier controls
/// time, tells it how far to advance and waits for the answer. This component therefore waits in
/// advance(), at most for the timeout; do not use it for hard real time.
///
/// Its outputs are those of the end of its last step. Outputs declared as feedthrough are requested
/// again in output() with the inputs of that instant.
///
/// A simulator that answers OK to SAVE rewinds. One that answers ERROR cannot: when another
/// component's event cuts a step short, its inputs stay constant for the whole step and its outputs
/// wait until the run has caught up; the outcome is then `held`, with one entry in the journal.
///
/// It connects in initialize(), so that checking a composition contacts no one. Every failure has
/// its own code, V5101 to V5116.
class Simulator final : public Component {
 public:
  /// Throws ConfigurationError when the channels do not fit into a line.
  Simulator(channel::Channels, SimulatorSettings);
  ~Simulator() override;

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;

  Outcome output(Instant) noexcept override;
  Outcome react(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;

  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

  Telling tell(const Entry&) const override;
  const Fault& fault() const noexcept override { return fault_; }

  /// Whether the peer can save and restore; after initialize().
  bool rolls_back() const noexcept { return rolls_back_; }
  /// The listening address with the port actually used; after open().
  std::string address() const;
  /// Begins to listen, if this side listens. initialize() does so otherwise.
  void open();

 private:
  struct Answer {
    bool good = false;
    Verb verb = Verb::error;
    Time time{};
  };

  void join();
  void greet();
  std::string ask(Verb wanted, std::string_view what);
  bool breaks(net::Trouble, const char* what) const noexcept;
  bool breaks(const char* code, const char* text) const noexcept;
  void report(const Moment&, const char* what) const noexcept;
  /// Sends the composed lines and reads an answer "DONE t v… [EVENT label…]" into ahead_.
  Answer exchange(Verb request) noexcept;
  /// Sends the composed lines and reads OK (true) or ERROR (refused).
  bool confirmed(Verb request, bool& refused) const noexcept;
  void compose_values(Verb, Time) noexcept;
  void compose_events() noexcept;
  void show_ahead() noexcept;

  channel::Channels channels_;
  SimulatorSettings settings_;
  Description description_;
  channel::Ports ports_;
  Journal* journal_ = nullptr;

  Descriptor listener_;
  mutable std::unique_ptr<net::LineStream> connection_;
  mutable Composer composer_;
  mutable Fault fault_;
  mutable bool broken_ = false;
  bool rolls_back_ = false;

  // the peer's time, and its answer there; not part of the state
  Time peer_time_{};
  std::vector<double> ahead_;
  std::vector<std::int64_t> ahead_events_;
  bool waiting_ = false;  // the run has not caught up with peer_time_
  bool told_ = false;

  std::vector<double> inputs_, scratch_;
  std::vector<std::int64_t> news_;

  // the state
  Time now_{};
  // hash of all lines exchanged so far: a deterministic simulator is in the same state after the
  // same
  // lines, so this identifies its state in SAVE and RESTORE
  std::uint64_t history_ = 0;
  std::vector<double> outputs_;
  std::vector<std::int64_t> emitted_;  // counts of the event outputs
  std::vector<std::int64_t> sent_;     // counts of the event inputs already sent
};

}  // namespace vernier::lines
