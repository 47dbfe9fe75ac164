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
  idle,         // no client, or the facility is not ready
  ready,        // a run may begin
  approaching,  // to the initial state
  running,      // following commands
  extrapolating,
  halting,
  halted,  // for a moment; then ready or idle
  fault    // of the facility
};
std::string_view name(ServerState) noexcept;

/// Why a run ended.
enum class End : std::uint8_t {
  none,
  stopped,   // by the client
  lost,      // the link was lost, or the client started again
  silent,    // no command for too long
  unusable,  // three unusable commands in a row
  limit,     // continuing would exceed the limits
  time_gap,  // this side's steps stopped for a while
  faulty,    // the facility
  closed     // the facility's own run ends or is frozen
};
std::string_view words(End) noexcept;

struct ServerSettings {
  Period period;               // of the server's steps
  std::vector<Limits> limits;  // of each body
  /// Quintic curves require accelerations from the client; without them the cubic ones are used.
  Curve curve = Curve::quintic;
  enum class OnLimit : std::uint8_t { reject, scale } on_limit = OnLimit::reject;
  double fade = 2.0;           // intervals over which acceleration fades without a command
  int most_intervals = 3;      // without a command, then the run ends
  double most_time = 1.0;      // s, the same
  double shortest_halt = 0.1;  // s
  double least_ahead = 1.0, most_ahead = 600.0;  // s, from the INIT to the start of the run
  int gap = 10;                                  // missed steps in a row that end a run
};

/// The facility's data for one step.
struct Facility {
  bool ready = false, fault = false;
  States measured;  // one for each body
};

/// Counts since the server was created.
struct ServerCounters {
  std::int64_t runs = 0;          // runs that began
  std::int64_t refused = 0;       // initializations
  std::int64_t commands = 0;      // usable commands of the current run
  std::int64_t extrapolated = 0;  // intervals that began without a command
  std::int64_t rejoined = 0;      // late commands that were still used
  std::int64_t late = 0;          // commands received after their interval had begun
  std::int64_t early = 0;         // commands dropped because they were too far ahead
  std::int64_t duplicates = 0;
  std::int64_t other_run = 0;  // commands of another run
  std::int64_t rejected = 0;   // commands that are not finite, or exceed the limits
  std::int64_t malformed = 0;  // vectors that are not packets
  std::int64_t gaps = 0;       // in the steps of this side
};

/// An event to report.
struct Note {
  enum class Kind : std::uint8_t { state, end, refused, rejected, gap, malformed } kind;
  std::int32_t from = 0, to = 0, item = 0;
  double values[2] = {0.0, 0.0};
};

/// The facility's side of RSP, after section 2.3 of the EPOS paper: computes the motion of all
/// bodies at every server step from commands at the client's rate, starts and ends runs, and keeps
/// the facility safe. Independent of sockets, threads and clocks. After construction nothing
/// allocates.
///
/// In every step: begin(), observe(), send().
class FacilityServer {
 public:
  /// Throws ConfigurationError (V5150) for invalid settings.
  explicit FacilityServer(ServerSettings);
  FacilityServer(const FacilityServer&) = delete;
  FacilityServer& operator=(const FacilityServer&) = delete;

  /// The state of the facility from now on.
  void observe(const Facility&) noexcept;
  /// From the next step on the bodies come to rest, and no run begins until open(): the program
  /// around the server is about to end or to stand still.
  void close() noexcept { closing_ = true; }
  void open() noexcept { closing_ = false; }
  /// Whether all bodies stand still, and after close() the client was told.
  bool at_rest() const noexcept {
    return !moving() && !slowing_ && !(closing_ && up_ && announcements_ > 0);
  }
  /// The longest halt that is to be expected within the limits, s.
  double longest_halt() const noexcept;
  /// Step n begins: processes received packets and computes the commanded states. `gap`: this
  /// side's steps were interrupted before it.
  void begin(std::int64_t n, Transport&, bool gap = false) noexcept;
  /// Sends feedback and announcements to the client.
  void send(Transport&) noexcept;

  ServerState state() const noexcept { return state_; }
  /// The commanded motion now.
  States commanded() const noexcept { return out_; }
  std::int64_t run() const noexcept { return run_; }
  /// By how many s the last command arrived before it was needed; negative: late.
  double forerun() const noexcept { return forerun_; }
  /// The s by which limits have delayed the run relative to the client's time.
  double postponed() const noexcept { return static_cast<double>(postponed_) * dt_; }
  End end() const noexcept { return end_; }
  const Violation& violation() const noexcept { return violation_; }
  /// The command at the end of the current path, and when commands are due.
  std::int64_t target() const noexcept { return target_; }
  const DueTimes& due() const noexcept { return due_; }
  /// Whether accelerations are continuous now.
  bool is_smooth() const noexcept { return smooth_; }
  const ServerCounters& counters() const noexcept { return counters_; }
  /// The events of this step.
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

  // the approach to the initial state; a part of it is checked in each step
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
  bool closing_ = false;
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
  std::uint64_t seen_ = 0;   // bit i: newest_ - i was received
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
