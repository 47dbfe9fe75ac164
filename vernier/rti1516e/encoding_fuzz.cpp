// Arbitrary encoded values: decoding stays within bounds, and a decoded value is the same after
// encoding and decoding it again.
#include <RTI/VariableLengthData.h>
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAopaqueData.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Time.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vernier/base/require.hpp"
#include "vernier/rti1516e/handles.hpp"

namespace {

using namespace rti1516e;

/// Every kind of element, nested.
HLAfixedRecord everything() {
  HLAfixedRecord inner;
  inner.appendElement(HLAbyte());
  inner.appendElement(HLAunicodeString());
  inner.appendElement(HLAinteger64LE());
  HLAvariantRecord variant((HLAinteger16BE()));
  variant.addVariant(HLAinteger16BE(Integer16(1)), HLAfloat64BE());
  variant.addVariant(HLAinteger16BE(Integer16(2)),
                     HLAvariableArray(static_cast<const DataElement&>(inner)));
  variant.addVariant(HLAinteger16BE(Integer16(3)), HLAopaqueData());
  HLAvariableArray variants(static_cast<const DataElement&>(variant));
  HLAfixedRecord all;
  all.appendElement(HLAASCIIchar());
  all.appendElement(variants);
  all.appendElement(HLAfixedArray(HLAoctetPairLE(), 3));
  all.appendElement(HLAASCIIstring());
  all.appendElement(HLAboolean());
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const VariableLengthData bytes(data, size);
  HLAfixedRecord element = everything();
  try {
    element.decode(bytes);
    const VariableLengthData again = element.encode();
    vernier::require(again.size() == element.getEncodedLength() && again.size() <= size);
    HLAfixedRecord other = everything();
    other.decode(again);
    const VariableLengthData third = other.encode();
    vernier::require(third.size() == again.size() &&
                     std::memcmp(third.data(), again.data(), again.size()) == 0);
  } catch (const EncoderException&) {
  }
  try {
    HLAinteger64Time().decode(bytes);
    HLAfloat64Time().decode(bytes);
  } catch (const CouldNotDecode&) {
  }
  try {
    const auto handle = vernier::hla::decoded<FederateHandle>(bytes);
    vernier::require(vernier::hla::decoded<FederateHandle>(handle.encode()) == handle);
  } catch (const CouldNotDecode&) {
  }
  return 0;
}
