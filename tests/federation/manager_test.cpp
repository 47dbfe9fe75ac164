// The management object model, update rates and conveyed regions, through the standard interface.
#include <RTI/encoding/BasicDataElements.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "manager_rig.hpp"
#include "vernier/gateway/fom/reader.hpp"

namespace vernier::federation_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Manager : public Federation {};

TEST_P(Manager, ShowsWhoIsThere) {
  join_all();
  Member& watcher = last();
  const ObjectClassHandle federate =
      watcher->getObjectClassHandle(L"HLAobjectRoot.HLAmanager.HLAfederate");
  const AttributeHandle called = watcher->getAttributeHandle(federate, L"HLAfederateName");
  names_.attributes[called] = "Name";
  names_.classes[federate] = "Federate";
  watcher->subscribeObjectClassAttributes(federate, {called});
  settle();
  Lines lines = watcher.seen.take();
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const auto& l) { return l.ends_with(", Federate)"); }),
            size());
  watcher->requestAttributeValueUpdate(federate, {called}, tag);
  settle();
  lines = watcher.seen.take();
  for (int i = 0; i < size(); ++i) {
    const std::string value =
        std::string("Name=") + std::string("\0\0\0\2\0f\0", 7) + std::to_string(i);
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const auto& l) {
      return l.find(value) != std::string::npos;
    })) << i;
  }
  (*this)[0]->resignFederationExecution(NO_ACTION);
  (*this)[0].joined = false;
  ASSERT_TRUE(wait(size() - 1, "remove("));
}

TEST_P(Manager, SetsSwitches) {
  join_all();
  first_publishes();
  const ObjectInstanceHandle one = registered(ball, "one");
  Member& b = (*this)[1];
  const std::string on("\0\0\0\1", 4);  // HLAswitch is an HLAinteger32BE
  const InteractionClassHandle of_federate = b->getInteractionClassHandle(
      L"HLAinteractionRoot.HLAmanager.HLAfederate.HLAadjust.HLAsetSwitches");
  b->publishInteractionClass(of_federate);
  b->sendInteraction(
      of_federate,
      {{b->getParameterHandle(of_federate, L"HLAfederate"), b.handle.encode()},
       {b->getParameterHandle(of_federate, L"HLAconveyProducingFederate"), value(on)}},
      tag);
  settle();
  (*this)[0]->updateAttributeValues(one, {{color, value("red")}}, tag);
  EXPECT_THAT(took(1), ElementsAre("reflect(one, Color=red, tag, R, f0)"));
  // a federation that provides on its own asks the owner for whoever discovers
  const InteractionClassHandle of_federation = b->getInteractionClassHandle(
      L"HLAinteractionRoot.HLAmanager.HLAfederation.HLAadjust.HLAsetSwitches");
  b->publishInteractionClass(of_federation);
  b->sendInteraction(of_federation,
                     {{b->getParameterHandle(of_federation, L"HLAautoProvide"), value(on)}}, tag);
  forget();
  add();
  join(size());
  last()->subscribeObjectClassAttributes(ball, {color});
  EXPECT_THAT(took(0), ElementsAre("provide(one, {Color}, )"));
}

// ---- everything in the MIM

/// In this process and over TCP.
class MomTable : public Managed {
 protected:
  /// Classes that no other is below, as "HLAfederate.HLAadjust.HLAsetTiming".
  static std::vector<std::string> interactions() {
    const auto& all = fom::standard_mim().interaction_classes;
    std::vector<std::string> leaves;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool inner = std::any_of(
          all.begin(), all.end(), [&](const auto& c) { return c.parent == static_cast<int>(i); });
      if (!inner) leaves.push_back(all[i].path.substr(all[i].path.find("HLAmanager.") + 11));
    }
    return leaves;
  }
  static Case found(const std::string& path) {
    const std::string service = "HLAfederate.HLAservice.";
    for (const auto* all : {&adjustment_cases(), &request_cases()})
      if (const auto at = all->find(path); at != all->end()) return at->second;
    if (!path.starts_with(service)) return nullptr;
    const auto at = service_cases().find(path.substr(service.size()));
    return at == service_cases().end() ? nullptr : at->second;
  }
};

