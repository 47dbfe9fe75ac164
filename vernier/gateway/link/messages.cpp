#include "vernier/gateway/link/messages.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vernier/base/codec.hpp"

namespace vernier::link {
namespace {

constexpr std::uint32_t longest_interval_ms = 3'600'000;

char printable(char c) noexcept { return c >= ' ' && c <= '~' ? c : '?'; }

bool sound(Element e, std::uint32_t count) noexcept {
  if (e == Element::none) return count == 0;
  return count <= most_payload / size_of(e);
}

/// Visits the fields in the order of the protocol, for writing and reading.
template <class Visitor>
void visit(Visitor& v, Hello& h) {
  Reserved<2> after_elements;
  Reserved<4> after_intervals;
  v(h.role, h.connection, h.capabilities, h.max_payload, h.period.nanoseconds, h.period.parts,
    h.tx_count, h.rx_count, h.tx_element, h.rx_element, after_elements, h.ping_interval_ms,
    h.ping_timeout_ms, h.delay_interval_ms, after_intervals, h.token, h.interface_hash, h.name,
    h.build);
}
template <class Visitor>
void visit_proof(Visitor& v, Hello& h) {
  v(h.nonce, h.proof);
}
template <class Visitor>
void visit(Visitor& v, ClockReport& r) {
  v(r.reference, r.offset, r.skew, r.offset_deviation, r.skew_deviation);
}
template <class Visitor>
void visit(Visitor& v, StatsReport& r) {
  v(r.sent, r.received, r.replaced, r.misplaced, r.refused);
  for (auto* d : {&r.send_to_receive, &r.acquisition_to_output, &r.dead_time})
    v(d->mean, d->p99, d->most);
}

}  // namespace

std::size_t write_hello(Hello h, std::span<std::byte, signed_hello_bytes> to) noexcept {
  std::fill(to.begin(), to.end(), std::byte{});
  SpanWriter w(to);
  visit(w, h);
  if ((h.capabilities & authenticates) != 0) visit_proof(w, h);
  return w.used();
}

std::optional<Hello> read_hello(std::span<const std::byte> from) noexcept {
  Hello h;
  ByteReader r(from);
  visit(r, h);
  if ((h.capabilities & authenticates) != 0) visit_proof(r, h);
  if (!r.complete()) return {};
  if (h.role < Role::client || h.role > Role::server || h.connection < Connection::control ||
      h.connection > Connection::data || h.tx_element > Element::uint8 ||
      h.rx_element > Element::uint8)
    return {};
  for (const std::uint32_t ms : {h.ping_interval_ms, h.ping_timeout_ms, h.delay_interval_ms}) {
    if (ms == 0 || ms > longest_interval_ms) return {};
  }
  if (!plausible(h.period) || !sound(h.tx_element, h.tx_count) || !sound(h.rx_element, h.rx_count))
    return {};
  return h;
}

std::array<char, 32> cut(std::string_view s) noexcept {
  std::array<char, 32> text{};
  std::copy_n(s.data(), std::min(s.size(), text.size()), text.data());
  return text;
}

std::string shown(const std::array<char, 32>& text) {
  std::string s(text.data(), strnlen(text.data(), text.size()));
  std::transform(s.begin(), s.end(), s.begin(), printable);
  return s;
}

std::string_view words(Reason r) noexcept {
  switch (r) {
    case Reason::closing:
      return "the peer ends the link";
    case Reason::busy:
      return "another client is connected";
    case Reason::version:
      return "another version of the protocol";
    case Reason::dimensions:
      return "vectors or sample times that do not fit";
    case Reason::interface:
      return "another interface";
    case Reason::key:
      return "another key, or none";
    case Reason::framing:
      return "something that is not a frame";
    case Reason::timeout:
      return "silence";
    case Reason::token:
      return "no such session";
    case Reason::lost:
      return "the connection is lost";
    case Reason::unreachable:
      return "no answer";
  }
  return "an unknown reason";
}

Bye bye(Reason r, std::string_view text) noexcept {
  Bye b{.reason = r};
  std::copy_n(text.data(), std::min(text.size(), b.text.size() - 1), b.text.data());
  return b;
}

std::size_t write_bye(const Bye& b, std::span<std::byte, longest_bye> to) noexcept {
  SpanWriter w(to);
  w(b.reason);
  w.raw(std::as_bytes(std::span(b.text).first(strnlen(b.text.data(), b.text.size() - 1))));
  return w.used();
}

std::optional<Bye> read_bye(std::span<const std::byte> from) noexcept {
  ByteReader r(from);
  const auto reason = r.number<std::uint32_t>();
  const Bytes text = r.rest();
  Bye b{.reason = reason >= 1 && reason <= 9 ? static_cast<Reason>(reason) : Reason::framing};
  if (!r.ok() || text.size() >= b.text.size()) return {};
  std::transform(text.begin(), text.end(), b.text.begin(),
                 [](std::byte c) { return printable(static_cast<char>(c)); });
  return b;
}

void write_clock(ClockReport r, std::span<std::byte, clock_bytes> to) noexcept {
  SpanWriter w(to);
  visit(w, r);
}

std::optional<ClockReport> read_clock(std::span<const std::byte> from) noexcept {
  ClockReport r;
  ByteReader reader(from);
  visit(reader, r);
  if (!reader.complete() || !std::isfinite(r.offset) || !std::isfinite(r.skew) ||
      !std::isfinite(r.offset_deviation) || !std::isfinite(r.skew_deviation) ||
      r.offset_deviation < 0.0 || r.skew_deviation < 0.0 || r.reference < -latest_time ||
      r.reference > latest_time) {
    return {};
  }
  return r;
}

void write_stats(StatsReport r, std::span<std::byte, stats_bytes> to) noexcept {
  SpanWriter w(to);
  visit(w, r);
}

std::optional<StatsReport> read_stats(std::span<const std::byte> from) noexcept {
  StatsReport r;
  ByteReader reader(from);
  visit(reader, r);
  if (!reader.complete()) return {};
  for (const auto* d : {&r.send_to_receive, &r.acquisition_to_output, &r.dead_time})
    for (const double x : {d->mean, d->p99, d->most})
      if (!std::isfinite(x)) return {};
  return r;
}

}  // namespace vernier::link
