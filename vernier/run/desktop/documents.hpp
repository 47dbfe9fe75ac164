#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::desktop {

/// What documents say, without running them and without loading native code. Used by one thread;
/// remembers what it has read last. All functions throw ConfigurationError.
class Documents {
 public:
  /// A document, or the one of a run with the changes of that run, from its copies.
  struct Subject {
    std::filesystem::path path;
    bool run = false;
    bool operator==(const Subject&) const = default;
  };

  explicit Documents(const Catalogue& c) : catalogue_(c) {}

  // The answers to the requests of these names.
  nlohmann::ordered_json automata(const Subject&);
  nlohmann::ordered_json parameters(const Subject&);
  nlohmann::ordered_json scene(const Subject&);
  nlohmann::ordered_json source(const Subject&);

 private:
  struct Known {
    Subject subject;
    session::Prepared prepared;
    std::vector<std::pair<std::filesystem::path, std::filesystem::file_time_type>> files;
  };
  /// Prepared, at most so long ago that no file has changed since.
  const session::Prepared& prepared(const Subject&);

  const Catalogue& catalogue_;
  std::vector<Known> known_;  // latest last
};

}  // namespace vernier::desktop
