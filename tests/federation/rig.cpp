#include "rig.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "vernier/gateway/federation/core.hpp"
#include "vernier/gateway/federation/rti_server.hpp"

namespace vernier::federation_tests {

std::string narrow(const std::wstring& text) {
  std::string all;
  for (const wchar_t c : text) all.push_back(c < 128 ? static_cast<char>(c) : '?');
  return all;
}
std::wstring wide(const std::string& text) { return std::wstring(text.begin(), text.end()); }

namespace {

std::string text(const VariableLengthData& data) {
  return std::string(static_cast<const char*>(data.data()), data.size());
}
std::string text(const LogicalTime& t) { return narrow(t.toString()); }
template <class H>
std::string find(const std::map<H, std::string>& names, const H& handle) {
  const auto found = names.find(handle);
  return found == names.end() ? narrow(handle.toString()) : found->second;
}
std::string joined(const Lines& parts, const char* between) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : between) + part;
  return all;
}
std::string call(const std::string& name, const Lines& arguments) {
  return name + "(" + joined(arguments, ", ") + ")";
}
std::string order(OrderType type) { return type == RECEIVE ? "R" : "T"; }
std::string transportation(TransportationType type) {
  return type == RELIABLE ? "reliable" : "best effort";
}
template <class Values, class Map>
std::string values(const Values& all, const Map& names) {
  Lines parts;
  for (const auto& [handle, data] : all) parts.push_back(find(names, handle) + "=" + text(data));
  return joined(parts, " ");
}
/// What comes with some messages only.
template <class Info>
Lines with(Lines arguments, const Info& info, const Names& names) {
  if (info.hasProducingFederate) arguments.push_back(find(names.federates, info.producingFederate));
  if constexpr (requires { info.hasSentRegions; }) {
    if (info.hasSentRegions)
      arguments.push_back(std::to_string(info.sentRegions.size()) + " regions");
  }
  return arguments;
}

}  // namespace

// ---- recorder

void Recorder::write(std::string line) {
  std::function<void()> act;
  {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    act.swap(within);
    changed_.notify_all();
  }
  if (act) act();
}
Lines Recorder::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}
void Recorder::expect_mark() {
  const std::lock_guard lock(mutex_);
  ++marks_expected_;
}
std::size_t Recorder::marks() {
  const std::lock_guard lock(mutex_);
  return marks_;
}
bool Recorder::marked() {
  const std::lock_guard lock(mutex_);
  if (marks_expected_ == 0) return false;
  --marks_expected_;
  ++marks_;
  changed_.notify_all();
  return true;
}
bool Recorder::wait_for_mark(std::size_t number) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return marks_ >= number; });
}
bool Recorder::has(const std::string& begin) {
  const std::lock_guard lock(mutex_);
  return std::any_of(lines_.begin(), lines_.end(),
                     [&](const std::string& line) { return line.starts_with(begin); });
}
bool Recorder::wait(const std::string& begin) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] {
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const std::string& line) { return line.starts_with(begin); });
  });
}
void Recorder::know(ObjectInstanceHandle object, const std::string& name) {
  const std::lock_guard lock(mutex_);
  objects_[object] = name;
}
std::string Recorder::name(ObjectInstanceHandle object) {
  const std::lock_guard lock(mutex_);
  return find(objects_, object);
}
std::string Recorder::list(const AttributeHandleSet& attributes) {
  Lines parts;
  for (const AttributeHandle& one : attributes) parts.push_back(find(names_.attributes, one));
  return "{" + joined(parts, " ") + "}";
}

