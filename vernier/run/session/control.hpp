#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "vernier/base/diagnostic.hpp"

namespace vernier::session {

/// Lets other programs of the same user send requests to a run, through a socket "control" in the
/// run's directory: one line in, one line out (docs/reference/live-access.md). A thread of normal
/// priority serves it, one client at a time; a silent client is disconnected after five seconds.
class Control {
 public:
  /// Called on that thread with a line; returns a line.
  using Answer = std::function<std::string(std::string_view)>;

  /// If the file system has no sockets, the run continues without one.
  Control(const std::filesystem::path& run_folder, Answer);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// Sends a request to the run in a directory and returns its answer. Throws ConfigurationError:
/// V4120 when there is no answer (the run has ended, or belongs to another machine or user), or the
/// run's refusal. The answer may take a minute; the wait ends as well, as if there were none, when
/// the descriptor `wake` becomes readable (-1: none).
std::string ask(const std::filesystem::path& run_folder, const std::string& line, int wake = -1);

/// Bytes of a request and of its answer.
inline constexpr std::size_t longest_request = 4096, longest_answer = 1u << 20;

/// A refusal as a line.
std::string refusal(const Diagnostic&);
/// The answer, unless it is a refusal: throws that as ConfigurationError.
std::string granted(std::string answer);

}  // namespace vernier::session
