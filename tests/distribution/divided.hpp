#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/distribution/queue_exchange.hpp"
#include "tests/watching/sketch.hpp"
#include "vernier/run/composition/cut.hpp"

/// Random compositions that are divided among nodes, which are threads here, each with its own
/// executive; and what every output of every part shows, to the bit.
namespace vernier::sketches {

/// By path: digest and rows of an output, digest and size of a state.
using Outcomes = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

struct Divided {
  composition::Division nodes = {};
  std::uint32_t count = 1;
  int threads = 1;
  bool film = false;  // watched at a rate of its own
};

/// What a node shows.
struct Shown {
  executive::Ending ending{};
  std::string fault;
  Outcomes all;
};

/// Ignores what it sees.
struct Bystander final : executive::Observer {
  void sample(Instant, bool) noexcept override {}
};

inline void add_states(const executive::Executive& run, Outcomes& all) {
  for (const executive::Section& s : run.save().sections) {
    if (!s.path.starts_with("state ")) continue;
    std::uint64_t sum = 14695981039346656037u;
    for (const std::byte b : s.bytes)
      sum = (sum ^ std::to_integer<std::uint64_t>(b)) * 1099511628211u;
    all[s.path] = {sum, s.bytes.size()};
  }
}

/// What the parts of one node show in 3 s.
inline Shown shown(const Sketch& sketch, const Divided& how, exchange::Exchange* exchange) {
  executive::Executive run(sketch.plan(), {},
                           {.threads = how.threads, .exchange = exchange, .nodes = how.nodes});
  std::map<std::string, std::unique_ptr<Digest>> digests;
  std::vector<std::unique_ptr<Bystander>> films;
  for (const executive::PortView& v : run.ports()) {
    if (!v.output || v.data == nullptr || !run.here(v.part)) continue;
    if (exchange && run.plan().parts[v.part].component->description().abilities.constant &&
        exchange->self() > 0)
      continue;
    digests[v.path] = std::make_unique<Digest>(v);
    run.observe(*digests[v.path], {.cluster = v.cluster});
    if (!how.film) continue;
    digests[v.path + " film"] = std::make_unique<Digest>(v);
    run.observe(*digests[v.path + " film"], {.rate = {30, 1}, .cluster = v.cluster});
  }
  for (std::uint32_t c = 0; how.film && c < run.plan().clusters.size(); ++c) {
    films.push_back(std::make_unique<Bystander>());
    run.observe(*films.back(), {.rate = {30, 1}, .cluster = c});
  }
  Shown s;
  try {
    run.initialize();
    s.ending = run.run_until(Time(std::chrono::seconds(3)));
    s.fault = rendered(run.fault());
  } catch (const ConfigurationError& e) {
    s.ending = executive::Ending::failed;
    s.fault = rendered(e.diagnostics());
  }
  if (s.ending != executive::Ending::reached) return s;
  for (const auto& [path, d] : digests) s.all[path] = {d->value, d->rows};
  add_states(run, s.all);
  return s;
}

/// By node.
inline std::vector<Shown> divided(const Sketch& sketch, const Divided& how,
                                  exchange::test::Hub& hub) {
  std::vector<Shown> all(how.count);
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < how.count; ++n)
    nodes.emplace_back([&, n] {
      exchange::test::QueueExchange exchange(hub, n);
      all[n] = shown(sketch, how, &exchange);
    });
  for (std::thread& t : nodes) t.join();
  return all;
}

inline std::string words(const Divided& how) {
  std::string s = std::to_string(how.count) + " nodes:";
  for (const auto& nodes : how.nodes.all()) {
    s += " ";
    for (const std::uint32_t n : nodes) s += std::to_string(n);
  }
  return s + (how.film ? ", filmed" : "");
}

}  // namespace vernier::sketches
