#include "vernier/rti1516e/own_time.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "vernier/rti1516e/federates_test.hpp"

// A federation time library as users write it: numbers of type N from `first` on, in steps of
// `step`, with their own implementation name.
namespace vernier::hla::library {

using namespace ::rti1516e;

/// 32-bit minutes since noon of an agreed day: the initial time is not zero.
struct Minutes {
  using N = std::int32_t;
  static constexpr const wchar_t* name = L"Minutes";
  static constexpr N first = -720, last = std::numeric_limits<N>::max() - 720, step = 1;
};
/// Steps of 25: there are no times between them.
struct Quarters {
  using N = std::int64_t;
  static constexpr const wchar_t* name = L"Quarters";
  static constexpr N first = 0, last = 25'000'000, step = 25;
};
/// Cannot be counted: a nanosecond is below the resolution of a double at large times.
struct Seconds {
  using N = double;
  static constexpr const wchar_t* name = L"Seconds";
  static constexpr N first = 0.0, last = 1e12, step = 1e-9;
};
/// The final time is too many epsilons after the initial one.
struct Long {
  using N = long double;
  static constexpr const wchar_t* name = L"Long";
  static constexpr N first = 0, last = 0x1p100L, step = 1;
};

template <class L>
struct Span final : LogicalTimeInterval {
  using N = typename L::N;
  Span() = default;
  explicit Span(N n) : value(n) {}
  Span(const Span&) = default;
  static N of(const LogicalTimeInterval& i) {
    if (const auto* s = dynamic_cast<const Span*>(&i)) return s->value;
    throw InvalidLogicalTimeInterval(L"another one");
  }
  void setZero() override { value = 0; }
  bool isZero() const override { return value == 0; }
  void setEpsilon() override { value = L::step; }
  bool isEpsilon() const override { return value == L::step; }
  LogicalTimeInterval& operator=(const LogicalTimeInterval& i) override {
    value = of(i);
    return *this;
  }
  LogicalTimeInterval& operator+=(const LogicalTimeInterval& i) override {
    if (of(i) > L::last - value) throw IllegalTimeArithmetic(L"too long");
    value += of(i);
    return *this;
  }
  LogicalTimeInterval& operator-=(const LogicalTimeInterval& i) override {
    value -= of(i);
    return *this;
  }
  bool operator>(const LogicalTimeInterval& i) const override { return value > of(i); }
  bool operator<(const LogicalTimeInterval& i) const override { return value < of(i); }
  bool operator==(const LogicalTimeInterval& i) const override { return value == of(i); }
  bool operator>=(const LogicalTimeInterval& i) const override { return value >= of(i); }
  bool operator<=(const LogicalTimeInterval& i) const override { return value <= of(i); }
  void setToDifference(const LogicalTime&, const LogicalTime&) override { std::abort(); }
  VariableLengthData encode() const override { return {&value, sizeof value}; }
  size_t encode(void* to, size_t) const override {
    std::memcpy(to, &value, sizeof value);
    return sizeof value;
  }
  size_t encodedLength() const override { return sizeof value; }
  void decode(const VariableLengthData& d) override { std::memcpy(&value, d.data(), sizeof value); }
  void decode(void* from, size_t) override { std::memcpy(&value, from, sizeof value); }
  std::wstring toString() const override {
    return std::to_wstring(static_cast<long long>(value)) + L" " + L::name;
  }
  std::wstring implementationName() const override { return L::name; }

