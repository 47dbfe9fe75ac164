#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/gateway/channel/channel.hpp"

namespace vernier::channel {

/// The bound ports of a connector, transferred as one flat vector of numbers in external units.
/// Integers and booleans are transferred as numbers, exact up to 2^53. Only bind() allocates.
class Ports {
 public:
  void bind(const Channels&, const Bindings&);

  std::size_t inputs() const noexcept { return inputs_size_; }
  std::size_t outputs() const noexcept { return outputs_size_; }

  void take_inputs(std::span<double>) const noexcept;
  void give_outputs(std::span<const double>) const noexcept;

  /// How often event input `i` has occurred since the start of the run.
  std::int64_t happened(std::size_t i) const noexcept { return events_in_[i][0]; }
  void give_events(std::span<const std::int64_t> counts) const noexcept;

 private:
  struct Input {
    Scalar scalar;
    double factor;
    std::span<const double> reals;
    std::span<const std::int64_t> integers;
    std::span<const std::uint8_t> bytes;
  };
  struct Output {
    Scalar scalar;
    double factor;
    std::span<double> reals;
    std::span<std::int64_t> integers;
    std::span<std::uint8_t> bytes;
  };

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::span<const std::int64_t>> events_in_;
  std::vector<std::span<std::int64_t>> events_out_;
  std::size_t inputs_size_ = 0, outputs_size_ = 0;
};

}  // namespace vernier::channel
