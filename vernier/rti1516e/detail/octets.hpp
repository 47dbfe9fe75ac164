#pragma once

#include <RTI/encoding/DataElement.h>

#include <vector>

#include "vernier/base/codec.hpp"

/// What all encoding helpers share. Elements begin at multiples of their boundary, counted from the
/// start of the buffer (IEEE 1516.2-2010, section 4.13.9). Input is untrusted.
namespace vernier::hla {

using Octets = std::vector<rti1516e::Octet>;

constexpr size_t aligned(size_t at, size_t boundary) noexcept {
  return (at + boundary - 1) / boundary * boundary;
}

inline void align(Octets& to, size_t boundary) { to.resize(aligned(to.size(), boundary)); }

/// Throws EncoderException unless there are `bytes` bytes from `at` on.
inline void require_bytes(const Octets& from, size_t at, size_t bytes) {
  if (at > from.size() || from.size() - at < bytes)
    throw rti1516e::EncoderException(L"the data ends before the value does");
}

template <std::endian order = std::endian::big, Number T>
void put(Octets& to, T value) {
  to.resize(to.size() + sizeof value);
  store<order>(reinterpret_cast<std::byte*>(to.data() + to.size() - sizeof value), value);
}
/// Reads a number; throws EncoderException when the input is too short.
template <Number T, std::endian order = std::endian::big>
T got(const Octets& from, size_t at) {
  require_bytes(from, at, sizeof(T));
  return load<T, order>(reinterpret_cast<const std::byte*>(from.data() + at));
}

/// Where an element read at `index` begins, after padding. Throws EncoderException beyond the end.
inline size_t begin_of(const Octets& from, size_t index, size_t boundary) {
  require_bytes(from, index, 0);
  return aligned(index, boundary);
}

inline rti1516e::VariableLengthData encoded(const rti1516e::DataElement& element) {
  Octets bytes;
  element.encodeInto(bytes);
  return {bytes.data(), bytes.size()};
}

/// Decodes an element; data after it is ignored.
inline void decode(rti1516e::DataElement& element, const rti1516e::VariableLengthData& data) {
  const auto* from = static_cast<const rti1516e::Octet*>(data.data());
  element.decodeFrom(Octets(from, from + data.size()), 0);
}

}  // namespace vernier::hla
