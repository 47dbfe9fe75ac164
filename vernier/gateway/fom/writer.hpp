#pragma once

#include <string>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// The FOM as one document of IEEE 1516.2-2010 that means the same: differences() between it,
/// merged with the same MIM, and the FOM finds none. Indices may be others, since the document is a
/// tree. Parts of the MIM are left out unless `with_mim`; classes of it that lead to others are
/// named.
std::string written(const Fom&, const std::string& name, bool with_mim = false);

}  // namespace vernier::fom
