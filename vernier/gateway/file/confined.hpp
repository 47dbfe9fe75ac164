#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/descriptor.hpp"

/// Files that a document names are written only where the user expects it: in the folder of the
/// run, or below a folder that the user allowed.
namespace vernier::file {

/// Why a document may not write this file; empty: it may. A relative path is in the folder of the
/// run and must stay there; an absolute one must be below one of `writable`. By the names alone:
/// open_below() follows links.
std::string escape(const std::filesystem::path& file,
                   const std::vector<std::filesystem::path>& writable);

/// Creates or opens `file`, which is below `root`, as open(2) with `flags`; -1 with errno: EXDEV
/// if a symbolic link leads out of `root`, ELOOP if the file itself is a link.
int open_below(const std::filesystem::path& root, const std::filesystem::path& file, int flags);

/// The folder of `writable` that holds an absolute path; empty: none does.
std::filesystem::path root_of(const std::filesystem::path& file,
                              const std::vector<std::filesystem::path>& writable);

}  // namespace vernier::file
