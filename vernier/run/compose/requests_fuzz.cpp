// Arbitrary requests of a page: each gets an answer or is refused with a reason.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/run/compose/requests.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  static const Catalogue nothing;
  const auto request = nlohmann::json::parse(data, data + size, nullptr, false);
  if (!request.is_object() || !request.contains("do") || !request["do"].is_string() ||
      !compose::knows(request["do"].get<std::string>()))
    return 0;
  compose::Workplace place;
  place.catalogue = &nothing;
  place.folder = "/nowhere";  // so nothing can be written
  try {
    const nlohmann::json a = compose::answer(request, place);
    require(a.is_object());
    // texts of the request may not be UTF-8
    (void)a.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() > 0);
  }
  return 0;
}
