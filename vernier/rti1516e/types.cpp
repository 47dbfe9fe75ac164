#include <RTI/RTI1516.h>
#include <RTI/encoding/EncodingExceptions.h>

#include <cstring>
#include <ostream>
#include <string>

#include "vernier/rti1516e/handles.hpp"

namespace rti1516e {

// ---- exceptions

Exception::Exception() = default;
Exception::Exception(const Exception&) = default;
Exception& Exception::operator=(const Exception&) = default;
Exception::~Exception() noexcept = default;

std::wostream& operator<<(std::wostream& to, const Exception& e) { return to << e.what(); }

#define VERNIER_DEFINE(A)                                       \
  A::A(const std::wstring& message) noexcept : _msg(message) {} \
  A::~A() noexcept = default;                                   \
  std::wstring A::what() const noexcept { return _msg; }

RTI_EXCEPTIONS(VERNIER_DEFINE)
VERNIER_DEFINE(EncoderException)
#undef VERNIER_DEFINE

// ---- variable-length data

namespace {

void delete_chars(void* data) { delete[] static_cast<char*>(data); }

}  // namespace

void VariableLengthData::release() noexcept {
  _free(_data);
  _free = nullptr;
}

void VariableLengthData::grow(const void* data, size_t size) {
  const bool within = size <= Within;
  char* const to = within ? _within : new char[size];
  // memmove: the old storage may contain the data that is copied
  if (size) std::memmove(to, data, size);
  if (_free) release();
  _data = to;
  _size = size;
  _capacity = within ? static_cast<size_t>(Within) : size;
  _free = within ? nullptr : delete_chars;
}

void VariableLengthData::own() { grow(_data, _size); }

void VariableLengthData::takeDataPointer(void* data, size_t size,
                                         VariableLengthDataDeleteFunction func) {
  if (_free) release();
  _data = data;
  _size = size;
  _capacity = 0;
  _free = func ? func : delete_chars;
}

// ---- handles

namespace {

size_t encoded_length(unsigned long long number) { return number >> 32 ? 12 : 8; }

size_t encode_handle(unsigned long long number, void* buffer, size_t size) {
  const size_t length = encoded_length(number);
  if (size < length) throw CouldNotEncode(L"the buffer is too small for a handle");
  auto* to = static_cast<unsigned char*>(buffer);
  const size_t bytes = length - 4;
  to[0] = to[1] = to[2] = 0;
  to[3] = static_cast<unsigned char>(bytes);
  for (size_t i = 0; i < bytes; ++i)
    to[4 + i] = static_cast<unsigned char>(number >> 8 * (bytes - 1 - i));
  return length;
}

std::wstring text_of(const wchar_t* kind, unsigned long long number) {
  return kind + (number ? L"(" + std::to_wstring(number) + L")" : std::wstring(L"(invalid)"));
}

}  // namespace

#define VERNIER_HANDLE(H)                                                                    \
  VariableLengthData H::encode() const {                                                     \
    VariableLengthData data;                                                                 \
    encode(data);                                                                            \
    return data;                                                                             \
  }                                                                                          \
  void H::encode(VariableLengthData& data) const {                                           \
    char bytes[12];                                                                          \
    const size_t length = encode_handle(_number, bytes, sizeof bytes);                       \
    data.setData(bytes, length);                                                             \
  }                                                                                          \
  size_t H::encode(void* to, size_t size) const { return encode_handle(_number, to, size); } \
  size_t H::encodedLength() const { return encoded_length(_number); }                        \
  std::wstring H::toString() const { return text_of(L## #H, _number); }                      \
  std::wostream& operator<<(std::wostream& to, const H& handle) { return to << handle.toString(); }

VERNIER_HANDLE(FederateHandle)
VERNIER_HANDLE(ObjectClassHandle)
VERNIER_HANDLE(InteractionClassHandle)
VERNIER_HANDLE(ObjectInstanceHandle)
VERNIER_HANDLE(AttributeHandle)
VERNIER_HANDLE(ParameterHandle)
VERNIER_HANDLE(DimensionHandle)
VERNIER_HANDLE(MessageRetractionHandle)
VERNIER_HANDLE(RegionHandle)
#undef VERNIER_HANDLE

// ---- ambassadors and the name of this RTI

FederateAmbassador::FederateAmbassador() = default;
FederateAmbassador::~FederateAmbassador() noexcept = default;
RTIambassador::RTIambassador() noexcept = default;
RTIambassador::~RTIambassador() = default;

std::wstring rtiName() { return L"Vernier"; }
std::wstring rtiVersion() { return VERNIER_VERSION; }

}  // namespace rti1516e

namespace vernier::hla {

unsigned long long decoded_handle(const rti1516e::VariableLengthData& encoded) {
  const auto* from = static_cast<const unsigned char*>(encoded.data());
  const size_t size = encoded.size();
  // Values of the MOM are arrays of octets. Clients that decode the array, such as TrickHLA, pass
  // on what is left of the handle without the count: the four bytes of the number.
  const bool bare = size == 4;
  if (!bare && ((size != 8 && size != 12) || from[0] || from[1] || from[2] || from[3] != size - 4))
    throw rti1516e::CouldNotDecode(L"this is not an encoded handle");
  unsigned long long number = 0;
  for (size_t i = bare ? 0 : 4; i < size; ++i) number = number << 8 | from[i];
  return number;
}

}  // namespace vernier::hla
