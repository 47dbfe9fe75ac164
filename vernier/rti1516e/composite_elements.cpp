#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "vernier/rti1516e/detail/octets.hpp"

namespace rti1516e {
namespace {

using vernier::hla::align;
using vernier::hla::aligned;
using vernier::hla::begin_of;
using vernier::hla::got;
using vernier::hla::Octets;
using vernier::hla::put;
using vernier::hla::require_bytes;

/// An element of a composite one: a copy, or a pointer to the caller's element.
class Slot {
 public:
  explicit Slot(const DataElement& original) : own_(original.clone()), element_(own_.get()) {}
  explicit Slot(DataElement* callers) : element_(callers) {
    if (!callers) throw EncoderException(L"null instead of an element");
  }
  Slot(const Slot& rhs) : Slot(*rhs.element_) {}
  Slot(Slot&&) = default;
  Slot& operator=(Slot&&) = default;

  DataElement& operator*() const { return *element_; }
  DataElement* operator->() const { return element_; }

  /// Sets the value in place, so that memory which the caller supplied receives it.
  void set(const DataElement& value) {
    require_like(value);
    Octets bytes;
    value.encodeInto(bytes);
    element_->decodeFrom(bytes, 0);
  }
  void point_to(DataElement* callers) {
    Slot next(callers);
    require_like(*callers);
    *this = std::move(next);
  }

 private:
  void require_like(const DataElement& other) const {
    if (!element_->isSameTypeAs(other)) throw EncoderException(L"an element of another type");
  }

  std::unique_ptr<DataElement> own_;
  DataElement* element_;
};

using Slots = std::vector<Slot>;

Slot& at(Slots& slots, size_t index) {
  if (index >= slots.size()) throw EncoderException(L"there is no element of this index");
  return slots[index];
}

void encode_all(const Slots& slots, Octets& to) {
  for (const Slot& slot : slots) {
    align(to, slot->getOctetBoundary());  // a user-defined element may not align itself
    slot->encodeInto(to);
  }
}

size_t length_of(const Slots& slots, size_t begin) {
  for (const Slot& slot : slots)
    begin = aligned(begin, slot->getOctetBoundary()) + slot->getEncodedLength();
  return begin;
}

unsigned boundary_of(const Slots& slots) {
  unsigned found = 1;
  for (const Slot& slot : slots) found = std::max(found, slot->getOctetBoundary());
  return found;
}

size_t decode_all(const Slots& slots, const Octets& from, size_t index) {
  for (const Slot& slot : slots)
    index = slot->decodeFrom(from, aligned(index, slot->getOctetBoundary()));
  return index;
}

}  // namespace

class HLAfixedArrayImplementation {
 public:
  Slot prototype;
  Slots slots;
};

class HLAvariableArrayImplementation {
 public:
  Slot prototype;
  Slots slots;

  void require_like(const DataElement& element) const {
    if (!prototype->isSameTypeAs(element))
      throw EncoderException(L"an element that is not like the prototype of the array");
  }
};

class HLAfixedRecordImplementation {
 public:
  Slots slots;
};

class HLAvariantRecordImplementation {
 public:
  Slot discriminant;
  std::map<Octets, Slot> variants{};  // by encoded discriminant

