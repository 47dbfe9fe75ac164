#pragma once

#include <map>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/server/messages.hpp"

namespace vernier::server {

/// The files that came with a run to a server, as links to where the server keeps them, below
/// "files" in the working directory: there they find each other by their relative names.
class Mirror {
 public:
  Mirror() = default;
  /// Makes the links, and changes the names in what is run. Throws ConfigurationError (V5604).
  explicit Mirror(Begin&);

  /// The same with the names that the composer knows. What the owner of the server must permit is
  /// said to whom started the run.
  Diagnostics as_composer_knows(const Diagnostics&) const;

 private:
  void rename(std::string& text) const;

  std::map<std::string, std::string> here_;  // by the composer's name
};

}  // namespace vernier::server
