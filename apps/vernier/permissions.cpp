#include "apps/vernier/permissions.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "vernier/standard/catalogue.hpp"

namespace vernier::app {

void declare_permissions(CLI::App& app, Permissions& p, bool writes) {
  app.add_option("--trust", p.trust,
                 "load this plug-in or shared object in this call, as vernier trust permits it "
                 "for all; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  if (!writes) return;
  app.add_option("--allow-write", p.allow_write,
                 "let the document write files in this folder, besides that of the run; may be "
                 "repeated")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
}

Catalogue running_catalogue(const Permissions& p) {
  return standard_catalogue(
      {.notice = [](const std::string& what) { fmt::print(stderr, "{}\n", what); },
       .code = trusted_code({p.trust.begin(), p.trust.end()}),
       .writable = std::vector<std::filesystem::path>(p.allow_write.begin(), p.allow_write.end())});
}

}  // namespace vernier::app
