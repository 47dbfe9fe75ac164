#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/base/instructions.hpp"
#include "vernier/run/executive/snapshot.hpp"

namespace vernier::record {

/// The state of a run between two ticks, with what is needed to check whether it fits another run.
/// formats/checkpoint specifies the file.
struct Checkpoint {
  std::string version;      // of Vernier
  std::string composition;  // its name
  Digest documents{};       // digest_of(the documents it was made from)
  executive::Snapshot snapshot;
  std::optional<Computing> computing = {};  // nothing: written by a version that did not record it
};

/// One digest for several documents, in their order.
Digest digest_of(std::span<const Digest> documents) noexcept;

/// "t=0300.000.vchk"; with more digits where the time has them.
std::string checkpoint_name(Time);

/// The file is written completely or not at all. Throws ConfigurationError (V7107).
void write_checkpoint(const std::filesystem::path&, const Checkpoint&);
/// The same of what encoded() has made.
void write_checkpoint(const std::filesystem::path&, std::span<const std::byte>);

/// Throws ConfigurationError: V7107 not readable, V7110 not a checkpoint, V7111 another version,
/// V7112 truncated, V7113 damaged.
Checkpoint read_checkpoint(const std::filesystem::path&);

std::vector<std::byte> encoded(const Checkpoint&);
/// `name` stands for the file in messages.
Checkpoint decoded(std::span<const std::byte>, const std::filesystem::path& name);
/// The same without verifying the checksum, to test the checks after it.
Checkpoint decoded_unchecked(std::span<const std::byte>, const std::filesystem::path& name);

/// Compares it with the state `here` of a run that is to continue from it: reports sections that
/// are missing, new or of another size (V7114, an error) and documents that changed (V7115, a
/// warning).
void compare_shape(const Checkpoint&, const executive::Snapshot& here, const Digest& documents,
                   const std::filesystem::path& name, Diagnostics&);
/// Warns (V7116) if a run with this arithmetic will not continue to the bit.
void compare_arithmetic(const Checkpoint&, const Computing& here, const std::filesystem::path& name,
                        Diagnostics&);

}  // namespace vernier::record
