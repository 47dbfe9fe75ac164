// Answers requests of the desktop's editor, one JSON object a line, as the server does: for tests.
//
// usage: compose_requests FOLDER
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/vernier/workplace.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/run/compose/problems.hpp"

int main(int argc, char** argv) {
  using namespace vernier;
  using nlohmann::json;
  if (argc != 2) return 2;
  const compose::Workplace place = app::workplace(argv[1]);
  for (std::string line; std::getline(std::cin, line);) {
    const json request = json::parse(line, nullptr, false);
    json answer;
    if (request.is_object() && request.contains("id")) answer["id"] = request["id"];
    try {
      answer["ok"] = compose::answer(request, place);
    } catch (const ConfigurationError& e) {
      answer["problems"] = json(compose::problems_json(e.diagnostics()));
    }
    std::cout << answer.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
  return 0;
}
