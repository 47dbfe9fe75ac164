#include "vernier/run/desktop/live_status.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/problems.hpp"

namespace vernier::desktop {

using namespace std::chrono_literals;
using nlohmann::ordered_json;

namespace {

constexpr auto every = 200ms;

/// A member of what another process has said, if it is of the kind expected.
double number_of(const ordered_json& j, const char* name) {
  const auto at = j.find(name);
  return at != j.end() && at->is_number() ? at->get<double>() : 0.0;
}

}  // namespace

void LiveStatus::watch(const std::filesystem::path& run, Client c, std::string name) {
  Run& r = runs_[run];
  r.clients.insert_or_assign(c, std::move(name));
  r.last.clear();  // the new client has heard nothing yet
}

void LiveStatus::forget(const std::filesystem::path& run, Client c) {
  const auto at = runs_.find(run);
  if (at == runs_.end()) return;
  at->second.clients.erase(c);
  if (at->second.clients.empty()) runs_.erase(at);
}

void LiveStatus::forget(Client c) {
  for (auto& [path, run] : runs_) run.clients.erase(c);
  std::erase_if(runs_, [](const auto& r) { return r.second.clients.empty(); });
}

std::filesystem::path LiveStatus::due(Clock::time_point now) {
  for (auto& [path, run] : runs_) {
    if (run.asked || run.next > now) continue;
    run.asked = true;
    return path;
  }
  return {};
}

LiveStatus::Clock::time_point LiveStatus::next() const noexcept {
  Clock::time_point first = net::forever;
  for (const auto& [path, run] : runs_) {
    if (!run.asked) first = std::min(first, run.next);
  }
  return first;
}

LiveStatus::Told LiveStatus::take(const std::filesystem::path& path, const std::string& state,
                                  std::uint64_t lost, Clock::time_point now) {
  const auto at = runs_.find(path);
  if (at == runs_.end()) return {};
  Run& run = at->second;
  run.asked = false;
  run.next = now + every;
  const ordered_json j = ordered_json::parse(state, nullptr, false);
  if (!j.is_object()) return {};
  const double time = number_of(j, "time");
  const double passed = std::chrono::duration<double>(now - run.at).count();
  ordered_json told{{"tell", "status"}, {"live", true}};
  for (const char* name :
       {"status", "frozen", "time", "rate", "events", "dropped", "overrides", "pulse", "nodes"}) {
    if (const auto member = j.find(name); member != j.end()) told[name] = *member;
  }
  // until there are two answers, what the run wants to keep
  const double factor =
      run.known && passed > 0.0 ? (time - run.time) / passed : number_of(j, "rate");
  told["factor"] = number(factor);
  told["lost"] = lost;
  run.time = time;
  run.at = now;
  run.known = true;
  std::string text = dumped(told);
  if (text == run.last) return {};
  run.last = std::move(text);
  return to_all(run, told);
}

void LiveStatus::missed(const std::filesystem::path& path, Clock::time_point now) {
  const auto at = runs_.find(path);
  if (at == runs_.end()) return;
  at->second.asked = false;
  at->second.next = now + every;
}

LiveStatus::Told LiveStatus::end(const std::filesystem::path& path, const std::string& status,
                                 std::uint64_t events, const std::string& next) {
  const auto at = runs_.find(path);
  if (at == runs_.end()) return {};
  ordered_json told{
      {"tell", "status"},        {"live", false}, {"status", status}, {"frozen", false},
      {"time", at->second.time}, {"factor", 0.0}, {"events", events}, {"lost", 0}};
  if (!next.empty()) told["next"] = next;
  Told last = to_all(at->second, told);
  runs_.erase(at);
  return last;
}

LiveStatus::Told LiveStatus::to_all(const Run& run, const ordered_json& message) {
  Told told;
  ordered_json one = message;
  for (const auto& [client, name] : run.clients) {
    one["run"] = name;
    told.emplace_back(client, dumped(one));
  }
  return told;
}

}  // namespace vernier::desktop
