#include "vernier/gateway/lines/detail/memory.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"

namespace vernier::lines {

LineServer::Memory::Side LineServer::Memory::made(const std::vector<Port>& ports,
                                                  std::vector<std::int64_t>& events) {
  Side side;
  for (const Port& p : ports) {
    require(p.flow != Flow::stream);
    if (p.flow == Flow::event) {
      side.events[p.name] = events.size();
      events.push_back(0);
      continue;
    }
    auto s = std::make_unique<Signal>();
    s->scalar = p.scalar;
    s->initial.assign(p.count, 0.0);
    if (p.initial)
      std::copy_n(p.initial->begin(), std::min<std::size_t>(p.count, p.initial->size()),
                  s->initial.begin());
    if (p.scalar == Scalar::real) {
      s->reals.resize(p.count);
    } else if (p.scalar == Scalar::integer) {
      s->integers.resize(p.count);
    } else {
      s->bytes.resize(p.count);
    }
    side.by_name[p.name] = s.get();
    (p.state ? side.states : side.signals).push_back(std::move(s));
  }
  return side;
}

LineServer::Memory::Memory(const Description& d)
    : inputs_(made(d.inputs, events_in_)), outputs_(made(d.outputs, events_out_)) {
  reset_inputs();
}

void LineServer::Memory::reset_inputs() noexcept {
  for (auto& s : inputs_.signals) {
    for (std::size_t i = 0; i < s->initial.size(); ++i) {
      const double x = s->initial[i];
      if (s->scalar == Scalar::real) {
        s->reals[i] = x;
      } else if (s->scalar == Scalar::integer) {
        s->integers[i] = std::llround(x);
      } else {
        s->bytes[i] = static_cast<std::uint8_t>(x);
      }
    }
  }
  std::fill(events_in_.begin(), events_in_.end(), 0);
}

void LineServer::Memory::set_inputs(std::span<const double> values) noexcept {
  std::size_t n = 0;
  for (auto& s : inputs_.signals) {
    for (double& x : s->reals) x = values[n++];
    for (std::int64_t& x : s->integers) x = std::llround(std::clamp(values[n++], -0x1p53, 0x1p53));
    for (std::uint8_t& x : s->bytes) {
      const double v = values[n++];
      x = s->scalar == Scalar::boolean ? (v != 0.0 ? 1 : 0)
                                       : static_cast<std::uint8_t>(std::clamp(v, 0.0, 255.0));
    }
  }
}

bool LineServer::Memory::get_outputs(std::span<double> values, std::size_t& at) const noexcept {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  std::size_t n = 0;
  for (const auto& s : outputs_.signals) {
    for (const double x : s->reals) values[n++] = x;
    for (const std::int64_t x : s->integers) {
      at = n;
      if (x > most || x < -most) return false;
      values[n++] = static_cast<double>(x);
    }
    for (const std::uint8_t x : s->bytes) values[n++] = x;
  }
  return true;
}

LineServer::Memory::Signal& LineServer::Memory::find(const Side& side, std::string_view name,
                                                     Scalar kind) {
  const auto found = side.by_name.find(name);
  require(found != side.by_name.end());
  const Scalar has = found->second->scalar;
  require(has == kind || (has == Scalar::boolean && kind == Scalar::byte));
  return *found->second;
}

std::span<const double> LineServer::Memory::real_input(std::string_view n) const {
  return find(inputs_, n, Scalar::real).reals;
}
std::span<double> LineServer::Memory::real_output(std::string_view n) const {
  return find(outputs_, n, Scalar::real).reals;
}
std::span<const std::int64_t> LineServer::Memory::integer_input(std::string_view n) const {
  if (const auto e = inputs_.events.find(n); e != inputs_.events.end()) {
    return std::span(events_in_).subspan(e->second, 1);
  }
  return find(inputs_, n, Scalar::integer).integers;
}
std::span<std::int64_t> LineServer::Memory::integer_output(std::string_view n) const {
  if (const auto e = outputs_.events.find(n); e != outputs_.events.end()) {
    return std::span(events_out_).subspan(e->second, 1);
  }
  return find(outputs_, n, Scalar::integer).integers;
}
std::span<const std::uint8_t> LineServer::Memory::byte_input(std::string_view n) const {
  return find(inputs_, n, Scalar::byte).bytes;
}
std::span<std::uint8_t> LineServer::Memory::byte_output(std::string_view n) const {
  return find(outputs_, n, Scalar::byte).bytes;
}
StreamReader& LineServer::Memory::stream_input(std::string_view) const {
  require(false);
  std::abort();
}
Stream& LineServer::Memory::stream_output(std::string_view) const {
  require(false);
  std::abort();
}

}  // namespace vernier::lines
