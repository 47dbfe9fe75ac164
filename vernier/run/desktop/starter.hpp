#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vernier/net/wait.hpp"

namespace vernier::desktop {

/// How a document is run, or a run repeated without its orders.
struct Start {
  std::filesystem::path what;  // a document, or the folder of a run
  bool repeats = false;        // a run
  std::vector<std::string> set = {};
  std::optional<double> until = {}, rate = {};  // s; × real time
  bool real_time = false;
  std::optional<std::uint64_t> seed = {};
  std::filesystem::path from = {};  // a checkpoint
  std::filesystem::path runs = "runs";
};

/// The words of `vernier` that do it.
std::vector<std::string> command_of(const Start&);

/// Starts it in a process of its own, which goes on when this one ends; returns the run's folder
/// when it has begun. Throws ConfigurationError: the program's problems, or V8108. Waits; `stop`
/// ends the wait, and the process goes on.
std::filesystem::path started(const Start&, const std::filesystem::path& program,
                              const net::Wake& stop);

}  // namespace vernier::desktop
