#pragma once

#include <string>
#include <vector>

namespace vernier::app {

/// Shows a live run in another program until it is over or Ctrl-C is pressed. `where`: HOST:PORT,
/// or empty for the usual one on this machine. Both throw ConfigurationError and return a status.

/// `every` > 0: s of simulated time between two rows.
int watch_in_plotjuggler(const std::string& run, const std::string& where,
                         const std::vector<std::string>& patterns, double every);
int watch_in_foxglove(const std::string& run, const std::string& where);

}  // namespace vernier::app
