#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/gateway/link/quality.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::link {

struct Settings {
  std::string name = "link";
  Role role = Role::client;  // a server accepts one client at a time
  net::Address control = {"127.0.0.1", "42750"}, data = {"127.0.0.1", "42751"};
  Period period;                        // between two steps of this side
  std::uint32_t send = 0, receive = 0;  // elements of the vectors
  Element send_element = Element::real, receive_element = Element::real;
  std::uint64_t interface_hash = 0;  // compared when both sides have one
  std::vector<std::byte> key = {};   // if given, the peer must know it too
  std::chrono::milliseconds ping_interval{100}, ping_timeout{1000}, delay_interval{100};
  bool check_payload = true;                 // a checksum over every vector
  bool drop_not_finite = false;              // vectors with NaN or infinity are counted, not output
  double stale_periods = 3.0;                // peer periods without a vector: stale
  std::uint32_t queue = 0;                   // vectors kept until taken; 0: only the newest
  Computing computing = {};                  // told to the peer in the build
  int priority = 0;                          // SCHED_FIFO of the communication thread, if allowed
  std::function<std::int64_t()> clock = {};  // ns; the monotonic clock when empty
};

/// The newest vector received; with a queue, the oldest that was not taken.
struct Received {
  bool fresh = false;  // received since the last call
  bool stale = true;   // nothing received for too long, or the link is down: the value is held
  std::uint64_t number = 0;               // counts vectors of all sessions; 0: none received yet
  std::uint32_t session = 0;              // in which it was received
  std::span<const std::byte> bytes{};     // encoded; see unpack(). Valid until the next call
  std::int64_t step = 0;                  // of the sender
  std::int64_t acquired = 0, sent = 0;    // the sender's clock
  std::int64_t received = 0, output = 0;  // this side's clock
  std::int64_t answers = 0;  // acquisition of ours that the other side had output when it made this
  std::uint8_t flags = 0;
};

/// For displays and messages, from any thread except the step side's.
struct Status {
  Quality quality;
  std::string peer;        // name and build, as it reports
  std::string last_error;  // "error[V5136]: …"; empty when there was none
};

/// One end of an SCP link (formats/scp), after section 2 of the EPOS paper: exchanges vectors in
/// both directions over two TCP connections, monitors the peer, and relates its steps and its clock
/// to ours. Reconnects by itself when the peer was lost.
///
/// A separate thread does everything that may block. The step side uses mailboxes and one atomic
/// word: no lock, no allocation, and no system call except the write that wakes the thread. One
/// thread calls its functions.
class Link {
 public:
  /// Throws ConfigurationError (V5122) for invalid settings. Opens nothing.
  explicit Link(Settings);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// A server starts to listen; connections are answered after start(). Throws ConfigurationError
  /// (V5121) when it cannot listen.
  void open();
  /// SCHED_FIFO priority of the communication thread, if permitted and if the settings give none.
  /// Call it before start().
  void set_priority(int) noexcept;
  /// Opens, unless open() was called, and begins.
  void start();
  /// Sends BYE and ends the thread; start() may be called again.
  void stop();
  /// Where a server listens, with the ports that it got; after open().
  net::Address control_address() const;
  net::Address data_address() const;
  const Settings& settings() const noexcept { return settings_; }

  // -- the step side --

  /// Step `n` begins; it was planned for home time `planned`. Tells the peer.
  void begin_step(std::int64_t n, std::int64_t planned, bool overran = false) noexcept;
  /// Sends a vector acquired at home time `acquired` (now() when 0). It replaces one that could not
  /// be sent yet. The size is that of the settings.
  void send(std::span<const double>, std::int64_t acquired = 0) noexcept;
  void send(std::span<const std::int8_t>, std::int64_t acquired = 0) noexcept;
  void send(std::span<const std::uint8_t>, std::int64_t acquired = 0) noexcept;
  /// The newest vector; when it is not fresh, the last one again. Taking it counts as its output.
  /// With a queue (Settings) none is skipped: call it until it is not fresh. Vectors that find the
  /// queue full are dropped and counted as missed.
  const Received& receive() noexcept;
  /// The last result of receive().
  const Received& received() const noexcept { return received_; }
  /// The newest statistics; at most a few milliseconds old.
  const Quality& quality() noexcept;
  LinkState state() const noexcept;
  std::int64_t now() const noexcept;

  // -- other threads --

  Status status() const;

 private:
  struct Shared;
  class Communication;

  template <class T>
  void send_vector(std::span<const T>, std::int64_t acquired) noexcept;
  void wake() noexcept;

  Settings settings_;
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<Communication> communication_;

  // used by the step side only
  Received received_;
  std::int64_t peer_period_ = 0;  // ns
  std::int64_t echo_ = 0;         // acquisition stamp of the vector output in this step
  std::uint64_t sent_ = 0, passed_ = 0;
  std::vector<std::byte> held_;  // with a queue: the vector taken last
};

/// "vernier", or "vernier fastest avx2" where bits depend on the instruction set.
std::string build_text(const Computing&);
/// What the build of a peer says about it; nothing when it is another program.
std::optional<Computing> computing_of(std::string_view build) noexcept;

/// A hash of a text that describes the interface; 0 for none.
std::uint64_t interface_hash(std::string_view) noexcept;

/// The message code for a trouble: "V5136".
const char* message_code(Reason, bool theirs) noexcept;

}  // namespace vernier::link