TEST_P(MomTable, EveryInteractionDoesWhatItIsFor) {
  std::vector<std::string> expected_reports;
  for (const std::string& path : interactions()) {
    SCOPED_TRACE(path);
    if (path.find(".HLAreport.") != std::string::npos) {
      expected_reports.push_back(path);
      continue;
    }
    const Case run = found(path);
    ASSERT_NE(run, nullptr) << "no case";
    // a second of waiting, once
    if (path.ends_with("HLAsetTiming") && !GetParam().tcp) continue;
    begin();
    run(*this);
    end();
    if (HasFatalFailure()) return;
  }
  // what cannot be done, and who is lost
  begin();
  send("HLAfederate.HLAservice.HLAtimeAdvanceRequest");
  Bytes r = report("HLAreportMOMexception");
  EXPECT_EQ(r["HLAservice"],
            unicode("HLAinteractionRoot.HLAmanager.HLAfederate.HLAservice.HLAtimeAdvanceRequest"));
  EXPECT_EQ(r["HLAparameterError"], on);
  send("HLAfederate.HLAservice.HLAdisableTimeConstrained");
  EXPECT_EQ(report("HLAreportMOMexception")["HLAparameterError"], off);
  const FederateHandle lost = subject().handle;
  subject().rti.reset();  // without a word
  subject().joined = false;
  ASSERT_TRUE(wait(0, "remove(one"));
  settle();
  r = report("HLAreportFederateLost");
  EXPECT_EQ(r["HLAfederate"], of(lost));
  EXPECT_EQ(r["HLAfederateName"], unicode("f1"));
  EXPECT_EQ(r["HLAtimeStamp"], time_bytes(0));
  end();
  const std::map<std::string, int> all = heard();
  for (const std::string& path : expected_reports) EXPECT_TRUE(all.contains(path)) << path;
}

