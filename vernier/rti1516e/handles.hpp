#pragma once

#include <RTI/Exception.h>
#include <RTI/Handle.h>
#include <RTI/VariableLengthData.h>

#include <cstdint>
#include <type_traits>

/// Gives the RTI access to the number in a handle. Numbers are those of gateway/federation: they
/// start at 1; 0 is invalid.
struct rti1516e::HandleAccess {
  template <class H>
  static H make(unsigned long long number) noexcept {
    return H(number);
  }
  template <class H>
  static unsigned long long number(const H& handle) noexcept {
    return handle._number;
  }
};

namespace vernier::hla {

template <class H>
H handle(unsigned long long number) noexcept {
  return rti1516e::HandleAccess::make<H>(number);
}

template <class H>
std::uint32_t number(const H& handle) noexcept {
  return static_cast<std::uint32_t>(rti1516e::HandleAccess::number(handle));
}

/// Identifies a federate's message: the federate's number and the message's.
inline rti1516e::MessageRetractionHandle retraction(std::uint32_t federate,
                                                    std::uint32_t message) noexcept {
  return handle<rti1516e::MessageRetractionHandle>(static_cast<unsigned long long>(federate) << 32 |
                                                   message);
}
inline std::uint32_t federate_of(const rti1516e::MessageRetractionHandle& handle) noexcept {
  return static_cast<std::uint32_t>(rti1516e::HandleAccess::number(handle) >> 32);
}

/// The number in an encoded handle. The encoding is an HLAhandle: a byte count (32 bits, big
/// endian; 4, or 8 for numbers of 2^32 and above) and the number in that many bytes (big endian).
/// Four bytes are a number without its count.
/// Throws rti1516e::CouldNotDecode.
unsigned long long decoded_handle(const rti1516e::VariableLengthData&);

template <class H>
H decoded(const rti1516e::VariableLengthData& encoded) {
  const unsigned long long n = decoded_handle(encoded);
  // only retraction handles are longer: do not truncate one into another kind of handle
  if (!std::is_same_v<H, rti1516e::MessageRetractionHandle> && n >> 32)
    throw rti1516e::CouldNotDecode(L"no handle of this kind has so large a number");
  return handle<H>(n);
}

}  // namespace vernier::hla