  N value = 0;
};

template <class L>
struct Time final : LogicalTime {
  using N = typename L::N;
  Time() = default;
  explicit Time(N n) : value(n) {}
  Time(const Time&) = default;
  static N of(const LogicalTime& t) {
    if (const auto* s = dynamic_cast<const Time*>(&t)) return s->value;
    throw InvalidLogicalTime(L"another one");
  }
  void setInitial() override { value = L::first; }
  bool isInitial() const override { return value == L::first; }
  void setFinal() override { value = L::last; }
  bool isFinal() const override { return value == L::last; }
  LogicalTime& operator=(const LogicalTime& t) override {
    value = of(t);
    return *this;
  }
  LogicalTime& operator+=(const LogicalTimeInterval& i) override {
    if (Span<L>::of(i) > L::last - std::max(value, N{0})) throw IllegalTimeArithmetic(L"too late");
    value += Span<L>::of(i);
    return *this;
  }
  LogicalTime& operator-=(const LogicalTimeInterval& i) override {
    value -= Span<L>::of(i);
    return *this;
  }
  bool operator>(const LogicalTime& t) const override { return value > of(t); }
  bool operator<(const LogicalTime& t) const override { return value < of(t); }
  bool operator==(const LogicalTime& t) const override { return value == of(t); }
  bool operator>=(const LogicalTime& t) const override { return value >= of(t); }
  bool operator<=(const LogicalTime& t) const override { return value <= of(t); }
  VariableLengthData encode() const override { return {&value, sizeof value}; }
  size_t encode(void* to, size_t) const override {
    std::memcpy(to, &value, sizeof value);
    return sizeof value;
  }
  size_t encodedLength() const override { return sizeof value; }
  void decode(const VariableLengthData& d) override { std::memcpy(&value, d.data(), sizeof value); }
  void decode(void* from, size_t) override { std::memcpy(&value, from, sizeof value); }
  std::wstring toString() const override {
    return std::to_wstring(static_cast<long long>(value)) + L" " + L::name;
  }
  std::wstring implementationName() const override { return L::name; }

  N value = L::first;
};

template <class L>
struct Factory final : LogicalTimeFactory {
  using T = RTI_UNIQUE_PTR<LogicalTime>;
  using I = RTI_UNIQUE_PTR<LogicalTimeInterval>;
  T makeInitial() override { return std::make_unique<Time<L>>(); }
  T makeFinal() override { return std::make_unique<Time<L>>(L::last); }
  I makeZero() override { return std::make_unique<Span<L>>(); }
  I makeEpsilon() override { return std::make_unique<Span<L>>(L::step); }
  T decodeLogicalTime(const VariableLengthData& d) override {
    auto t = makeInitial();
    t->decode(d);
    return t;
  }
  T decodeLogicalTime(void* from, size_t n) override { return decodeLogicalTime({from, n}); }
  I decodeLogicalTimeInterval(const VariableLengthData& d) override {
    auto i = makeZero();
    i->decode(d);
    return i;
  }
  I decodeLogicalTimeInterval(void* from, size_t n) override {
    return decodeLogicalTimeInterval({from, n});
  }
  std::wstring getName() const override { return L::name; }
};

bool minutes_are_there = true;

}  // namespace vernier::hla::library

// replaces the function in the library
std::unique_ptr<rti1516e::LogicalTimeFactory>
rti1516e::LogicalTimeFactoryFactory::makeLogicalTimeFactory(const std::wstring& name) {
  using namespace vernier::hla::library;
  if (name == Minutes::name && minutes_are_there) return std::make_unique<Factory<Minutes>>();
  if (name == Quarters::name) return std::make_unique<Factory<Quarters>>();
  if (name == Seconds::name) return std::make_unique<Factory<Seconds>>();
  if (name == Long::name) return std::make_unique<Factory<Long>>();
  return HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(name);
}

