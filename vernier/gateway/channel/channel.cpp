#include "vernier/gateway/channel/channel.hpp"

#include "vernier/base/units.hpp"

namespace vernier::channel {
namespace {

// "rad/s" stays as written; "deg/s" is shown as the SI unit used inside
std::string inner_unit(const Channel& c) {
  if (c.factor == 1.0) return c.unit;
  const auto unit = parsed_unit(c.unit);
  if (!unit) return c.unit;
  Unit si = *unit;
  si.factor = 1.0;
  return text(si);
}

Port event_port(const std::string& name) {
  Port p{.name = name};
  p.scalar = Scalar::integer;
  p.flow = Flow::event;
  return p;
}

Port signal_port(const Channel& c) {
  Port p{.name = c.name};
  p.unit = inner_unit(c);
  p.count = c.count;
  p.scalar = c.scalar;
  p.description = c.description;
  return p;
}

}  // namespace

bool set_unit(Channel& c, const std::string& unit) {
  const auto parsed = parsed_unit(unit);
  if (!parsed) return false;
  c.unit = unit;
  c.factor = parsed->factor;
  return true;
}

std::size_t size(const std::vector<Channel>& channels) noexcept {
  std::size_t n = 0;
  for (const auto& c : channels) n += c.count;
  return n;
}

Description described(const Channels& channels) {
  Description d;
  for (const auto& c : channels.inputs) {
    d.inputs.push_back(signal_port(c));
    d.inputs.back().initial = c.initial;
  }
  for (const auto& c : channels.outputs) d.outputs.push_back(signal_port(c));
  for (const auto& e : channels.events_in) d.inputs.push_back(event_port(e));
  for (const auto& e : channels.events_out) d.outputs.push_back(event_port(e));
  d.feedthrough = channels.feedthrough;
  return d;
}

std::vector<double> initial_values(const std::vector<Channel>& channels) {
  std::vector<double> values;
  for (const auto& c : channels) {
    for (std::uint32_t i = 0; i < c.count; ++i) {
      values.push_back(c.initial ? (*c.initial)[i] / c.factor : 0.0);
    }
  }
  return values;
}

std::string element_name(const std::vector<Channel>& channels, std::size_t element) {
  for (const auto& c : channels) {
    if (element < c.count) {
      return c.count == 1 ? c.name : c.name + "[" + std::to_string(element) + "]";
    }
    element -= c.count;
  }
  return {};
}

}  // namespace vernier::channel
