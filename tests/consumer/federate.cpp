// A federate as it is written for any RTI of IEEE 1516.1-2010, in the C++ of its time and of today:
// callbacks with the exception specification of the standard and without, ambassadors in
// std::auto_ptr up to C++14. usage: federate <FOM module>
#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAopaqueData.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <iostream>
#include <memory>
#include <string>

#if __cplusplus < 201703L
// both are deprecated there, and what the standard says
#pragma GCC diagnostic ignored "-Wdeprecated"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define FEDERATE_THROW throw(rti1516e::FederateInternalError)
template <class T>
using Pointer = std::auto_ptr<T>;
#else
#define FEDERATE_THROW
template <class T>
using Pointer = std::unique_ptr<T>;
#endif

using namespace rti1516e;

namespace {

class Federate : public NullFederateAmbassador {
 public:
  Federate() throw() {}
  virtual ~Federate() throw() {}

  void timeRegulationEnabled(LogicalTime const& time) FEDERATE_THROW override { now = time; }
  void timeAdvanceGrant(LogicalTime const& time) FEDERATE_THROW override {
    now = time;
    ++grants;
  }
  void announceSynchronizationPoint(std::wstring const&, VariableLengthData const&) override {
    ++announced;
  }

  HLAinteger64Time now;
  int grants = 0;
  int announced = 0;
};

// a time of somebody's own needs a factory of somebody's own
class Factory : public HLAinteger64TimeFactory {
 public:
  Pointer<LogicalTime> makeInitial() override {
    return Pointer<LogicalTime>(new HLAinteger64Time(5));
  }
};

bool times_compare() {
  HLAinteger64Time a(3), b;
  b = a;
  b += HLAinteger64Interval(4);
  LogicalTime const& base = b;
  HLAfloat64Interval i(0.5), j(0.5);
  Factory own;
  Pointer<LogicalTime> initial = own.makeInitial();
  Pointer<LogicalTimeFactory> factory =
      LogicalTimeFactoryFactory::makeLogicalTimeFactory(L"HLAinteger64Time");
  Pointer<LogicalTime> last(factory->makeFinal());
  return a < b && a != b && a == HLAinteger64Time(3) && base == b && b == base && a == 3 &&
         i == j && *last > base && *initial == HLAinteger64Time(5);
}

bool elements_copy() {
  HLAfixedRecord record;
  record.appendElement(HLAunicodeString(L"ExCO"));
  record.appendElement(HLAinteger32BE(4));
  HLAvariableArray array((HLAbyte()));
  array.addElement(HLAbyte('a'));
  record.appendElement(array);
  Pointer<DataElement> copy = record.clone();
  copy->decode(record.encode());
  return copy->isSameTypeAs(record) && copy->getEncodedLength() == 21;
}

}  // namespace

int main(int, char** arguments) {
  std::string const module = arguments[1];
  Federate federate;
  try {
    if (!times_compare() || !elements_copy()) return 1;
    RTIambassadorFactory factory;
    Pointer<RTIambassador> made = factory.createRTIambassador();
    std::unique_ptr<RTIambassador> rti(made.release());
    rti->connect(federate, HLA_EVOKED);
    rti->createFederationExecution(L"consumer", std::wstring(module.begin(), module.end()),
                                   L"HLAinteger64Time");
    rti->joinFederationExecution(L"one", L"consumer", L"consumer");
    Pointer<LogicalTimeFactory> times = rti->getTimeFactory();
    rti->enableTimeRegulation(HLAinteger64Interval(1));
    rti->registerFederationSynchronizationPoint(L"start", VariableLengthData());
    rti->evokeMultipleCallbacks(0.0, 0.1);
    rti->timeAdvanceRequest(HLAinteger64Time(federate.now.getTime() + 10));
    while (federate.grants == 0) rti->evokeCallback(0.1);
    rti->resignFederationExecution(NO_ACTION);
    rti->destroyFederationExecution(L"consumer");
    rti->disconnect();
    std::wcout << L"federate of " << rtiName() << L": time " << federate.now << L", "
               << federate.announced << L" point\n";
    return federate.announced == 1 && times->getName() == HLAinteger64TimeName ? 0 : 1;
  } catch (Exception const& e) {
    std::wcerr << e << L"\n";
    return 1;
  }
}
