#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// A value as it came, as JSON: numbers as they are on the wire, enumerators by name, strings as
/// text, opaque data in hexadecimal, records and arrays. Nothing when the bytes are no value of the
/// type, or when the type has encodings that are not of the standard.
std::optional<std::string> decoded(const Fom&, const std::string& data_type,
                                   std::span<const std::byte>);

}  // namespace vernier::fom
