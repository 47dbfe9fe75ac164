#include "vernier/rti1516e/federates_test.hpp"

#include <set>

namespace vernier::hla {
namespace {

INSTANTIATE_TEST_SUITE_P(OnAnRti, Federates,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(HLA_EVOKED, HLA_IMMEDIATE)),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param) ? "OverTcp" : "InProcess") +
                                  (std::get<1>(p.param) == HLA_EVOKED ? "Evoked" : "Immediate");
                         });

TEST_P(Federates, CreateJoinResignAndDestroyOnce) {
  Federate& a = joined();
  EXPECT_THROW(a.rti->createFederationExecution(name, fom), FederationExecutionAlreadyExists);
  Federate& b = connected();
  EXPECT_THROW(b.rti->joinFederationExecution(L"x", L"t", L"nobody"),
               FederationExecutionDoesNotExist);
  EXPECT_THROW(b.rti->joinFederationExecution(L"ship 1", L"t", name), FederateNameAlreadyInUse);
  EXPECT_THROW(b.rti->destroyFederationExecution(name), FederatesCurrentlyJoined);
  EXPECT_THROW(b.rti->destroyFederationExecution(L"nobody"), FederationExecutionDoesNotExist);
  b.join(L"other", name);
  EXPECT_EQ(a.rti->getFederateName(b.rti->getFederateHandle(L"other")), L"other");
  EXPECT_EQ(a.rti->getFederateHandle(L"other"), b.rti->getFederateHandle(L"other"));
  EXPECT_THROW(a.rti->getFederateHandle(L"nobody"), NameNotFound);
  EXPECT_THROW(a.rti->synchronizationPointAchieved(L"never"),
               SynchronizationPointLabelNotAnnounced);
  b.rti->listFederationExecutions();
  EXPECT_NE(b.until("federations").find("fleet:HLAinteger64Time"), std::string::npos);
  const std::string bad = (folder.path() / "bad.xml").string();
  std::ofstream(bad) << "<objectModel>";
  EXPECT_THROW(b.rti->createFederationExecution(L"x", wide(bad)), ErrorReadingFDD);
}

TEST_P(Federates, SynchronizeAlsoLateOnes) {
  for (int i = 0; i < 5; ++i) joined();
  fleet[0]->rti->registerFederationSynchronizationPoint(L"go", Federate::data("now"));
  fleet[0]->until("registered go");
  for (auto& f : fleet) f->until("announce go now");
  Federate& late = joined();
  late.until("announce go now");
  for (auto& f : fleet) f->rti->synchronizationPointAchieved(L"go", f != fleet[1]);
  const auto failed = number_text(fleet[0]->rti->getFederateHandle(L"ship 2"));
  for (auto& f : fleet) f->until("synchronized go " + failed);
  // for a set of two federates: the others are not told
  fleet[0]->rti->registerFederationSynchronizationPoint(
      L"pair", {},
      {fleet[0]->rti->getFederateHandle(L"ship 1"), fleet[0]->rti->getFederateHandle(L"ship 2")});
  for (int i = 0; i < 2; ++i) fleet[i]->until("announce pair");
  for (int i = 0; i < 2; ++i) fleet[i]->rti->synchronizationPointAchieved(L"pair");
  for (int i = 0; i < 2; ++i) fleet[i]->until("synchronized pair");
  EXPECT_TRUE(fleet[3]->everything().empty());
}

