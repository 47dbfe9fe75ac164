#pragma once

#include <filesystem>
#include <optional>

namespace vernier::app {

/// A run that survives its terminal (`--detach`). begin() divides the process before it has
/// threads: the child runs, and its parent shows what the child prints until settle(), then
/// returns.
class Background {
 public:
  enum class Show { lines, folder, json };

  /// Nothing: this is the child. Else the exit status of the parent: 0 when the run has begun, the
  /// child's when it ended before. Throws ConfigurationError (V7107) when the system refuses.
  static std::optional<int> begin(Show);

  /// In a child, when its run has begun: what it prints goes to output.txt in `folder` from now on.
  /// Without begin(): nothing.
  static void settle(const std::filesystem::path& folder);
};

}  // namespace vernier::app
