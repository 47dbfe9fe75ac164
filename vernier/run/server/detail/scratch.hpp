#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::server {

/// A folder of this process below another one; those of processes that have ended are removed.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& below) {
    std::error_code failed;
    std::filesystem::create_directories(below, failed);
    for (const std::filesystem::directory_entry& e :
         std::filesystem::directory_iterator(below, failed))
      remove_left(e.path());
    std::string name = (below / "server-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw ConfigurationError(
          "V5641", "the server cannot write in " + below.string() + ": " + net::system_error());
    path_ = name;
    lock_ = Descriptor(open(lock_of(path_).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    flock(lock_.get(), LOCK_EX | LOCK_NB);
  }
  ~Scratch() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
  }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  static std::filesystem::path lock_of(const std::filesystem::path& folder) {
    return folder / "lock";
  }
  static void remove_left(const std::filesystem::path& folder) {
    const Descriptor lock(open(lock_of(folder).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    std::error_code failed;
    if (lock && flock(lock.get(), LOCK_EX | LOCK_NB) == 0)
      std::filesystem::remove_all(folder, failed);
  }

  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace vernier::server
