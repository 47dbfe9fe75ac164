#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/net/stream.hpp"
#include "vernier/run/server/spawned.hpp"

namespace vernier::server {

/// An executor that was started.
struct Started {
  /// Its process, if that is of this machine.
  struct Process {
    TemporaryFolder folder;
    std::optional<Spawned> process = {};  // always there
  };
  net::Stream stream;  // to it
  std::unique_ptr<Process> process = {};
  std::vector<std::string> files = {};  // pairs: a file of this machine, and where it is there
};

/// Starts an executor on this machine. Throws ConfigurationError.
Started started_here(const Launch&);

}  // namespace vernier::server
