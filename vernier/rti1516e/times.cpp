#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeFactory.h>
#include <RTI/LogicalTimeInterval.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64Time.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>

namespace rti1516e {

LogicalTime::~LogicalTime() noexcept = default;
LogicalTimeInterval::~LogicalTimeInterval() noexcept = default;
LogicalTimeFactory::~LogicalTimeFactory() noexcept = default;

std::wostream& operator<<(std::wostream& to, const LogicalTime& t) { return to << t.toString(); }
std::wostream& operator<<(std::wostream& to, const LogicalTimeInterval& i) {
  return to << i.toString();
}

namespace {

constexpr size_t time_bytes = 8;

// ---- what differs between integer and floating-point time

Integer64 sum(Integer64 a, Integer64 b) {
  Integer64 result = 0;
  if (__builtin_add_overflow(a, b, &result) || result < 0)
    throw IllegalTimeArithmetic(L"the sum is not a time of HLAinteger64Time");
  return result;
}
Integer64 difference(Integer64 a, Integer64 b) {
  Integer64 result = 0;
  if (__builtin_sub_overflow(a, b, &result) || result < 0)
    throw IllegalTimeArithmetic(L"the difference is not a time of HLAinteger64Time");
  return result;
}
bool in_range(Integer64 value) { return value >= 0; }
constexpr Integer64 smallest(Integer64) { return 1; }

double finite(double result) {
  if (!std::isfinite(result) || result < 0.0)
    throw IllegalTimeArithmetic(L"the result is not a time of HLAfloat64Time");
  return result;
}
double sum(double a, double b) { return finite(a + b); }
double difference(double a, double b) { return finite(a - b); }
bool in_range(double value) { return std::isfinite(value) && value >= 0.0; }
constexpr double smallest(double) { return std::numeric_limits<double>::denorm_min(); }

// ---- what they have in common

template <class Number>
size_t encode_number(Number value, void* buffer, size_t size) {
  if (size < time_bytes) throw CouldNotEncode(L"the buffer is too small for a time");
  const auto bits = std::bit_cast<std::uint64_t>(value);
  auto* to = static_cast<unsigned char*>(buffer);
  for (size_t i = 0; i < time_bytes; ++i)
    to[i] = static_cast<unsigned char>(bits >> 8 * (time_bytes - 1 - i));
  return time_bytes;
}

template <class Number>
VariableLengthData encoded_number(Number value) {
  unsigned char bytes[time_bytes];
  encode_number(value, bytes, sizeof bytes);
  return {bytes, sizeof bytes};
}

template <class Number>
Number decoded_number(const void* buffer, size_t size) {
  if (size < time_bytes) throw CouldNotDecode(L"a time takes 8 bytes");
  const auto* from = static_cast<const unsigned char*>(buffer);
  std::uint64_t bits = 0;
  for (size_t i = 0; i < time_bytes; ++i) bits = bits << 8 | from[i];
  const auto value = std::bit_cast<Number>(bits);
  if (!in_range(value)) throw CouldNotDecode(L"these bytes are not a time: it is 0 at least");
  return value;
}

template <class Number>
Number decoded_number(const VariableLengthData& data) {
  if (data.size() != time_bytes) throw CouldNotDecode(L"a time takes 8 bytes");
  return decoded_number<Number>(data.data(), data.size());
}

template <class Number>
std::wstring text_of_time(Number value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::wstring(text, end);
}

/// Casts to the required class; throws `Wrong` if it is another.
template <class To, class Wrong, class From>
const To& as_time(const From& value) {
  if (const auto* found = dynamic_cast<const To*>(&value)) return *found;
  throw Wrong(L"this is of " + value.implementationName() + L", another implementation");
}

}  // namespace

#define VERNIER_COMPARED(Class, Base, Wrong, member, operation)  \
  bool Class::operator operation(const Base& value) const {      \
    return member operation as_time<Class, Wrong>(value).member; \
  }
#define VERNIER_COMPARISONS(Class, Base, Wrong, member) \
  VERNIER_COMPARED(Class, Base, Wrong, member, >)       \
  VERNIER_COMPARED(Class, Base, Wrong, member, <)       \
  VERNIER_COMPARED(Class, Base, Wrong, member, ==)      \
  VERNIER_COMPARED(Class, Base, Wrong, member, >=)      \
  VERNIER_COMPARED(Class, Base, Wrong, member, <=)

// what times and intervals share; macro arguments without parentheses are types and names
// NOLINTBEGIN(bugprone-macro-parentheses)
#define VERNIER_VALUE(Class, Base, Wrong, Number, member, get, set, name)                       \
  Class::Class() : member(0) {}                                                                 \
  Class::Class(const Base& value) : member(as_time<Class, Wrong>(value).member) {}              \
  Class::Class(const Class& value) : Base(value), member(value.member) {}                       \
  Class::~Class() noexcept = default;                                                           \
  Base& Class::operator=(const Base& value) {                                                   \
    member = as_time<Class, Wrong>(value).member;                                               \
    return *this;                                                                               \
  }                                                                                             \
  Class& Class::operator=(const Class& value) {                                                 \
    member = value.member;                                                                      \
    return *this;                                                                               \
  }                                                                                             \
  VERNIER_COMPARISONS(Class, Base, Wrong, member)                                               \
  VariableLengthData Class::encode() const { return encoded_number(member); }                   \
  size_t Class::encode(void* to, size_t size) const { return encode_number(member, to, size); } \
  size_t Class::encodedLength() const { return time_bytes; }                                    \
  void Class::decode(const VariableLengthData& data) { member = decoded_number<Number>(data); } \
  void Class::decode(void* from, size_t size) { member = decoded_number<Number>(from, size); }  \
  std::wstring Class::toString() const { return text_of_time(member); }                         \
  std::wstring Class::implementationName() const { return name; }                               \
  Number Class::get() const { return member; }                                                  \
  void Class::set(Number value) { member = value; }                                             \
  Class::operator Number() const { return member; }
// NOLINTEND(bugprone-macro-parentheses)

#define VERNIER_TIMES(Time, Interval, Factory, Number, Argument, name)                             \
  VERNIER_VALUE(Interval, LogicalTimeInterval, InvalidLogicalTimeInterval, Number, _interval,      \
                getInterval, setInterval, name)                                                    \
  Interval::Interval(Number value) : _interval(value) {}                                           \
  void Interval::setZero() { _interval = 0; }                                                      \
  bool Interval::isZero() const { return _interval == 0; }                                         \
  void Interval::setEpsilon() { _interval = smallest(Number()); }                                  \
  bool Interval::isEpsilon() const { return _interval == smallest(Number()); }                     \
  LogicalTimeInterval& Interval::operator+=(const LogicalTimeInterval& other) {                    \
    _interval = sum(_interval, as_time<Interval, InvalidLogicalTimeInterval>(other)._interval);    \
    return *this;                                                                                  \
  }                                                                                                \
  LogicalTimeInterval& Interval::operator-=(const LogicalTimeInterval& other) {                    \
    _interval =                                                                                    \
        difference(_interval, as_time<Interval, InvalidLogicalTimeInterval>(other)._interval);     \
    return *this;                                                                                  \
  }                                                                                                \
  void Interval::setToDifference(const LogicalTime& minuend, const LogicalTime& subtrahend) {      \
    _interval = difference(as_time<Time, InvalidLogicalTime>(minuend).getTime(),                   \
                           as_time<Time, InvalidLogicalTime>(subtrahend).getTime());               \
  }                                                                                                \
                                                                                                   \
  VERNIER_VALUE(Time, LogicalTime, InvalidLogicalTime, Number, _time, getTime, setTime, name)      \
  Time::Time(Argument value) : _time(value) {}                                                     \
  void Time::setInitial() { _time = 0; }                                                           \
  bool Time::isInitial() const { return _time == 0; }                                              \
  void Time::setFinal() { _time = std::numeric_limits<Number>::max(); }                            \
  bool Time::isFinal() const { return _time == std::numeric_limits<Number>::max(); }               \
  LogicalTime& Time::operator+=(const LogicalTimeInterval& other) {                                \
    _time = sum(_time, as_time<Interval, InvalidLogicalTimeInterval>(other).getInterval());        \
    return *this;                                                                                  \
  }                                                                                                \
  LogicalTime& Time::operator-=(const LogicalTimeInterval& other) {                                \
    _time = difference(_time, as_time<Interval, InvalidLogicalTimeInterval>(other).getInterval()); \
    return *this;                                                                                  \
  }                                                                                                \
                                                                                                   \
  Factory::Factory() = default;                                                                    \
  Factory::~Factory() noexcept = default;                                                          \
  std::unique_ptr<Time> Factory::makeLogicalTime(Number value) {                                   \
    return std::make_unique<Time>(value);                                                          \
  }                                                                                                \
  std::unique_ptr<LogicalTime> Factory::makeInitial() { return std::make_unique<Time>(); }         \
  std::unique_ptr<LogicalTime> Factory::makeFinal() {                                              \
    return std::make_unique<Time>(std::numeric_limits<Number>::max());                             \
  }                                                                                                \
  std::unique_ptr<Interval> Factory::makeLogicalTimeInterval(Number value) {                       \
    return std::make_unique<Interval>(value);                                                      \
  }                                                                                                \
  std::unique_ptr<LogicalTimeInterval> Factory::makeZero() {                                       \
    return std::make_unique<Interval>();                                                           \
  }                                                                                                \
  std::unique_ptr<LogicalTimeInterval> Factory::makeEpsilon() {                                    \
    return std::make_unique<Interval>(smallest(Number()));                                         \
  }                                                                                                \
  std::unique_ptr<LogicalTime> Factory::decodeLogicalTime(const VariableLengthData& data) {        \
    return std::make_unique<Time>(decoded_number<Number>(data));                                   \
  }                                                                                                \
  std::unique_ptr<LogicalTime> Factory::decodeLogicalTime(void* from, size_t size) {               \
    return std::make_unique<Time>(decoded_number<Number>(from, size));                             \
  }                                                                                                \
  std::unique_ptr<LogicalTimeInterval> Factory::decodeLogicalTimeInterval(                         \
      const VariableLengthData& data) {                                                            \
    return std::make_unique<Interval>(decoded_number<Number>(data));                               \
  }                                                                                                \
  std::unique_ptr<LogicalTimeInterval> Factory::decodeLogicalTimeInterval(void* from,              \
                                                                          size_t size) {           \
    return std::make_unique<Interval>(decoded_number<Number>(from, size));                         \
  }                                                                                                \
  std::wstring Factory::getName() const { return name; }

VERNIER_TIMES(HLAinteger64Time, HLAinteger64Interval, HLAinteger64TimeFactory, Integer64, Integer64,
              L"HLAinteger64Time")
VERNIER_TIMES(HLAfloat64Time, HLAfloat64Interval, HLAfloat64TimeFactory, double, const double&,
              L"HLAfloat64Time")

#undef VERNIER_TIMES
#undef VERNIER_VALUE
#undef VERNIER_COMPARISONS
#undef VERNIER_COMPARED

std::unique_ptr<LogicalTimeFactory> HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(
    const std::wstring& name) {
  if (name.empty() || name == HLAfloat64TimeName) return std::make_unique<HLAfloat64TimeFactory>();
  if (name == HLAinteger64TimeName) return std::make_unique<HLAinteger64TimeFactory>();
  return nullptr;
}

// weak, so that a program that links the static library can define its own
__attribute__((weak)) std::unique_ptr<LogicalTimeFactory>
LogicalTimeFactoryFactory::makeLogicalTimeFactory(const std::wstring& name) {
  return HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(name);
}

}  // namespace rti1516e
