#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace vernier {

using Digest = std::array<std::byte, 32>;

/// SHA-256 (FIPS 180-4), computed incrementally.
class Sha256 {
 public:
  void add(std::span<const std::byte>) noexcept;
  void add(std::string_view text) noexcept { add(std::as_bytes(std::span(text))); }
  /// The digest of everything added; do not use the object afterwards.
  Digest finish() noexcept;

 private:
  void block(const std::byte*) noexcept;

  std::array<std::uint32_t, 8> h_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};
  std::uint64_t bytes_ = 0;
};

Digest sha256(std::span<const std::byte>) noexcept;
/// Throws ConfigurationError (V7107) when the file cannot be read.
Digest sha256_of_file(const std::filesystem::path&);
/// In hexadecimal, lower case.
std::string text(const Digest&);

}  // namespace vernier