void Recorder::connectionLost(const std::wstring&) { write("lost()"); }
void Recorder::reportFederationExecutions(const FederationExecutionInformationVector& all) {
  Lines parts;
  for (const auto& one : all)
    parts.push_back(narrow(one.federationExecutionName) + ":" +
                    narrow(one.logicalTimeImplementationName));
  std::sort(parts.begin(), parts.end());
  write(call("federations", parts));
}
void Recorder::synchronizationPointRegistrationSucceeded(const std::wstring& label) {
  write(call("registered", {narrow(label)}));
}
void Recorder::synchronizationPointRegistrationFailed(const std::wstring& label,
                                                      SynchronizationPointFailureReason reason) {
  write(call("not registered",
             {narrow(label),
              reason == SYNCHRONIZATION_POINT_LABEL_NOT_UNIQUE ? "not unique" : "not joined"}));
}
void Recorder::announceSynchronizationPoint(const std::wstring& label,
                                            const VariableLengthData& tag) {
  write(call("announce", {narrow(label), text(tag)}));
}
void Recorder::federationSynchronized(const std::wstring& label, const FederateHandleSet& failed) {
  Lines parts{narrow(label)};
  for (const FederateHandle& one : failed) parts.push_back(find(names_.federates, one));
  write(call("synchronized", parts));
}
void Recorder::initiateFederateSave(const std::wstring& label) {
  write(call("save", {narrow(label)}));
}
void Recorder::initiateFederateSave(const std::wstring& label, const LogicalTime& t) {
  write(call("save", {narrow(label), text(t)}));
}
void Recorder::federationSaved() { write("saved()"); }
void Recorder::federationNotSaved(SaveFailureReason reason) {
  write(call("not saved", {std::to_string(reason)}));
}
void Recorder::federationSaveStatusResponse(const FederateHandleSaveStatusPairVector& all) {
  if (marked()) return;
  Lines parts;
  for (const auto& [federate, status] : all)
    parts.push_back(find(names_.federates, federate) + ":" + std::to_string(status));
  std::sort(parts.begin(), parts.end());
  write(call("save status", parts));
}
void Recorder::requestFederationRestoreSucceeded(const std::wstring& label) {
  write(call("restore accepted", {narrow(label)}));
}
void Recorder::requestFederationRestoreFailed(const std::wstring& label) {
  write(call("restore refused", {narrow(label)}));
}
void Recorder::federationRestoreBegun() { write("restore begun()"); }
void Recorder::initiateFederateRestore(const std::wstring& label, const std::wstring& name,
                                       FederateHandle handle) {
  write(call("restore", {narrow(label), narrow(name), find(names_.federates, handle)}));
}
void Recorder::federationRestored() { write("restored()"); }
void Recorder::federationNotRestored(RestoreFailureReason reason) {
  write(call("not restored", {std::to_string(reason)}));
}
void Recorder::federationRestoreStatusResponse(const FederateRestoreStatusVector& all) {
  if (marked()) return;
  Lines parts;
  for (const auto& one : all)
    parts.push_back(find(names_.federates, one.preRestoreHandle) + ":" +
                    std::to_string(one.status));
  std::sort(parts.begin(), parts.end());
  write(call("restore status", parts));
}
void Recorder::startRegistrationForObjectClass(ObjectClassHandle c) {
  write(call("start registration", {find(names_.classes, c)}));
}
void Recorder::stopRegistrationForObjectClass(ObjectClassHandle c) {
  write(call("stop registration", {find(names_.classes, c)}));
}
void Recorder::turnInteractionsOn(InteractionClassHandle c) {
  write(call("interactions on", {find(names_.interactions, c)}));
}
void Recorder::turnInteractionsOff(InteractionClassHandle c) {
  write(call("interactions off", {find(names_.interactions, c)}));
}
void Recorder::objectInstanceNameReservationSucceeded(const std::wstring& name) {
  write(call("reserved", {narrow(name)}));
}
void Recorder::objectInstanceNameReservationFailed(const std::wstring& name) {
  write(call("not reserved", {narrow(name)}));
}
void Recorder::multipleObjectInstanceNameReservationSucceeded(const std::set<std::wstring>& names) {
  Lines parts;
  for (const std::wstring& one : names) parts.push_back(narrow(one));
  write(call("all reserved", parts));
}
void Recorder::multipleObjectInstanceNameReservationFailed(const std::set<std::wstring>& names) {
  Lines parts;
  for (const std::wstring& one : names) parts.push_back(narrow(one));
  write(call("not all reserved", parts));
}
void Recorder::discoverObjectInstance(ObjectInstanceHandle o, ObjectClassHandle c,
                                      const std::wstring& name) {
  know(o, narrow(name));
  write(call("discover", {narrow(name), find(names_.classes, c)}));
}
void Recorder::discoverObjectInstance(ObjectInstanceHandle o, ObjectClassHandle c,
                                      const std::wstring& name, FederateHandle by) {
  know(o, narrow(name));
  write(call("discover", {narrow(name), find(names_.classes, c), find(names_.federates, by)}));
}
void Recorder::reflectAttributeValues(ObjectInstanceHandle o, const AttributeHandleValueMap& v,
                                      const VariableLengthData& tag, OrderType sent,
                                      TransportationType, SupplementalReflectInfo info) {
  if (on_reflect) on_reflect(o, v, info);
  write(call("reflect",
             with({name(o), values(v, names_.attributes), text(tag), order(sent)}, info, names_)));
}
void Recorder::reflectAttributeValues(ObjectInstanceHandle o, const AttributeHandleValueMap& v,
                                      const VariableLengthData& tag, OrderType sent,
                                      TransportationType, const LogicalTime& t, OrderType received,
                                      SupplementalReflectInfo info) {
  write(call("reflect", with({name(o), values(v, names_.attributes), text(tag),
                              order(sent) + ">" + order(received), text(t)},
                             info, names_)));
}
void Recorder::reflectAttributeValues(ObjectInstanceHandle o, const AttributeHandleValueMap& v,
                                      const VariableLengthData& tag, OrderType sent,
                                      TransportationType type, const LogicalTime& t,
                                      OrderType received, MessageRetractionHandle handle,
                                      SupplementalReflectInfo info) {
  retraction = handle;
  reflectAttributeValues(o, v, tag, sent, type, t, received, info);
}
void Recorder::receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& v,
                                  const VariableLengthData& tag, OrderType sent, TransportationType,
                                  SupplementalReceiveInfo info) {
  if (on_receive) on_receive(c, v, info);
  write(call("receive", with({find(names_.interactions, c), values(v, names_.parameters), text(tag),
                              order(sent)},
                             info, names_)));
}
void Recorder::receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& v,
                                  const VariableLengthData& tag, OrderType sent, TransportationType,
                                  const LogicalTime& t, OrderType received,
                                  SupplementalReceiveInfo info) {
  write(call("receive", with({find(names_.interactions, c), values(v, names_.parameters), text(tag),
                              order(sent) + ">" + order(received), text(t)},
                             info, names_)));
}
void Recorder::receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& v,
                                  const VariableLengthData& tag, OrderType sent,
                                  TransportationType type, const LogicalTime& t, OrderType received,
                                  MessageRetractionHandle handle, SupplementalReceiveInfo info) {
  retraction = handle;
  receiveInteraction(c, v, tag, sent, type, t, received, info);
}
void Recorder::removeObjectInstance(ObjectInstanceHandle o, const VariableLengthData& tag,
                                    OrderType sent, SupplementalRemoveInfo info) {
  write(call("remove", with({name(o), text(tag), order(sent)}, info, names_)));
}
void Recorder::removeObjectInstance(ObjectInstanceHandle o, const VariableLengthData& tag,
                                    OrderType sent, const LogicalTime& t, OrderType received,
                                    SupplementalRemoveInfo info) {
  write(call("remove", with({name(o), text(tag), order(sent) + ">" + order(received), text(t)},
                            info, names_)));
}
void Recorder::removeObjectInstance(ObjectInstanceHandle o, const VariableLengthData& tag,
                                    OrderType sent, const LogicalTime& t, OrderType received,
                                    MessageRetractionHandle handle, SupplementalRemoveInfo info) {
  retraction = handle;
  removeObjectInstance(o, tag, sent, t, received, info);
}
void Recorder::attributesInScope(ObjectInstanceHandle o, const AttributeHandleSet& a) {
  write(call("in scope", {name(o), list(a)}));
}
void Recorder::attributesOutOfScope(ObjectInstanceHandle o, const AttributeHandleSet& a) {
  write(call("out of scope", {name(o), list(a)}));
}
void Recorder::provideAttributeValueUpdate(ObjectInstanceHandle o, const AttributeHandleSet& a,
                                           const VariableLengthData& tag) {
  write(call("provide", {name(o), list(a), text(tag)}));
}
void Recorder::turnUpdatesOnForObjectInstance(ObjectInstanceHandle o, const AttributeHandleSet& a) {
  write(call("updates on", {name(o), list(a)}));
}
void Recorder::turnUpdatesOnForObjectInstance(ObjectInstanceHandle o, const AttributeHandleSet& a,
                                              const std::wstring& rate) {
  write(call("updates on", {name(o), list(a), narrow(rate)}));
}
void Recorder::turnUpdatesOffForObjectInstance(ObjectInstanceHandle o,
                                               const AttributeHandleSet& a) {
  write(call("updates off", {name(o), list(a)}));
}
void Recorder::confirmAttributeTransportationTypeChange(ObjectInstanceHandle o,
                                                        AttributeHandleSet a,
                                                        TransportationType type) {
  write(call("transportation changed", {name(o), list(a), transportation(type)}));
}
void Recorder::reportAttributeTransportationType(ObjectInstanceHandle o, AttributeHandle a,
                                                 TransportationType type) {
  write(call("transportation", {name(o), find(names_.attributes, a), transportation(type)}));
}
void Recorder::confirmInteractionTransportationTypeChange(InteractionClassHandle c,
                                                          TransportationType type) {
  write(call("transportation changed", {find(names_.interactions, c), transportation(type)}));
}
void Recorder::reportInteractionTransportationType(FederateHandle f, InteractionClassHandle c,
                                                   TransportationType type) {
  write(call("transportation",
             {find(names_.federates, f), find(names_.interactions, c), transportation(type)}));
}
void Recorder::requestAttributeOwnershipAssumption(ObjectInstanceHandle o,
                                                   const AttributeHandleSet& a,
                                                   const VariableLengthData& tag) {
  write(call("assume", {name(o), list(a), text(tag)}));
}
void Recorder::requestDivestitureConfirmation(ObjectInstanceHandle o, const AttributeHandleSet& a) {
  write(call("confirm divestiture", {name(o), list(a)}));
}
void Recorder::attributeOwnershipAcquisitionNotification(ObjectInstanceHandle o,
                                                         const AttributeHandleSet& a,
                                                         const VariableLengthData& tag) {
  write(call("acquired", {name(o), list(a), text(tag)}));
}
void Recorder::attributeOwnershipUnavailable(ObjectInstanceHandle o, const AttributeHandleSet& a) {
  write(call("unavailable", {name(o), list(a)}));
}
void Recorder::requestAttributeOwnershipRelease(ObjectInstanceHandle o, const AttributeHandleSet& a,
                                                const VariableLengthData& tag) {
  write(call("release", {name(o), list(a), text(tag)}));
}
void Recorder::confirmAttributeOwnershipAcquisitionCancellation(ObjectInstanceHandle o,
                                                                const AttributeHandleSet& a) {
  write(call("acquisition cancelled", {name(o), list(a)}));
}
void Recorder::informAttributeOwnership(ObjectInstanceHandle o, AttributeHandle a,
                                        FederateHandle f) {
  write(call("owner", {name(o), find(names_.attributes, a), find(names_.federates, f)}));
}
void Recorder::attributeIsNotOwned(ObjectInstanceHandle o, AttributeHandle a) {
  write(call("owner", {name(o), find(names_.attributes, a), "nobody"}));
}
void Recorder::attributeIsOwnedByRTI(ObjectInstanceHandle o, AttributeHandle a) {
  write(call("owner", {name(o), find(names_.attributes, a), "RTI"}));
}
void Recorder::timeRegulationEnabled(const LogicalTime& t) {
  time = t;
  write(call("regulating", {text(t)}));
}
void Recorder::timeConstrainedEnabled(const LogicalTime& t) {
  time = t;
  write(call("constrained", {text(t)}));
}
void Recorder::timeAdvanceGrant(const LogicalTime& t) {
  time = t;
  write(call("granted", {text(t)}));
}
void Recorder::requestRetraction(MessageRetractionHandle handle) {
  write(call("retract", {handle == retraction ? "last" : "other"}));
}

