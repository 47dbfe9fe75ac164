#include "vernier/run/server/credentials.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/trust.hpp"
#include "vernier/net/secret.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::server {
namespace {

namespace fs = std::filesystem;

/// Whole or not at all, and never over one that another process has just made.
void make_key(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  std::string temporary = path.string() + ".XXXXXX";
  std::array<std::byte, 32> key;
  net::fill_random(key);
  const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));  // for this user only
  const bool written = file && write(file.get(), key.data(), key.size()) == key.size();
  const int linked = written ? link(temporary.c_str(), path.c_str()) : -1;
  const int error = errno;
  if (file) unlink(temporary.c_str());
  if (linked != 0 && error != EEXIST)
    throw ConfigurationError("V5632", "the server cannot make a key in " + path.string() + ": " +
                                          std::generic_category().message(error));
}

}  // namespace

fs::path key_of_user() {
  const fs::path beside = trust_file();
  return beside.empty() ? fs::path() : beside.parent_path() / "server-key";
}

Credentials credentials(const CredentialFiles& files, Side side) {
  const std::string whose = side == Side::server ? "the server" : "this program";
  Credentials c;
  const int given =
      !files.certificate.empty() + !files.private_key.empty() + !files.authorities.empty();
  if (given > 0) {
    if (given < 3)
      throw ConfigurationError("V5639",
                               "--certificate, --private-key and --authorities go together");
    std::string why;
    const net::Tls::Mutual all{files.certificate, files.private_key, files.authorities};
    c.tls = side == Side::server ? net::Tls::of_server(all, why) : net::Tls::of_client(all, why);
    if (!c.tls) throw ConfigurationError("V5639", whose + " cannot use its certificate: " + why);
  }
  if (!files.key.empty()) {
    c.key = net::key_in(files.key, "V5632", whose);
  } else if (!c.tls) {
    const fs::path own = key_of_user();
    if (own.empty() && side == Side::server)
      throw ConfigurationError("V5632", "the server has no folder for a key; say --key FILE");
    if (side == Side::server && !fs::exists(own)) make_key(own);
    if (!own.empty() && fs::exists(own)) c.key = net::key_in(own, "V5632", whose);
  }
  return c;
}

}  // namespace vernier::server
