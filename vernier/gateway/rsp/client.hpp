#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vernier/gateway/rsp/facility_server.hpp"

namespace vernier::rsp {

enum class ClientState : std::uint8_t {
  offline,   // no facility
  waiting,   // until it is ready
  asking,    // has requested a run
  counting,  // to its beginning
  running,   // sends commands
  stopping   // until the facility is at rest
};
std::string_view name(ClientState) noexcept;

struct ClientSettings {
  Period period;  // of the client's steps
  std::uint32_t bodies = 1;
  bool accelerations = false;                   // whether they are sent too
  Ratio nu = {1, 2};                            // forerun ν, as a fraction of a period
  Duration initial = std::chrono::seconds(30);  // to move to the initial state
  Duration duration = Duration::zero();         // of the run; 0: until stopped
  double answer = 2.0;                          // s, for the server to answer an initialization
  double again = 1.0;                           // s after a refusal before the next request
  double rest = 10.0;                           // s, for the facility to come to rest
};

/// The simulation's data for one step.
struct Simulation {
  States states;      // commanded states of the bodies
  bool start = true;  // start a run as soon as the facility is ready
  bool stop = false;  // end it
};

/// Counts since the client was created.
struct ClientCounters {
  std::int64_t runs = 0;       // runs that began
  std::int64_t refused = 0;    // initializations refused or not answered
  std::int64_t commands = 0;   // sent
  std::int64_t malformed = 0;  // vectors received that are not packets
};

/// The newest data from the server.
struct Remote {
  ServerState state = ServerState::idle;
  double forerun = 0.0;  // s
  std::int64_t extrapolated = 0, late = 0, rejected = 0;
  std::int64_t step = 0;
};

/// The simulator's side of RSP, after section 2.3 of the EPOS paper: requests a run, announces when
/// the simulation begins, and sends its states. Independent of sockets, threads and clocks. After
/// construction nothing allocates.
///
/// In every step: begin(), then send() with the states of that step. While simulating() the model
/// advances from this step to the next; otherwise it stays in its initial state.
class Client {
 public:
  struct Note {
    enum class Kind : std::uint8_t { state, refused, unanswered, ended, fault } kind;
    std::int32_t from = 0, to = 0, item = 0;
    double values[2] = {0.0, 0.0};
  };

  /// Throws ConfigurationError (V5151) for invalid settings.
  explicit Client(ClientSettings);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Step n begins: processes received packets.
  void begin(std::int64_t n, Transport&) noexcept;
  /// Sends the packet of this step.
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
