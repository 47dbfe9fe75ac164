#include "apps/vernier/run_argument.hpp"

#include <fmt/format.h>

#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::app {

std::filesystem::path run_argument(const std::string& text) {
  std::filesystem::path path = text;
  std::error_code none;
  if (std::filesystem::exists(path, none)) return path;
  if (std::filesystem::exists("runs" / path, none)) return "runs" / path;

  std::filesystem::path where = path.parent_path();
  if (where.empty()) where = "runs";
  std::vector<std::string> names;
  for (const record::RunEntry& e : record::list_runs(where))
    names.push_back(e.path.filename().string());
  Diagnostics problems;
  Diagnostic& d = problems.error("V7503", fmt::format("there is no run \"{}\"", text), {});
  if (const auto near = closest(path.filename().string(), names)) {
    d.notes.push_back(fmt::format("did you mean {}?", (where / *near).string()));
  } else {
    d.notes.push_back(names.empty() ? "vernier demo   makes a first run"
                                    : "vernier runs   lists what there is");
  }
  throw ConfigurationError(problems);
}

}  // namespace vernier::app
