#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vernier/gateway/rsp/path.hpp"
#include "vernier/gateway/rsp/timing.hpp"
#include "vernier/gateway/rsp/transport.hpp"

namespace vernier::rsp {

enum class ServerState : std::uint8_t {
  idle,         // nobody is there, or the facility is not ready
  ready,        // a run may begin
  approaching,  // to the initial state
  running,      // from command to command
  extrapolating,
  halting,
  halted,  // for a moment; then ready or idle
  fault    // of the facility
};
std::string_view name(ServerState) noexcept;

/// Why a run ended.
enum class End : std::uint8_t {
  none,
  stopped,   // the client said so
  lost,      // the link, or the client began anew
  silent,    // no command for too long
  unusable,  // three commands in a row were
  limit,     // continuing would leave the limits
  time_gap,  // this side's steps stood still
  faulty     // the facility
};
std::string_view words(End) noexcept;

struct ServerSettings {
  Period period;               // of the server's steps
  std::vector<Limits> limits;  // of each body
  /// The quintics need accelerations from the client; without them their cubics are taken.
  Curve curve = Curve::quintic;
  enum class OnLimit : std::uint8_t { reject, scale } on_limit = OnLimit::reject;
  double fade = 2.0;           // intervals over which acceleration fades without command
  int most_intervals = 3;      // without command, then the run ends
  double most_time = 1.0;      // s, the same
  double shortest_halt = 0.1;  // s
  double least_ahead = 1.0, most_ahead = 600.0;  // s, from the INIT to the beginning of the run
  int gap = 10;                                  // steps missed in a row that end a run
};

/// What the facility says.
struct Facility {
  bool ready = false, fault = false;
  States measured;  // one for each body
};

/// Since the server was made.
struct ServerCounters {
  std::int64_t runs = 0;          // that began
  std::int64_t refused = 0;       // initializations
  std::int64_t commands = 0;      // of the run that is going on, that could be used
  std::int64_t extrapolated = 0;  // intervals that began without a command
  std::int64_t rejoined = 0;      // late commands that were still used
  std::int64_t late = 0;          // commands that came after their interval had begun
  std::int64_t early = 0;         // commands dropped because they came too far ahead
  std::int64_t duplicates = 0;
  std::int64_t other_run = 0;  // commands of a run that is not going on
  std::int64_t rejected = 0;   // commands that are not numbers, or leave the limits
  std::int64_t malformed = 0;  // vectors that are not packets
  std::int64_t gaps = 0;       // in the steps of this side
};

/// Something to be told.
struct Note {
  enum class Kind : std::uint8_t { state, end, refused, rejected, gap, malformed } kind;
  std::int32_t from = 0, to = 0, item = 0;
  double values[2] = {0.0, 0.0};
};

/// The facility's side of RSP: from commands that come at the client's rate it makes the motion of
/// all bodies at every step of the server, begins and ends runs, and keeps the facility safe. Knows
/// no socket, thread or clock. After construction nothing allocates.
///
/// In every step: begin(), observe(), send().
class FacilityServer {
 public:
  /// Throws ConfigurationError (V5150) for settings that cannot be.
  explicit FacilityServer(ServerSettings);
  FacilityServer(const FacilityServer&) = delete;
  FacilityServer& operator=(const FacilityServer&) = delete;

  /// What the facility says from now on.
  void observe(const Facility&) noexcept;
  /// Step n begins: takes what came, and computes where the bodies shall be now. `gap`: this side
  /// stood still before it.
  void begin(std::int64_t n, Transport&, bool gap = false) noexcept;
  /// Tells the client.
  void send(Transport&) noexcept;

