#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/library.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {

Action declare_dtd(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  app.add_option("folder", *folder, "where to write them")->required()->type_name("");
  return [folder](const Invocation&) -> int {
    const std::vector<std::string> names = write_grammars(*folder);
    fmt::print("wrote {}/: {}\n\n", *folder, joined(names, ", "));
    fmt::print("  next      XML_CATALOG_FILES={}/catalog.xml xmllint --noout --valid FILE\n",
               *folder);
    return status::good;
  };
}

}  // namespace vernier::app
