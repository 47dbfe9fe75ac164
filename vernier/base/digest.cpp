#include "vernier/base/digest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

#include "vernier/base/diagnostic.hpp"

namespace vernier {

namespace {

// FIPS 180-4, section 4.2.2
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::block(const std::byte* from) noexcept {
  using std::rotr;
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      w[i] = w[i] << 8 | std::to_integer<std::uint32_t>(from[4 * i + j]);
    }
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = h_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const std::uint32_t s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> sums{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) h_[i] += sums[i];
}

void Sha256::add(std::span<const std::byte> bytes) noexcept {
  std::size_t held = bytes_ % rest_.size();
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (held == 0 && bytes.size() >= rest_.size()) {
      block(bytes.data());
      bytes = bytes.subspan(rest_.size());
      continue;
    }
    const std::size_t n = std::min(rest_.size() - held, bytes.size());
    std::memcpy(rest_.data() + held, bytes.data(), n);
    bytes = bytes.subspan(n);
    held += n;
    if (held < rest_.size()) break;
    block(rest_.data());
    held = 0;
  }
}

Digest Sha256::finish() noexcept {
  const std::uint64_t bits = bytes_ * 8;
  constexpr std::array<std::byte, 64> padding{std::byte{0x80}};
  const std::size_t held = bytes_ % 64;
  add(std::span(padding).first(held < 56 ? 56 - held : 120 - held));
  std::array<std::byte, 8> length;
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  add(length);
  Digest d;
  for (std::size_t i = 0; i < d.size(); ++i) {
    d[i] = static_cast<std::byte>(h_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return d;
}

Digest sha256(std::span<const std::byte> bytes) noexcept {
  Sha256 sum;
  sum.add(bytes);
  return sum.finish();
}

Digest sha256_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  Sha256 sum;
  std::vector<char> buffer(1u << 16);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    sum.add(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(in.gcount()))));
  }
  if (!in.eof()) throw ConfigurationError("V7107", "cannot read " + file.string());
  return sum.finish();
}

std::string text(const Digest& d) {
  std::string hex;
  for (const std::byte b : d) {
    hex += "0123456789abcdef"[std::to_integer<unsigned>(b >> 4)];
    hex += "0123456789abcdef"[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return hex;
}

}  // namespace vernier
