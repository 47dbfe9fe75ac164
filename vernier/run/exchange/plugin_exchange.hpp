#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "vernier/base/native_code.hpp"
#include "vernier/run/exchange/exchange.hpp"
#include "vernier/run/exchange/meeting.hpp"

namespace vernier::exchange {

/// A network that others wrote: a shared object behind the interface of vernier_network.h. This is
/// one node of it, as Meeting is one of those that Vernier knows.
class NetworkPlugin {
 public:
  /// Loads the shared object and opens the node. `host`: of this computer, in numbers. Throws
  /// ConfigurationError (V5609, and those of NativeCode::load()).
  NetworkPlugin(const std::filesystem::path&, const std::string& config, const std::string& host,
                NativeCode&);
  ~NetworkPlugin();

  /// How other nodes reach this one; not empty.
  const std::string& address() const noexcept;

  /// As Meeting::meet(), without TLS.
  Result<std::unique_ptr<Exchange>, Meeting::Trouble> meet(const Meeting::With&,
                                                           net::Clock::time_point deadline,
                                                           int wake = -1);

 private:
  struct Library;
  std::shared_ptr<Library> library_;
};

}  // namespace vernier::exchange
