#pragma once

#include <nlohmann/json_fwd.hpp>

#include "vernier/base/diagnostic.hpp"

namespace vernier::compose {

/// One problem as `vernier check --json` and the desktop show it: severity, code, message; file,
/// line, column and length where there is a place; mark, body, notes and fix where there are any.
nlohmann::ordered_json problem_json(const Diagnostic&);

/// All of them, in order, as an array.
nlohmann::ordered_json problems_json(const Diagnostics&);

}  // namespace vernier::compose
