#include "vernier/gateway/link/frame.hpp"

#include <algorithm>
#include <cstring>

#include "vernier/base/codec.hpp"
#include "vernier/base/require.hpp"
#include "vernier/gateway/link/crc.hpp"

namespace vernier::link {
namespace {

constexpr std::uint32_t magic = 0x31504353;  // "SCP1"
constexpr std::size_t read_ahead = 1u << 14;
constexpr std::size_t summed_bytes = header_bytes - crc_bytes;

template <class T>
void pack_all(std::span<const T> from, std::span<std::byte> to) noexcept {
  require(to.size() == from.size_bytes());
  SpanWriter{to}.numbers(from);
}

template <class T>
void unpack_all(std::span<const std::byte> from, std::span<T> to) noexcept {
  require(from.size() == to.size_bytes());
  ByteReader{from}.numbers(to);
}

bool near(std::int64_t x, std::int64_t limit) noexcept { return x >= -limit && x <= limit; }

}  // namespace

std::size_t size_of(Element e) noexcept {
  return e == Element::real ? 8 : e == Element::none ? 0 : 1;
}

bool known(Type t) noexcept {
  switch (t) {
    case Type::hello:
    case Type::hello_ack:
    case Type::bye:
    case Type::data:
    case Type::ping:
    case Type::ping_return:
    case Type::reference:
    case Type::delay:
    case Type::delay_return:
    case Type::clock:
    case Type::stats:
      return true;
  }
  return false;
}

bool belongs(Type t, Connection c) noexcept {
  if (t == Type::hello || t == Type::hello_ack || t == Type::bye) return true;
  return (t == Type::data) == (c == Connection::data);
}

std::string_view words(Flaw f) noexcept {
  switch (f) {
    case Flaw::none:
      return "nothing is wrong";
    case Flaw::magic:
      return "it does not begin with SCP1";
    case Flaw::version:
      return "it is of another major version";
    case Flaw::header_checksum:
      return "the checksum of its header is wrong";
    case Flaw::element:
      return "its element type is not the one agreed";
    case Flaw::length:
      return "its length is not the one its type has";
    case Flaw::payload_checksum:
      return "the checksum of its payload is wrong";
    case Flaw::time:
      return "a time or a step number in it is beyond all bounds";
    case Flaw::content:
      return "its content has no meaning";
  }
  return "";
}

void encode(const Header& h, std::span<std::byte, header_bytes> to) noexcept {
  SpanWriter w(to);
  w(magic, version_major, h.minor, h.type, h.flags, h.payload, h.session, h.sequence, h.step,
    h.t_acq, h.t_trm, h.echo, h.element, h.channel, Reserved<2>{});
  w(crc32c(to.first<summed_bytes>()));
}

Decoded decode(std::span<const std::byte, header_bytes> from) noexcept {
  Decoded d;
  const auto flawed = [&](Flaw f) {
    d.flaw = f;
    return d;
  };
  ByteReader r(from);
  if (r.number<std::uint32_t>() != magic) return flawed(Flaw::magic);
  // another major version may compute the header checksum differently
  if (r.number<std::uint8_t>() != version_major) return flawed(Flaw::version);
  Header& h = d.header;
  Reserved<2> later;
  std::uint32_t sum = 0;
  r(h.minor, h.type, h.flags, h.payload, h.session, h.sequence, h.step, h.t_acq, h.t_trm, h.echo,
    h.element, h.channel, later, sum);
  if (sum != crc32c(from.first<summed_bytes>())) {
    h = {};
    return flawed(Flaw::header_checksum);
  }
  if (h.element > Element::uint8) {
    h.element = Element::none;
    return flawed(Flaw::element);
  }
  if (!near(h.step, largest_step) || !near(h.t_acq, latest_time) || !near(h.t_trm, latest_time) ||
      !near(h.echo, latest_time)) {
    return flawed(Flaw::time);
  }
  return d;
}

std::size_t write_frame(Header h, std::span<const std::byte> payload,
                        std::span<std::byte> to) noexcept {
  const bool checked = (h.flags & payload_checked) != 0;
  const std::size_t bytes = frame_bytes(payload.size(), checked);
  if (to.size() < bytes) return 0;
  h.payload = static_cast<std::uint32_t>(payload.size());
  encode(h, to.first<header_bytes>());
  SpanWriter w(to.subspan(header_bytes));
  w.raw(payload);
  if (checked) w(crc32c(payload));
  return bytes;
}

void pack(std::span<const double> v, std::span<std::byte> to) noexcept { pack_all(v, to); }
void pack(std::span<const std::int8_t> v, std::span<std::byte> to) noexcept { pack_all(v, to); }
void pack(std::span<const std::uint8_t> v, std::span<std::byte> to) noexcept { pack_all(v, to); }
void unpack(std::span<const std::byte> b, std::span<double> v) noexcept { unpack_all(b, v); }
void unpack(std::span<const std::byte> b, std::span<std::int8_t> v) noexcept { unpack_all(b, v); }
void unpack(std::span<const std::byte> b, std::span<std::uint8_t> v) noexcept { unpack_all(b, v); }

FrameReader::FrameReader(std::size_t largest) : largest_(std::max(largest, signed_hello_bytes)) {
  buffer_.resize(frame_bytes(largest_, true) + read_ahead);
  data_ = others_ = largest_;
}

void FrameReader::allow(std::size_t data, std::size_t others) noexcept {
  require(data <= largest_);
  data_ = data;
  others_ = others;
}

void FrameReader::clear() noexcept { begin_ = end_ = skip_ = 0; }

std::span<std::byte> FrameReader::room() noexcept {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return std::span(buffer_).subspan(end_);
}

std::size_t FrameReader::limit(Type t) const noexcept {
  switch (t) {
    case Type::data:
      return data_;
    case Type::hello:
    case Type::hello_ack:
      return signed_hello_bytes;
    case Type::bye:
      return longest_bye;
    case Type::clock:
      return clock_bytes;
    case Type::stats:
      return stats_bytes;
    case Type::ping:
    case Type::ping_return:
    case Type::reference:
    case Type::delay:
    case Type::delay_return:
      return 0;
  }
  return others_;
}

FrameReader::Next FrameReader::next() noexcept {
  const std::size_t skipped = std::min(skip_, end_ - begin_);
  begin_ += skipped;
  skip_ -= skipped;
  if (skip_ > 0) return {};
  const auto waiting = rest();
  // reject at once what does not begin like a frame, without waiting for the rest
  std::array<std::byte, 4> start;
  store(start.data(), magic);
  const std::size_t seen = std::min(waiting.size(), start.size());
  if (!std::equal(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(seen),
                  waiting.begin())) {
    return {Progress::broken, Flaw::magic, {}, {}};
  }
  if (waiting.size() < header_bytes) return {};
  const Decoded d = decode(waiting.first<header_bytes>());
  const Header& h = d.header;
  if (d.flaw != Flaw::none) return {Progress::broken, d.flaw, h, {}};
  if (h.payload > limit(h.type)) return {Progress::broken, Flaw::length, h, {}};
  const bool checked = (h.flags & payload_checked) != 0;
  const std::size_t bytes = frame_bytes(h.payload, checked);
  if (!known(h.type)) {
    begin_ += header_bytes;
    skip_ = bytes - header_bytes;
    return {Progress::skipped, Flaw::none, h, {}};
  }
  if (waiting.size() < bytes) return {};
  const auto payload = waiting.subspan(header_bytes, h.payload);
  begin_ += bytes;
  if (checked &&
      load<std::uint32_t>(waiting.data() + header_bytes + h.payload) != crc32c(payload)) {
    return {Progress::broken, Flaw::payload_checksum, h, {}};
  }
  return {Progress::frame, Flaw::none, h, payload};
}

}  // namespace vernier::link
