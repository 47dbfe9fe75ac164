#pragma once

#include <functional>
#include <string>

#include "vernier/component/catalogue.hpp"

namespace vernier {

/// Everything that documents can name. `notice` is called with what connections to the outside
/// report in words: who joined, who is waited for.
Catalogue standard_catalogue(std::function<void(const std::string&)> notice = {});

}  // namespace vernier
