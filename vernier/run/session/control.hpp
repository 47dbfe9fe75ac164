#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace vernier::session {

/// What can be asked of a run from outside.
enum class Request : std::uint8_t { status, freeze, resume, stop };

/// Lets other programs of the same user ask a run for something, through a socket "control" in the
/// run's folder: one line in, one line out. A thread of normal priority serves it, one visitor at a
/// time and none longer than a second; whatever comes in, only the four words have an effect.
class Control {
 public:
  /// Called on that thread; answers a line.
  using Answer = std::function<std::string(Request)>;

  /// Without the socket, because the file system has none, the run goes on alone.
  Control(const std::filesystem::path& run_folder, Answer);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// Asks the run of a folder; answers its line. Throws ConfigurationError (V4120) when nobody
/// answers there: the run is over, or it is of another machine or user.
std::string ask(const std::filesystem::path& run_folder, Request);

/// "freeze"
std::string_view word(Request) noexcept;

}  // namespace vernier::session