TEST_P(Federates, ExchangeObjectsAndInteractionsInReceiveOrder) {
  for (int i = 0; i < 5; ++i) joined().declare();
  Federate& a = *fleet[0];
  EXPECT_THROW(a.rti->registerObjectInstance(a.ship, L"Ada"), ObjectInstanceNameNotReserved);
  a.rti->reserveObjectInstanceName(L"Ada");
  a.until("reserved Ada");
  fleet[1]->rti->reserveObjectInstanceName(L"Ada");
  fleet[1]->until("not reserved Ada");
  const auto ada = a.rti->registerObjectInstance(a.ship, L"Ada");
  const std::string object = spread(ada, a);
  EXPECT_EQ(fleet[1]->rti->getObjectInstanceName(ada), L"Ada");
  constexpr int updates = 50;
  for (int i = 0; i < updates; ++i)
    a.rti->updateAttributeValues(ada, {{a.flag, Federate::data(std::to_string(i))}}, {});
  for (std::size_t f = 1; f < fleet.size(); ++f) {
    for (int i = 0; i < updates; ++i) {
      fleet[f]->until("reflect " + object + " " + number_text(a.flag) + "=" + std::to_string(i) +
                      " ");
      EXPECT_TRUE(fleet[f]->before.empty());  // in order, none missing
    }
  }
  fleet[3]->rti->requestAttributeValueUpdate(ada, a.both, Federate::data("please"));
  a.until("provide " + object);
  a.rti->sendInteraction(a.call, {{a.text, Federate::data("ahoy")}}, Federate::data("tag"));
  for (std::size_t f = 1; f < fleet.size(); ++f)
    fleet[f]->until("receive " + number_text(a.call) + " " + number_text(a.text) + "=ahoy tag");
  a.rti->deleteObjectInstance(ada, Federate::data("sunk"));
  for (std::size_t f = 1; f < fleet.size(); ++f) {
    fleet[f]->until("remove " + object + " sunk");
    EXPECT_THROW(fleet[f]->rti->getObjectInstanceName(ada), ObjectInstanceNotKnown);
  }
}

TEST_P(Federates, AdvanceTogetherAndGetEveryMessageBeforeItsTime) {
  constexpr int size = 5, steps = 10;
  for (int i = 0; i < size; ++i) joined().declare();
  std::vector<ObjectInstanceHandle> ships;
  for (auto& f : fleet) {
    ships.push_back(f->rti->registerObjectInstance(f->ship));
    spread(ships.back(), *f);
  }
  for (auto& f : fleet) f->enable_time(1);
  for (int t = 1; t <= steps; ++t) {
    for (int i = 0; i < size; ++i) {
      fleet[i]->rti->updateAttributeValues(
          ships[i], {{fleet[i]->position, Federate::data(std::to_string(t))}}, {},
          HLAinteger64Time(t));
      fleet[i]->rti->timeAdvanceRequest(HLAinteger64Time(t));
    }
    for (auto& f : fleet) {
      f->until("granted " + std::to_string(t));
      EXPECT_EQ(f->before.size(), size - 1u);
      for (const std::string& s : f->before)
        EXPECT_NE(
            s.find("=" + std::to_string(t) + "  order 2 by 1 at " + std::to_string(t) + " order 2"),
            std::string::npos)
            << s;
    }
  }
}

TEST_P(Federates, TakeBackMessagesThatNobodyHasGot) {
  Federate& a = joined();
  Federate& b = joined();
  a.declare();
  b.declare();
  const auto ship = a.rti->registerObjectInstance(a.ship);
  const std::string object = spread(ship, a);
  a.enable_time(1);
  b.enable_time(1);
  const auto send = [&](long t) {
    return a.rti->updateAttributeValues(ship, {{a.position, Federate::data(std::to_string(t))}}, {},
                                        HLAinteger64Time(t));
  };
  const auto lost = send(4);
  send(5);
  const auto gone = a.rti->deleteObjectInstance(ship, {}, HLAinteger64Time(6));
  EXPECT_THROW(send(7), ObjectInstanceNotKnown);
  a.rti->retract(lost);
  a.rti->retract(gone);
  send(7);  // it is delivered again
  for (Federate* f : {&a, &b}) f->rti->timeAdvanceRequest(HLAinteger64Time(8));
  b.until("reflect " + object + " " + number_text(a.position) + "=5 ");
  EXPECT_TRUE(b.before.empty());
  b.until("reflect " + object + " " + number_text(a.position) + "=7 ");
  b.until("granted 8");
  EXPECT_TRUE(b.before.empty());
  a.until("granted 8");
  EXPECT_THROW(a.rti->retract(lost), Exception);
  HLAinteger64Time galt;
  EXPECT_TRUE(b.rti->queryGALT(galt));
  EXPECT_EQ(galt.getTime(), 9);
}

