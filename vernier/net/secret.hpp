#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/digest.hpp"

/// Authentication by a shared key.
namespace vernier::net {

/// The shared key: all bytes of a file, 16 to 4096. Others must not be able to read or write it.
/// Throws ConfigurationError with this code, naming the key's owner.
std::vector<std::byte> key_in(const std::filesystem::path&, const std::string& code,
                              const std::string& whose);

/// A message authentication code, which only a holder of the key can compute (HMAC-SHA-256, RFC
/// 2104).
Digest authentication(Bytes key, Bytes message) noexcept;
/// Compares in constant time, so that timing does not reveal how much agrees.
bool same(Bytes, Bytes) noexcept;

/// Fills with cryptographically secure random bytes.
void fill_random(std::span<std::byte>) noexcept;

}  // namespace vernier::net
