#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/digest.hpp"

/// How two sides prove to each other that they know the same key.
namespace vernier::net {

/// The key that both sides of a connection know: all bytes of a file, 1 to 4096. Throws
/// ConfigurationError with this code, naming whose key it is.
std::vector<std::byte> key_in(const std::filesystem::path&, const std::string& code,
                              const std::string& whose);

/// A message authentication code: only who knows the key can make it (HMAC-SHA-256, RFC 2104).
Digest authentication(Bytes key, Bytes message) noexcept;
/// Compares in a time that does not tell how much agrees.
bool same(Bytes, Bytes) noexcept;

/// Bytes that nobody can foretell.
void fill_random(std::span<std::byte>) noexcept;

}  // namespace vernier::net
