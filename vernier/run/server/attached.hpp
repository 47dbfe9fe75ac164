#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/net/address.hpp"
#include "vernier/run/server/credentials.hpp"
#include "vernier/run/session/control.hpp"

namespace vernier::server {

/// Lets clients of the servers that host executors of a run ask this run, as other programs do
/// through its folder. A thread of normal priority for each server keeps a connection to it, on
/// which the server passes on what its clients ask, one request at a time.
class Attached {
 public:
  struct Server {
    net::Address address;
    Credentials with;
  };
  /// `trouble`: called with a warning (V5664) when a server cannot be had, from any thread.
  Attached(const std::vector<Server>&, const std::string& version,
           const std::function<void(const Diagnostics&)>& trouble);
  ~Attached();
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  /// The composer's number, which its executors at servers have too.
  std::uint64_t composer() const noexcept { return composer_; }
  /// From now on the run can be asked at each server that has an executor. Once.
  void open(const std::string& run, const session::Control::Answer&);
  void close();
  /// An executor was started there: the server may be another one than before. From any thread;
  /// does not wait.
  void executor_started(const net::Address&) noexcept;

 private:
  class Line;
  std::uint64_t composer_ = 0;
  std::vector<std::unique_ptr<Line>> lines_;
};

}  // namespace vernier::server
