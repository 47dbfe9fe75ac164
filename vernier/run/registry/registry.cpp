#include "vernier/run/registry/registry.hpp"

#include <unistd.h>

#include <algorithm>

#include "vernier/run/record/manifest.hpp"

namespace vernier::registry {
namespace {

using namespace std::chrono_literals;

constexpr Clock::duration between_looks = 200ms, look_within = 5s;

}  // namespace

bool Registry::wait_until_free(const std::string& run, Clock::time_point deadline, int wake) {
  while (true) {
    const auto now = Clock::now();
    if (now >= deadline) return false;
    const auto entry = look(run, std::min(deadline, now + look_within));
    if (entry && !entry->leader) return true;
    if (net::wait_for(-1, 0, std::min(deadline, Clock::now() + between_looks), wake).woken)
      return false;
  }
}

std::string text(const Leader& l) {
  return "process " + std::to_string(l.process) + " on " + l.host + " (epoch " +
         std::to_string(l.epoch) + ")";
}

Leader this_process() { return {record::host_name(), static_cast<std::uint64_t>(::getpid()), 0}; }

}  // namespace vernier::registry
