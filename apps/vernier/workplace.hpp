#pragma once

#include <filesystem>

#include "vernier/run/compose/requests.hpp"

namespace vernier::app {

/// What the desktop's editor works on: the standard catalogue, which loads no native code, the
/// program's grammars and templates, and a folder below which documents may be written.
compose::Workplace workplace(std::filesystem::path folder);

}  // namespace vernier::app
