#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/requests.hpp"
#include "vernier/gateway/federation/rti_transport.hpp"

namespace vernier::hla {

using federation::Bytes;
using federation::Failure;
using federation::Kind;
using federation::RtiTransport;

/// Whole frames, one after the other.
class Frames {
 public:
  bool empty() const noexcept { return at_ == bytes_.size(); }
  Bytes front() const noexcept;
  void pop() noexcept;
  void append(Bytes frame) { bytes_.insert(bytes_.end(), frame.begin(), frame.end()); }
  void append(const Frames& other) { append(Bytes(other.bytes_).subspan(other.at_)); }
  /// Keeps the memory, unless there is a lot.
  void clear() noexcept;
  /// Keeps frames of this kind only.
  void keep(Kind);

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

/// An ambassador's connection to an RTI: requests and their answers, and callbacks in the order in
/// which they came. All calls are made under the ambassador's lock, which waiting ones let go.
///
/// There is no thread in here. Whoever waits for something receives for all; while somebody does,
/// others wait for that one.
class RtiConnection {
 public:
  using Clock = RtiTransport::Clock;
  using Lock = std::unique_lock<std::mutex>;

  RtiConnection();
  RtiConnection(const RtiConnection&) = delete;

  void open(std::unique_ptr<RtiTransport>);
  /// Ends whatever waits; frames that have come are dropped.
  void close(Lock&);
  bool is_open() const noexcept { return channel_ != nullptr; }
  /// The connection was lost, or the RTI said something that cannot be read. Still open.
  bool is_lost() const noexcept { return lost_; }
  const std::string& why_lost() const noexcept { return why_; }
  void lose(std::string why);

  /// Where the next frame is written, by federation::write() or by hand; then post() or await().
  std::vector<std::byte>& empty_frame() {
    out_.clear();
    return out_;
  }
  /// Sends what is in the frame. Unless `now`, it may wait for others to go with it. Throws
  /// NotConnected when the connection is lost.
  void post(bool now);
  std::uint32_t next_sequence() noexcept;
  /// The same, and waits for the answer of this sequence number; `read` gets the body of a good
  /// one, false: it cannot be read. What the request changes may be told of before it is answered:
  /// if it `holds`, callbacks wait until then. Throws what the answer says, or NotConnected.
  void await(Lock&, std::uint32_t sequence, const std::function<bool(Bytes body)>& read,
             bool holds);

  /// Receives what has come, or waits for something until then (or soon before).
  void receive(Lock&, Clock::time_point until);
  /// Waits without receiving, until wake().
  void idle(Lock&, Clock::time_point until);
  /// Whoever waits looks again.
  void wake();

  /// A callback waits. The next one stays where it is until pop().
  bool has_next() const noexcept {
    return (holding_ == 0 || lost_) && (!front_.empty() || !arrived_.empty());
  }
  Bytes next();
  void pop();
  /// Drops the callbacks of a federation that the federate has left.
  void forget_callbacks();
  /// Told of Tables and Reporting, which come between answers. False: they cannot be read.
  std::function<bool(Kind, Bytes frame)> on_news;

 private:
  struct Pending {
    std::uint32_t sequence = 0;
    const std::function<bool(Bytes)>* read = nullptr;
    bool holds = false;
    bool arrived = false;
    Failure failure{};
    std::string text{};
  };

  void take(Bytes frame);
  void absorb();
  void answered(Bytes frame);
  void release(Pending&);

  std::unique_ptr<RtiTransport> channel_;
  std::function<void(Bytes)> take_;
  std::condition_variable changed_;
  int waiting_ = 0;
  int holding_ = 0;  // requests that hold callbacks back
  bool receiving_ = false, closing_ = false, lost_ = false, unflushed_ = false;
  bool in_hand_ = false, stale_ = false;  // front_'s first is being delivered; the rest is to go
  std::string why_;
  std::uint32_t sequence_ = 0;
  std::vector<Pending*> pending_;
  std::vector<std::byte> out_;
  // of whoever receives; then everybody's; then of whoever delivers
  Frames incoming_, answers_, arrived_, front_;
  std::string ended_;  // of whoever receives: why nothing more will be of use
};

}  // namespace vernier::hla
