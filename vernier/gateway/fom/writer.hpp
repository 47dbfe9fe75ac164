#pragma once

#include <string>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// The FOM as one equivalent document of IEEE 1516.2-2010: after merging it with the same MIM,
/// differences() finds none. Indices may differ, since the document is a tree. The MIM is left out
/// unless `with_mim`; only those of its classes are named that are ancestors of others.
std::string written(const Fom&, const std::string& name, bool with_mim = false);

}  // namespace vernier::fom
