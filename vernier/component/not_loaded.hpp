#pragma once

#include <string>
#include <utility>

#include "vernier/component/component.hpp"

namespace vernier {

/// Takes the place of a component whose native code is not loaded, where documents are only read.
/// It has ports; it refuses to be initialized.
class NotLoaded final : public Component {
 public:
  /// `unchecked`: see Description.
  NotLoaded(Description d, std::string unchecked) : description_(std::move(d)) {
    description_.unchecked = std::move(unchecked);
    description_.state_bytes = 0;
  }

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  /// Throws ConfigurationError (V7603).
  bool initialize(Time, int phase) override;
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

}  // namespace vernier
