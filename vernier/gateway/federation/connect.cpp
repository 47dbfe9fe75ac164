#include "vernier/gateway/federation/here.hpp"
#include "vernier/gateway/federation/socket_transport.hpp"

namespace vernier::federation {

std::shared_ptr<Hub> Hub::of_process() {
  static std::mutex lock;
  static std::weak_ptr<Hub> known;
  const std::lock_guard guard(lock);
  std::shared_ptr<Hub> hub = known.lock();
  if (!hub) known = hub = std::make_shared<Hub>(std::make_unique<Core>());
  return hub;
}

std::unique_ptr<RtiTransport> connect(const Designator& d, std::string& why) {
  if (!d.error.empty()) {
    why = d.error;
    return nullptr;
  }
  if (d.where == Designator::Where::here) return Hub::of_process()->connect();
  return connect_socket(d, {}, why);
}

}  // namespace vernier::federation
