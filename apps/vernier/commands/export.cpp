#include "vernier/run/record/export.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/run_argument.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::app {
namespace {

struct ExportRequest {
  std::string run;
  std::vector<std::string> signals;
  std::string every, output, format;
};

/// The requested format, else that of the file extension, else csv. A contradicting extension is
/// refused: other programs rely on it.
std::string format_of(const ExportRequest& a) {
  if (!a.format.empty()) return a.format;
  const std::string ending = std::filesystem::path(a.output).extension().string();
  if (ending == ".json") return "json";
  if (ending == ".mcap") return "mcap";
  if (ending.empty() || ending == ".csv" || ending == ".txt") return "csv";
  Diagnostics problems;
  Diagnostic& d = problems.error(
      "V7118",
      fmt::format("\"{}\" cannot be written: export writes .csv, .json and .mcap", a.output), {});
  if (ending == ".h5" || ending == ".hdf5")
    d.notes.push_back("the results are HDF5 already: results.h5 in the run's folder");
  d.notes.push_back("to write one of them under this name, add --format csv, json or mcap");
  throw ConfigurationError(problems);
}

int write(const ExportRequest& a) {
  const record::ResultReader results(run_argument(a.run));
  record::ExportOptions options;
  if (!a.signals.empty()) options.signals = a.signals;
  if (!a.every.empty()) {
    const auto every = composition::parsed_time(a.every);
    if (!every) {
      throw ConfigurationError(
          "V2005", fmt::format("--every must be a time such as 0.1s, not \"{}\"", a.every));
    }
    options.every = seconds(*every);
  }
  results.select(options.signals);  // refuses unknown signals before creating a file
  const std::string format = format_of(a);
  const auto to = [&](std::ostream& out) {
    const auto write = format == "json"   ? record::export_json
                       : format == "mcap" ? record::export_mcap
                                          : record::export_csv;
    write(results, options, out);
  };
  if (a.output.empty() || a.output == "-") {
    to(std::cout);
    std::cout.flush();
    return std::cout ? status::good : status::failed;
  }
  std::ofstream out(a.output, std::ios::binary);
  if (!out) cannot_write(a.output);
  to(out);
  out.close();
  if (!out) cannot_write(a.output);
  fmt::print("{}\n", a.output);
  return status::good;
}

}  // namespace

Action declare_export(CLI::App& app) {
  auto asked = std::make_shared<ExportRequest>();
  app.add_option("run", asked->run, "a run's folder, or its results.h5")->required()->type_name("");
  app.add_option("signals", asked->signals,
                 "patterns: plant.omega, 'wheel*.speed', plant.q[3] (default: all)")
      ->type_name("");
  app.add_option("--signals", asked->signals, "the same")->type_name("PATTERN");
  app.add_option("--every", asked->every, "thin out: 0.1s")->type_name("TIME");
  app.add_option("--format", asked->format, "csv, json or mcap; else as the file's name says")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"csv", "json", "mcap"}).description(""));
  app.add_option("-o,--output", asked->output, "the file (default: standard output)")
      ->type_name("FILE");
  return [asked](const Invocation&) { return write(*asked); };
}

}  // namespace vernier::app
