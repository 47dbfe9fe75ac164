#pragma once

#include <optional>
#include <span>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// Merges modules into the FOM of a federation, by the rules of IEEE 1516.2-2010:
///
/// - Definitions of the same name in two modules must be equivalent. Free text (semantics, notes)
///   may differ; that of the first module is kept.
/// - Any module may repeat a class without members, as the ancestor of its subclasses. One module
///   defines all members of a class; no other module may add to them.
/// - The first module that has switches defines them.
/// - The definitions of the MIM apply: a module that differs gets a warning, and an error if values
///   would be encoded differently. Other names that begin with HLA get a warning.
/// - A member that repeats an inherited one gets a warning, and an error if its data type differs:
///   the inherited one applies.
/// - Every name that is used must be defined in one of the modules.
///
/// Problems are reported with their places, conflicts with both. Nothing when there is an error.
std::optional<Fom> merge(std::span<const Module> modules, const Module& mim, Diagnostics& problems);

}  // namespace vernier::fom
