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

/// A run between two ticks, with what is needed to know whether it fits another run. The bytes of a
/// file are described in formats/checkpoint.
struct Checkpoint {
  std::string version;      // of Vernier
  std::string composition;  // its name
  Digest documents{};       // digest_of(the documents it was made from)
  executive::Snapshot snapshot;
  std::optional<Computing> computing = {};  // nothing: by a version that did not say
};

/// One digest for several documents, in their order.
Digest digest_of(std::span<const Digest> documents) noexcept;

/// "t=0300.000.vchk"; with more digits where the time has them.
std::string checkpoint_name(Time);

/// The file appears as a whole or not at all. Throws ConfigurationError (V7107).
void write_checkpoint(const std::filesystem::path&, const Checkpoint&);

/// Throws ConfigurationError: V7107 not readable, V7110 not a checkpoint, V7111 of another version,
/// V7112 cut off, V7113 damaged.
Checkpoint read_checkpoint(const std::filesystem::path&);

std::vector<std::byte> encoded(const Checkpoint&);
/// `name` stands for the file in messages.
Checkpoint decoded(std::span<const std::byte>, const std::filesystem::path& name);
/// The same without looking at the checksum: for whoever tests what lies behind it.
Checkpoint decoded_unchecked(std::span<const std::byte>, const std::filesystem::path& name);

/// Compares with the state of a run that is to go on from it, `here`: reports sections that are
/// missing, new or of another size (V7114, an error) and documents that changed (V7115, a warning).
void compare_shape(const Checkpoint&, const executive::Snapshot& here, const Digest& documents,
                   const std::filesystem::path& name, Diagnostics&);
/// Warns (V7116) where a run that computes in this way will not go on to the bit.
void compare_arithmetic(const Checkpoint&, const Computing& here, const std::filesystem::path& name,
                        Diagnostics&);

}  // namespace vernier::record
