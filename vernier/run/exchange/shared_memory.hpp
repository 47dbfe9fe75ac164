#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/result.hpp"

/// Memory that the nodes on one machine share: a ring of bytes for each ordered pair of nodes, and
/// a seat for each node.
namespace vernier::exchange {

/// One node makes the memory; the others get its descriptor, or a path to it (/proc/PID/fd/N, too).
/// Nobody can shrink memory without a path.
Result<Descriptor, std::string> made_memory(std::uint32_t nodes, std::size_t ring_bytes = 1u << 18);
/// The same as a file, usually in /dev/shm, for this user only. The caller removes it.
Result<Descriptor, std::string> made_memory_at(const std::filesystem::path&, std::uint32_t nodes,
                                               std::size_t ring_bytes = 1u << 18);
Result<Descriptor, std::string> opened_memory(const std::filesystem::path&);

/// The memory as one node sees it. All that others may write is only compared with, never used as
/// an address.
class SharedMemory {
 public:
  static constexpr std::uint32_t most_nodes = 64;
  static constexpr std::size_t least_ring = 4096, most_ring = std::size_t{64} << 20;

  struct alignas(64) Seat {
    std::atomic<std::uint32_t> bell;     // changes when there is a reason to wake
    std::atomic<std::uint32_t> asleep;   // for what its owner sleeps: see `awake`
    std::atomic<std::uint32_t> present;  // 0: not yet; 1; 2: it has left
  };
  /// Values of Seat::asleep; `for_peer + p` sleeps until p has sent something.
  static constexpr std::uint32_t awake = 0, for_anybody = 1, for_peer = 2;

  struct alignas(64) Ring {
    std::atomic<std::uint64_t> written;       // bytes so far
    std::atomic<std::uint32_t> writer_waits;  // for room
    alignas(64) std::atomic<std::uint64_t> taken;
  };

  SharedMemory() = default;
  SharedMemory(SharedMemory&&) noexcept;
  SharedMemory& operator=(SharedMemory&&) noexcept;
  ~SharedMemory();

  /// Takes a seat. It is free again only in new memory.
  static Result<SharedMemory, std::string> seated(std::uint32_t self, const Descriptor& memory);

  std::uint32_t nodes() const noexcept { return nodes_; }
  std::size_t ring_bytes() const noexcept { return ring_bytes_; }
  Seat& seat(std::uint32_t node) const noexcept { return seats_[node]; }
  Ring& ring(std::uint32_t from, std::uint32_t to) const noexcept;
  std::span<std::byte> bytes(std::uint32_t from, std::uint32_t to) const noexcept;
  /// Whether a node that was present is gone without having left: its process has ended.
  bool died(std::uint32_t node) const noexcept;

 private:
  std::string map(std::uint32_t self, const Descriptor& memory);
  void leave() noexcept;

  Descriptor file_;  // of our own: its lock ends with this process
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0, ring_bytes_ = 0;
  std::uint32_t nodes_ = 0, self_ = 0;
  Seat* seats_ = nullptr;
  Ring* rings_ = nullptr;
};

}  // namespace vernier::exchange
