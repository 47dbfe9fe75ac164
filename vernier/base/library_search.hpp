#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vernier {

/// What a shared object (ELF, of this machine's kind) names relative to the current directory: a
/// folder of its run path (DT_RPATH, DT_RUNPATH), or a library that it needs. The dynamic loader
/// would take code from there that nobody trusted. Empty: nothing, or it is no such object.
std::string relative_search(std::span<const std::byte> object);

}  // namespace vernier
