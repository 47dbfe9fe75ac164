#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"

namespace vernier::app {

Action declare_version(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "as one JSON object");
  return [json](const Invocation&) {
    if (*json) {
      const nlohmann::ordered_json all{{"version", std::string(version())},
                                       {"compiler", __VERSION__}};
      fmt::print("{}\n", all.dump(2));
    } else {
      fmt::print("vernier {}\n", version());
    }
    return status::good;
  };
}

}  // namespace vernier::app
