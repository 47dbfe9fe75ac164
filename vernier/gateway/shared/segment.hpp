#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/mailbox.hpp"

/// Two processes on one machine exchange vectors of numbers through shared memory.
namespace vernier::shared {

enum class Side : std::uint8_t { left = 0, right = 1 };
constexpr Side other(Side s) noexcept { return s == Side::left ? Side::right : Side::left; }
const char* name(Side) noexcept;

enum class Keep : std::uint8_t { latest = 0, queue = 1 };

struct Settings {
  std::string component = "shared";  // for messages
  std::string name;                  // of the memory, a single word; the same on both sides
  Side side = Side::left;
  std::uint32_t send = 0, receive = 0;  // numbers each way
  Keep keep = Keep::latest;             // kind of mailbox; the same on both sides
  std::uint32_t capacity = 64;          // of a queue
  std::uint64_t interface_hash = 0;     // compared when both sides have one
  std::int64_t period = 1'000'000;      // ns, of this side; reported to the other
};

/// A received vector and what is known about its sender.
struct Received {
  bool fresh = false;         // received since the last call; else the last again
  std::uint64_t number = 0;   // counts from 1 in each life of the other side; 0: none received yet
  std::uint64_t missed = 0;   // replaced before they were read, or dropped by a full queue
  std::uint64_t torn = 0;     // damaged messages that were not passed on
  std::int64_t step = 0;      // of the sender
  std::int64_t acquired = 0;  // CLOCK_MONOTONIC, which all processes of a machine share
  std::span<const double> values{};
};

/// One side of a shared memory segment: a header that both check, and a mailbox in each direction.
/// The first side creates it. Opening and closing take locks and may wait; reading and writing
/// never do, allocate nothing and make no system call. Data that the other side may have damaged is
/// never used to address memory.
class Segment {
 public:
  /// Takes this side. Throws ConfigurationError: V5183 the system refuses, V5184 another process
  /// has this side, V5185 the other side has other sizes, V5186 the memory is of another version or
  /// not ours. Memory left by a dead process is reused.
  explicit Segment(const Settings&);
  /// Detaches. The last side removes the memory.
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // -- the step side --

  /// False when a queue is full: the vector is dropped and the other side counts it as missed.
  bool write(std::span<const double>, std::int64_t step, std::int64_t acquired) noexcept;
  /// latest: the newest vector. queue: the oldest that was not read.
  const Received& read() noexcept;

  // -- the other side --

  /// It has attached at least once, and has not left.
  bool present() const noexcept;
  /// When it wrote last, ns; 0: never.
  std::int64_t last_written() const noexcept;
  /// Its period, ns, between 1 µs and 1000 s; ours when it reports an invalid one.
  std::int64_t period() const noexcept;
  /// How often it has attached, including its current life.
  std::uint64_t lives() const noexcept;
  /// Whether the process is alive. A system call; not for the step side.
  bool alive() const;

 private:
  struct Header;
  struct Mapping;

  Settings settings_;
  std::unique_ptr<Mapping> mapping_;
  Header* header_ = nullptr;
  Latest latest_out_, latest_in_;
  Queue queue_out_, queue_in_;
  std::uint64_t written_ = 0, known_life_ = 0;
  std::vector<double> values_;
  Received received_;
};

/// CLOCK_MONOTONIC, ns.
std::int64_t monotonic() noexcept;

}  // namespace vernier::shared