TEST_P(Federates, HandOverOwnership) {
  Federate& a = joined();
  Federate& b = joined();
  a.declare();
  b.declare();
  const auto ship = a.rti->registerObjectInstance(a.ship);
  const std::string object = spread(ship, a);
  const AttributeHandleSet flag{a.flag};
  const std::string of = object + " " + number_text(a.flag);
  // the owner offers, another federate acquires, the owner confirms
  a.rti->negotiatedAttributeOwnershipDivestiture(ship, flag, Federate::data("take it"));
  b.until("assume " + of + " take it");
  b.rti->attributeOwnershipAcquisition(ship, flag, Federate::data("yes"));
  a.until("confirm divestiture " + of);
  EXPECT_TRUE(a.rti->isAttributeOwnedByFederate(ship, a.flag));
  a.rti->confirmDivestiture(ship, flag, Federate::data("yours"));
  b.until("acquired " + of + " yours");
  EXPECT_FALSE(a.rti->isAttributeOwnedByFederate(ship, a.flag));
  b.rti->updateAttributeValues(ship, {{b.flag, Federate::data("b")}}, {});
  a.until("reflect " + of + "=b");
  EXPECT_THROW(a.rti->updateAttributeValues(ship, {{a.flag, {}}}, {}), AttributeNotOwned);
  // one requests and the owner denies; one requests and cancels; after another request the owner
  // releases
  a.rti->attributeOwnershipAcquisition(ship, flag, Federate::data("back"));
  b.until("release " + of + " back");
  b.rti->attributeOwnershipReleaseDenied(ship, flag);
  a.until("unavailable " + of);
  a.rti->attributeOwnershipAcquisition(ship, flag, {});
  b.until("release " + of);
  a.rti->cancelAttributeOwnershipAcquisition(ship, flag);
  a.until("cancelled " + of);
  a.rti->attributeOwnershipAcquisition(ship, flag, {});
  b.until("release " + of);
  AttributeHandleSet given;
  b.rti->attributeOwnershipDivestitureIfWanted(ship, flag, given);
  EXPECT_EQ(given, flag);
  a.until("acquired " + of);
  b.rti->queryAttributeOwnership(ship, b.flag);
  b.until("owner " + of + " " + number_text(a.rti->getFederateHandle(L"ship 1")));
  a.rti->unconditionalAttributeOwnershipDivestiture(ship, flag);
  b.until("assume " + of);
  b.rti->attributeOwnershipAcquisitionIfAvailable(ship, flag);
  b.until("acquired " + of);
}

TEST_P(Federates, MeetWhereTheirRegionsOverlap) {
  Federate& a = joined();
  Federate& b = joined();
  a.declare();
  const auto sea = a.rti->getDimensionHandle(L"Sea");
  const auto region = [&](Federate& f, unsigned long lower, unsigned long upper) {
    const RegionHandle r = f.rti->createRegion({sea});
    f.rti->setRangeBounds(r, sea, {lower, upper});
    f.rti->commitRegionModifications({r});
    return r;
  };
  const RegionHandle west = region(b, 0, 50), here = region(a, 60, 70);
  b.rti->subscribeObjectClassAttributesWithRegions(b.ship, {{{b.position}, {west}}});
  const auto ship = a.rti->registerObjectInstanceWithRegions(a.ship, {{{a.position}, {here}}});
  const auto send = [&](const char* s) {
    a.rti->updateAttributeValues(ship, {{a.position, Federate::data(s)}}, {});
  };
  send("east");
  EXPECT_TRUE(b.everything().empty());
  a.rti->setRangeBounds(here, sea, {40, 50});
  a.rti->commitRegionModifications({here});
  b.until("discover " + number_text(ship));
  send("west");
  b.until("reflect " + number_text(ship) + " " + number_text(a.position) + "=west");
  EXPECT_THROW(a.rti->deleteRegion(here), RegionInUseForUpdateOrSubscription);
}

