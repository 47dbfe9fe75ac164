#include "vernier/gateway/channel/key.hpp"

#include <array>
#include <fstream>
#include <span>

#include "vernier/base/diagnostic.hpp"

namespace vernier::channel {

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

}  // namespace vernier::channel
