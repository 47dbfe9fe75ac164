#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "vernier/component/component.hpp"
#include "vernier/gateway/link/link.hpp"

namespace vernier::link {

/// The outputs of a component with a link: link.state, link.stale, link.age, … (listed at Partner),
/// and entries in the journal when the link comes up, is lost or has trouble.
class Signals {
 public:
  static void describe(Description&);
  void bind(const Bindings&);
  /// Writes them for this side's step at simulated time `at`.
  void show(Link&, std::int64_t step, bool stale, Time at) noexcept;
  /// Discards what happened to the link so far, without reporting it.
  void forget(Link&) noexcept;

  /// Whether an entry of the journal is the link's; the component's own kinds begin at 16.
  static bool tells(const Entry& e) noexcept { return e.kind < 16; }
  static Telling tell(const Entry&);

 private:
  std::span<double> reals_[12];
  std::span<std::int64_t> integers_[9];
  std::span<std::uint8_t> stale_;
  Journal* journal_ = nullptr;
  LinkState state_ = LinkState::closed;
  std::uint64_t troubles_ = 0, refusals_ = 0;
};

/// Starts the link, and waits for the peer as long as `patience`. Throws ConfigurationError (V5142)
/// when it does not connect.
void meet(Link&, std::chrono::milliseconds patience,
          const std::function<void(const std::string&)>& notice);

}  // namespace vernier::link