TEST_P(Federates, ComeBackToWhatTheySaved) {
  Federate& a = joined();
  Federate& b = joined();
  a.declare();
  b.declare();
  const auto before = a.rti->registerObjectInstance(a.ship);
  const std::string object = spread(before, a);
  a.rti->requestFederationSave(L"harbour");
  for (auto& f : fleet) {
    f->until("save harbour");
    f->rti->federateSaveBegun();
    f->rti->federateSaveComplete();
  }
  for (auto& f : fleet) f->until("saved");
  a.rti->unconditionalAttributeOwnershipDivestiture(before, {a.flag});
  const auto after = a.rti->registerObjectInstance(a.ship);
  spread(after, a);
  a.rti->requestFederationRestore(L"harbour");
  a.until("restore harbour granted");
  for (auto& f : fleet) {
    f->until("restore begun");
    f->until("restore harbour as");
    f->rti->federateRestoreComplete();
  }
  for (auto& f : fleet) f->until("restored");
  EXPECT_THROW(a.rti->updateAttributeValues(after, {{a.flag, {}}}, {}), ObjectInstanceNotKnown);
  a.rti->updateAttributeValues(before, {{a.flag, Federate::data("again")}}, {});
  b.until("reflect " + object + " " + number_text(a.flag) + "=again");
}

TEST_P(Federates, GoOnWithoutOneThatVanishes) {
  for (int i = 0; i < 3; ++i) joined().declare();
  Federate& a = *fleet[0];
  for (auto& f : fleet) f->enable_time(1);
  const auto ship = fleet[2]->rti->registerObjectInstance(fleet[2]->ship);
  for (int i = 0; i < 2; ++i) fleet[i]->until("discover " + number_text(ship));
  for (int i = 0; i < 2; ++i) fleet[i]->rti->timeAdvanceRequest(HLAinteger64Time(5));
  EXPECT_TRUE(a.everything().empty());  // the third federate holds them back
  fleet[2]->rti.reset();                // the connection ends without a resign
  for (int i = 0; i < 2; ++i) {
    fleet[i]->until("granted 5");
    EXPECT_NE(::testing::PrintToString(fleet[i]->before).find("remove " + number_text(ship)),
              std::string::npos);
  }
  fleet.pop_back();
}

TEST_P(Federates, SeeThemselvesInTheManagementObjectModel) {
  Federate& a = joined();
  const auto manager = a.rti->getObjectClassHandle(L"HLAmanager.HLAfederate");
  const auto name_of = a.rti->getAttributeHandle(manager, L"HLAfederateName");
  a.rti->subscribeObjectClassAttributes(manager, {name_of});
  a.until("discover ");
  Federate& b = joined();
  const std::string line = a.until("discover ");
  a.until("reflect " + line.substr(9, line.find(' ', 9) - 9) + " " + number_text(name_of) + "=");
  leave(b);
  a.until("remove " + line.substr(9, line.find(' ', 9) - 9));
}

/// What is in modules of clients in use: names that begin with hla (NASA's TrickHLA), no data
/// types, an attribute that a subclass repeats (the restaurant of Portico).
const char* const client_fom = R"(<?xml version="1.0" encoding="UTF-8"?>
<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
  <modelIdentification><name>Client</name><type>FOM</type></modelIdentification>
  <objects><objectClass><name>HLAobjectRoot</name>
    <objectClass><name>Drink</name><sharing>PublishSubscribe</sharing>
      <attribute><name>NumberCups</name><dataType>HLAinteger32BE</dataType><updateType>Conditional</updateType>
        <transportation>HLAreliable</transportation><order>TimeStamp</order></attribute>
      <attribute><name>hla_base_time_multiplier</name><transportation>HLAreliable</transportation><order>Receive</order></attribute>
      <objectClass><name>Soda</name><sharing>PublishSubscribe</sharing>
        <attribute><name>NumberCups</name><dataType>HLAinteger32BE</dataType><updateType>Conditional</updateType>
          <transportation>HLAreliable</transportation><order>Receive</order></attribute>
        <attribute><name>Flavor</name><transportation>HLAreliable</transportation><order>Receive</order></attribute>
      </objectClass>
    </objectClass></objectClass></objects>
  <interactions><interactionClass><name>HLAinteractionRoot</name>
    <interactionClass><name>Order</name><sharing>PublishSubscribe</sharing>
      <transportation>HLAreliable</transportation><order>Receive</order>
      <parameter><name>what</name></parameter>
    </interactionClass></interactionClass></interactions>
