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

/// A queue of complete frames, stored contiguously.
class Frames {
 public:
  bool empty() const noexcept { return at_ == bytes_.size(); }
  Bytes front() const noexcept;
  void pop() noexcept;
  void append(Bytes frame) { bytes_.insert(bytes_.end(), frame.begin(), frame.end()); }
  void append(const Frames& other) { append(Bytes(other.bytes_).subspan(other.at_)); }
  /// Keeps the memory, unless there is a lot of it.
  void clear() noexcept;
  /// Removes frames of all other kinds.
  void keep(Kind);

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

/// An ambassador's connection to an RTI: requests with their answers, and callbacks in order of
/// arrival. All calls are made under the ambassador's lock, which is released while waiting.
///
/// There is no receiving thread. The first thread that waits receives for all threads; the others
/// wait for it.
class RtiConnection {
 public:
  using Clock = RtiTransport::Clock;
  using Lock = std::unique_lock<std::mutex>;

  RtiConnection();
  RtiConnection(const RtiConnection&) = delete;

  void open(std::unique_ptr<RtiTransport>);
  /// Ends all waiting; frames that have arrived are dropped.
  void close(Lock&);
  bool is_open() const noexcept { return channel_ != nullptr; }
  /// The connection was lost, or the RTI sent something that cannot be decoded. Still open.
  bool is_lost() const noexcept { return lost_; }
  const std::string& why_lost() const noexcept { return why_; }
  void lose(std::string why);

  /// The buffer for the next frame, to fill with federation::write() or directly; then post() or
  /// await().
  std::vector<std::byte>& empty_frame() {
    out_.clear();
    return out_;
  }
  /// Sends the frame. Unless `now`, it may be delayed to be sent together with later ones. Throws
  /// NotConnected when the connection is lost.
  void post(bool now);
  std::uint32_t next_sequence() noexcept;
  /// Sends the frame and waits for the answer with this sequence number; `read` gets the body of a
  /// positive one and returns false when it cannot be decoded. Callbacks that the request causes
  /// may arrive before its answer: if it `holds`, they are kept back until then. Throws the
  /// exception in the answer, or NotConnected.
  void await(Lock&, std::uint32_t sequence, const std::function<bool(Bytes body)>& read,
             bool holds);

  /// Receives what has arrived, or waits for something until then (or slightly less).
  void receive(Lock&, Clock::time_point until);
  /// Waits without receiving, until wake().
  void idle(Lock&, Clock::time_point until);
  /// Makes waiting threads check their conditions again.
  void wake();

  /// Whether a callback is waiting. next() leaves it in the queue until pop().
  bool has_next() const noexcept {
    return (holding_ == 0 || lost_) && (!front_.empty() || !arrived_.empty());
  }
  Bytes next();
  void pop();
  /// Drops the callbacks of the federation that the federate has left.
  void forget_callbacks();
  /// Called for Tables and Reporting, which arrive between answers. False: they cannot be decoded.
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
  int holding_ = 0;  // the number of requests that hold callbacks back
  bool receiving_ = false, closing_ = false, lost_ = false, unflushed_ = false;
  bool in_hand_ = false, stale_ = false;  // front_'s first is being delivered; the rest is stale
  std::string why_;
  std::uint32_t sequence_ = 0;
  std::vector<Pending*> pending_;
  std::vector<std::byte> out_;
  // incoming_, answers_: of the receiving thread; arrived_: shared; front_: of the delivering
  // thread
  Frames incoming_, answers_, arrived_, front_;
  std::string ended_;  // of the receiving thread: why the connection has ended
};

}  // namespace vernier::hla