namespace vernier::hla {
namespace {

using library::Long;
using library::Minutes;
using library::Quarters;
using library::Seconds;
using Minute = library::Time<Minutes>;
using For = library::Span<Minutes>;
using Quarter = library::Time<Quarters>;

TEST(OwnTime, IsANumberOfEpsilonsAfterTheInitialOne) {
  OwnTime minutes(L"Minutes");
  Minute t;
  std::int64_t before = -1;
  for (const std::int32_t m :
       {-720, -719, -1, 0, 1, 63, 64, 1'000'000, Minutes::last - 1, Minutes::last}) {
    const auto n = minutes.count(Minute(m));
    ASSERT_EQ(n, std::int64_t{m} + 720);
    EXPECT_GT(*n, before);
    before = *n;
    minutes.set(t, *n);
    EXPECT_EQ(t.value, m);
  }
  minutes.set(t, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(t.isFinal());
  EXPECT_EQ(minutes.count(For(90)), 90);
  For span;
  minutes.set(span, 90);
  EXPECT_EQ(span.value, 90);
  EXPECT_FALSE(minutes.count(Minute(-721)));
  EXPECT_FALSE(minutes.count(HLAinteger64Time(1)));
  EXPECT_FALSE(minutes.count(HLAinteger64Interval(1)));
  OwnTime quarters(L"Quarters");
  EXPECT_EQ(quarters.count(Quarter(75)), 3);
  EXPECT_FALSE(quarters.count(Quarter(80)));  // between two
}

TEST(OwnTime, MustBeCountable) {
  for (const wchar_t* name : {Seconds::name, Long::name, L"Unknown"})
    EXPECT_THROW(OwnTime{name}, CouldNotCreateLogicalTimeFactory) << narrow(name);
}

TEST_P(Federates, KeepTimesOfTheirOwn) {
  Federate& a = connected();
  EXPECT_THROW(a.rti->createFederationExecution(name, fom, L"Seconds"),
               CouldNotCreateLogicalTimeFactory);
  a.rti->createFederationExecution(name, fom, L"Minutes");
  a.join(L"a", name);
  Federate& b = joined();
  b.rti->listFederationExecutions();
  EXPECT_NE(b.until("federations").find("fleet:Minutes"), std::string::npos);
  EXPECT_EQ(b.rti->getTimeFactory()->getName(), L"Minutes");
  for (Federate* f : {&a, &b}) {
    f->declare();
    EXPECT_THROW(f->rti->enableTimeRegulation(HLAinteger64Interval(1)), InvalidLookahead);
    f->rti->enableTimeRegulation(For(10));
    f->until("regulating -720 Minutes");
    f->rti->enableTimeConstrained();
    f->until("constrained -720 Minutes");
  }
  EXPECT_THROW(a.rti->timeAdvanceRequest(HLAinteger64Time(3)), InvalidLogicalTime);
  const auto ada = a.rti->registerObjectInstance(a.ship);
  const std::string object = spread(ada, a);
  EXPECT_THROW(
      a.rti->updateAttributeValues(ada, {{a.position, Federate::data("x")}}, {}, Minute(-711)),
      InvalidLogicalTime);  // before time and lookahead
  for (const int m : {-650, -710, -700})
    a.rti->updateAttributeValues(ada, {{a.position, Federate::data(std::to_string(m))}}, {},
                                 Minute(m));
  Minute galt;
  EXPECT_TRUE(b.rti->queryGALT(galt));
  EXPECT_EQ(galt.value, -710);
  HLAinteger64Time wrong;
  EXPECT_THROW(b.rti->queryGALT(wrong), RTIinternalError);
  For lookahead;
  a.rti->queryLookahead(lookahead);
  EXPECT_EQ(lookahead.value, 10);
  b.rti->timeAdvanceRequest(Minute(-660));
  a.rti->timeAdvanceRequest(Minute(-600));
  for (const int m : {-710, -700})  // by their stamps
    EXPECT_NE(b.until("reflect " + object).find("=" + std::to_string(m)), std::string::npos);
  b.until("granted -660 Minutes");
  Minute now;
  b.rti->queryLogicalTime(now);
  EXPECT_EQ(now.value, -660);
  b.rti->nextMessageRequest(Minute(0));
  b.until("reflect " + object);
  b.until("granted -650 Minutes");

  library::minutes_are_there = false;  // a program without the library
  Federate& c = connected();
  EXPECT_THROW(c.rti->joinFederationExecution(L"c", L"ship", name),
               CouldNotCreateLogicalTimeFactory);
  library::minutes_are_there = true;
  EXPECT_THROW(c.rti->queryLogicalTime(now), FederateNotExecutionMember);
  c.join(L"c", name);  // the name is unused
}

}  // namespace
}  // namespace vernier::hla
