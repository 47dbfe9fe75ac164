#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/result.hpp"

namespace vernier::server {

/// What starts an executor: `program` `words…`, with its composer at descriptor 3.
struct Launch {
  std::filesystem::path program;
  std::vector<std::string> words;
};

/// What one executor may take; 0: as much as there is.
struct Limits {
  std::uint64_t memory = 0;  // bytes of address space
  std::uint64_t disk = 0;    // bytes in its folder; also the size of one file
  std::uint32_t processors = 0;
  int nice = 0;  // added to the server's
};

/// A process in a group of its own, with one end of a socket at descriptor 3, both ends
/// non-blocking. It gets no other descriptor, a small environment, and ends with the thread that
/// started it. Its output goes into output.txt of its folder.
class Spawned {
 public:
  /// `cpus`: on which it runs; empty: any.
  static Result<Spawned, std::string> of(const Launch&, const Limits&,
                                         const std::filesystem::path& folder,
                                         const std::vector<int>& cpus);
  Spawned(Spawned&&) noexcept;
  Spawned& operator=(Spawned&&) = delete;
  /// Kills it and waits for its end.
  ~Spawned();

  pid_t id() const noexcept { return id_; }
  /// The other end of its descriptor 3; once.
  Descriptor take_channel() noexcept { return std::move(channel_); }
  /// Readable when it has ended.
  int descriptor() const noexcept { return watch_.get(); }
  /// Kills it and what it has started.
  void kill() noexcept;
  /// Once it has ended: "exit status 3", "signal 9"; "": without a fault. Waits for the end.
  std::string ended() noexcept;

 private:
  Spawned() = default;
  pid_t id_ = -1;
  Descriptor channel_, watch_;
};

}  // namespace vernier::server
