#include "apps/vernier/browser.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "vernier/base/text.hpp"

extern char** environ;

namespace vernier::app {
namespace {

constexpr const char* opener = "xdg-open";

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

}  // namespace

bool has_browser() {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "", ':')) {
    const auto file = std::filesystem::path(folder) / opener;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

bool open_browser(const std::string& address) {
  std::string command = opener, argument = address;
  char* words[] = {command.data(), argument.data(), nullptr};
  posix_spawnattr_t how;
  posix_spawn_file_actions_t files;
  posix_spawnattr_init(&how);
  // Ctrl-C in this terminal is not for the browser
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_init(&files);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  pid_t process = 0;
  const bool started = posix_spawnp(&process, opener, &files, &how, words, environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (!started) return false;
  // it may be the browser itself, and stay
  std::thread([process] {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }).detach();
  return true;
}

}  // namespace vernier::app
