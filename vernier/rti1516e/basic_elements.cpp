#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAopaqueData.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <typeinfo>

#include "vernier/rti1516e/detail/octets.hpp"

namespace rti1516e {

DataElement::~DataElement() = default;

bool DataElement::isSameTypeAs(const DataElement& other) const {
  return typeid(*this) == typeid(other);
}

Integer64 DataElement::hash() const {
  // FNV-1a, 64 bits
  std::uint64_t h = 0xcbf29ce484222325u;
  const VariableLengthData data = encode();
  const auto* bytes = static_cast<const unsigned char*>(data.data());
  for (size_t i = 0; i < data.size(); ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
  return static_cast<Integer64>(h);
}

namespace {

using vernier::hla::align;
using vernier::hla::begin_of;
using vernier::hla::got;
using vernier::hla::Octets;
using vernier::hla::put;
using vernier::hla::require_bytes;

// ---- encodings of IEEE 1516.2-2010, section 4.13, of values whose position is already aligned

constexpr auto big = std::endian::big, little = std::endian::little;

template <class Value, std::endian order>
struct Fixed {
  static constexpr unsigned boundary = sizeof(Value);
  static size_t length(const Value&) { return sizeof(Value); }
  static void write(const Value& value, Octets& to) { put<order>(to, value); }
  static size_t read(Value& value, const Octets& from, size_t at) {
    value = got<Value, order>(from, at);
    return at + sizeof(Value);
  }
};

struct Truth {
  static constexpr unsigned boundary = 4;
  static size_t length(bool) { return 4; }
  static void write(bool value, Octets& to) { put(to, std::uint32_t{value}); }
  static size_t read(bool& value, const Octets& from, size_t at) {
    const auto number = got<std::uint32_t>(from, at);
    if (number > 1) throw EncoderException(L"an HLAboolean is 0 or 1");
    value = number == 1;
    return at + 4;
  }
};

template <bool big>
struct Pair {
  static constexpr unsigned boundary = 2;
  static size_t length(const OctetPair&) { return 2; }
  static void write(const OctetPair& value, Octets& to) {
    to.push_back(big ? value.first : value.second);
    to.push_back(big ? value.second : value.first);
  }
  static size_t read(OctetPair& value, const Octets& from, size_t at) {
    require_bytes(from, at, 2);
    value = big ? OctetPair(from[at], from[at + 1]) : OctetPair(from[at + 1], from[at]);
    return at + 2;
  }
};

struct UnicodeChar {
  static constexpr unsigned boundary = 2;
  static size_t length(wchar_t) { return 2; }
  static void write(wchar_t value, Octets& to) {
    const auto code = std::bit_cast<std::uint32_t>(value);
    if (code > 0xffff) throw EncoderException(L"this character does not fit into 16 bits");
    put(to, static_cast<std::uint16_t>(code));
  }
  static size_t read(wchar_t& value, const Octets& from, size_t at) {
    value = static_cast<wchar_t>(got<std::uint16_t>(from, at));
    return at + 2;
  }
};

/// Writes the number of elements that follow.
void put_count(Octets& to, size_t count) {
  if (count > 0x7fffffff) throw EncoderException(L"more elements than can be counted");
  put(to, static_cast<std::uint32_t>(count));
}

/// Reads the number of elements of `size` bytes that follow, and checks that the bytes are there.
size_t got_count(const Octets& from, size_t& at, size_t size) {
  const size_t count = got<std::uint32_t>(from, at);
  at += 4;
  if (count > (from.size() - at) / size)
    throw EncoderException(L"more elements are announced than there are bytes");
  return count;
}

struct AsciiString {
  static constexpr unsigned boundary = 4;
  static size_t length(const std::string& value) { return 4 + value.size(); }
  static void write(const std::string& value, Octets& to) {
    put_count(to, value.size());
    to.insert(to.end(), value.begin(), value.end());
  }
  static size_t read(std::string& value, const Octets& from, size_t at) {
    const size_t count = got_count(from, at, 1);
    value.assign(from.data() + at, count);
    return at + count;
  }
};

/// UTF-16: a character above U+FFFF is two units, a surrogate pair.
struct UnicodeString {
  static constexpr unsigned boundary = 4;
  static size_t units(const std::wstring& value) {
    size_t count = value.size();
    for (const wchar_t c : value) count += static_cast<std::uint32_t>(c) > 0xffff;
    return count;
  }
  static size_t length(const std::wstring& value) { return 4 + 2 * units(value); }
  static void write(const std::wstring& value, Octets& to) {
    put_count(to, units(value));
    for (const wchar_t c : value) {
      auto code = std::bit_cast<std::uint32_t>(c);
      if (code > 0x10ffff) throw EncoderException(L"this is not a character of Unicode");
      if (code > 0xffff) {
        code -= 0x10000;
        put(to, static_cast<std::uint16_t>(0xd800 + (code >> 10)));
        code = 0xdc00 + (code & 0x3ff);
      }
      put(to, static_cast<std::uint16_t>(code));
    }
  }
  static size_t read(std::wstring& value, const Octets& from, size_t at) {
    const size_t count = got_count(from, at, 2);
    value.clear();
    value.reserve(count);
    for (size_t i = 0; i < count; ++i, at += 2) {
      const auto unit = got<std::uint16_t>(from, at);
      if (unit >= 0xdc00 && unit < 0xe000 && !value.empty() && value.back() >= 0xd800 &&
          value.back() < 0xdc00)
        value.back() =
            static_cast<wchar_t>(0x10000 + ((value.back() - 0xd800) << 10) + (unit - 0xdc00));
      else
        value.push_back(static_cast<wchar_t>(unit));
    }
    return at;
  }
};

template <class Element>
struct HowFor;
#define VERNIER_HOW(Element, ...) \
  template <>                     \
  struct HowFor<Element> {        \
    using How = __VA_ARGS__;      \
  };
VERNIER_HOW(HLAASCIIchar, Fixed<char, big>)
VERNIER_HOW(HLAASCIIstring, AsciiString)
VERNIER_HOW(HLAboolean, Truth)
VERNIER_HOW(HLAbyte, Fixed<Octet, big>)
VERNIER_HOW(HLAfloat32BE, Fixed<float, big>)
VERNIER_HOW(HLAfloat32LE, Fixed<float, little>)
VERNIER_HOW(HLAfloat64BE, Fixed<double, big>)
VERNIER_HOW(HLAfloat64LE, Fixed<double, little>)
VERNIER_HOW(HLAinteger16BE, Fixed<Integer16, big>)
VERNIER_HOW(HLAinteger16LE, Fixed<Integer16, little>)
VERNIER_HOW(HLAinteger32BE, Fixed<Integer32, big>)
VERNIER_HOW(HLAinteger32LE, Fixed<Integer32, little>)
VERNIER_HOW(HLAinteger64BE, Fixed<Integer64, big>)
VERNIER_HOW(HLAinteger64LE, Fixed<Integer64, little>)
VERNIER_HOW(HLAoctet, Fixed<Octet, big>)
VERNIER_HOW(HLAoctetPairBE, Pair<true>)
VERNIER_HOW(HLAoctetPairLE, Pair<false>)
VERNIER_HOW(HLAunicodeChar, UnicodeChar)
VERNIER_HOW(HLAunicodeString, UnicodeString)
#undef VERNIER_HOW

}  // namespace

// macro arguments without parentheses are types and names; the signatures are the standard's
// NOLINTBEGIN(bugprone-macro-parentheses,bugprone-unhandled-self-assignment,performance-unnecessary-value-param)
#define VERNIER_ELEMENT(Element, Value)                                                            \
  Element::Element() : _own(), _value(&_own) {}                                                    \
  Element::Element(const Value& value) : _own(value), _value(&_own) {}                             \
  Element::Element(Value* value) : _own(), _value(value ? value : &_own) {}                        \
  Element::Element(const Element& rhs) : DataElement(rhs), _own(*rhs._value), _value(&_own) {}     \
  Element::~Element() = default;                                                                   \
  Element& Element::operator=(const Element& rhs) {                                                \
    *_value = *rhs._value;                                                                         \
    return *this;                                                                                  \
  }                                                                                                \
  std::unique_ptr<DataElement> Element::clone() const { return std::make_unique<Element>(*this); } \
  VariableLengthData Element::encode() const { return vernier::hla::encoded(*this); }              \
  void Element::encode(VariableLengthData& data) const { data = vernier::hla::encoded(*this); }    \
  void Element::encodeInto(std::vector<Octet>& to) const {                                         \
    align(to, HowFor<Element>::How::boundary);                                                     \
    HowFor<Element>::How::write(*_value, to);                                                      \
  }                                                                                                \
  void Element::decode(const VariableLengthData& data) { vernier::hla::decode(*this, data); }      \
  size_t Element::decodeFrom(const std::vector<Octet>& from, size_t at) {                          \
    return HowFor<Element>::How::read(*_value, from,                                               \
                                      begin_of(from, at, HowFor<Element>::How::boundary));         \
  }                                                                                                \
  size_t Element::getEncodedLength() const { return HowFor<Element>::How::length(*_value); }       \
  unsigned Element::getOctetBoundary() const { return HowFor<Element>::How::boundary; }            \
  Integer64 Element::hash() const { return DataElement::hash(); }                                  \
  void Element::setDataPointer(Value* value) {                                                     \
    if (!value) throw EncoderException(L"null instead of memory for a value");                     \
    _value = value;                                                                                \
  }                                                                                                \
  void Element::set(Value value) { *_value = value; }                                              \
  Value Element::get() const { return *_value; }                                                   \
  Element& Element::operator=(Value value) {                                                       \
    *_value = value;                                                                               \
    return *this;                                                                                  \
  }                                                                                                \
  Element::operator Value() const { return *_value; }

RTI_BASIC_DATA_ELEMENTS(VERNIER_ELEMENT)
#undef VERNIER_ELEMENT
// NOLINTEND(bugprone-macro-parentheses,bugprone-unhandled-self-assignment,performance-unnecessary-value-param)

// ---- opaque data

class HLAopaqueDataImplementation {
 public:
  Octets own;
  Octet* buffer = nullptr;  // the caller's; null: the value is `own`
  size_t capacity = 0, size = 0;

  const Octet* data() const { return buffer ? buffer : own.data(); }
  size_t length() const { return buffer ? size : own.size(); }

  void point_to(Octet** memory, size_t bytes, size_t used) {
    if (!memory || !*memory || bytes == 0) throw EncoderException(L"no memory for opaque data");
    if (used > bytes) throw EncoderException(L"more opaque data than memory");
    buffer = *memory;
    capacity = bytes;
    size = used;
  }
  void assign(const Octet* from, size_t bytes) {
    if (!from && bytes) throw EncoderException(L"null instead of opaque data");
    if (!buffer) {
      own.assign(from, from + bytes);
      return;
    }
    if (bytes > capacity) throw EncoderException(L"the opaque data does not fit into its memory");
    std::copy(from, from + bytes, buffer);
    size = bytes;
  }
};

HLAopaqueData::HLAopaqueData() : _impl(new HLAopaqueDataImplementation) {}
HLAopaqueData::HLAopaqueData(const Octet* data, size_t size) : HLAopaqueData() { set(data, size); }
HLAopaqueData::HLAopaqueData(Octet** data, size_t bytes, size_t used) : HLAopaqueData() {
  _impl->point_to(data, bytes, used);
}
HLAopaqueData::HLAopaqueData(const HLAopaqueData& rhs)
    : HLAopaqueData(rhs.get(), rhs.dataLength()) {}
HLAopaqueData::~HLAopaqueData() { delete _impl; }

std::unique_ptr<DataElement> HLAopaqueData::clone() const {
  return std::make_unique<HLAopaqueData>(*this);
}
VariableLengthData HLAopaqueData::encode() const { return vernier::hla::encoded(*this); }
void HLAopaqueData::encode(VariableLengthData& data) const { data = vernier::hla::encoded(*this); }
void HLAopaqueData::encodeInto(std::vector<Octet>& to) const {
  align(to, 4);
  put_count(to, dataLength());
  to.insert(to.end(), get(), get() + dataLength());
}
void HLAopaqueData::decode(const VariableLengthData& data) { vernier::hla::decode(*this, data); }
size_t HLAopaqueData::decodeFrom(const std::vector<Octet>& from, size_t index) {
  size_t at = begin_of(from, index, 4);
  const size_t count = got_count(from, at, 1);
  _impl->assign(from.data() + at, count);
  return at + count;
}
size_t HLAopaqueData::getEncodedLength() const { return 4 + dataLength(); }
unsigned HLAopaqueData::getOctetBoundary() const { return 4; }
size_t HLAopaqueData::bufferLength() const {
  return _impl->buffer ? _impl->capacity : _impl->own.size();
}
size_t HLAopaqueData::dataLength() const { return _impl->length(); }
void HLAopaqueData::setDataPointer(Octet** data, size_t bytes, size_t used) {
  _impl->point_to(data, bytes, used);
}
void HLAopaqueData::set(const Octet* data, size_t size) { _impl->assign(data, size); }
const Octet* HLAopaqueData::get() const { return _impl->data(); }
HLAopaqueData::operator const Octet*() const { return get(); }

}  // namespace rti1516e
