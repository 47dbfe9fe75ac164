#include "vernier/net/secret.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <array>
#include <fstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"

namespace vernier::net {

std::vector<std::byte> key_in(const std::filesystem::path& path, const std::string& code,
                              const std::string& whose) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4097> content;
  in.read(content.data(), content.size());
  const auto n = static_cast<std::size_t>(in.gcount());
  if (n == 0 || n == content.size()) {
    throw ConfigurationError(
        code, whose + " finds no key in " + path.string() +
                  (n == 0 ? ": it is empty or cannot be read" : ": it has more than 4096 bytes"));
  }
  const auto bytes = std::as_bytes(std::span(content).first(n));
  return {bytes.begin(), bytes.end()};
}

Digest authentication(Bytes key, Bytes message) noexcept {
  Digest d{};
  unsigned size = 0;
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(message.data()), message.size(),
               reinterpret_cast<unsigned char*>(d.data()), &size) &&
          size == d.size());
  return d;
}

bool same(Bytes a, Bytes b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void fill_random(std::span<std::byte> to) noexcept {
  // getrandom() is neither interrupted nor truncated up to 256 bytes
  require(to.size() <= 256 &&
          getrandom(to.data(), to.size(), 0) == static_cast<ssize_t>(to.size()));
}

}  // namespace vernier::net