  ServerState state() const noexcept { return state_; }
  /// The motion to be made now.
  States commanded() const noexcept { return out_; }
  std::int64_t run() const noexcept { return run_; }
  /// s before it was needed that the last command came; negative: late.
  double forerun() const noexcept { return forerun_; }
  /// s by which limits have put the run behind the client's time.
  double postponed() const noexcept { return static_cast<double>(postponed_) * dt_; }
  End end() const noexcept { return end_; }
  const Violation& violation() const noexcept { return violation_; }
  /// The command at the end of the path that is being followed, and when commands are due.
  std::int64_t target() const noexcept { return target_; }
  const DueTimes& due() const noexcept { return due_; }
  /// Accelerations are continuous now.
  bool is_smooth() const noexcept { return smooth_; }
  const ServerCounters& counters() const noexcept { return counters_; }
  /// What happened in this step.
  std::span<const Note> notes() const noexcept { return {notes_.data(), noted_}; }

 private:
  static constexpr std::int64_t ring = 8;
  struct Command {
    std::int64_t k = 0;
    bool there = false;
    std::vector<Trajectory> states;
  };

  // packets
  void take(const Transport::Vector&, Transport&) noexcept;
  void take_init(Flaw, Transport&) noexcept;
  void take_state(Flaw, double age) noexcept;
  void refuse(Refusal, double value = 0.0, double limit = 0.0, std::uint32_t body = 0) noexcept;
  void unusable(Refusal, const Violation&) noexcept;

  // the way to the initial state, checked a part per step
  bool prepare_approach() noexcept;
  void check_approach() noexcept;

  // motion
  void follow() noexcept;
  bool join_next() noexcept;
  bool rejoin() noexcept;
  bool aim(const ExactStep& from, States, std::int64_t k, bool at_joint) noexcept;
  std::optional<Violation> flaw_of(const Path&, const ExactStep& origin,
                                   const ExactStep& end) noexcept;
  void begin_halt(End) noexcept;
  void rest() noexcept;
  void change(ServerState) noexcept;
  void note(const Note&) noexcept;
  void announce(Kind) noexcept;
  double elapsed(const ExactStep& since) const noexcept {
    return between(since, exactly(n_)) * dt_;
  }
  Curve curve() const noexcept;
  bool smooth() const noexcept;
  bool moving() const noexcept {
    return state_ == ServerState::approaching || state_ == ServerState::running ||
           state_ == ServerState::extrapolating;
  }
  double fade() const noexcept;

  ServerSettings settings_;
  double dt_;
  std::size_t bodies_;
  ServerState state_ = ServerState::idle;
  End end_ = End::none;
  Violation violation_;
  ServerCounters counters_;
  std::array<Note, 32> notes_{};
  std::size_t noted_ = 0;

  // the facility
  bool ready_ = false, fault_ = false;
  std::vector<Trajectory> measured_;

  // the link
  bool up_ = false;
  std::uint32_t session_ = 0;
  Packet in_, out_packet_;
  Kind announced_ = Kind::halted;
  int announcements_ = 0;
  std::array<double, 4> refusal_{};
  std::int64_t next_ready_ = 0;
  std::vector<double> numbers_;

  // the run
  std::int64_t n_ = 0;
  bool began_ = false;
  std::int64_t run_ = 0, refused_run_ = 0;
  bool accelerations_ = false, checking_ = false, smooth_ = true;
  Period client_period_;
  DueTimes due_;
  std::int64_t target_ = 0;  // the command at the end of the path
  std::int64_t postponed_ = 0;
  double forerun_ = 0.0;
  std::int64_t newest_ = 0;  // k
  std::uint64_t seen_ = 0;   // bit i: newest_ - i came
  int bad_in_a_row_ = 0;
  std::int64_t intervals_without_ = 0;
  bool fresh_command_ = false;
  std::array<Command, ring> commands_;

  // the motion
  Path path_, trial_;
  ExactStep origin_;  // server step at which path_ begins
  Halting halting_;
  Halt halt_;
  std::int64_t halt_began_ = 0;
  bool slowing_ = false;
  std::vector<Trajectory> out_, before_, work_, work_before_, goal_;
  std::int64_t approach_begin_ = 0, approach_end_ = 0, approach_checked_ = 0;
};

}  // namespace vernier::rsp
