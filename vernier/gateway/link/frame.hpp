#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vernier/gateway/link/steps.hpp"

/// The frames of SCP 1.0, byte by byte as specified in formats/scp/README.md. All input is
/// untrusted: a length is checked before it is used. Only the constructor of FrameReader allocates.
namespace vernier::link {

inline constexpr std::uint8_t version_major = 1, version_minor = 0;
inline constexpr std::size_t header_bytes = 64, crc_bytes = 4;
inline constexpr std::size_t hello_bytes = 128, signed_hello_bytes = 192;
inline constexpr std::size_t clock_bytes = 40, stats_bytes = 112;
inline constexpr std::size_t longest_bye = 124;
inline constexpr std::uint32_t most_payload = 1u << 20;  // the most that we accept

enum class Type : std::uint8_t {
  hello = 0x01,
  hello_ack = 0x02,
  bye = 0x03,
  data = 0x10,
  ping = 0x20,
  ping_return = 0x21,
  reference = 0x22,
  delay = 0x23,
  delay_return = 0x24,
  clock = 0x30,
  stats = 0x31
};
enum class Connection : std::uint8_t { control = 1, data = 2 };
enum class Role : std::uint8_t { client = 1, server = 2 };
/// The element type of a vector.
enum class Element : std::uint8_t { none = 0, real = 1, int8 = 2, uint8 = 3 };

std::size_t size_of(Element) noexcept;  // bytes; 0 for none
bool known(Type) noexcept;
/// Whether a packet of this type is allowed on that connection.
bool belongs(Type, Connection) noexcept;

enum Flag : std::uint8_t {
  payload_checked = 1,  // a checksum of the payload follows it
  overran = 2,          // the sender overran in this step
  repeated = 4,         // the same data as in the packet before
  disciplined = 8       // the times are those of a disciplined clock
};

/// All times are nanoseconds of the sender's monotonic clock.
struct Header {
  std::uint8_t minor = version_minor;
  Type type = Type::ping;
  std::uint8_t flags = 0;
  std::uint32_t payload = 0;  // bytes, without the checksum
  std::uint32_t session = 0;
  std::uint64_t sequence = 0;
  std::int64_t step = 0;
  std::int64_t t_acq = 0;  // acquisition; planned start of the step; receipt of the request
  std::int64_t t_trm = 0;  // just before sending
  std::int64_t echo = 0;   // the peer's t_acq or t_trm
  Element element = Element::none;
  std::uint8_t channel = 0;

  bool operator==(const Header&) const = default;
};

/// What is wrong with a frame.
enum class Flaw : std::uint8_t {
  none,
  magic,
  version,
  header_checksum,
  element,
  length,  // more than the type allows, or not a whole number of elements
  payload_checksum,
  time,    // a time or step beyond the range of the arithmetic
  content  // the payload is invalid
};
std::string_view words(Flaw) noexcept;

/// Times must be within ±2^60 ns (36 years), so that differences do not overflow.
inline constexpr std::int64_t latest_time = std::int64_t{1} << 60;

void encode(const Header&, std::span<std::byte, header_bytes>) noexcept;

struct Decoded {
  Flaw flaw = Flaw::none;
  Header header;
};
/// Checks a header by itself; what is allowed where and when is checked later. An unknown type is
/// no flaw: it may come from a newer minor version, and is skipped.
Decoded decode(std::span<const std::byte, header_bytes>) noexcept;

/// Writes the whole frame into `to`: header, payload, checksum when flagged. Sets the header's
/// length. Returns the number of bytes; 0 when they do not fit.
std::size_t write_frame(Header, std::span<const std::byte> payload,
                        std::span<std::byte> to) noexcept;
constexpr std::size_t frame_bytes(std::size_t payload, bool checked) noexcept {
  return header_bytes + payload + (checked ? crc_bytes : 0);
}

// -- vectors: little-endian in the protocol, on every machine --

void pack(std::span<const double>, std::span<std::byte>) noexcept;
void pack(std::span<const std::int8_t>, std::span<std::byte>) noexcept;
void pack(std::span<const std::uint8_t>, std::span<std::byte>) noexcept;
void unpack(std::span<const std::byte>, std::span<double>) noexcept;
void unpack(std::span<const std::byte>, std::span<std::int8_t>) noexcept;
void unpack(std::span<const std::byte>, std::span<std::uint8_t>) noexcept;

// -- splitting a byte stream into frames --

class FrameReader {
 public:
  /// Allocates all its memory: for frames with payloads of up to `largest` bytes.
  explicit FrameReader(std::size_t largest);

  /// The payload sizes allowed, by type; a frame beyond them is broken. `data` is the exact length
  /// of vectors, `others` the limit for unknown types, which are skipped.
  void allow(std::size_t data, std::size_t others) noexcept;
  void clear() noexcept;

  /// The buffer to read bytes into; then report how many.
  std::span<std::byte> room() noexcept;
  void received(std::size_t bytes) noexcept { end_ += bytes; }

  enum class Progress : std::uint8_t { more, frame, skipped, broken };
  struct Next {
    Progress progress = Progress::more;
    Flaw flaw = Flaw::none;
    Header header = {};
    std::span<const std::byte> payload = {};  // valid until the next call of room()
  };
  /// The next frame. After `broken`, frame boundaries are lost: close the connection.
  Next next() noexcept;
  /// A frame has begun and is incomplete.
  bool partial() const noexcept { return end_ > begin_ || skip_ > 0; }
  /// Bytes that were read and are not part of a frame yet.
  std::span<const std::byte> rest() const noexcept {
    return std::span(buffer_).subspan(begin_, end_ - begin_);
  }

 private:
  std::size_t limit(Type) const noexcept;

  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0, skip_ = 0;
  std::size_t data_ = 0, others_ = 0, largest_;
};

}  // namespace vernier::link
