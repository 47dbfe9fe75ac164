#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/run/executive/executive.hpp"
#include "vernier/run/server/fleet.hpp"

namespace vernier::session {
class Timing;
}

namespace vernier::server {

/// How a run is divided.
struct Team {
  std::vector<Seat> seats;
  composition::Division division;  // by part: the seats that run it
  Begin begin = {};                // what all of them run
  /// Of a run by the clock: the nodes keep time, and say here what became of their frames; else
  /// null.
  session::Timing* timing = nullptr;
};

/// A run in several processes, which looks like one in this process: it starts an executor for each
/// seat, has them run their parts together, and shows their results to its observers in the order
/// of time. Results, events and checkpoints are those of one process, to the bit.
///
/// When a node is lost, the others return to the last copy of the state that is complete, one of
/// them takes over its parts, and the run continues; another executor is started in its place. When
/// all its parts have replicas on other nodes, these continue as if nothing had happened.
///
/// request_stop() and request_freeze() take effect at a tick of the step that all nodes have in
/// common. Values of ports are current while observers are called, and only those that the observer
/// reads.
class Composer final : public executive::Executive {
 public:
  /// Starts the executors. Throws ConfigurationError.
  Composer(composition::Plan, std::vector<Pacer*>, executive::Options, Team);
  ~Composer() override;

  void move(std::string_view part, std::string_view node) override;
  Placement placement() const override;
  void initialize() override;
  void rehearse() override {}
  Diagnostics take_privileges() override;
  void resume() noexcept override;
  executive::Ending run_until(Time) noexcept override;
  void request_freeze(Time) noexcept override;
  void request_stop() noexcept override;
  void write_below(const std::filesystem::path&) override;
  std::vector<std::filesystem::path> files() const override;
  Diagnostic fault() const override;
  void on_every_thread(void (*)(void*) noexcept, void*) noexcept override {}
  void observe(executive::Observer&, const executive::Sampling&) override;
  void remove(executive::Observer&) noexcept override;
  void override_port(std::string_view path, std::span<const double>) override;
  void release(std::string_view path) override;
  void send(std::string_view path) override;
  void carry_out() noexcept override;
  void schedule(const std::vector<executive::ScheduledOrder>&) override;
  executive::Snapshot save() const override;
  void restore(const executive::Snapshot&) override;
  const executive::Statistics& statistics() const noexcept override;

 private:
  class Work;
  class Nobody;
  friend class Work;
  Composer(composition::Plan, std::vector<Pacer*>, executive::Options, Team,
           std::unique_ptr<Nobody>);
  executive::OrderAnswer done(const executive::Order&);

  std::unique_ptr<Nobody> nobody_;  // Executive's exchange
  std::unique_ptr<Work> work_;
};

/// Why a part cannot return to an earlier state, so that a run with it does not survive the loss of
/// a node; null: it can.
const char* why_it_stays(const Component&) noexcept;

}  // namespace vernier::server
