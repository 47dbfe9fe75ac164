#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "vernier/component/component.hpp"
#include "vernier/gateway/link/link.hpp"

namespace vernier::link {

/// What a component that has a link shows of it: the outputs link.state, link.stale, link.age, …
/// (listed at Partner), and entries in the journal when the link comes, goes or has trouble.
class Signals {
 public:
  static void describe(Description&);
  void bind(const Bindings&);
  /// Writes them for this side's step at simulated time `at`.
  void show(Link&, std::int64_t step, bool stale, Time at) noexcept;
  /// What happened to the link until now is nobody's business.
  void forget(Link&) noexcept;

  /// Entries of the journal that are the link's; the component's own kinds begin at 16.
  static bool tells(const Entry& e) noexcept { return e.kind < 16; }
  static Telling tell(const Entry&);

 private:
  std::span<double> reals_[12];
  std::span<std::int64_t> integers_[9];
  std::span<std::uint8_t> stale_;
  Journal* journal_ = nullptr;
  LinkState state_ = LinkState::closed;
  std::uint64_t troubles_ = 0;
};

/// Starts the link, and waits for the other side when there is patience. Throws ConfigurationError
/// (V5142) when it does not come.
void meet(Link&, std::chrono::milliseconds patience,
          const std::function<void(const std::string&)>& notice);

}  // namespace vernier::link
