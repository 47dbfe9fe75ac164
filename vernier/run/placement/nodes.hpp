#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"

/// Where the parts of a run are executed: the nodes that a user names, which part goes to which of
/// them, and how fast the run can then be.
namespace vernier::placement {

/// Where a server listens unless told otherwise.
inline constexpr int default_port = 4870;
inline constexpr std::size_t most_nodes = 1024;

/// A node: an executor on a computer.
struct Host {
  std::string name;
  std::string address = {};  // of the computer's server; empty: a process on this computer
  int port = default_port;
  std::string key_file = {};  // the key shared with the server; empty: not given
  // TLS, PEM files
  std::string authorities = {};      // which issued the server's certificate; empty: not given
  std::string certificate = {};      // of this side
  std::string certificate_key = {};  // its private key
  Place place = {};                  // of the name, in a document

  bool local() const noexcept { return address.empty(); }
};

/// "host1:4870", "[::1]:4870"; for a local node its name.
std::string text(const Host&);

/// Parts whose name, or one of whose instances' names, matches a pattern run on a node.
struct Assignment {
  std::string part;  // a pattern: "bus.*"
  std::size_t node = 0;
  std::vector<std::size_t> more = {};  // of its replicas, the preferred ones first
  Place place = {};                    // of the pattern, in the document
};

struct Nodes {
  std::vector<Host> hosts;             // at least one; names differ
  std::vector<Assignment> assignment;  // the first that matches a part counts
  // of the network, as given
  std::optional<Duration> round_trip = {};
  std::optional<double> bandwidth = {};  // bytes/s
  bool synchronised = false;             // the clocks of the computers are kept together by others
  // how nodes exchange values: a plug-in (vernier_network.h) and what it is told; empty: Vernier's
  std::filesystem::path network = {};
  std::string network_config = {};
  std::filesystem::path file = {};  // a document; empty: made from a list

  /// Whether all nodes are processes of this computer.
  bool local() const noexcept;
};

/// What `--on` says: "local:4" (processes of this computer), a list of servers "host1,[::1]:4711",
/// in which "local" is a process of this computer, or a nodes document (formats/nodes). Problems go
/// into `problems`; if there are errors, throws ConfigurationError with all of them.
Nodes nodes_of(const std::string& on, Diagnostics& problems);

/// A nodes document. As nodes_of(); files that it names become relative to its folder.
Nodes read_nodes(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; `name` stands for the file.
Nodes parse_nodes(std::string content, const std::filesystem::path& name, Diagnostics& problems);

}  // namespace vernier::placement
