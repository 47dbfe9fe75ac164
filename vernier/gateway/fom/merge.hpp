#pragma once

#include <optional>
#include <span>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// Merges modules into the FOM of a federation, by the rules of IEEE 1516.2-2010:
///
/// - What two modules define must mean the same in both. Words for people (semantics, notes) may
///   differ; those of the first stay.
/// - A class without members may stand in any module, to lead to its subclasses. The members of a
///   class are all defined in one place: no module adds to those of another.
/// - Switches are those of the first module that has them.
/// - Names that begin with HLA are of the MIM. What it defines counts; a module that says otherwise
///   is warned, and refused where values would be encoded otherwise.
/// - Every name that is used is defined in one of the modules.
///
/// Problems are reported at their places, conflicts with both. Nothing when there is an error.
std::optional<Fom> merge(std::span<const Module> modules, const Module& mim, Diagnostics& problems);

}  // namespace vernier::fom