  Octets key(const DataElement& of) const {
    if (!discriminant->isSameTypeAs(of))
      throw EncoderException(L"a discriminant that is not like the prototype");
    Octets bytes;
    of.encodeInto(bytes);
    return bytes;
  }
  const Slot* find(const DataElement& of) const {
    const auto found = variants.find(key(of));
    return found == variants.end() ? nullptr : &found->second;
  }
  Slot& variant(const DataElement& of) {
    const auto found = variants.find(key(of));
    if (found == variants.end()) throw EncoderException(L"the discriminant selects no element");
    return found->second;
  }
  void add(const DataElement& of, Slot slot) {
    if (!variants.emplace(key(of), std::move(slot)).second)
      throw EncoderException(L"there is an element of this discriminant already");
    discriminant.set(of);
  }
  unsigned boundary() const {
    unsigned found = 1;
    for (const auto& [key, slot] : variants) found = std::max(found, slot->getOctetBoundary());
    return found;
  }
};

// what all composite elements share
#define VERNIER_COMPOSITE(Element)                                                                 \
  Element::Element(const Element& rhs)                                                             \
      : DataElement(rhs), _impl(new Element##Implementation(*rhs._impl)) {}                        \
  Element::~Element() { delete _impl; }                                                            \
  std::unique_ptr<DataElement> Element::clone() const { return std::make_unique<Element>(*this); } \
  VariableLengthData Element::encode() const { return vernier::hla::encoded(*this); }              \
  void Element::encode(VariableLengthData& data) const { data = vernier::hla::encoded(*this); }    \
  void Element::decode(const VariableLengthData& data) { vernier::hla::decode(*this, data); }

VERNIER_COMPOSITE(HLAfixedArray)
VERNIER_COMPOSITE(HLAvariableArray)
VERNIER_COMPOSITE(HLAfixedRecord)
VERNIER_COMPOSITE(HLAvariantRecord)
#undef VERNIER_COMPOSITE

// what all but variant records share
#define VERNIER_INDEXED(Element)                                                           \
  size_t Element::size() const { return _impl->slots.size(); }                             \
  void Element::set(size_t index, const DataElement& element) {                            \
    at(_impl->slots, index).set(element);                                                  \
  }                                                                                        \
  void Element::setElementPointer(size_t index, DataElement* element) {                    \
    at(_impl->slots, index).point_to(element);                                             \
  }                                                                                        \
  const DataElement& Element::get(size_t index) const { return *at(_impl->slots, index); } \
  const DataElement& Element::operator[](size_t index) const { return get(index); }

VERNIER_INDEXED(HLAfixedArray)
VERNIER_INDEXED(HLAvariableArray)
VERNIER_INDEXED(HLAfixedRecord)
#undef VERNIER_INDEXED

// ---- fixed array (IEEE 1516.2-2010, section 4.13: elements with padding between them)

HLAfixedArray::HLAfixedArray(const DataElement& prototype, size_t length) : _impl(nullptr) {
  auto made = std::make_unique<HLAfixedArrayImplementation>(
      HLAfixedArrayImplementation{Slot(prototype), {}});
  made->slots.reserve(length);
  for (size_t i = 0; i < length; ++i) made->slots.emplace_back(prototype);
  _impl = made.release();
}
void HLAfixedArray::encodeInto(std::vector<Octet>& to) const {
  align(to, getOctetBoundary());
  encode_all(_impl->slots, to);
}
size_t HLAfixedArray::decodeFrom(const std::vector<Octet>& from, size_t index) {
  return decode_all(_impl->slots, from, begin_of(from, index, getOctetBoundary()));
}
size_t HLAfixedArray::getEncodedLength() const { return length_of(_impl->slots, 0); }
unsigned HLAfixedArray::getOctetBoundary() const { return _impl->prototype->getOctetBoundary(); }
bool HLAfixedArray::isSameTypeAs(const DataElement& other) const {
  const auto* array = dynamic_cast<const HLAfixedArray*>(&other);
  return array && array->size() == size() && hasPrototypeSameTypeAs(*array->_impl->prototype);
}
bool HLAfixedArray::hasPrototypeSameTypeAs(const DataElement& element) const {
  return _impl->prototype->isSameTypeAs(element);
}

// ---- variable array (a 32-bit element count, then as a fixed array)

HLAvariableArray::HLAvariableArray(const DataElement& prototype)
    : _impl(new HLAvariableArrayImplementation{Slot(prototype), {}}) {}
void HLAvariableArray::encodeInto(std::vector<Octet>& to) const {
  align(to, getOctetBoundary());
  const size_t count = _impl->slots.size();
  if (count > 0x7fffffff) throw EncoderException(L"more elements than can be counted");
  put(to, static_cast<std::uint32_t>(count));
  encode_all(_impl->slots, to);
}
size_t HLAvariableArray::decodeFrom(const std::vector<Octet>& from, size_t index) {
  index = begin_of(from, index, getOctetBoundary());
  const size_t count = got<std::uint32_t>(from, index);
  index += 4;
  // an element takes at least one byte, so a larger count cannot be right
  if (count > from.size() - index)
    throw EncoderException(L"more elements are announced than there are bytes");
  Slots& slots = _impl->slots;
  if (slots.size() > count)
    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(count), slots.end());
  for (size_t i = 0; i < count; ++i) {
    if (i == slots.size()) slots.emplace_back(*_impl->prototype);
    index = slots[i]->decodeFrom(from, aligned(index, slots[i]->getOctetBoundary()));
  }
  return index;
}
size_t HLAvariableArray::getEncodedLength() const { return length_of(_impl->slots, 4); }
unsigned HLAvariableArray::getOctetBoundary() const {
  return std::max(4u, _impl->prototype->getOctetBoundary());
}
bool HLAvariableArray::isSameTypeAs(const DataElement& other) const {
  const auto* array = dynamic_cast<const HLAvariableArray*>(&other);
  return array && hasPrototypeSameTypeAs(*array->_impl->prototype);
}
bool HLAvariableArray::hasPrototypeSameTypeAs(const DataElement& element) const {
  return _impl->prototype->isSameTypeAs(element);
}
void HLAvariableArray::addElement(const DataElement& element) {
  _impl->require_like(element);
  _impl->slots.emplace_back(element);
}
void HLAvariableArray::addElementPointer(DataElement* element) {
  Slot slot(element);
  _impl->require_like(*element);
  _impl->slots.push_back(std::move(slot));
}

// ---- fixed record (fields in order, each at a multiple of its boundary)

HLAfixedRecord::HLAfixedRecord() : _impl(new HLAfixedRecordImplementation) {}
void HLAfixedRecord::encodeInto(std::vector<Octet>& to) const {
  align(to, getOctetBoundary());
  encode_all(_impl->slots, to);
}
size_t HLAfixedRecord::decodeFrom(const std::vector<Octet>& from, size_t index) {
  return decode_all(_impl->slots, from, begin_of(from, index, getOctetBoundary()));
}
size_t HLAfixedRecord::getEncodedLength() const { return length_of(_impl->slots, 0); }
unsigned HLAfixedRecord::getOctetBoundary() const { return boundary_of(_impl->slots); }
bool HLAfixedRecord::isSameTypeAs(const DataElement& other) const {
  const auto* record = dynamic_cast<const HLAfixedRecord*>(&other);
  if (!record || record->size() != size()) return false;
  for (size_t i = 0; i < size(); ++i)
    if (!hasElementSameTypeAs(i, (*record)[i])) return false;
  return true;
}
bool HLAfixedRecord::hasElementSameTypeAs(size_t index, const DataElement& element) const {
  return at(_impl->slots, index)->isSameTypeAs(element);
}
void HLAfixedRecord::appendElement(const DataElement& element) {
  _impl->slots.emplace_back(element);
}
void HLAfixedRecord::appendElementPointer(DataElement* element) {
  _impl->slots.emplace_back(element);
}

// ---- variant record (the alternative begins at the largest boundary of all alternatives)

HLAvariantRecord::HLAvariantRecord(const DataElement& prototype)
    : _impl(new HLAvariantRecordImplementation{Slot(prototype)}) {}
void HLAvariantRecord::encodeInto(std::vector<Octet>& to) const {
  align(to, getOctetBoundary());
  _impl->discriminant->encodeInto(to);
  if (const Slot* slot = _impl->find(*_impl->discriminant)) {
    align(to, _impl->boundary());
    (*slot)->encodeInto(to);
  }
}
size_t HLAvariantRecord::decodeFrom(const std::vector<Octet>& from, size_t index) {
  index = _impl->discriminant->decodeFrom(from, begin_of(from, index, getOctetBoundary()));
  const Slot* slot = _impl->find(*_impl->discriminant);
  return slot ? (*slot)->decodeFrom(from, aligned(index, _impl->boundary())) : index;
}
size_t HLAvariantRecord::getEncodedLength() const {
  const size_t discriminant = _impl->discriminant->getEncodedLength();
  const Slot* slot = _impl->find(*_impl->discriminant);
  return slot ? aligned(discriminant, _impl->boundary()) + (*slot)->getEncodedLength()
              : discriminant;
}
unsigned HLAvariantRecord::getOctetBoundary() const {
  return std::max(_impl->discriminant->getOctetBoundary(), _impl->boundary());
}
bool HLAvariantRecord::isSameTypeAs(const DataElement& other) const {
  const auto* record = dynamic_cast<const HLAvariantRecord*>(&other);
  if (!record || !hasMatchingDiscriminantTypeAs(*record->_impl->discriminant)) return false;
  return std::equal(_impl->variants.begin(), _impl->variants.end(), record->_impl->variants.begin(),
                    record->_impl->variants.end(), [](const auto& a, const auto& b) {
                      return a.first == b.first && a.second->isSameTypeAs(*b.second);
                    });
}
bool HLAvariantRecord::isSameTypeAs(const DataElement& discriminant,
                                    const DataElement& element) const {
  return _impl->variant(discriminant)->isSameTypeAs(element);
}
bool HLAvariantRecord::hasMatchingDiscriminantTypeAs(const DataElement& element) const {
  return _impl->discriminant->isSameTypeAs(element);
}
void HLAvariantRecord::addVariant(const DataElement& discriminant, const DataElement& value) {
  _impl->add(discriminant, Slot(value));
}
void HLAvariantRecord::addVariantPointer(const DataElement& discriminant, DataElement* value) {
  _impl->add(discriminant, Slot(value));
}
void HLAvariantRecord::setDiscriminant(const DataElement& discriminant) {
  _impl->discriminant.set(discriminant);
}
void HLAvariantRecord::setVariant(const DataElement& discriminant, const DataElement& value) {
  _impl->variant(discriminant).set(value);
  _impl->discriminant.set(discriminant);
}
void HLAvariantRecord::setVariantPointer(const DataElement& discriminant, DataElement* value) {
  _impl->variant(discriminant).point_to(value);
  _impl->discriminant.set(discriminant);
}
const DataElement& HLAvariantRecord::getDiscriminant() const { return *_impl->discriminant; }
const DataElement& HLAvariantRecord::getVariant() const {
  return *_impl->variant(*_impl->discriminant);
}

}  // namespace rti1516e
