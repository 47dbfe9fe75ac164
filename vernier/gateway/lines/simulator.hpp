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
  std::string name = "simulator";  // how the run calls it, in messages
  net::Address address = {"127.0.0.1", "4711"};
  bool listen = true;                          // else connect
  std::chrono::milliseconds timeout{10'000};   // for each answer
  std::chrono::milliseconds patience{30'000};  // for the other side to come
  bool rollback = true;                        // use SAVE and RESTORE where offered
  bool early = false;                          // the other side may stop at its own events
  bool react = false;                          // ask at every instant whether it jumps
  Rate rate = {};
  std::function<void(const std::string&)> notice = {};  // told once what is being waited for
};

/// A simulator in another program, joined by the line protocol (formats/lines): Vernier is in
/// charge of time, tells it how far to go and waits for the answer. By nature this component waits
/// in advance(), at most the time-out; it is not for hard real time.
///
/// Its outputs are those of the end of its last step. Those declared as feedthrough are asked for
/// again in output() with the inputs of that instant.
///
/// A simulator that answers OK to SAVE rewinds. One that answers ERROR cannot: when a step is cut
/// short by someone else's event, its inputs stay held for the whole of that step and its outputs
/// wait until the run has caught up; the outcome is then `held`, and the journal says so once.
///
/// The connection is made in initialize(), so that checking a composition talks to nobody.
/// Everything that can go wrong has a code of its own, V5101 to V5116.
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

  /// Whether the other side said that it can save and restore; after initialize().
  bool rolls_back() const noexcept { return rolls_back_; }
  /// The address that is listened at, with the port that was free; after open().
  std::string address() const;
  /// Begins to listen, if that is its part. initialize() does so otherwise.
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
  /// Sends what is composed and reads an answer "DONE t v… [EVENT label…]" into ahead_.
  Answer exchange(Verb request) noexcept;
  /// Sends what is composed and reads OK (true) or ERROR (refused).
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

  // where the other side is, and what it said there; not part of the state
  Time peer_time_{};
  std::vector<double> ahead_;
  std::vector<std::int64_t> ahead_events_;
  bool waiting_ = false;  // the run has not caught up with peer_time_
  bool told_ = false;

  std::vector<double> inputs_, scratch_;
  std::vector<std::int64_t> news_;

  // the state
  Time now_{};
  // of all lines exchanged so far: a deterministic simulator is in the same state after the same
  // lines, so this names its state in SAVE and RESTORE
  std::uint64_t history_ = 0;
  std::vector<double> outputs_;
  std::vector<std::int64_t> emitted_;  // counts of the event outputs
  std::vector<std::int64_t> sent_;     // counts of the event inputs that were passed on
};

}  // namespace vernier::lines