// ---- federation

namespace {

/// Answers callbacks until it is enough; false after a very long time.
template <class Enough>
bool evoked(Member& member, const Enough& enough) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!enough() && std::chrono::steady_clock::now() < end) member->evokeCallback(0.01);
  return enough();
}

}  // namespace

std::string name_of(const ::testing::TestParamInfo<Setup>& info) {
  return std::to_string(info.param.federates) + (info.param.tcp ? "Tcp" : "Here") +
         (info.param.immediate ? "Immediate" : "Evoked");
}

std::string server_designator() {
  struct Running {
    federation::RtiServer server{{.listen = "127.0.0.1:0"}, std::make_unique<federation::Core>()};
    std::thread thread{[this] { server.serve(); }};
    ~Running() {
      server.stop();
      thread.join();
    }
  };
  static Running running;
  return running.server.addresses().at(0);
}

std::vector<Setup> all_setups() {
  std::vector<Setup> all;
  for (const int federates : {2, 5})
    for (const bool tcp : {false, true})
      for (const bool immediate : {false, true}) all.push_back({federates, tcp, immediate});
  return all;
}

void Federation::SetUp() {
  static int number = 0;
  name = L"federation" + std::to_wstring(::getpid()) + L"-" + std::to_wstring(++number);
  module = wide(VERNIER_SOURCE_DIR "/tests/federation/playground.xml");
  designator_ = GetParam().tcp ? server_designator() : std::string();
  for (int i = 0; i < size(); ++i) add();
}

