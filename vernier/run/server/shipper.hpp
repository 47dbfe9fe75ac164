#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "vernier/component/pacer.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/realtime/frames.hpp"
#include "vernier/run/server/channel.hpp"
#include "vernier/run/server/messages.hpp"
#include "vernier/run/server/results.hpp"

namespace vernier::server {

/// Sends a composer what one node computes: it observes the node's executive for the composer's
/// observers, and holds time back while the composer does not keep up.
///
/// In a run by the clock it never does: a thread of its own sends. What finds no room on the way to
/// it is dropped and counted; rows and frames first, so that events and copies of the state hardly
/// ever are.
class Shipper final : public Pacer,
                      public executive::OrderJournal,
                      public executive::Keeper,
                      public realtime::FrameSink {
 public:
  Shipper(Channel& to, executive::Executive&);
  ~Shipper() override;

  /// Before the loop of a run by the clock: sends from a thread of its own, which also calls
  /// on_tick. `pacer`: whose waits are part of the frames; null: there are none.
  void keep_time(const realtime::FramePacer* pacer);
  /// Of that thread.
  void prioritize(int priority) noexcept;
  /// Before each loop: makes room, so that nothing is allocated in it. `copies`: keep() will be
  /// called.
  void reserve(bool copies);
  std::uint64_t dropped() const noexcept { return dropped_; }

  void observe(const Tap&);
  void forget(std::uint32_t tap);
  void forget_all();
  /// Sends everything; all before `t` is done. False: the composer is gone.
  bool ship(Time t);
  /// What was not sent is of a past that is repeated.
  void restart(Time now) noexcept;

  /// Called when time has advanced, to answer what was asked meanwhile: everything before this time
  /// was sent.
  std::function<void(Time)> on_tick;

  Outcome wait_for(Time) noexcept override;
  Fault fault() const noexcept override;
  void carried_out(const executive::CarriedOut&) noexcept override;
  void keep(Time) noexcept override;
  void take(const realtime::Frame&, std::span<const std::int64_t> costs) noexcept override;

 private:
  struct Eye final : executive::Observer {
    Eye(Shipper& s, std::uint32_t n) : shipper(s), number(n) {}
    Shipper& shipper;
    std::uint32_t number;
    std::vector<const executive::PortView*> ports;
    std::vector<std::size_t> bytes;
    std::uint32_t total = 0;
    void sample(Instant, bool last) noexcept override;
  };
  struct Ear final : executive::Observer {
    explicit Ear(Shipper& s) : shipper(s) {}
    Shipper& shipper;
    void sample(Instant, bool) noexcept override {}
    void note(std::size_t part, std::span<const Entry>) noexcept override;
  };

  class Courier;
  bool has_room(std::size_t bytes) const noexcept;

  Channel& channel_;
  executive::Executive& executive_;
  Ear ear_{*this};
  std::vector<std::unique_ptr<Eye>> eyes_;
  std::vector<std::byte> batch_;
  ResultWriter writer_{batch_};
  std::chrono::steady_clock::time_point shipped_;
  Time now_{};
  executive::Snapshot kept_;  // its memory is used again
  std::vector<std::byte> share_;
  const realtime::FramePacer* pacer_ = nullptr;
  MeasuredFrame frame_;  // the same
  std::uint64_t dropped_ = 0;
  std::unique_ptr<Courier> courier_;  // null: the loop sends
};

}  // namespace vernier::server
