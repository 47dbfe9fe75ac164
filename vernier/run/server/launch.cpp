#include "vernier/run/server/launch.hpp"

#include <utility>

#include "vernier/base/diagnostic.hpp"

namespace vernier::server {

Started started_here(const Launch& launch) {
  auto here = std::make_unique<Started::Process>();
  auto spawned = Spawned::of(launch, {}, here->folder.path(), {});
  if (!spawned) throw ConfigurationError("V5603", "no executor can be started: " + spawned.error());
  net::Stream stream(spawned->take_channel());
  here->process.emplace(std::move(*spawned));
  return {std::move(stream), std::move(here)};
}

}  // namespace vernier::server