void Federation::TearDown() {
  for (const auto& member : members_) {
    if (!member->rti) continue;
    if (member->joined) member->rti->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
    member->joined = false;
  }
  if (!members_.empty() && members_[0]->rti) {
    try {
      members_[0]->rti->destroyFederationExecution(name);
    } catch (const FederationExecutionDoesNotExist&) {
    }
  }
  for (const auto& member : members_)
    if (member->rti) member->rti->disconnect();
}

Member& Federation::add() {
  members_.push_back(std::make_unique<Member>(names_));
  Member& member = *members_.back();
  RTIambassadorFactory factory;
  member.rti.reset(factory.createRTIambassador().release());
  member->connect(member.seen, GetParam().immediate ? HLA_IMMEDIATE : HLA_EVOKED,
                  wide(designator_));
  return member;
}

void Federation::create() {
  (*this)[0]->createFederationExecution(name, module, L"HLAinteger64Time");
}

void Federation::join(int i) {
  Member& member = (*this)[i];
  const std::wstring called = L"f" + std::to_wstring(i);
  member.handle = member->joinFederationExecution(called, L"player", name);
  member.joined = true;
  names_.federates[member.handle] = narrow(called);
  if (ball.isValid()) return;
  ball = member->getObjectClassHandle(L"HLAobjectRoot.Ball");
  heavy = member->getObjectClassHandle(L"HLAobjectRoot.Ball.Heavy");
  place = member->getAttributeHandle(heavy, L"Place");
  color = member->getAttributeHandle(heavy, L"Color");
  mass = member->getAttributeHandle(heavy, L"Mass");
  privilege = member->getAttributeHandle(heavy, L"HLAprivilegeToDeleteObject");
  kick = member->getInteractionClassHandle(L"HLAinteractionRoot.Kick");
  hard = member->getInteractionClassHandle(L"HLAinteractionRoot.Kick.Hard");
  shout = member->getInteractionClassHandle(L"HLAinteractionRoot.Shout");
  force = member->getParameterHandle(hard, L"Force");
  sound = member->getParameterHandle(hard, L"Sound");
  word = member->getParameterHandle(shout, L"Word");
  ground = member->getDimensionHandle(L"Ground");
  names_.classes = {{ball, "Ball"}, {heavy, "Heavy"}};
  names_.attributes = {
      {place, "Place"}, {color, "Color"}, {mass, "Mass"}, {privilege, "Privilege"}};
  names_.interactions = {{kick, "Kick"}, {hard, "Hard"}, {shout, "Shout"}};
  names_.parameters = {{force, "Force"}, {sound, "Sound"}, {word, "Word"}};
}

