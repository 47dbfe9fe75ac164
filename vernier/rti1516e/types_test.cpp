#include <RTI/RTI1516.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64Time.h>
#include <RTI/time/HLAinteger64TimeFactory.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "vernier/rti1516e/handles.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::hla {
namespace {

using namespace rti1516e;

std::string bytes(const VariableLengthData& data) {
  return std::string(static_cast<const char*>(data.data()), data.size());
}
template <class T>
std::wstring shown(const T& value) {
  std::wostringstream to;
  to << value;
  return to.str();
}

// ---- handles

TEST(Handle, IsInvalidUntilItIsANumber) {
  const AttributeHandle none, other;
  EXPECT_FALSE(none.isValid());
  EXPECT_EQ(none, other);
  const auto seven = handle<AttributeHandle>(7), eight = handle<AttributeHandle>(8);
  EXPECT_TRUE(seven.isValid());
  EXPECT_TRUE(seven != none && seven != eight && seven < eight && !(eight < seven));
  EXPECT_EQ(seven.hash(), handle<AttributeHandle>(7).hash());
  EXPECT_EQ(number(seven), 7u);
  EXPECT_EQ(shown(seven), L"AttributeHandle(7)");
  EXPECT_EQ(shown(none), L"AttributeHandle(invalid)");
  static_assert(std::is_trivially_copyable_v<AttributeHandle>);
}

TEST(Handle, IsEncodedAsACountAndBytes) {
  // HLAhandle of the standard MIM is an HLAvariableArray of HLAbyte
  const auto federate = handle<FederateHandle>(0x01020304);
  const std::string expected("\0\0\0\4\1\2\3\4", 8);
  EXPECT_EQ(bytes(federate.encode()), expected);
  EXPECT_EQ(federate.encodedLength(), 8u);
  VariableLengthData data;
  federate.encode(data);
  EXPECT_EQ(bytes(data), expected);
  char buffer[9];
  EXPECT_EQ(federate.encode(buffer, sizeof buffer), 8u);
  EXPECT_EQ(std::string(buffer, 8), expected);
  EXPECT_THROW(federate.encode(buffer, 7), CouldNotEncode);
  EXPECT_EQ(decoded<FederateHandle>(data), federate);
  // without the count, as clients that decode the array themselves pass it on
  EXPECT_EQ(decoded<FederateHandle>({"\1\2\3\4", 4}), federate);

  const auto message = retraction(3, 9);
  EXPECT_EQ(bytes(message.encode()), std::string("\0\0\0\x8\0\0\0\3\0\0\0\x9", 12));
  EXPECT_EQ(decoded<MessageRetractionHandle>(message.encode()), message);
  // truncated to 32 bits, it would be a different object's handle
  EXPECT_THROW(decoded<FederateHandle>(message.encode()), CouldNotDecode);
  EXPECT_EQ(federate_of(message), 3u);
  EXPECT_EQ(number(message), 9u);
}

TEST(Handle, IsNotDecodedFromAnythingElse) {
  for (const std::string bad : {"", "\1", "1234567", "12345678", "123456789012", "1234567890123"})
    EXPECT_THROW(decoded_handle({bad.data(), bad.size()}), CouldNotDecode) << bad;
  EXPECT_THROW(decoded_handle({"\0\0\0\x8\0\0\0\3", 8}), CouldNotDecode);
}

// ---- values

TEST(VariableLengthData, CopiesHaveStorageOfTheirOwn) {
  for (const std::size_t size : {0u, 1u, 32u, 33u, 1000u}) {
    std::string text(size, 'a');
    VariableLengthData points;
    points.setDataPointer(text.data(), text.size());
    const VariableLengthData copied = points;
    VariableLengthData assigned(text.data(), 3 < size ? 3 : size);
    assigned = points;
    if (size) text[0] = 'b';
    EXPECT_EQ(bytes(points), text);
    EXPECT_EQ(points.data(), text.data());
    EXPECT_EQ(bytes(copied), std::string(size, 'a'));
    EXPECT_EQ(bytes(assigned), std::string(size, 'a'));
  }
}

TEST(VariableLengthData, PointsNoMoreAfterAnAssignment) {
  std::string text = "one";
  VariableLengthData points;
  points.setDataPointer(text.data(), text.size());
  VariableLengthData& same = points;
  points = same;
  text = "two";
  EXPECT_EQ(bytes(points), "one");
  points.setDataPointer(text.data(), text.size());
  points.setData("three", 5);  // does not write to the memory that it pointed to
  EXPECT_EQ(text, "two");
  EXPECT_EQ(bytes(points), "three");
}

TEST(VariableLengthData, MovesWithoutCopying) {
  VariableLengthData large(std::string(1000, 'x').data(), 1000);
  const void* where = large.data();
  const long before = testing::allocations();
  VariableLengthData moved = std::move(large);
  EXPECT_EQ(moved.data(), where);
  EXPECT_EQ(large.size(), 0u);  // NOLINT: what is moved from is empty
  VariableLengthData small("abc", 3), there;
  there = std::move(small);
  moved = std::move(there);
  EXPECT_EQ(bytes(moved), "abc");
  moved.setData("0123456789", 10);
  EXPECT_EQ(testing::allocations(), before);
}

TEST(VariableLengthData, UsesItsStorageAgainAndCopiesWithinIt) {
  const std::string text(200, 'x');
  VariableLengthData data(text.data(), text.size());
  const long before = testing::allocations();
  for (int i = 0; i < 10; ++i) data.setData(text.data(), text.size());
  EXPECT_EQ(testing::allocations(), before);
  data.setData("0123456789", 10);
  data.setData(static_cast<const char*>(data.data()) + 2, 5);
  EXPECT_EQ(bytes(data), "23456");
  data.setDataPointer(const_cast<char*>(text.data()), 100);
  data.setData(data.data(), 60);  // from the memory that it points to
  EXPECT_EQ(bytes(data), text.substr(0, 60));
}

int deleted = 0;

TEST(VariableLengthData, DeletesWhatItTookOnce) {
  static char memory[] = "taken";
  deleted = 0;
  const auto count = [](void* data) { deleted += data == memory; };
  {
    VariableLengthData data;
    data.takeDataPointer(memory, 5, count);
    EXPECT_EQ(data.data(), memory);
    VariableLengthData moved = std::move(data);
    const VariableLengthData copied = moved;
    EXPECT_EQ(bytes(copied), "taken");
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  VariableLengthData data;
  data.takeDataPointer(memory, 5, count);
  data.setData("x", 1);
  EXPECT_EQ(deleted, 2);
  data.takeDataPointer(new char[50], 50);  // as an array of char
  data.takeDataPointer(new char[500], 500);
  EXPECT_EQ(data.size(), 500u);
}

// ---- exceptions, bounds, infos

TEST(Exception, SaysWhatItWasGiven) {
  try {
    throw FederateNotExecutionMember(L"not joined");
  } catch (const Exception& e) {
    EXPECT_EQ(e.what(), L"not joined");
    EXPECT_EQ(shown(e), L"not joined");
  }
}

TEST(SupplementalInfo, KnowsWhatItHas) {
  const auto f = handle<FederateHandle>(2);
  EXPECT_FALSE(SupplementalReflectInfo().hasProducingFederate);
  EXPECT_TRUE(SupplementalReceiveInfo(f).hasProducingFederate);
  EXPECT_TRUE(SupplementalReceiveInfo(RegionHandleSet()).hasSentRegions);
  const SupplementalReflectInfo both(f, {handle<RegionHandle>(4)});
  EXPECT_TRUE(both.hasProducingFederate && both.hasSentRegions && both.producingFederate == f);
  EXPECT_EQ(both.sentRegions.size(), 1u);
  EXPECT_EQ(RangeBounds(3, 9).getUpperBound(), 9u);
}

// ---- times

constexpr Integer64 last = std::numeric_limits<Integer64>::max();

TEST(IntegerTime, GoesFromZeroToTheLargestNumber) {
  HLAinteger64Time t;
  EXPECT_TRUE(t.isInitial());
  t.setFinal();
  EXPECT_TRUE(t.isFinal());
  EXPECT_EQ(t.getTime(), last);
  EXPECT_THROW(t += HLAinteger64Interval(1), IllegalTimeArithmetic);
  EXPECT_EQ(t.getTime(), last);
  t.setInitial();
  EXPECT_THROW(t -= HLAinteger64Interval(1), IllegalTimeArithmetic);
  t += HLAinteger64Interval(5);
  t -= HLAinteger64Interval(2);
  EXPECT_EQ(t, HLAinteger64Time(3));
  EXPECT_TRUE(t < HLAinteger64Time(4) && t <= t && t > HLAinteger64Time(2) && t >= t);
  EXPECT_EQ(shown(t), L"3");
  EXPECT_EQ(static_cast<Integer64>(t), 3);
}

TEST(IntegerTime, IsEncodedBigEndian) {
  // a second of SpaceFOM, in microseconds
  EXPECT_EQ(bytes(HLAinteger64Time(1000000).encode()), std::string("\0\0\0\0\0\x0f\x42\x40", 8));
  HLAinteger64Time t;
  t.decode(HLAinteger64Time(250000).encode());
  EXPECT_EQ(t.getTime(), 250000);
  char buffer[8] = {0, 0, 0, 0, 0, 0, 1, 2};
  t.decode(buffer, sizeof buffer);
  EXPECT_EQ(t.getTime(), 258);
  EXPECT_EQ(t.encode(buffer, sizeof buffer), 8u);
  EXPECT_THROW(t.encode(buffer, 7), CouldNotEncode);
  EXPECT_THROW(t.decode(buffer, 7), CouldNotDecode);
  EXPECT_THROW(t.decode(VariableLengthData(buffer, 7)), CouldNotDecode);
  buffer[0] = '\xff';  // negative
  EXPECT_THROW(t.decode(buffer, 8), CouldNotDecode);
  EXPECT_EQ(t.getTime(), 258);
}

TEST(IntegerInterval, IsADifferenceOfTimes) {
  HLAinteger64Interval i;
  EXPECT_TRUE(i.isZero());
  i.setEpsilon();
  EXPECT_TRUE(i.isEpsilon());
  EXPECT_EQ(i.getInterval(), 1);
  i.setToDifference(HLAinteger64Time(9), HLAinteger64Time(4));
  EXPECT_EQ(i, HLAinteger64Interval(5));
  EXPECT_THROW(i.setToDifference(HLAinteger64Time(4), HLAinteger64Time(9)), IllegalTimeArithmetic);
  EXPECT_THROW(i -= HLAinteger64Interval(6), IllegalTimeArithmetic);
  EXPECT_THROW(i += HLAinteger64Interval(last), IllegalTimeArithmetic);
  i += i;
  EXPECT_EQ(i.getInterval(), 10);
}

TEST(FloatTime, IsFiniteAndNotNegative) {
  HLAfloat64Time t;
  EXPECT_TRUE(t.isInitial());
  t.setFinal();
  EXPECT_EQ(t.getTime(), std::numeric_limits<double>::max());
  EXPECT_THROW(t += HLAfloat64Interval(t.getTime()), IllegalTimeArithmetic);
  HLAfloat64Interval e;
  e.setEpsilon();
  EXPECT_GT(e.getInterval(), 0.0);
  EXPECT_EQ(e.getInterval() / 2.0, 0.0);  // there is no smaller one
  t.setTime(0.25);
  EXPECT_THROW(t -= HLAfloat64Interval(0.5), IllegalTimeArithmetic);
  EXPECT_THROW(t += HLAfloat64Interval(std::nan("")), IllegalTimeArithmetic);
  t += HLAfloat64Interval(0.5);
  EXPECT_EQ(shown(t), L"0.75");
  EXPECT_EQ(bytes(HLAfloat64Time(1.0).encode()), std::string("\x3f\xf0\0\0\0\0\0\0", 8));
  for (const char* bad : {"\x7f\xf8\0\0\0\0\0\0", "\x7f\xf0\0\0\0\0\0\0", "\xbf\xf0\0\0\0\0\0\0"})
    EXPECT_THROW(t.decode(VariableLengthData(bad, 8)), CouldNotDecode);  // nan, infinity, -1
}

TEST(LogicalTime, OfAnotherImplementationIsRefused) {
  HLAinteger64Time t(1);
  const HLAfloat64Time other(1.0);
  EXPECT_THROW(t = static_cast<const LogicalTime&>(other), InvalidLogicalTime);
  EXPECT_THROW((void)(t < other), InvalidLogicalTime);
  EXPECT_THROW((void)HLAinteger64Time(static_cast<const LogicalTime&>(other)), InvalidLogicalTime);
  EXPECT_THROW(t += HLAfloat64Interval(1.0), InvalidLogicalTimeInterval);
  HLAinteger64Interval i;
  EXPECT_THROW(i.setToDifference(t, other), InvalidLogicalTime);
  EXPECT_THROW(i += HLAfloat64Interval(1.0), InvalidLogicalTimeInterval);
}

TEST(LogicalTimeFactory, IsFoundByItsName) {
  EXPECT_EQ(LogicalTimeFactoryFactory::makeLogicalTimeFactory(L"")->getName(), L"HLAfloat64Time");
  EXPECT_FALSE(HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(L"Other"));
  for (const std::wstring name : {L"HLAinteger64Time", L"HLAfloat64Time"}) {
    const auto factory = LogicalTimeFactoryFactory::makeLogicalTimeFactory(name);
    EXPECT_EQ(factory->getName(), name);
    EXPECT_EQ(factory->makeInitial()->implementationName(), name);
    EXPECT_TRUE(factory->makeInitial()->isInitial());
    EXPECT_TRUE(factory->makeFinal()->isFinal());
    EXPECT_TRUE(factory->makeZero()->isZero());
    EXPECT_TRUE(factory->makeEpsilon()->isEpsilon());
    const auto end = factory->decodeLogicalTime(factory->makeFinal()->encode());
    EXPECT_TRUE(end->isFinal());
    EXPECT_TRUE(factory->decodeLogicalTimeInterval(factory->makeEpsilon()->encode())->isEpsilon());
    EXPECT_THROW(factory->decodeLogicalTime(VariableLengthData()), CouldNotDecode);
  }
}

}  // namespace
}  // namespace vernier::hla