TEST_P(MomTable, EveryAttributeHasItsValue) {
  begin();
  // the subject: at 0, lookahead 2, behind a manager with lookahead 5 that has sent it a message in
  // each order
  subject()->subscribeInteractionClass(shout);
  subject()->subscribeInteractionClass(kick);
  manager()->publishInteractionClass(shout);
  manager()->publishInteractionClass(kick);
  subject()->enableTimeRegulation(HLAinteger64Interval(2));
  subject()->enableTimeConstrained();
  manager()->enableTimeRegulation(HLAinteger64Interval(5));
  settle();
  subject()->updateAttributeValues(object, {{color, value("x")}}, tag);
  subject()->updateAttributeValues(object, {{color, value("y")}}, tag);
  subject()->sendInteraction(kick, {}, tag);
  const ObjectInstanceHandle gone = subject()->registerObjectInstance(ball);
  subject()->deleteObjectInstance(gone, tag);
  manager()->publishObjectClassAttributes(heavy, {mass});
  subject()->subscribeObjectClassAttributes(heavy, {mass});
  const ObjectInstanceHandle seen = manager()->registerObjectInstance(heavy);
  manager()->updateAttributeValues(seen, {{mass, value("1")}}, tag);
  manager()->sendInteraction(shout, {}, tag);
  manager()->deleteObjectInstance(seen, tag);
  settle();
  subject()->timeAdvanceRequest(HLAinteger64Time(1));  // what waits comes
  ASSERT_TRUE(wait(1, "granted(1)"));
  settle();
  manager()->sendInteraction(kick, {}, tag, HLAinteger64Time(7));
  manager()->sendInteraction(shout, {}, tag);
  settle();
  const Bytes of_federate{{"HLAprivilegeToDeleteObject", ""},
                          {"HLAfederateHandle", of(subject().handle)},
                          {"HLAfederateName", unicode("f1")},
                          {"HLAfederateType", unicode("player")},
                          {"HLAfederateHost", "?"},
                          {"HLARTIversion", unicode("Vernier")},
                          {"HLAFOMmoduleDesignatorList", texts({})},
                          {"HLAtimeConstrained", on},
                          {"HLAtimeRegulating", on},
                          {"HLAasynchronousDelivery", off},
                          {"HLAfederateState", number(1)},
                          {"HLAtimeManagerState", number(0)},
                          {"HLAlogicalTime", time_bytes(1)},
                          {"HLAlookahead", time_bytes(2)},
                          {"HLAGALT", time_bytes(5)},
                          {"HLALITS", time_bytes(5)},
                          {"HLAROlength", number(1)},
                          {"HLATSOlength", number(1)},
                          {"HLAreflectionsReceived", number(1)},
                          {"HLAupdatesSent", number(2)},
                          {"HLAinteractionsReceived", number(3)},
                          {"HLAinteractionsSent", number(1)},
                          {"HLAobjectInstancesThatCanBeDeleted", number(1)},
                          {"HLAobjectInstancesUpdated", number(1)},
                          {"HLAobjectInstancesReflected", number(0)},  // the one it did is gone
                          {"HLAobjectInstancesDeleted", number(1)},
                          {"HLAobjectInstancesRemoved", number(1)},
                          {"HLAobjectInstancesRegistered", number(2)},
                          {"HLAobjectInstancesDiscovered", number(1)},
                          {"HLAtimeGrantedTime", "?"},
                          {"HLAtimeAdvancingTime", "?"},
                          {"HLAconveyRegionDesignatorSets", off},
                          {"HLAconveyProducingFederate", off}};
  const Bytes of_federation{
      {"HLAprivilegeToDeleteObject", ""},
      {"HLAfederationName", unicode(narrow(name))},
      {"HLAfederatesInFederation", list({manager().handle, subject().handle})},
      {"HLARTIversion", unicode("Vernier")},
      {"HLAMIMdesignator", unicode("HLAstandardMIM")},
      {"HLAFOMmoduleDesignatorList", texts({narrow(module)})},
      {"HLAcurrentFDD", "?"},
      {"HLAtimeImplementationName", unicode("HLAinteger64Time")},
      {"HLAlastSaveName", unicode("")},
      {"HLAlastSaveTime", number(0)},
      {"HLAnextSaveName", unicode("later")},
      {"HLAnextSaveTime", time_bytes(100)},
      {"HLAautoProvide", off}};
  manager()->requestFederationSave(L"later", HLAinteger64Time(100));
  std::map<ObjectInstanceHandle, std::map<AttributeHandle, std::string>> values;
  manager().seen.on_reflect = [&](ObjectInstanceHandle o, const AttributeHandleValueMap& some,
                                  const SupplementalReflectInfo&) {
    for (const auto& [a, v] : some)
      values[o][a] = std::string(static_cast<const char*>(v.data()), v.size());
  };
  const fom::Module& mim = fom::standard_mim();
  for (const auto& [path, instance, expected] :
       {std::tuple{"HLAobjectRoot.HLAmanager.HLAfederate", L"HLAfederate.f1", of_federate},
        std::tuple{"HLAobjectRoot.HLAmanager.HLAfederation", L"HLAfederation.", of_federation}}) {
    const ObjectClassHandle c = manager()->getObjectClassHandle(wide(path));
    std::map<AttributeHandle, std::string> names;
    AttributeHandleSet all;
    for (const fom::Attribute& a : mim.attributes) {
      if (mim.object_classes[static_cast<std::size_t>(a.owner)].path != path) continue;
      EXPECT_TRUE(expected.contains(a.name)) << a.name << " has no case";
      const AttributeHandle h = manager()->getAttributeHandle(c, wide(a.name));
      names[h] = a.name;
      all.insert(h);
    }
    manager()->subscribeObjectClassAttributes(c, all);
    settle();
    const std::wstring called =
        std::wstring(instance) + (expected.contains("HLAautoProvide") ? name : L"");
    const ObjectInstanceHandle o = manager()->getObjectInstanceHandle(called);
    values.clear();
    manager()->requestAttributeValueUpdate(o, all, tag);
    settle();
    for (const auto& [h, attribute] : names) {
      if (const std::string& e = expected.at(attribute); e != "?") {
        EXPECT_EQ(values[o][h], e) << attribute;
      } else if (attribute.ends_with("Time")) {  // milliseconds since the last report, not hours
        ASSERT_EQ(values[o][h].size(), 4u) << attribute;
        EXPECT_EQ(values[o][h][0], '\0') << attribute;
      } else {
        EXPECT_GE(values[o][h].size(), 4u) << attribute;
      }
    }
  }
  manager().seen.on_reflect = {};
  end();
}