void Federation::join_all() {
  create();
  for (int i = 0; i < size(); ++i) join(i);
}

void Federation::ask(Member& member) {
  HLAinteger64Time t;
  try {
    member->queryGALT(t);
  } catch (const Exception&) {
  }
}

void Federation::settle() {
  // an answer comes after all that was asked before, and a report behind all that was told before
  for (const auto& member : members_)
    if (member->joined) ask(*member);
  std::vector<std::size_t> before;
  for (const auto& member : members_) {
    before.push_back(member->seen.marks());
    if (!member->joined) continue;
    member->seen.expect_mark();
    try {
      member->rti->queryFederationSaveStatus();
    } catch (const RestoreInProgress&) {
      member->rti->queryFederationRestoreStatus();
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = *members_[i];
    if (!member.joined) continue;
    if (GetParam().immediate) {
      EXPECT_TRUE(member.seen.wait_for_mark(before[i] + 1)) << "no report for " << i;
    } else {
      EXPECT_TRUE(evoked(member, [&] { return member.seen.marks() > before[i]; }))
          << "no report for " << i;
    }
  }
}

Lines Federation::took(int i) {
  settle();
  return (*this)[i].seen.take();
}

void Federation::forget() {
  settle();
  for (const auto& member : members_) member->seen.take();
}

bool Federation::wait(int i, const std::string& begin) {
  Member& member = (*this)[i];
  if (GetParam().immediate) return member.seen.wait(begin);
  return evoked(member, [&] { return member.seen.has(begin); });
}

void Federation::first_publishes() {
  (*this)[0]->publishObjectClassAttributes(heavy, {place, color, mass});
  (*this)[0]->publishObjectClassAttributes(ball, {place, color});
  for (const InteractionClassHandle& one : {kick, hard, shout})
    (*this)[0]->publishInteractionClass(one);
  for (int i = 1; i < size(); ++i) {
    (*this)[i]->subscribeObjectClassAttributes(ball, {place, color});
    (*this)[i]->subscribeInteractionClass(kick);
    (*this)[i]->subscribeInteractionClass(shout);
  }
  forget();
}

ObjectInstanceHandle Federation::registered(ObjectClassHandle of, const std::string& called,
                                            int by) {
  Member& member = (*this)[by];
  member->reserveObjectInstanceName(wide(called));
  EXPECT_TRUE(wait(by, "reserved(" + called));
  const ObjectInstanceHandle object = member->registerObjectInstance(of, wide(called));
  member.seen.know(object, called);
  forget();
  return object;
}

void Federation::manage_time(int lookahead) {
  for (int i = 0; i < size(); ++i) {
    (*this)[i]->enableTimeRegulation(HLAinteger64Interval(lookahead));
    ASSERT_TRUE(wait(i, "regulating("));
    (*this)[i]->enableTimeConstrained();
    ASSERT_TRUE(wait(i, "constrained("));
  }
  forget();
}

}  // namespace vernier::federation_tests
