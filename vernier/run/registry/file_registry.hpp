#pragma once

#include <filesystem>

#include "vernier/base/descriptor.hpp"
#include "vernier/run/registry/registry.hpp"

namespace vernier::registry {

/// The registry of one run, in its folder: `registry.json` has the record and the last epoch,
/// `registry.lock` is locked by the leader. The kernel releases the lock when the leader's process
/// ends, on this computer and, where the file system supports it, on others that share the folder.
/// A term does not end before. A file system without locks does not prevent two leaders.
class FileRegistry final : public Registry {
 public:
  explicit FileRegistry(const std::filesystem::path& run_folder);

  Answer<Term> lead(const std::string& run, const Leader&, Clock::time_point deadline) override;
  Answer<Clock::time_point> renew(const Term&, Clock::time_point deadline) override;
  Answer<Done> publish(const Term&, const Record&, Clock::time_point deadline) override;
  /// The record stays, with the folder.
  Answer<Done> resign(const Term&, bool forget, Clock::time_point deadline) override;
  Answer<Entry> look(const std::string& run, Clock::time_point deadline) override;
  Answer<std::vector<Entry>> list(Clock::time_point deadline) override;
  Answer<Done> forget(const std::string& run, Clock::time_point deadline) override;

 private:
  std::filesystem::path record_, lock_file_;
  Descriptor lock_;  // of the leader
};

}  // namespace vernier::registry
