#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "vernier/base/diagnostic.hpp"

namespace vernier::desktop {

/// Problems as a list of JSON objects: severity, code, message, place, mark, body, notes, fix; what
/// is empty is left out.
nlohmann::ordered_json json_of(const Diagnostics&);
/// The reverse, for what another process has printed. What has another form is left out.
Diagnostics problems_in(const nlohmann::ordered_json& list);

/// A JSON text; what is not UTF-8 is replaced.
std::string dumped(const nlohmann::ordered_json&, int indent = -1);

/// A failure of the machine, such as no memory (V8109).
Diagnostics failure(const std::exception&);

/// Throws ConfigurationError: one problem without a place.
[[noreturn]] void refuse(const char* code, std::string message, std::string note = {});

}  // namespace vernier::desktop
