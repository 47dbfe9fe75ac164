#include "vernier/run/executive/observer.hpp"

namespace vernier::executive {

namespace {

bool is_integer(const Port& p) noexcept {
  return p.flow == Flow::event || (p.flow == Flow::signal && p.scalar == Scalar::integer);
}

}  // namespace

std::span<const double> PortView::reals() const noexcept {
  if (port->flow != Flow::signal || port->scalar != Scalar::real) return {};
  return {static_cast<const double*>(data), port->count};
}

std::span<const std::int64_t> PortView::integers() const noexcept {
  if (!is_integer(*port)) return {};
  return {static_cast<const std::int64_t*>(data), port->count};
}

std::span<const std::uint8_t> PortView::bytes() const noexcept {
  if (port->flow != Flow::signal ||
      (port->scalar != Scalar::boolean && port->scalar != Scalar::byte))
    return {};
  return {static_cast<const std::uint8_t*>(data), port->count};
}

double PortView::element(std::size_t i) const noexcept {
  if (const auto r = reals(); i < r.size()) return r[i];
  if (const auto n = integers(); i < n.size()) return static_cast<double>(n[i]);
  if (const auto b = bytes(); i < b.size()) return b[i];
  return 0.0;
}

}  // namespace vernier::executive
