// Arbitrary vectors, one after another, to a server and a client during a run: no crash, and the
// motion stays within its limits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "vernier/gateway/rsp/simulated.hpp"

using namespace vernier::rsp;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

Experiment::Settings settings() {
  Experiment::Settings s;
  Limits l;
  l.low = Vector3(-5, -5, -5);
  l.high = Vector3(5, 5, 5);
  l.speed = l.acceleration = 0.5, l.jerk = 2.0;
  l.rate = l.angular_acceleration = 0.35, l.angular_jerk = 1.4;
  s.server.period = {50'000'000, 1};  // each of its steps searches for a halt
  s.server.limits = {l, l};
  s.client.period = {100'000'000, 1};
  s.client.bodies = 2;
  s.client.initial = std::chrono::seconds(1);
  s.motion = [](double t, std::span<Trajectory> b) { b[0].p = Vector3(0.01 * std::sin(t), 0, 0); };
  return s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<double> numbers_there(std::min<std::size_t>(size / 8, 512));
  if (!numbers_there.empty()) std::memcpy(numbers_there.data(), data, numbers_there.size() * 8);
  Experiment e(settings());
  e.join();
  e.run(1.4);
  const std::size_t vector = numbers(2, false);
  for (std::size_t at = 0; at + prefix <= numbers_there.size(); at += vector) {
    const auto one =
        std::span(numbers_there).subspan(at, std::min(vector, numbers_there.size() - at));
    e.client_end().inject(one, e.now());
    e.server_end().inject(one, e.now());
    e.run(0.05);
  }
  e.run(0.2);
  for (const Trajectory& t : e.server().commanded()) {
    check(t.p.allFinite() && t.v.allFinite() && t.q.allFinite() && t.omega.allFinite());
    check(t.v.norm() <= 0.5 * slack && std::abs(t.q.norm() - 1.0) < 1e-9);
  }
  return 0;
}
