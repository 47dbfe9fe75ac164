#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// An encoded value as JSON: numbers as encoded, enumerators by name, strings as text, opaque data
/// in hexadecimal, records as objects, arrays as arrays. Nothing when the bytes are not a value of
/// the type, or when the type uses an encoding that the standard does not define.
std::optional<std::string> decoded(const Fom&, const std::string& data_type,
                                   std::span<const std::byte>);

}  // namespace vernier::fom
