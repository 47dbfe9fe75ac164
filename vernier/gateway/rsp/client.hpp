#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vernier/gateway/rsp/facility_server.hpp"

namespace vernier::rsp {

enum class ClientState : std::uint8_t {
  offline,   // the facility is not there
  waiting,   // for it to be ready
  asking,    // for a run
  counting,  // down to its beginning
  running,   // commands go out
  stopping   // the facility comes to rest
};
std::string_view name(ClientState) noexcept;

struct ClientSettings {
  Period period;  // of the client's steps
  std::uint32_t bodies = 1;
  bool accelerations = false;                   // are sent too
  Ratio nu = {1, 2};                            // forerun, of a period
  Duration initial = std::chrono::seconds(30);  // for the way to the initial state
  Duration duration = Duration::zero();         // of the run; 0: until it is stopped
  double answer = 2.0;                          // s that a server has to answer an initialization
  double again = 1.0;                           // s after a refusal, to ask again
  double rest = 10.0;                           // s that it has to come to rest
};

/// What the simulation says in a step.
struct Simulation {
  States states;      // where the bodies shall be
  bool start = true;  // a run is wanted as soon as the facility is ready
  bool stop = false;  // and is to end
};

/// Since the client was made.
struct ClientCounters {
  std::int64_t runs = 0;       // that began
  std::int64_t refused = 0;    // initializations that were refused or not answered
  std::int64_t commands = 0;   // sent
  std::int64_t malformed = 0;  // vectors that came and are not packets
};

/// What the server says, newest.
struct Remote {
  ServerState state = ServerState::idle;
  double forerun = 0.0;  // s
  std::int64_t extrapolated = 0, late = 0, rejected = 0;
  std::int64_t step = 0;
};

/// The simulator's side of RSP: asks for a run, says when the simulation begins, and sends its
/// states. Knows no socket, thread or clock. After construction nothing allocates.
///
/// In every step: begin(), then send() with the states of that step. While simulating() the model
/// goes on from the step to the next; else it stands still in its initial state.
class Client {
 public:
  struct Note {
    enum class Kind : std::uint8_t { state, refused, unanswered, ended, fault } kind;
    std::int32_t from = 0, to = 0, item = 0;
    double values[2] = {0.0, 0.0};
  };

  /// Throws ConfigurationError (V5151) for settings that cannot be.
  explicit Client(ClientSettings);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Step n begins: takes what came.
  void begin(std::int64_t n, Transport&) noexcept;
  /// Sends what is to be sent in this step.
  void send(Transport&, const Simulation&) noexcept;

  ClientState state() const noexcept { return state_; }
  bool simulating() const noexcept { return simulating_; }
  std::int64_t run() const noexcept { return run_; }
  const Start& start() const noexcept { return start_; }
  States measured() const noexcept { return measured_; }
  const Remote& remote() const noexcept { return remote_; }
  const ClientCounters& counters() const noexcept { return counters_; }
  std::span<const Note> notes() const noexcept { return {notes_.data(), noted_}; }

 private:
  void take(const Packet&) noexcept;
  void leave(ClientState) noexcept;
  void change(ClientState) noexcept;
  void note(const Note&) noexcept;
  bool prepare(Transport&, const Simulation&) noexcept;
  bool since(std::int64_t step, double seconds) const noexcept {
    return static_cast<double>(n_ - step) * dt_ >= seconds;
  }
  bool active() const noexcept {
    return state_ == ClientState::counting || state_ == ClientState::running ||
           state_ == ClientState::stopping;
  }

  ClientSettings settings_;
  double dt_;
  ClientState state_ = ClientState::offline;
  bool simulating_ = false;
  bool up_ = false, ready_ = false, spent_ = false;
  std::uint32_t session_ = 0;
  std::int64_t n_ = 0, run_ = 0, known_run_ = 0;
  std::int64_t asked_ = 0, stopped_ = 0;  // steps
  bool was_refused_ = false;
  Start start_;
  DueTimes due_;
  Packet in_, out_;
  std::vector<Trajectory> measured_;
  std::vector<double> numbers_;
  Remote remote_;
  ClientCounters counters_;
  std::array<Note, 32> notes_{};
  std::size_t noted_ = 0;
};

}  // namespace vernier::rsp
