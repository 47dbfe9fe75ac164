#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/net/address.hpp"
#include "vernier/net/wait.hpp"
#include "vernier/run/server/spawned.hpp"

/// Servers on the local network, by multicast DNS (RFC 6762, RFC 6763), with the tools of Avahi.
namespace vernier::server {

/// The type of the service.
inline constexpr const char* service = "_vernier._tcp";
inline constexpr std::size_t most_announced = 1024;

/// A server that announces itself.
struct Announced {
  std::string name;      // of the computer, if nobody else has it
  net::Address address;  // in numbers
  std::string version;   // of its program; empty: it does not say
};

/// What avahi-browse has printed (--parsable --resolve): each server once, at IPv4 if it has both.
/// Lines of another form are left out.
std::vector<Announced> announced_in(std::string_view printed);

/// The servers on the local network; takes about a second. The error is a sentence.
Result<std::vector<Announced>, std::string> discovered(net::Clock::time_point deadline);

/// Announces a server as long as it lives.
class Announcement {
 public:
  /// The error is a sentence.
  static Result<std::unique_ptr<Announcement>, std::string> of(const std::string& name,
                                                               std::uint16_t port,
                                                               const std::string& version,
                                                               net::Clock::time_point deadline);

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Spawned> process_;
};

}  // namespace vernier::server
