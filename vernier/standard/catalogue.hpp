#pragma once

#include <functional>
#include <string>

#include "vernier/component/catalogue.hpp"

namespace vernier {

/// Everything that documents can refer to. `notice` is called with reports of external connections:
/// who joined, who is waited for.
Catalogue standard_catalogue(std::function<void(const std::string&)> notice = {});

}  // namespace vernier
