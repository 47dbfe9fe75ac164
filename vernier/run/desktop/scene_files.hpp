#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "vernier/net/web_server.hpp"

namespace vernier::desktop {

/// The files that opened scenes name. Pages ask for them by keys, so that they reach no others.
/// From any thread.
class SceneFiles {
 public:
  /// Replaces the names of files in a scene by their keys. A file that is no model or picture is
  /// left out.
  void take(nlohmann::ordered_json& scene);
  /// The content of /file/KEY; reads the file.
  net::WebAnswer answer(std::string_view path);

 private:
  std::mutex mutex_;
  std::map<std::string, std::filesystem::path, std::less<>> files_;
};

}  // namespace vernier::desktop
