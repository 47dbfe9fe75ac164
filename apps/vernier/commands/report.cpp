#include "vernier/run/desktop/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/run_argument.hpp"
#include "apps/vernier/serve_desktop.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/shell_word.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/record/manifest.hpp"

namespace vernier::app {
namespace {

namespace fs = std::filesystem;

struct ReportRequest {
  std::vector<std::string> runs;
  std::string output, title, size = "10MB";
};

/// "10MB", "500kB", "800000".
std::size_t bytes_in(const std::string& text) {
  std::string_view number = trimmed(text);
  double factor = 1.0;
  for (const auto& [unit, bytes] :
       {std::pair{"GB", 1e9}, std::pair{"MB", 1e6}, std::pair{"kB", 1e3}}) {
    if (!number.ends_with(unit)) continue;
    number = trimmed(number.substr(0, number.size() - 2));
    factor = bytes;
    break;
  }
  constexpr double most = 2e9;
  const auto n = parsed_real(number);
  if (n && *n > 0.0 && *n * factor <= most) return static_cast<std::size_t>(*n * factor);
  throw ConfigurationError(
      "V2005", fmt::format("--size must be a size such as 10MB, at most 2GB, not \"{}\"", text));
}

std::string name_of(const fs::path& run) {
  std::error_code none;
  const fs::path real = fs::canonical(run, none);
  return (none ? run : real).filename().string();
}

std::string title_of(const std::vector<fs::path>& runs) {
  std::vector<std::string> names;
  for (const fs::path& r : runs) names.push_back(name_of(r));
  return joined(names, ", ");
}

int write_report(const ReportRequest& a) {
  desktop::ReportSettings s;
  s.most_bytes = bytes_in(a.size);
  s.version = version();
  s.date = record::iso8601(std::chrono::system_clock::now());
  std::vector<fs::path> runs;
  for (const std::string& text : a.runs) {
    fs::path run = run_argument(text);
    if (run.filename() == "results.h5") run = run.parent_path();
    runs.push_back(run);
  }
  s.title = a.title.empty() ? title_of(runs) : a.title;
  const fs::path output =
      a.output.empty() ? fs::path(name_of(runs.front()) + ".html") : fs::path(a.output);

  s.command = {"vernier", "report"};
  for (const fs::path& r : runs) s.command.push_back(shell_word(r.string()));
  s.command.insert(s.command.end(), {"-o", shell_word(output.string())});
  if (!a.title.empty()) s.command.insert(s.command.end(), {"--title", shell_word(a.title)});
  if (a.size != ReportRequest{}.size) s.command.insert(s.command.end(), {"--size", a.size});

  const desktop::Report report =
      desktop::report_of(runs, catalogue(), desktop::Page(desktop_page()), s);
  std::ofstream out(output, std::ios::binary);
  if (!out) cannot_write(output.string());
  out << report.html;
  out.close();
  if (!out) cannot_write(output.string());
  fmt::print("{}\n", output.string());
  for (const std::string& what : report.left_out) fmt::print(stderr, "left out: {}\n", what);
  return status::good;
}

}  // namespace

Action declare_report(CLI::App& app) {
  auto asked = std::make_shared<ReportRequest>();
  app.add_option("runs", asked->runs, "one run, or several that are compared with the first")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", asked->output, "the file (NAME-OF-THE-RUN.html)")
      ->type_name("FILE");
  app.add_option("--title", asked->title, "above the report")->type_name("TEXT");
  app.add_option("--size", asked->size, "the most that the file may have; curves get fewer points")
      ->type_name("SIZE")
      ->capture_default_str();
  app.footer(
      "The file opens in a browser without a server and asks nothing of any machine. It is not the "
      "report.html in the folder of a real-time run, which is about time alone.");
  return [asked](const Invocation&) { return write_report(*asked); };
}

}  // namespace vernier::app
