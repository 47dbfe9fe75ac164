#include "vernier/base/trust.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "vernier/base/diagnostic.hpp"

namespace vernier::app {
namespace {

struct TrustRequest {
  std::vector<std::string> files, removed;
  bool list = false, json = false;
};

int list_trusted(bool json) {
  const std::filesystem::path file = trust_file();
  const Trust trust = read_trust(file);
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const TrustedFile& f : trust.list())
      all.push_back({{"sha256", text(f.sha256)}, {"since", f.since}, {"path", f.path.string()}});
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return status::good;
  }
  for (const TrustedFile& f : trust.list())
    fmt::print("{}  {}  {}\n", text(f.sha256), f.since, harmless(f.path.string(), false));
  if (trust.list().empty())
    fmt::print("no native code is trusted\n");
  else
    fmt::print("\nkept in {}\n", file.string());
  return status::good;
}

int change(const TrustRequest& a) {
  std::string done;  // printed when it is on the disk
  change_trust(trust_file(), [&](Trust& trust) {
    for (const std::string& what : a.removed) {
      if (trust.remove(what) == 0) {
        Diagnostics problems;
        problems.error("V7605", fmt::format("\"{}\" is not among the trusted files", what), {})
            .notes.push_back("vernier trust --list   shows them");
        throw ConfigurationError(problems);
      }
      done += fmt::format("no longer trusted: {}\n", what);
    }
    for (const std::string& file : a.files) {
      const TrustedFile& f = trust.add(file);
      done += fmt::format("trusted: {}\n  SHA-256  {}\n", f.path.string(), text(f.sha256));
    }
  });
  fmt::print("{}", done);
  return status::good;
}

}  // namespace

Action declare_trust(CLI::App& app) {
  auto asked = std::make_shared<TrustRequest>();
  app.add_option("files", asked->files, "plug-ins and shared objects that documents may load")
      ->type_name("");
  app.add_flag("--list", asked->list, "show what is trusted; also without any argument");
  app.add_option("--remove", asked->removed, "trust it no longer: a file, or its SHA-256")
      ->type_name("FILE|HASH")
      ->expected(1)
      ->take_all();
  app.add_flag("--json", asked->json, "with --list: as JSON");
  app.footer(
      "Trusted code runs with all your rights. A file is known by its content (SHA-256): after a "
      "change it must be trusted again.");
  return [asked](const Invocation&) {
    const bool changes = !asked->files.empty() || !asked->removed.empty();
    const int done = changes ? change(*asked) : status::good;
    return asked->list || !changes ? list_trusted(asked->json) : done;
  };
}

}  // namespace vernier::app