</objectModel>
)";

TEST_P(Federates, DoWhatClientsInUseDo) {
  Federate& a = joined();
  const std::string module = (folder.path() / "client.xml").string();
  std::ofstream(module) << client_fom;
  Federate& b = connected();
  // TrickHLA gives its modules when it joins
  b.rti->joinFederationExecution(L"sine", L"federate", name, std::vector{wide(module)});
  const auto drink = b.rti->getObjectClassHandle(L"Drink");
  const auto soda = b.rti->getObjectClassHandle(L"Drink.Soda");
  const auto cups = b.rti->getAttributeHandle(drink, L"NumberCups");
  EXPECT_EQ(b.rti->getAttributeHandle(soda, L"NumberCups"), cups);  // the inherited one
  const auto multiplier = b.rti->getAttributeHandle(soda, L"hla_base_time_multiplier");
  const auto flavor = b.rti->getAttributeHandle(soda, L"Flavor");
  b.rti->publishObjectClassAttributes(soda, {cups, multiplier, flavor});
  a.everything();  // the classes have arrived
  a.rti->subscribeObjectClassAttributes(a.rti->getObjectClassHandle(L"Drink.Soda"),
                                        {cups, multiplier, flavor});
  const auto object = b.rti->registerObjectInstance(soda);
  a.until("discover " + number_text(object) + " ");
  b.rti->updateAttributeValues(object, {{flavor, Federate::data("lime")}}, {});
  EXPECT_NE(a.until("reflect " + number_text(object)).find("=lime"), std::string::npos);

  // it asks the MOM for the handles of the federates, decodes the array of octets, and has the
  // handle decoded that is left
  const auto manager = b.rti->getObjectClassHandle(L"HLAmanager.HLAfederate");
  const auto handle_of = b.rti->getAttributeHandle(manager, L"HLAfederateHandle");
  const std::string key = number_text(handle_of) + "=";
  b.rti->subscribeObjectClassAttributes(manager, {handle_of});
  b.rti->requestAttributeValueUpdate(manager, {handle_of}, {});
  std::set<FederateHandle> found;
  while (found.size() < 2) {
    const std::string line = b.until("reflect ");
    ASSERT_FALSE(line.empty());
    const std::size_t at = line.find(key);
    if (at == std::string::npos) continue;
    HLAopaqueData octets;
    octets.decode(Federate::data(line.substr(at + key.size(), 8)));
    ASSERT_EQ(octets.dataLength(), 4u);
    found.insert(b.rti->decodeFederateHandle({octets.get(), octets.dataLength()}));
  }
  EXPECT_EQ(found,
            (std::set{b.rti->getFederateHandle(L"sine"), b.rti->getFederateHandle(L"ship 1")}));
}

TEST_P(Federates, ReadWhyAModuleIsRefused) {
  Federate& a = connected();
  std::string text = client_fom;
  const std::size_t at = text.rfind("HLAinteger32BE");
  text.replace(at, 14, "HLAinteger64BE");  // of Soda: values would be read wrongly
  const std::string module = (folder.path() / "client.xml").string();
  std::ofstream(module) << text;
  try {
    a.rti->createFederationExecution(L"x", wide(module));
    ADD_FAILURE() << "it was accepted";
  } catch (const InconsistentFDD& e) {
    const std::string said = narrow(e.what());
    EXPECT_NE(said.find("client.xml, line 10: there are two attributes called \"NumberCups\"; the "
                        "first is inherited from HLAobjectRoot.Drink"),
              std::string::npos)
        << said;
    for (const char* odd : {"-->", " | ", "error[", "nothing was run", "vernier explain"})
      EXPECT_EQ(said.find(odd), std::string::npos) << said;
  }
  fleet.clear();
}

}  // namespace
}  // namespace vernier::hla
