#include "vernier/gateway/channel/ports.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"

namespace vernier::channel {
namespace {

std::int64_t whole(double x, double low, double high) noexcept {
  return static_cast<std::int64_t>(std::llround(std::clamp(x, low, high)));
}

}  // namespace

void Ports::bind(const Channels& channels, const Bindings& bindings) {
  inputs_.clear();
  outputs_.clear();
  events_in_.clear();
  events_out_.clear();
  for (const auto& c : channels.inputs) {
    Input in{c.scalar, c.factor, {}, {}, {}};
    switch (c.scalar) {
      case Scalar::real:
        in.reals = bindings.real_input(c.name);
        break;
      case Scalar::integer:
        in.integers = bindings.integer_input(c.name);
        break;
      case Scalar::boolean:
      case Scalar::byte:
        in.bytes = bindings.byte_input(c.name);
        break;
    }
    inputs_.push_back(in);
  }
  for (const auto& c : channels.outputs) {
    Output out{c.scalar, c.factor, {}, {}, {}};
    switch (c.scalar) {
      case Scalar::real:
        out.reals = bindings.real_output(c.name);
        break;
      case Scalar::integer:
        out.integers = bindings.integer_output(c.name);
        break;
      case Scalar::boolean:
      case Scalar::byte:
        out.bytes = bindings.byte_output(c.name);
        break;
    }
    outputs_.push_back(out);
  }
  for (const auto& e : channels.events_in) events_in_.push_back(bindings.integer_input(e));
  for (const auto& e : channels.events_out) events_out_.push_back(bindings.integer_output(e));
  inputs_size_ = size(channels.inputs);
  outputs_size_ = size(channels.outputs);
}

void Ports::take_inputs(std::span<double> values) const noexcept {
  require(values.size() == inputs_size_);
  std::size_t n = 0;
  for (const auto& in : inputs_) {
    for (const double x : in.reals) values[n++] = x / in.factor;
    for (const std::int64_t x : in.integers) values[n++] = static_cast<double>(x);
    for (const std::uint8_t x : in.bytes) values[n++] = x;
  }
}

void Ports::give_outputs(std::span<const double> values) const noexcept {
  require(values.size() == outputs_size_);
  std::size_t n = 0;
  for (const auto& out : outputs_) {
    for (double& x : out.reals) x = values[n++] * out.factor;
    for (std::int64_t& x : out.integers) x = whole(values[n++], -0x1p53, 0x1p53);
    for (std::uint8_t& x : out.bytes) {
      const double v = values[n++];
      x = out.scalar == Scalar::boolean ? (v != 0.0 ? 1 : 0)
                                        : static_cast<std::uint8_t>(whole(v, 0.0, 255.0));
    }
  }
}

void Ports::give_events(std::span<const std::int64_t> counts) const noexcept {
  require(counts.size() == events_out_.size());
  for (std::size_t i = 0; i < counts.size(); ++i) events_out_[i][0] = counts[i];
}

}  // namespace vernier::channel
