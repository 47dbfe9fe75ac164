#include "vernier/run/desktop/desktop.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "apps/vernier/browser.hpp"
#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/example_files.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/run_argument.hpp"
#include "apps/vernier/serve_desktop.hpp"
#include "apps/vernier/workplace.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::embedded {
std::string_view page(std::string_view file) noexcept;
std::span<const std::string_view> page_files() noexcept;
std::string_view pictures(std::string_view file) noexcept;
}  // namespace vernier::embedded

namespace vernier::app {
namespace {

namespace fs = std::filesystem;

// a page keeps its layout in the browser by its address, so the port is the same every time if it
// can be
constexpr const char* usual_port = "8420";

struct DesktopRequest {
  std::string shown, listen = "127.0.0.1", certificate, key, runs = "runs";
  std::optional<int> port;
  bool read_only = false, no_browser = false;
};

/// A document or a run, as given on the command line.
void take_shown(const std::string& shown, desktop::Settings& s) {
  if (shown.empty()) return;
  std::error_code failed;
  const fs::path path = shown;
  if (path.extension() == ".xml" && !fs::is_regular_file(path, failed))
    desktop::refuse("V8102", fmt::format("there is no document \"{}\"", shown),
                    "vernier examples   lists documents to begin with");
  if (fs::is_regular_file(path, failed) && path.filename() != "results.h5") {
    if (path.extension() != ".xml")
      desktop::refuse("V8102", fmt::format("\"{}\" is neither a document nor a run", shown),
                      "documents are files that end with .xml; runs are folders with a "
                      "manifest.json");
    s.document = path;
    return;
  }
  fs::path run = run_argument(shown);
  if (run.filename() == "results.h5") run = run.parent_path();
  if (!record::is_run_folder(run))
    desktop::refuse("V8102", fmt::format("\"{}\" is neither a document nor a run", shown),
                    "vernier runs   lists the runs");
  static_cast<void>(record::read_manifest(run));  // a newer version is refused now
  s.run = run;
}

int show_desktop(const DesktopRequest& a) {
  desktop::Settings s{.listen = {a.listen, a.port ? std::to_string(*a.port) : ""},
                      .certificate = a.certificate,
                      .key = a.key,
                      .read_only = a.read_only,
                      .runs = a.runs};
  take_shown(a.shown, s);
  return serve_desktop(std::move(s), !a.no_browser);
}

std::vector<desktop::Offered> offered(ExampleFiles& files) {
  std::vector<desktop::Offered> all;
  for (const Example& e : examples()) {
    if (!e.runs()) continue;
    all.push_back({.name = e.name,
                   .title = e.summary,
                   .document = files.document(e),
                   .mission = e.folder.starts_with("missions/"),
                   .picture = embedded::pictures(e.folder + "/picture.webp")});
  }
  return all;
}

/// At the usual port, or at any other where that one is in use.
std::unique_ptr<desktop::Desktop> made(desktop::Settings s) {
  if (!s.listen.port.empty()) return std::make_unique<desktop::Desktop>(std::move(s), catalogue());
  for (const char* port : {usual_port, "0"}) {
    s.listen.port = port;
    try {
      return std::make_unique<desktop::Desktop>(s, catalogue());
    } catch (const ConfigurationError& e) {
      if (e.diagnostics().list().front().code != "V8101" || port != usual_port) throw;
    }
  }
  return nullptr;
}

void warn_of_others(const net::Address& listen) {
  if (!net::beyond_this_machine(listen)) return;
  Diagnostics problems;
  problems
      .warning("V8106",
               "every machine that reaches this one can ask for the page; the token alone protects "
               "it",
               {})
      .notes.emplace_back("give the address to nobody else; the second one only watches");
  print_problems(problems);
}

}  // namespace

std::string_view desktop_page() noexcept { return embedded::page(embedded::page_files().front()); }

int serve_desktop(desktop::Settings s, bool browser) {
  ExampleFiles files;
  s.offered = offered(files);
  s.page = desktop_page();
  s.version = version();
  s.editing = workplace(fs::current_path());
  const net::Address listen = s.listen;
  const auto desktop = made(std::move(s));
  warn_of_others(listen);
  const std::string address = desktop->address();
  if (!address.empty()) fmt::print("desktop   {}\n", address);
  fmt::print("to watch  {}\n", desktop->watch_address());
  fmt::print("Ctrl-C ends the desktop; runs continue\n");
  std::fflush(stdout);
  const Interruptible guard(
      [](void* whom) noexcept { static_cast<desktop::Desktop*>(whom)->stop(); }, desktop.get());
  if (browser && has_browser()) {
    const std::string first = desktop->first_address();
    open_browser(first.empty() ? desktop->watch_address() : first);
  }
  desktop->serve();
  return status::good;
}

Action declare_desktop(CLI::App& app) {
  auto asked = std::make_shared<DesktopRequest>();
  app.add_option("shown", asked->shown, "a document or a run to begin with")->type_name("");
  app.add_option("--port", asked->port, "the port (8420, or another where that is in use); 0: any")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).description(""));
  app.add_option("--listen", asked->listen,
                 "the address to listen at (127.0.0.1); others than this machine need --cert")
      ->type_name("ADDRESS");
  app.add_option("--cert", asked->certificate, "encrypt, with this certificate (PEM)")
      ->type_name("FILE");
  app.add_option("--key", asked->key, "its private key (PEM)")->type_name("FILE");
  app.add_flag("--read-only", asked->read_only, "nobody can start or change a run");
  app.add_flag("--no-browser", asked->no_browser, "only print the address");
  app.add_option("--runs", asked->runs, "where the runs are (runs)")->type_name("DIR");
  return [asked](const Invocation&) { return show_desktop(*asked); };
}

}  // namespace vernier::app
