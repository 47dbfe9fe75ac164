#include <RTI/VariableLengthData.h>
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAopaqueData.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <limits>
#include <string>

namespace rti1516e {
namespace {

// Vectors are computed by hand from IEEE 1516.2-2010, section 4.13.9, or are those of
// SISO-STD-018-2020.

std::string hex(const VariableLengthData& data) {
  std::string text;
  char two[4];
  for (size_t i = 0; i < data.size(); ++i) {
    std::snprintf(two, sizeof two, "%02x", static_cast<const unsigned char*>(data.data())[i]);
    text += two;
  }
  return text;
}

VariableLengthData from_hex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return {bytes.data(), bytes.size()};
}

/// Checks bytes, length and boundary of the element, and that a copy decodes and encodes them
/// again.
void expect_bytes(const DataElement& element, const std::string& expected, unsigned boundary) {
  EXPECT_EQ(hex(element.encode()), expected);
  VariableLengthData into;
  element.encode(into);
  EXPECT_EQ(hex(into), expected);
  EXPECT_EQ(element.getEncodedLength() * 2, expected.size());
  EXPECT_EQ(element.getOctetBoundary(), boundary);
  const auto copy = element.clone();
  EXPECT_TRUE(copy->isSameTypeAs(element));
  EXPECT_EQ(copy->hash(), element.hash());
  copy->decode(element.encode());
  EXPECT_EQ(hex(copy->encode()), expected);
  // every shorter input is refused
  for (size_t bytes = 0; bytes < expected.size() / 2; ++bytes)
    EXPECT_THROW(copy->decode(from_hex(expected.substr(0, 2 * bytes))), EncoderException) << bytes;
}

TEST(BasicElement, HasTheBytesOfTheStandard) {
  expect_bytes(HLAbyte('\x7f'), "7f", 1);
  expect_bytes(HLAoctet('\x80'), "80", 1);
  expect_bytes(HLAASCIIchar('A'), "41", 1);
  expect_bytes(HLAboolean(true), "00000001", 4);
  expect_bytes(HLAinteger16BE(Integer16(-2)), "fffe", 2);
  expect_bytes(HLAinteger16LE(Integer16(3)), "0300", 2);  // ExecutionMode FREEZE
  expect_bytes(HLAinteger32BE(0x01020304), "01020304", 4);
  expect_bytes(HLAinteger32LE(0x01020304), "04030201", 4);
  expect_bytes(HLAinteger64BE(1000000ll), "00000000000f4240", 8);
  expect_bytes(HLAinteger64LE(250000ll), "90d0030000000000", 8);
  expect_bytes(HLAfloat32BE(1.0f), "3f800000", 4);
  expect_bytes(HLAfloat32LE(-2.5f), "000020c0", 4);
  expect_bytes(HLAfloat64BE(1.0), "3ff0000000000000", 8);
  expect_bytes(HLAfloat64LE(7000.0), "000000000058bb40", 8);
  expect_bytes(HLAfloat64LE(1597341669.184), "a8c64bf95fcdd741", 8);
  expect_bytes(HLAoctetPairBE(OctetPair('\1', '\2')), "0102", 2);
  expect_bytes(HLAoctetPairLE(OctetPair('\1', '\2')), "0201", 2);
  expect_bytes(HLAunicodeChar(L'\u20ac'), "20ac", 2);
  expect_bytes(HLAASCIIstring(std::string("abc")), "00000003616263", 4);
  expect_bytes(HLAunicodeString(std::wstring(L"ExCO")),
               "0000000400450078"
               "0043004f",
               4);
  expect_bytes(HLAunicodeString(std::wstring()), "00000000", 4);
}

TEST(BasicElement, SplitsCharactersPastSixteenBits) {
  const std::wstring rocket(1, wchar_t(0x1f680));
  expect_bytes(HLAunicodeString(rocket), "00000002d83dde80", 4);
  HLAunicodeString s;
  s.decode(from_hex("00000002d83dde80"));
  EXPECT_EQ(s.get(), rocket);
  s.decode(from_hex("00000001d83d"));  // an unpaired surrogate is kept
  EXPECT_EQ(s.get(), std::wstring(1, wchar_t(0xd83d)));
  EXPECT_THROW(HLAunicodeChar(wchar_t(0x1f680)).encode(), EncoderException);
  EXPECT_THROW(HLAunicodeString(std::wstring(1, wchar_t(0x110000))).encode(), EncoderException);
}

TEST(BasicElement, RefusesWhatIsNoValue) {
  HLAboolean b;
  EXPECT_THROW(b.decode(from_hex("00000002")), EncoderException);
  HLAASCIIstring s;
  EXPECT_THROW(s.decode(from_hex("ffffffff61")), EncoderException);
  HLAunicodeString u;
  EXPECT_THROW(u.decode(from_hex("80000001"
                                 "0061")),
               EncoderException);
  EXPECT_THROW(
      HLAinteger32BE().decodeFrom({'\0', '\0', '\0', '\0'}, std::numeric_limits<size_t>::max() - 2),
      EncoderException);
}

TEST(BasicElement, WorksOnTheCallersMemory) {
  Integer32 mine = 1;
  HLAinteger32BE element(&mine);
  mine = 2;
  EXPECT_EQ(element.get(), 2);
  element.decode(from_hex("00000007"));
  EXPECT_EQ(mine, 7);
  HLAinteger32BE copy(element);
  copy = 9;
  EXPECT_EQ(mine, 7);
  element = copy;
  EXPECT_EQ(mine, 9);
  Integer32 other = 5;
  element.setDataPointer(&other);
  element.set(6);
  EXPECT_EQ(other, 6);
  EXPECT_EQ(mine, 9);
  EXPECT_THROW(element.setDataPointer(nullptr), EncoderException);
  HLAinteger32BE own(static_cast<Integer32*>(nullptr));
  own = 3;
  EXPECT_EQ(static_cast<Integer32>(own), 3);
}

TEST(BasicElement, IsPaddedToItsBoundaryInABuffer) {
  std::vector<Octet> buffer;
  HLAbyte('\1').encodeInto(buffer);
  HLAinteger32BE(2).encodeInto(buffer);
  EXPECT_EQ(hex({buffer.data(), buffer.size()}), "0100000000000002");
  HLAinteger32BE back;
  EXPECT_EQ(back.decodeFrom(buffer, 1), 8u);
  EXPECT_EQ(back.get(), 2);
}

TEST(FixedRecord, PadsBetweenFieldsAndNotBehindTheLast) {
  HLAfixedRecord r;
  EXPECT_EQ(r.getEncodedLength(), 0u);
  r.appendElement(HLAbyte('\1'));
  r.appendElement(HLAfloat64LE(1.0));
  r.appendElement(HLAinteger16BE(Integer16(2)));
  expect_bytes(r,
               "0100000000000000"
               "000000000000f03f"
               "0002",
               8);
  // a record in a record begins at its own boundary
  HLAfixedRecord outer;
  outer.appendElement(HLAinteger16BE(Integer16(7)));
  outer.appendElement(r);
  outer.appendElement(HLAbyte('\3'));
  expect_bytes(outer,
               "0007000000000000"
               "0100000000000000"
               "000000000000f03f"
               "000203",
               8);
}

TEST(FixedRecord, HasTheStateOfSpaceFom) {
  // position, velocity, quaternion (scalar first), angular velocity, time: 112 bytes of numbers
  HLAfixedArray vector(HLAfloat64LE(), 3);
  HLAfixedRecord translation, quaternion, rotation, state;
  translation.appendElement(vector);
  translation.appendElement(vector);
  quaternion.appendElement(HLAfloat64LE(1.0));
  quaternion.appendElement(vector);
  rotation.appendElement(quaternion);
  rotation.appendElement(vector);
  state.appendElement(translation);
  state.appendElement(rotation);
  state.appendElement(HLAfloat64LE(7000.0));
  EXPECT_EQ(state.getEncodedLength(), 112u);
  const std::string bytes = hex(state.encode());
  EXPECT_EQ(bytes.substr(2 * 48, 16), "000000000000f03f");
  EXPECT_EQ(bytes.substr(2 * 104), "000000000058bb40");
  expect_bytes(
      state, std::string(96, '0') + "000000000000f03f" + std::string(96, '0') + "000000000058bb40",
      8);
}

TEST(FixedRecord, ChecksTypesAndIndices) {
  HLAfixedRecord r;
  r.appendElement(HLAbyte('\1'));
  EXPECT_TRUE(r.hasElementSameTypeAs(0, HLAbyte()));
  EXPECT_FALSE(r.hasElementSameTypeAs(0, HLAoctet()));
  EXPECT_THROW(r.set(0, HLAoctet()), EncoderException);
  EXPECT_THROW(r.set(1, HLAbyte()), EncoderException);
  EXPECT_THROW(r.get(1), EncoderException);
  EXPECT_THROW(r.setElementPointer(0, nullptr), EncoderException);
  EXPECT_THROW(r.appendElementPointer(nullptr), EncoderException);
  HLAfixedRecord same;
  same.appendElement(HLAbyte());
  EXPECT_TRUE(r.isSameTypeAs(same));
  same.appendElement(HLAbyte());
  EXPECT_FALSE(r.isSameTypeAs(same));
}

TEST(FixedRecord, SetsElementsWhereTheyAre) {
  double x = 0.0;
  HLAfloat64LE element(&x);
  HLAfixedRecord r;
  r.appendElementPointer(&element);
  r.set(0, HLAfloat64LE(2.0));
  EXPECT_EQ(x, 2.0);
  r.decode(from_hex("000000000000f03f"));
  EXPECT_EQ(x, 1.0);
  HLAfixedRecord copy(r);
  copy.set(0, HLAfloat64LE(3.0));
  EXPECT_EQ(x, 1.0);
}

TEST(FixedArray, PadsBetweenElements) {
  HLAfixedRecord pair;  // three bytes, boundary two
  pair.appendElement(HLAinteger16BE(Integer16(1)));
  pair.appendElement(HLAbyte('\2'));
  HLAfixedArray a(pair, 3);
  expect_bytes(a,
               "000102"
               "00"
               "000102"
               "00"
               "000102",
               2);
  EXPECT_FALSE(a.isSameTypeAs(HLAfixedArray(pair, 2)));
  EXPECT_FALSE(a.isSameTypeAs(HLAfixedArray(HLAbyte(), 3)));
  EXPECT_TRUE(a.hasPrototypeSameTypeAs(pair));
  EXPECT_EQ(a.size(), 3u);
  EXPECT_EQ(HLAfixedArray(HLAfloat64LE(), 0).getOctetBoundary(), 8u);
}

TEST(VariableArray, HasACountAndPaddingBehindIt) {
  HLAvariableArray a((HLAfloat64BE()));
  expect_bytes(a, "00000000", 8);
  a.addElement(HLAfloat64BE(1.0));
  expect_bytes(a,
               "0000000100000000"
               "3ff0000000000000",
               8);
  HLAvariableArray b((HLAbyte()));
  b.addElement(HLAbyte('\1'));
  b.addElement(HLAbyte('\2'));
  expect_bytes(b, "000000020102", 4);
  // the cast selects the constructor with a prototype; without it the array would be copied
  HLAvariableArray matrix(static_cast<const DataElement&>(b));
  EXPECT_THROW(matrix.addElement(HLAbyte()), EncoderException);
  matrix.addElement(b);
  matrix.addElement(b);
  expect_bytes(matrix,
               "00000002"
               "000000020102"
               "0000"
               "000000020102",
               4);
  EXPECT_FALSE(matrix.isSameTypeAs(b));
}

TEST(VariableArray, ShrinksAndGrowsAsDecoded) {
  HLAvariableArray a((HLAbyte()));
  a.decode(from_hex("00000003010203"));
  EXPECT_EQ(a.size(), 3u);
  a.decode(from_hex("0000000109"));
  ASSERT_EQ(a.size(), 1u);
  EXPECT_EQ(static_cast<const HLAbyte&>(a[0]).get(), '\x09');
  HLAbyte mine;
  a.addElementPointer(&mine);
  a.decode(from_hex("000000020405"));
  EXPECT_EQ(mine.get(), '\5');
  EXPECT_THROW(a.addElementPointer(nullptr), EncoderException);
}

TEST(VariableArray, RefusesAbsurdCounts) {
  HLAvariableArray bytes((HLAbyte()));
  EXPECT_THROW(bytes.decode(from_hex("ffffffff00")), EncoderException);
  // elements without bytes would otherwise allow any count
  HLAvariableArray nothing((HLAfixedRecord()));
  EXPECT_THROW(nothing.decode(from_hex("7fffffff")), EncoderException);
}

HLAvariantRecord shape() {
  HLAvariantRecord r((HLAinteger16BE()));
  r.addVariant(HLAinteger16BE(Integer16(1)), HLAfloat64BE(1.0));
  r.addVariant(HLAinteger16BE(Integer16(2)), HLAbyte('\7'));
  return r;
}

TEST(VariantRecord, PadsToTheLargestBoundaryOfItsElements) {
  // padding also before the byte: where the alternative begins must not depend on which it is
  HLAvariantRecord r = shape();
  expect_bytes(r,
               "0002000000000000"
               "07",
               8);
  r.setDiscriminant(HLAinteger16BE(Integer16(1)));
  expect_bytes(r,
               "0001000000000000"
               "3ff0000000000000",
               8);
  r.setDiscriminant(HLAinteger16BE(Integer16(5)));
  expect_bytes(r, "0005", 8);  // selects no alternative
  EXPECT_THROW(r.getVariant(), EncoderException);
}

TEST(VariantRecord, IsWhatItsDiscriminantSays) {
  HLAvariantRecord r = shape();
  r.decode(from_hex("00010000000000004000000000000000"));
  EXPECT_EQ(static_cast<const HLAinteger16BE&>(r.getDiscriminant()).get(), 1);
  EXPECT_EQ(static_cast<const HLAfloat64BE&>(r.getVariant()).get(), 2.0);
  const HLAinteger16BE two(Integer16(2)), five(Integer16(5));
  r.setVariant(two, HLAbyte('\1'));
  EXPECT_EQ(hex(r.encode()), "000200000000000001");
  EXPECT_TRUE(r.isSameTypeAs(two, HLAbyte()));
  EXPECT_FALSE(r.isSameTypeAs(two, HLAfloat64BE()));
  EXPECT_TRUE(r.hasMatchingDiscriminantTypeAs(five));
  EXPECT_THROW(r.isSameTypeAs(five, HLAbyte()), EncoderException);
  EXPECT_THROW(r.setVariant(five, HLAbyte()), EncoderException);
  EXPECT_THROW(r.setVariant(two, HLAfloat64BE()), EncoderException);
  EXPECT_THROW(r.setDiscriminant(HLAbyte()), EncoderException);
  EXPECT_THROW(r.addVariant(two, HLAbyte()), EncoderException);
  EXPECT_THROW(r.addVariant(HLAbyte(), HLAbyte()), EncoderException);
  EXPECT_THROW(r.addVariantPointer(five, nullptr), EncoderException);
  HLAbyte mine('\4');
  r.setVariantPointer(two, &mine);
  r.setVariant(two, HLAbyte('\6'));
  EXPECT_EQ(mine.get(), '\6');
  EXPECT_TRUE(r.isSameTypeAs(shape()));
}

TEST(OpaqueData, IsACountAndBytes) {
  expect_bytes(HLAopaqueData("abc", 3), "00000003616263", 4);
  expect_bytes(HLAopaqueData(), "00000000", 4);
  Octet memory[4] = {'x', 'y', 0, 0};
  Octet* where = memory;
  HLAopaqueData d(&where, sizeof memory, 2);
  EXPECT_EQ(d.dataLength(), 2u);
  EXPECT_EQ(d.bufferLength(), 4u);
  memory[0] = 'z';
  EXPECT_EQ(hex(d.encode()), "000000027a79");
  d.decode(
      from_hex("00000004"
               "61626364"));
  EXPECT_EQ(std::string(memory, 4), "abcd");
  EXPECT_THROW(d.set("12345", 5), EncoderException);
  EXPECT_THROW(d.decode(from_hex("00000005"
                                 "6162636465")),
               EncoderException);
  HLAopaqueData copy(d);
  copy.set("12345", 5);
  EXPECT_EQ(std::string(copy.get(), copy.dataLength()), "12345");
  EXPECT_EQ(std::string(memory, 4), "abcd");
  Octet* null = nullptr;
  EXPECT_THROW(HLAopaqueData(&null, 4, 0), EncoderException);
  EXPECT_THROW(d.setDataPointer(&where, 0, 0), EncoderException);
  EXPECT_THROW(d.setDataPointer(&where, 2, 3), EncoderException);
}

}  // namespace
}  // namespace rti1516e
