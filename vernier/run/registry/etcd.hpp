#pragma once

#include <cstddef>
#include <string>

#include "vernier/net/address.hpp"
#include "vernier/run/registry/gateway.hpp"
#include "vernier/run/registry/location.hpp"

namespace vernier::registry {

/// A cluster of etcd, over HTTP. A leader has the key PREFIX/runs/NAME/leader, which goes with its
/// lease; its epoch is the revision that created the key. PREFIX/runs/NAME/record is written only
/// while that key is there.
class EtcdRegistry final : public Registry {
 public:
  explicit EtcdRegistry(Location);

  Answer<Term> lead(const std::string& run, const Leader&, Clock::time_point deadline) override;
  Answer<Clock::time_point> renew(const Term&, Clock::time_point deadline) override;
  Answer<Done> publish(const Term&, const Record&, Clock::time_point deadline) override;
  Answer<Done> resign(const Term&, bool forget, Clock::time_point deadline) override;
  Answer<Entry> look(const std::string& run, Clock::time_point deadline) override;
  Answer<std::vector<Entry>> list(Clock::time_point deadline) override;
  Answer<Done> forget(const std::string& run, Clock::time_point deadline) override;

 private:
  struct Asked {
    gateway::Reply reply;
    Clock::time_point at;  // before the request was sent
  };
  std::string key(const std::string& run, const char* what) const;
  /// Asks one member after another until one answers. `insists`: also while nobody can be reached.
  Answer<Asked> ask(const gateway::Question&, Clock::time_point deadline, bool insists);
  /// A transaction that has to hold.
  Answer<Done> held(const gateway::Question&, Clock::time_point deadline);
  Answer<std::vector<Entry>> entries(const std::string& prefix, Clock::time_point deadline);

  Location location_;
  std::size_t member_ = 0;  // which answered last
};

}  // namespace vernier::registry