// ---- update rates

class Rates : public Federation {};

TEST_P(Rates, ThinUpdatesThatMayBeLostAndAreToldToTheOwner) {
  join_all();
  (*this)[0]->publishObjectClassAttributes(ball, {place, color});
  (*this)[0]->enableAttributeRelevanceAdvisorySwitch();
  const ObjectInstanceHandle one = registered(ball, "one");
  EXPECT_EQ((*this)[1]->getUpdateRateValue(L"Low"), 10.0);
  EXPECT_THROW((*this)[1]->subscribeObjectClassAttributes(ball, {color}, true, L"Lowest"),
               InvalidUpdateRateDesignator);
  (*this)[1]->subscribeObjectClassAttributes(ball, {place});
  (*this)[1]->subscribeObjectClassAttributes(ball, {color}, true, L"Low");
  (*this)[1].seen.know(one, "one");
  EXPECT_THAT(took(0), ElementsAre("updates on(one, {Place})", "updates on(one, {Color}, Low)"));
  EXPECT_EQ((*this)[1]->getUpdateRateValueForAttribute(one, color), 10.0);
  EXPECT_EQ((*this)[1]->getUpdateRateValueForAttribute(one, place), 0.0);
  EXPECT_THROW((*this)[1]->getUpdateRateValueForAttribute(one, mass), AttributeNotDefined);
  EXPECT_THROW((*this)[1]->getUpdateRateValueForAttribute(ObjectInstanceHandle(), color),
               ObjectInstanceNotKnown);
  const auto reflections = [&](int updates) {
    forget();
    for (int i = 0; i < updates; ++i)
      (*this)[0]->updateAttributeValues(one, {{color, value("x")}, {place, value("y")}}, tag);
    const Lines lines = took(1);
    return std::pair(std::count_if(lines.begin(), lines.end(),
                                   [](const auto& l) { return l.find("Color=") != l.npos; }),
                     std::count_if(lines.begin(), lines.end(),
                                   [](const auto& l) { return l.find("Place=") != l.npos; }));
  };
  // reliable ones all come
  EXPECT_EQ(reflections(5), std::pair(std::ptrdiff_t{5}, std::ptrdiff_t{5}));
  (*this)[0]->requestAttributeTransportationTypeChange(one, {color}, BEST_EFFORT);
  (*this)[0]->requestAttributeTransportationTypeChange(one, {place}, BEST_EFFORT);
  ASSERT_TRUE(wait(0, "transportation changed(one, {Place}"));
  // one in a tenth of a second, however slow this runs; the other attribute has no rate
  const auto begun = std::chrono::steady_clock::now();
  const auto [thinned, full] = reflections(20);
  const double tenths =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() * 10.0;
  EXPECT_GE(thinned, 1);
  EXPECT_LE(static_cast<double>(thinned), 1.0 + tenths);
  EXPECT_EQ(full, 20);
  // without the rate all come again, and the owner is told
  (*this)[1]->subscribeObjectClassAttributes(ball, {color});
  EXPECT_THAT(took(0), ElementsAre("updates on(one, {Color})"));
  EXPECT_EQ(reflections(5).first, 5);
  (*this)[1]->unsubscribeObjectClassAttributes(ball, {color});
  EXPECT_THAT(took(0), ElementsAre("updates off(one, {Color})"));
}

