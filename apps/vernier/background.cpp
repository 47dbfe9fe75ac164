#include "apps/vernier/background.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "apps/vernier/command.hpp"
#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"

namespace vernier::app {
namespace {

/// Where the child names its folder; invalid in other processes.
Descriptor to_parent;

std::array<Descriptor, 2> pipe_ends() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw ConfigurationError("V7107", "cannot detach: " + std::generic_category().message(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Passes on what arrives until the other end is closed.
template <class Take>
void read_all(int from, const Take& take) {
  char buffer[4096];
  while (true) {
    const ssize_t n = ::read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    take(std::string_view(buffer, static_cast<std::size_t>(n)));
  }
}

void show_begun(const std::string& folder, pid_t process, Background::Show show) {
  switch (show) {
    case Background::Show::lines:
      fmt::print(
          "  detached  process {}; its output is in {}/output.txt\n"
          "  next      vernier watch {}\n            vernier stop {}\n",
          process, folder, folder, folder);
      return;
    case Background::Show::folder:
      fmt::print("{}\n", folder);
      return;
    case Background::Show::json:
      fmt::print("{}\n", nlohmann::ordered_json{{"folder", folder}, {"process", process}}.dump(2));
      return;
  }
}

}  // namespace

std::optional<int> Background::begin(Show show) {
  auto [output, output_end] = pipe_ends();
  auto [begun, begun_end] = pipe_ends();
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0)
    throw ConfigurationError("V7107", "cannot detach: " + std::generic_category().message(errno));
  if (child == 0) {
    ::setsid();  // no terminal, so none can end it
    const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ::dup2(nothing.get(), STDIN_FILENO);
    ::dup2(output_end.get(), STDOUT_FILENO);
    ::dup2(output_end.get(), STDERR_FILENO);
    to_parent = std::move(begun_end);
    return {};
  }
  output_end.reset();
  begun_end.reset();
  read_all(output.get(), [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  });
  std::string folder;
  read_all(begun.get(), [&folder](std::string_view text) { folder += text; });
  if (!folder.empty()) {
    show_begun(folder, child, show);
    return status::good;
  }
  int ended = 0;
  while (::waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : status::failed;
}

void Background::settle(const std::filesystem::path& folder) {
  if (!to_parent) return;
  std::fflush(stdout);
  std::fflush(stderr);
  const Descriptor file(
      ::open((folder / "output.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  // a run whose output cannot be kept runs all the same: its results are elsewhere
  const int target = file ? file.get() : nothing.get();
  ::dup2(target, STDOUT_FILENO);
  ::dup2(target, STDERR_FILENO);
  const std::string name = folder.string();
  static_cast<void>(!::write(to_parent.get(), name.data(), name.size()));
  to_parent.reset();
}

}  // namespace vernier::app
