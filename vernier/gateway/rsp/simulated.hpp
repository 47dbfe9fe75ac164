#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "vernier/base/random.hpp"
#include "vernier/gateway/rsp/client.hpp"
#include "vernier/gateway/rsp/facility_server.hpp"

/// Both sides of RSP in virtual time over an impaired channel, for tests and long trials. Hours
/// take seconds, and the same seed gives the same run.
namespace vernier::rsp {

/// The impairment of the vectors in one direction.
struct Impairment {
  double delay = 0.0, jitter = 0.0;   // s: of every vector, and up to this much more
  double loss = 0.0, doubled = 0.0;   // shares
  double slow = 0.0, slowness = 0.0;  // fraction that arrives up to `slowness` s later
  double garbage = 0.0;               // fraction that is followed by garbage
  bool ordered = false;               // as over TCP; else a later one may overtake
};

/// One end of the channel.
class SimulatedEnd final : public Transport {
 public:
  SimulatedEnd(std::size_t room, std::size_t other_room, std::uint64_t seed);
  void connect(SimulatedEnd& other, const Ratio& home_to_target) noexcept;

  Impairment impairment;   // of what this end sends
  bool references = true;  // this end reports its steps

  /// This end begins step n at `now`, s.
  void step(std::int64_t n, double now) noexcept;
  void come_up(std::uint32_t session) noexcept;
  void go_down() noexcept;

  bool up() const noexcept override { return up_; }
  std::uint32_t session() const noexcept override { return session_; }
  const link::StepMap* steps() const noexcept override;
  Vector next() noexcept override;
  std::size_t room() const noexcept override { return room_; }
  void send(std::span<const double>) noexcept override;

  /// Delivers a vector to the other end, as if this one had sent it.
  void inject(std::span<const double>, double at);

 private:
  struct Waiting {
    double at = 0.0;
    std::uint64_t number = 0;
    std::vector<double> numbers;
  };
  struct Reference {
    double at;
    std::int64_t step;
  };
  double drawn() noexcept;
  void deliver(std::span<const double>, double at);

  std::size_t room_;
  Random random_;
  SimulatedEnd* other_ = nullptr;
  bool up_ = false;
  std::uint32_t session_ = 0;
  double now_ = 0.0, last_ = 0.0, heard_ = -1.0;
  std::int64_t n_ = 0;
  std::uint64_t number_ = 0;
  link::StepMap map_;
  std::vector<Waiting> waiting_;
  std::vector<Reference> told_;
  std::vector<double> taken_;
};

/// A facility that follows immediately, a simulation, and everything between them.
class Experiment {
 public:
  struct Settings {
    ServerSettings server;
    ClientSettings client;
    /// The states of the bodies t seconds after the start of the run; before it, those of t = 0.
    std::function<void(double t, std::span<Trajectory>)> motion;
    double skew = 0.0;      // of the client's clock, s/s: its steps are late by it
    double phase = 0.0137;  // s from the server's first step to the client's
    std::uint64_t seed = 1;
  };
  explicit Experiment(Settings);

  FacilityServer& server() noexcept { return *server_; }
  Client& client() noexcept { return *client_; }
  SimulatedEnd& server_end() noexcept { return *server_end_; }
  SimulatedEnd& client_end() noexcept { return *client_end_; }

  /// If given, receives the processor time of every server step, s.
  std::vector<double>* server_costs = nullptr;
  /// Called after each step of a side.
  std::function<void()> after_server = {}, after_client = {};
  bool start = true, stop = false;              // requests of the simulation
  bool ready = true, fault = false;             // the facility's
  bool client_runs = true, server_runs = true;  // a suspended process does no steps

  /// Advances the simulation.
  void run(double seconds);
  double now() const noexcept { return now_; }
  std::int64_t server_step() const noexcept { return server_step_; }
  std::int64_t client_step() const noexcept { return client_step_; }
  double simulated() const noexcept { return simulated_; }

  void cut() noexcept;
  void join() noexcept;
  /// Replaces the client by a new one without state; the link is established anew.
  void replace_client();
  void replace_server();

 private:
  void server_turn();
  void client_turn();

  Settings settings_;
  std::unique_ptr<FacilityServer> server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<SimulatedEnd> server_end_, client_end_;
  std::vector<Trajectory> states_, facility_;
  double now_ = 0.0, simulated_ = 0.0;
  std::int64_t server_step_ = -1, client_step_ = -1, server_turns_ = 0, client_turns_ = 0;
  std::uint32_t session_ = 0;
  double server_dt_, client_dt_;
};

}  // namespace vernier::rsp
