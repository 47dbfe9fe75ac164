#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"

namespace vernier::registry {

/// The longest text of a record.
inline constexpr std::size_t longest_record = 1u << 20;

/// Who leads a run.
struct Leader {
  std::string host;
  std::uint64_t process = 0;
  std::uint64_t epoch = 0;  // grows with every leader of the run

  bool operator==(const Leader&) const = default;
};

/// A node of a run.
struct RunNode {
  std::string name;
  std::string address;             // of its server; empty: a process of the leader's computer
  std::vector<std::string> parts;  // that it runs

  bool operator==(const RunNode&) const = default;
};

/// A file from which a run can be continued.
struct RunCheckpoint {
  std::string file;
  std::int64_t time = 0;  // simulated, ns
  std::string sha256;     // in hexadecimal

  bool operator==(const RunCheckpoint&) const = default;
};

/// What a registry knows of a run: all that is needed to find it, and to continue it elsewhere.
struct Record {
  std::string run = {};      // its name in the registry
  Leader leader = {};        // who wrote the record
  std::string version = {};  // of the program
  std::string folder = {};   // of the run, on the leader's computer; empty: nothing is kept
  std::string document = {};
  std::vector<RunNode> nodes = {};
  std::optional<RunCheckpoint> checkpoint = {};  // the last one

  bool operator==(const Record&) const = default;
};

/// The name of a run in a registry: 1 to 100 letters, digits, '.', '_' and '-'.
bool is_run_name(std::string_view) noexcept;

/// The formats of formats/registry.
std::string to_json(const Record&);
Result<Record, std::string> record_of(std::string_view json);
std::string to_json(const Leader&);
/// Without the epoch, which the registry knows.
Result<Leader, std::string> leader_of(std::string_view json);

}  // namespace vernier::registry
