#include "vernier/gateway/link/messages.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vernier/gateway/link/detail/bytes.hpp"

namespace vernier::link {
namespace {

constexpr std::uint32_t longest_interval_ms = 3'600'000;

char printable(char c) noexcept { return c >= ' ' && c <= '~' ? c : '?'; }

bool sound(Element e, std::uint32_t count) noexcept {
  if (e == Element::none) return count == 0;
  return count <= most_payload / size_of(e);
}

}  // namespace

std::size_t write_hello(const Hello& h, std::span<std::byte, signed_hello_bytes> to) noexcept {
  std::byte* p = to.data();
  std::fill(to.begin(), to.end(), std::byte{});
  put(p, static_cast<std::uint8_t>(h.role));
  put(p + 1, static_cast<std::uint8_t>(h.connection));
  put(p + 2, h.capabilities);
  put(p + 4, h.max_payload);
  put(p + 8, h.period.nanoseconds);
  put(p + 16, h.period.parts);
  put(p + 20, h.tx_count);
  put(p + 24, h.rx_count);
  put(p + 28, static_cast<std::uint8_t>(h.tx_element));
  put(p + 29, static_cast<std::uint8_t>(h.rx_element));
  put(p + 32, h.ping_interval_ms);
  put(p + 36, h.ping_timeout_ms);
  put(p + 40, h.delay_interval_ms);
  put(p + 48, h.token);
  put(p + 56, h.interface_hash);
  std::memcpy(p + 64, h.name.data(), 32);
  std::memcpy(p + 96, h.build.data(), 32);
  if (!(h.capabilities & authenticates)) return hello_bytes;
  std::memcpy(p + 128, h.nonce.data(), 32);
  std::memcpy(p + 160, h.proof.data(), 32);
  return signed_hello_bytes;
}

std::optional<Hello> read_hello(std::span<const std::byte> from) noexcept {
  if (from.size() != hello_bytes && from.size() != signed_hello_bytes) return {};
  const std::byte* p = from.data();
  const auto role = get<std::uint8_t>(p), connection = get<std::uint8_t>(p + 1);
  const auto tx = get<std::uint8_t>(p + 28), rx = get<std::uint8_t>(p + 29);
  if (role < 1 || role > 2 || connection < 1 || connection > 2 || tx > 3 || rx > 3) return {};
  Hello h;
  h.role = static_cast<Role>(role);
  h.connection = static_cast<Connection>(connection);
  h.capabilities = get<std::uint16_t>(p + 2);
  h.max_payload = get<std::uint32_t>(p + 4);
  h.period = {get<std::uint64_t>(p + 8), get<std::uint32_t>(p + 16)};
  h.tx_count = get<std::uint32_t>(p + 20);
  h.rx_count = get<std::uint32_t>(p + 24);
  h.tx_element = static_cast<Element>(tx);
  h.rx_element = static_cast<Element>(rx);
  h.ping_interval_ms = get<std::uint32_t>(p + 32);
  h.ping_timeout_ms = get<std::uint32_t>(p + 36);
  h.delay_interval_ms = get<std::uint32_t>(p + 40);
  h.token = get<std::uint64_t>(p + 48);
  h.interface_hash = get<std::uint64_t>(p + 56);
  std::memcpy(h.name.data(), p + 64, 32);
  std::memcpy(h.build.data(), p + 96, 32);
  if (((h.capabilities & authenticates) != 0) != (from.size() == signed_hello_bytes)) return {};
  if (from.size() == signed_hello_bytes) {
    std::memcpy(h.nonce.data(), p + 128, 32);
    std::memcpy(h.proof.data(), p + 160, 32);
  }
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
      return "the other side ends";
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
      return "nobody answers";
  }
  return "an unknown reason";
}

Bye bye(Reason r, std::string_view text) noexcept {
  Bye b{.reason = r};
  std::copy_n(text.data(), std::min(text.size(), b.text.size() - 1), b.text.data());
  return b;
}

std::size_t write_bye(const Bye& b, std::span<std::byte, longest_bye> to) noexcept {
  put(to.data(), static_cast<std::uint32_t>(b.reason));
  const std::size_t n = strnlen(b.text.data(), b.text.size() - 1);
  std::memcpy(to.data() + 4, b.text.data(), n);
  return 4 + n;
}

std::optional<Bye> read_bye(std::span<const std::byte> from) noexcept {
  if (from.size() < 4 || from.size() > longest_bye) return {};
  const auto reason = get<std::uint32_t>(from.data());
  Bye b{.reason = reason >= 1 && reason <= 9 ? static_cast<Reason>(reason) : Reason::framing};
  for (std::size_t i = 4; i < from.size(); ++i) {
    b.text[i - 4] = printable(static_cast<char>(std::to_integer<unsigned char>(from[i])));
  }
  return b;
}

void write_clock(const ClockReport& r, std::span<std::byte, clock_bytes> to) noexcept {
  put(to.data(), r.reference);
  put(to.data() + 8, r.offset);
  put(to.data() + 16, r.skew);
  put(to.data() + 24, r.offset_deviation);
  put(to.data() + 32, r.skew_deviation);
}

std::optional<ClockReport> read_clock(std::span<const std::byte> from) noexcept {
  if (from.size() != clock_bytes) return {};
  const std::byte* p = from.data();
  ClockReport r{get<std::int64_t>(p), get<double>(p + 8), get<double>(p + 16), get<double>(p + 24),
                get<double>(p + 32)};
  if (!std::isfinite(r.offset) || !std::isfinite(r.skew) || !std::isfinite(r.offset_deviation) ||
      !std::isfinite(r.skew_deviation) || r.offset_deviation < 0.0 || r.skew_deviation < 0.0 ||
      r.reference < -latest_time || r.reference > latest_time) {
    return {};
  }
  return r;
}

void write_stats(const StatsReport& r, std::span<std::byte, stats_bytes> to) noexcept {
  std::byte* p = to.data();
  for (const std::uint64_t n : {r.sent, r.received, r.replaced, r.misplaced, r.refused}) {
    put(p, n);
    p += 8;
  }
  for (const auto* d : {&r.send_to_receive, &r.acquisition_to_output, &r.dead_time}) {
    put(p, d->mean);
    put(p + 8, d->p99);
    put(p + 16, d->most);
    p += 24;
  }
}

std::optional<StatsReport> read_stats(std::span<const std::byte> from) noexcept {
  if (from.size() != stats_bytes) return {};
  StatsReport r;
  const std::byte* p = from.data();
  for (std::uint64_t* n : {&r.sent, &r.received, &r.replaced, &r.misplaced, &r.refused}) {
    *n = get<std::uint64_t>(p);
    p += 8;
  }
  for (auto* d : {&r.send_to_receive, &r.acquisition_to_output, &r.dead_time}) {
    for (double* x : {&d->mean, &d->p99, &d->most}) {
      *x = get<double>(p);
      if (!std::isfinite(*x)) return {};
      p += 8;
    }
  }
  return r;
}

}  // namespace vernier::link
