#pragma once

#include <RTI/FederateAmbassador.h>
#include <RTI/RTI1516.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "vernier/rti1516e/handles.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {

using namespace ::rti1516e;

/// Records every callback as a line of text.
class Recorder : public FederateAmbassador {
 public:
  using Text = const std::wstring&;
  using Data = const VariableLengthData&;
  using Object = ObjectInstanceHandle;
  using Attributes = const AttributeHandleSet&;

  /// Called in each callback, after it was recorded.
  std::function<void(const std::string&)> during;

  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }
  /// Waits until there are that many lines, at most ten seconds.
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(100), [&] { return lines_.size() >= count; });
    return std::exchange(lines_, {});
  }

  void connectionLost(Text why) override { write("lost " + narrow(why)); }
  void reportFederationExecutions(const FederationExecutionInformationVector& all) override {
    std::string s = "federations";
    for (const auto& i : all)
      s += " " + narrow(i.federationExecutionName) + ":" + narrow(i.logicalTimeImplementationName);
    write(s);
  }
  void synchronizationPointRegistrationSucceeded(Text l) override {
    write("registered " + narrow(l));
  }
  void synchronizationPointRegistrationFailed(Text l,
                                              SynchronizationPointFailureReason r) override {
    write("not registered " + narrow(l) + " " + std::to_string(r));
  }
  void announceSynchronizationPoint(Text l, Data tag) override {
    write("announce " + narrow(l) + " " + text(tag));
  }
  void federationSynchronized(Text l, const FederateHandleSet& failed) override {
    write("synchronized " + narrow(l) + list(failed));
  }
  void initiateFederateSave(Text l) override { write("save " + narrow(l)); }
  void initiateFederateSave(Text l, const LogicalTime& t) override {
    write("save " + narrow(l) + " at " + text(t));
  }
  void federationSaved() override { write("saved"); }
  void federationNotSaved(SaveFailureReason r) override { write("not saved " + std::to_string(r)); }
  void federationSaveStatusResponse(const FederateHandleSaveStatusPairVector& all) override {
    std::string s = "save status";
    for (const auto& [f, status] : all) s += " " + text(f) + ":" + std::to_string(status);
    write(s);
  }
  void requestFederationRestoreSucceeded(Text l) override {
    write("restore " + narrow(l) + " granted");
  }
  void requestFederationRestoreFailed(Text l) override {
    write("restore " + narrow(l) + " refused");
  }
  void federationRestoreBegun() override { write("restore begun"); }
  void initiateFederateRestore(Text l, Text name, FederateHandle f) override {
    write("restore " + narrow(l) + " as " + narrow(name) + " " + text(f));
  }
  void federationRestored() override { write("restored"); }
  void federationNotRestored(RestoreFailureReason r) override {
    write("not restored " + std::to_string(r));
  }
  void federationRestoreStatusResponse(const FederateRestoreStatusVector& all) override {
    std::string s = "restore status";
    for (const auto& i : all)
      s += " " + text(i.preRestoreHandle) + ">" + text(i.postRestoreHandle) + ":" +
           std::to_string(i.status);
    write(s);
  }

  void startRegistrationForObjectClass(ObjectClassHandle c) override {
    write("start registration " + text(c));
  }
  void stopRegistrationForObjectClass(ObjectClassHandle c) override {
    write("stop registration " + text(c));
  }
  void turnInteractionsOn(InteractionClassHandle c) override {
    write("interactions on " + text(c));
  }
  void turnInteractionsOff(InteractionClassHandle c) override {
    write("interactions off " + text(c));
  }

  void objectInstanceNameReservationSucceeded(Text n) override { write("reserved " + narrow(n)); }
  void objectInstanceNameReservationFailed(Text n) override { write("not reserved " + narrow(n)); }
  void multipleObjectInstanceNameReservationSucceeded(const std::set<std::wstring>& n) override {
    write("all reserved" + names(n));
  }
  void multipleObjectInstanceNameReservationFailed(const std::set<std::wstring>& n) override {
    write("none reserved" + names(n));
  }
  void discoverObjectInstance(Object o, ObjectClassHandle c, Text n) override {
    write("discover " + text(o) + " " + text(c) + " " + narrow(n));
  }
  void discoverObjectInstance(Object o, ObjectClassHandle c, Text n, FederateHandle f) override {
    write("discover " + text(o) + " " + text(c) + " " + narrow(n) + " by " + text(f));
  }
  void reflectAttributeValues(Object o, const AttributeHandleValueMap& v, Data tag, OrderType s,
                              TransportationType t, SupplementalReflectInfo i) override {
    write(message("reflect", o, v, tag, s, t) + more(i));
  }
  void reflectAttributeValues(Object o, const AttributeHandleValueMap& v, Data tag, OrderType s,
                              TransportationType t, const LogicalTime& time, OrderType got,
                              SupplementalReflectInfo i) override {
    write(message("reflect", o, v, tag, s, t) + at(time, got) + more(i));
  }
  void reflectAttributeValues(Object o, const AttributeHandleValueMap& v, Data tag, OrderType s,
                              TransportationType t, const LogicalTime& time, OrderType got,
                              MessageRetractionHandle h, SupplementalReflectInfo i) override {
    write(message("reflect", o, v, tag, s, t) + at(time, got) + " undo " + undo(h) + more(i));
  }
  void receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& v, Data tag,
                          OrderType s, TransportationType t, SupplementalReceiveInfo i) override {
    write(message("receive", c, v, tag, s, t) + more(i));
  }
  void receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& v, Data tag,
                          OrderType s, TransportationType t, const LogicalTime& time, OrderType got,
                          SupplementalReceiveInfo i) override {
    write(message("receive", c, v, tag, s, t) + at(time, got) + more(i));
  }
  void receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& v, Data tag,
                          OrderType s, TransportationType t, const LogicalTime& time, OrderType got,
                          MessageRetractionHandle h, SupplementalReceiveInfo i) override {
    write(message("receive", c, v, tag, s, t) + at(time, got) + " undo " + undo(h) + more(i));
  }
  void removeObjectInstance(Object o, Data tag, OrderType s, SupplementalRemoveInfo i) override {
    write(removed(o, tag, s) + more(i));
  }
  void removeObjectInstance(Object o, Data tag, OrderType s, const LogicalTime& time, OrderType got,
                            SupplementalRemoveInfo i) override {
    write(removed(o, tag, s) + at(time, got) + more(i));
  }
  void removeObjectInstance(Object o, Data tag, OrderType s, const LogicalTime& time, OrderType got,
                            MessageRetractionHandle h, SupplementalRemoveInfo i) override {
    write(removed(o, tag, s) + at(time, got) + " undo " + undo(h) + more(i));
  }
  void attributesInScope(Object o, Attributes a) override { about("in scope", o, a); }
  void attributesOutOfScope(Object o, Attributes a) override { about("out of scope", o, a); }
  void provideAttributeValueUpdate(Object o, Attributes a, Data tag) override {
    about("provide", o, a, " " + text(tag));
  }
  void turnUpdatesOnForObjectInstance(Object o, Attributes a) override {
    about("updates on", o, a);
  }
  void turnUpdatesOnForObjectInstance(Object o, Attributes a, Text rate) override {
    about("updates on", o, a, " " + narrow(rate));
  }
  void turnUpdatesOffForObjectInstance(Object o, Attributes a) override {
    about("updates off", o, a);
  }
  void confirmAttributeTransportationTypeChange(Object o, AttributeHandleSet a,
                                                TransportationType t) override {
    about("transportation changed", o, a, " " + std::to_string(t));
  }
  void reportAttributeTransportationType(Object o, AttributeHandle a,
                                         TransportationType t) override {
    about("transportation", o, {a}, " " + std::to_string(t));
  }
  void confirmInteractionTransportationTypeChange(InteractionClassHandle c,
                                                  TransportationType t) override {
    write("interaction transportation changed " + text(c) + " " + std::to_string(t));
  }
  void reportInteractionTransportationType(FederateHandle f, InteractionClassHandle c,
                                           TransportationType t) override {
    write("interaction transportation " + text(f) + " " + text(c) + " " + std::to_string(t));
  }

  void requestAttributeOwnershipAssumption(Object o, Attributes a, Data tag) override {
    about("assume", o, a, " " + text(tag));
  }
  void requestDivestitureConfirmation(Object o, Attributes a) override {
    about("confirm divestiture", o, a);
  }
  void attributeOwnershipAcquisitionNotification(Object o, Attributes a, Data tag) override {
    about("acquired", o, a, " " + text(tag));
  }
  void attributeOwnershipUnavailable(Object o, Attributes a) override {
    about("unavailable", o, a);
  }
  void requestAttributeOwnershipRelease(Object o, Attributes a, Data tag) override {
    about("release", o, a, " " + text(tag));
  }
  void confirmAttributeOwnershipAcquisitionCancellation(Object o, Attributes a) override {
    about("cancelled", o, a);
  }
  void informAttributeOwnership(Object o, AttributeHandle a, FederateHandle f) override {
    about("owner", o, {a}, " " + text(f));
  }
  void attributeIsNotOwned(Object o, AttributeHandle a) override {
    about("owner", o, {a}, " nobody");
  }
  void attributeIsOwnedByRTI(Object o, AttributeHandle a) override {
    about("owner", o, {a}, " RTI");
  }

  void timeRegulationEnabled(const LogicalTime& t) override { write("regulating " + text(t)); }
  void timeConstrainedEnabled(const LogicalTime& t) override { write("constrained " + text(t)); }
  void timeAdvanceGrant(const LogicalTime& t) override { write("granted " + text(t)); }
  void requestRetraction(MessageRetractionHandle h) override { write("retract " + undo(h)); }

 private:
  void write(const std::string& line) {
    {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
      changed_.notify_all();
    }
    if (during) during(line);
  }
  void about(const char* what, Object o, Attributes a, const std::string& rest = "") {
    write(what + (" " + text(o)) + list(a) + rest);
  }
  static std::string text(Data d) {
    return d.size() ? std::string(static_cast<const char*>(d.data()), d.size()) : "";
  }
  static std::string text(const LogicalTime& t) { return narrow(t.toString()); }
  template <class H>
  requires requires(H h) { h.isValid(); }
  static std::string text(const H& h) { return std::to_string(number(h)); }
  static std::string undo(const MessageRetractionHandle& h) {
    return std::to_string(federate_of(h)) + "/" + text(h);
  }
  template <class Set>
  static std::string list(const Set& all) {
    std::string s;
    for (const auto& h : all) s += " " + text(h);
    return s;
  }
  static std::string names(const std::set<std::wstring>& all) {
    std::string s;
    for (const auto& n : all) s += " " + narrow(n);
    return s;
  }
  template <class H, class Values>
  static std::string message(const char* what, const H& of, const Values& values, Data tag,
                             OrderType sent, TransportationType t) {
    std::string s = what + (" " + text(of));
    for (const auto& [h, v] : values) s += " " + text(h) + "=" + text(v);
    return s + " " + text(tag) + " order " + std::to_string(sent) + " by " + std::to_string(t);
  }
  static std::string removed(Object o, Data tag, OrderType sent) {
    return "remove " + text(o) + " " + text(tag) + " order " + std::to_string(sent);
  }
  static std::string at(const LogicalTime& t, OrderType got) {
    return " at " + text(t) + " order " + std::to_string(got);
  }
  template <class Info>
  static std::string more(const Info& i) {
    std::string s;
    if (i.hasProducingFederate) s += " from " + text(i.producingFederate);
    if constexpr (requires { i.sentRegions; })
      if (i.hasSentRegions) s += " in" + list(i.sentRegions);
    return s;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

}  // namespace vernier::hla
