#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation::detail {

/// Whether a text is UTF-8.
bool well_formed(std::string_view utf8) noexcept;

/// Encodes values of the MIM's data types: big endian; strings, handles and times are arrays with a
/// 32-bit count.
class Octets {
 public:
  const Blob& bytes() const noexcept { return bytes_; }
  Blob take() noexcept { return std::exchange(bytes_, {}); }

  Octets& number(std::uint32_t n) {
    BigEndianWriter{bytes_}(n);
    return *this;
  }
  /// HLAcount; saturates.
  Octets& count(std::uint64_t n) {
    return number(static_cast<std::uint32_t>(n < 0x7fffffff ? n : 0x7fffffff));
  }
  /// HLAboolean and HLAswitch.
  Octets& truth(bool b) { return number(b ? 1 : 0); }
  Octets& handle(Handle h) { return number(4).number(h); }
  Octets& handles(const Numbers& all) {
    number(static_cast<std::uint32_t>(all.size()));
    for (const Handle h : all) handle(h);
    return *this;
  }
  /// HLAlogicalTime, HLAtimeInterval: the encoded time; empty when there is none.
  Octets& time(const std::optional<Stamp>& t) {
    if (!t) return number(0);
    number(8);
    BigEndianWriter{bytes_}(t->raw);
    return *this;
  }
  /// An HLAunicodeString from UTF-8; invalid bytes become U+FFFD.
  Octets& text(std::string_view utf8);
  /// An array of strings; elements begin at multiples of four.
  Octets& texts(const std::vector<std::string>&);

 private:
  Blob bytes_;
};

/// Reads such values from untrusted input; ok() becomes false at the first mismatch.
class OctetReader {
 public:
  explicit OctetReader(Bytes b) noexcept : rest_(b) {}
  /// Everything was read successfully and nothing is left.
  bool complete() const noexcept { return rest_.complete(); }
  bool ok() const noexcept { return rest_.ok(); }

  std::uint32_t number() noexcept { return rest_.number<std::uint32_t>(); }
  bool truth() noexcept;
  Handle handle() noexcept;
  Numbers handles();
  Stamp time() noexcept;
  std::string text();
  Blob opaque();

 private:
  BigEndianReader rest_;
};

}  // namespace vernier::federation::detail
