#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "vernier/base/diagnostic.hpp"

namespace vernier::session {

/// Lets other programs of the same user ask a run for something, through a socket "control" in the
/// run's folder: one line in, one line out (docs/reference/live-access.md). A thread of normal
/// priority serves it, one visitor at a time; a visitor who says nothing is sent away after
/// five seconds.
class Control {
 public:
  /// Called on that thread with a line; answers a line.
  using Answer = std::function<std::string(std::string_view)>;

  /// Without the socket, because the file system has none, the run goes on alone.
  Control(const std::filesystem::path& run_folder, Answer);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// Asks the run of a folder; answers its line. Throws ConfigurationError: V4120 when nobody answers
/// there (the run is over, or it is of another machine or user), and what the run refuses the
/// request with.
std::string ask(const std::filesystem::path& run_folder, const std::string& line);

/// A refusal as a line, which ask() turns into an error again.
std::string refusal(const Diagnostic&);

}  // namespace vernier::session
