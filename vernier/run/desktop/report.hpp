#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/run/desktop/page.hpp"

namespace vernier::desktop {

struct ReportSettings {
  std::string title;
  std::string date;                  // ISO 8601
  std::string version;               // of Vernier
  std::vector<std::string> command;  // that makes the same report
  std::size_t most_bytes = 10'000'000;
  std::size_t most_points = 4000;  // of a curve
  /// What the page asks about documents: "scene", "automata", "parameters", "source" of a run.
  /// Null: as the desktop answers.
  std::function<nlohmann::ordered_json(const std::string& what, const std::filesystem::path& run)>
      describe = {};
};

struct Report {
  std::string html;
  std::vector<std::string> left_out;  // in words; empty: everything is in it
};

/// Runs as one HTML file, which shows them without a server: the page and what it would ask for.
/// Curves keep their extremes. If the file would have more than `most_bytes`, curves get fewer
/// points, then signals are left out, those that no figure shows first. Throws ConfigurationError:
/// V7101; V8134 when even the page alone is too large.
Report report_of(const std::vector<std::filesystem::path>& runs, const Catalogue&, const Page&,
                 const ReportSettings&);

}  // namespace vernier::desktop
