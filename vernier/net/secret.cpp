#include "vernier/net/secret.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"

namespace vernier::net {

std::vector<std::byte> key_in(const std::filesystem::path& path, const std::string& code,
                              const std::string& whose) {
  const auto refuse = [&](const std::string& why, const std::string& note) {
    Diagnostics problems;
    problems.error(code, whose + " finds no key in " + path.string() + ": " + why, {})
        .notes.push_back(note);
    throw ConfigurationError(std::move(problems));
  };
  const std::string make =
      "make one: (umask 077; head -c 32 /dev/urandom > " + path.filename().string() + ")";
  constexpr std::size_t least = 16;
  // what is read is what was looked at: the open file
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  std::array<char, 4097> content;
  std::size_t n = 0;
  if (file && fstat(file.get(), &about) == 0) {
    for (ssize_t got = 1; got > 0 && n < content.size(); n += static_cast<std::size_t>(got))
      got = std::max<ssize_t>(read(file.get(), content.data() + n, content.size() - n), 0);
  }
  if (n == 0) refuse("it is empty or cannot be read", make);
  if (n == content.size()) refuse("it has more than 4096 bytes", make);
  if (n < least)
    refuse("it has " + std::to_string(n) + (n == 1 ? " byte" : " bytes") + ", a key has at least " +
               std::to_string(least),
           make);
  if (S_ISREG(about.st_mode) && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    refuse("others can read or change it", "chmod 600 " + path.filename().string());
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
