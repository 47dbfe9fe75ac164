#pragma once

#include <string>
#include <vector>

#include "vernier/component/catalogue.hpp"

namespace CLI {
class App;
}

namespace vernier::app {

/// What the user permits a document for one command.
struct Permissions {
  std::vector<std::string> trust;        // --trust FILE: native code that may be loaded
  std::vector<std::string> allow_write;  // --allow-write DIR: where files may be written
};

/// Declares --trust and, for commands whose documents write files, --allow-write.
void declare_permissions(CLI::App&, Permissions&, bool writes);

/// The catalogue for running documents: like catalogue(), but native code is loaded, if the user
/// trusts it. Throws ConfigurationError (V7604) for a file of --trust that is not there.
Catalogue running_catalogue(const Permissions&);

}  // namespace vernier::app