TEST_P(Rates, ConveyedRegionsHaveTheBoundsTheyWereSentWith) {
  join_all();
  (*this)[0]->publishObjectClassAttributes(ball, {place});
  (*this)[0]->publishInteractionClass(kick);
  (*this)[1]->subscribeObjectClassAttributes(ball, {place});
  (*this)[1]->subscribeInteractionClass(kick);
  const InteractionClassHandle adjust = (*this)[0]->getInteractionClassHandle(
      L"HLAinteractionRoot.HLAmanager.HLAfederate.HLAadjust.HLAsetSwitches");
  (*this)[0]->publishInteractionClass(adjust);
  const auto convey = [&](const std::string& state) {
    (*this)[0]->sendInteraction(
        adjust,
        {{(*this)[0]->getParameterHandle(adjust, L"HLAfederate"), (*this)[1].handle.encode()},
         {(*this)[0]->getParameterHandle(adjust, L"HLAconveyRegionDesignatorSets"), value(state)}},
        tag);
    settle();
  };
  const RegionHandle region = (*this)[0]->createRegion({ground});
  const auto commit = [&](unsigned long lower, unsigned long upper) {
    (*this)[0]->setRangeBounds(region, ground, {lower, upper});
    (*this)[0]->commitRegionModifications({region});
  };
  commit(10, 20);
  const ObjectInstanceHandle one =
      (*this)[0]->registerObjectInstanceWithRegions(ball, {{{place}, {region}}});
  std::vector<std::pair<unsigned long, unsigned long>> seen;
  const auto note = [&](const auto& info) {
    for (const RegionHandle& r : info.sentRegions) {
      EXPECT_EQ((*this)[1]->getDimensionHandleSet(r), DimensionHandleSet{ground});
      const RangeBounds b = (*this)[1]->getRangeBounds(r, ground);
      seen.emplace_back(b.getLowerBound(), b.getUpperBound());
      EXPECT_THROW((*this)[1]->setRangeBounds(r, ground, {1, 2}), RegionNotCreatedByThisFederate);
    }
  };
  (*this)[1].seen.on_reflect = [&](auto, const auto&, const auto& info) { note(info); };
  (*this)[1].seen.on_receive = [&](auto, const auto&, const auto& info) { note(info); };
  const auto both = [&] {
    (*this)[0]->updateAttributeValues(one, {{place, value("x")}}, tag);
    (*this)[0]->sendInteractionWithRegions(kick, {}, {region}, tag);
    settle();
  };
  both();
  EXPECT_THAT(seen, IsEmpty());  // the switch is off
  convey(on);
  both();
  commit(30, 40);
  both();
  EXPECT_THAT(seen, ElementsAre(std::pair(10, 20), std::pair(10, 20), std::pair(30, 40),
                                std::pair(30, 40)));
  convey(off);
  both();
  EXPECT_EQ(seen.size(), 4u);
}

std::vector<Setup> two_setups() { return {{2, false, false}, {2, true, true}}; }

INSTANTIATE_TEST_SUITE_P(Services, Manager, ::testing::ValuesIn(all_setups()), name_of);
INSTANTIATE_TEST_SUITE_P(Services, MomTable, ::testing::ValuesIn(two_setups()), name_of);
INSTANTIATE_TEST_SUITE_P(Services, Rates, ::testing::ValuesIn(two_setups()), name_of);

}  // namespace
}  // namespace vernier::federation_tests
