#pragma once

#include <RTI/RTI1516.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/federation/rti_server.hpp"
#include "vernier/rti1516e/recorder_test.hpp"

namespace vernier::hla {

inline const char* const fleet_fom = R"(<?xml version="1.0" encoding="UTF-8"?>
<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
  <modelIdentification>
    <name>Fleet</name><type>FOM</type><version>1.0</version><modificationDate>2026-01-01</modificationDate>
    <securityClassification>Unclassified</securityClassification><purpose>Tests</purpose>
    <applicationDomain>Tests</applicationDomain><description>Ships</description>
    <poc><pocType>Primary author</pocType></poc><other>None</other>
  </modelIdentification>
  <objects><objectClass><name>HLAobjectRoot</name>
    <objectClass><name>Ship</name><sharing>PublishSubscribe</sharing>
      <attribute><name>position</name><dataType>HLAopaqueData</dataType><updateType>Conditional</updateType>
        <updateCondition>NA</updateCondition><ownership>DivestAcquire</ownership><sharing>PublishSubscribe</sharing>
        <dimensions><dimension>Sea</dimension></dimensions>
        <transportation>HLAreliable</transportation><order>TimeStamp</order></attribute>
      <attribute><name>flag</name><dataType>HLAopaqueData</dataType><updateType>Conditional</updateType>
        <updateCondition>NA</updateCondition><ownership>DivestAcquire</ownership><sharing>PublishSubscribe</sharing>
        <transportation>HLAreliable</transportation><order>Receive</order></attribute>
    </objectClass></objectClass></objects>
  <interactions><interactionClass><name>HLAinteractionRoot</name>
    <interactionClass><name>Call</name><sharing>PublishSubscribe</sharing>
      <transportation>HLAreliable</transportation><order>Receive</order>
      <parameter><name>text</name><dataType>HLAopaqueData</dataType></parameter>
    </interactionClass></interactionClass></interactions>
  <dimensions><dimension><name>Sea</name><upperBound>100</upperBound><value>Excluded</value></dimension></dimensions>
  <time>
    <timeStamp><dataType>HLAinteger64Time</dataType></timeStamp>
    <lookahead><dataType>HLAinteger64Time</dataType></lookahead>
  </time>
</objectModel>
)";

/// One federate: the callbacks it received, and short functions for the services it calls.
struct Federate {
  Federate(const std::wstring& where, CallbackModel m) : model(m) {
    rti = RTIambassadorFactory().createRTIambassador();
    rti->connect(seen, model, where);
  }
  void join(const std::wstring& name, const std::wstring& federation) {
    rti->joinFederationExecution(name, L"ship", federation);
    ship = rti->getObjectClassHandle(L"Ship");
    position = rti->getAttributeHandle(ship, L"position");
    flag = rti->getAttributeHandle(ship, L"flag");
    call = rti->getInteractionClassHandle(L"Call");
    text = rti->getParameterHandle(call, L"text");
    both = {position, flag};
  }
  void declare() {
    rti->publishObjectClassAttributes(ship, both);
    rti->subscribeObjectClassAttributes(ship, both);
    rti->publishInteractionClass(call);
    rti->subscribeInteractionClass(call);
  }
  /// Waits for a callback whose line begins so; earlier lines are dropped. Returns the line; empty
  /// when it does not arrive within some seconds.
  std::string until(const std::string& begin) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (true) {
      for (std::string& s : seen.take()) log.push_back(std::move(s));
      const auto at = std::find_if(log.begin(), log.end(),
                                   [&](const std::string& s) { return s.starts_with(begin); });
      if (at != log.end()) {
        const std::string line = *at;
        before.assign(log.begin(), at);
        log.erase(log.begin(), at + 1);
        return line;
      }
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << "no callback '" << begin << "', but " << ::testing::PrintToString(log);
        return {};
      }
      if (model == HLA_EVOKED)
        rti->evokeCallback(0.05);
      else
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  /// Lets everything in flight arrive: a round trip through the RTI, then all callbacks.
  std::vector<std::string> everything() {
    rti->listFederationExecutions();
    until("federations");
    auto all = std::exchange(before, {});
    return all;
  }
  void enable_time(long lookahead) {
    rti->enableTimeRegulation(HLAinteger64Interval(lookahead));
    until("regulating");
    rti->enableTimeConstrained();
    until("constrained");
  }
  void advance(long t) {
    rti->timeAdvanceRequest(HLAinteger64Time(t));
    until("granted " + std::to_string(t));
  }
  static VariableLengthData data(const std::string& s) { return {s.data(), s.size()}; }

  Recorder seen;
  std::unique_ptr<RTIambassador> rti;
  CallbackModel model;
  std::vector<std::string> log, before;
  ObjectClassHandle ship;
  AttributeHandle position, flag;
  AttributeHandleSet both;
  InteractionClassHandle call;
  ParameterHandle text;
};

template <class H>
std::string number_text(const H& h) {
  return std::to_string(number(h));
}

/// Federates on an RTI in this process or over TCP, with evoked and immediate callbacks.
class Federates : public ::testing::TestWithParam<std::tuple<bool, CallbackModel>> {
 protected:
  void SetUp() override {
    fom = (folder.path() / "fleet.xml").wstring();
    std::ofstream(folder.path() / "fleet.xml") << fleet_fom;
    if (!std::get<0>(GetParam())) return;
    federation::ServerSettings settings;
    settings.listen = "127.0.0.1:0";
    server =
        std::make_unique<federation::RtiServer>(settings, std::make_unique<federation::Core>());
    where = wide(server->addresses().at(0));
    serving = std::thread([this] { server->serve(); });
  }
  void TearDown() override {
    for (auto& f : fleet) leave(*f);
    if (!fleet.empty()) fleet[0]->rti->destroyFederationExecution(name);
    fleet.clear();
    if (!server) return;
    server->stop();
    serving.join();
  }
  static void leave(Federate& f) {
    try {
      f.rti->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
    } catch (const FederateNotExecutionMember&) {
    } catch (const NotConnected&) {
    }
  }
  Federate& connected() {
    fleet.push_back(std::make_unique<Federate>(where, std::get<1>(GetParam())));
    return *fleet.back();
  }
  /// Adds a joined federate; the first creates the federation.
  Federate& joined() {
    const bool first = fleet.empty();
    Federate& f = connected();
    if (first) f.rti->createFederationExecution(name, fom, L"HLAinteger64Time");
    f.join(L"ship " + std::to_wstring(fleet.size()), name);
    return f;
  }
  /// Waits until every federate has discovered the instance.
  std::string spread(ObjectInstanceHandle object, const Federate& from) {
    for (auto& f : fleet)
      if (f.get() != &from) f->until("discover " + number_text(object) + " ");
    return number_text(object);
  }

  TemporaryFolder folder;
  std::wstring fom, where, name = L"fleet";
  std::unique_ptr<federation::RtiServer> server;
  std::thread serving;
  std::vector<std::unique_ptr<Federate>> fleet;
};

}  // namespace vernier::hla
