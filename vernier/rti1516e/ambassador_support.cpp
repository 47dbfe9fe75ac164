// Support services: IEEE 1516.1-2010, section 10.
#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;

/// The handle itself; throws NameNotFound when it is 0.
template <class H>
H found(Handle h, const char* what, const std::string& name) {
  if (h == 0) raise(Failure::NameNotFound, std::string("there is no ") + what + " '" + name + "'");
  return handle<H>(h);
}

Handle valid(const JoinedFederate& m, const ObjectClassHandle& h) {
  if (!m.fom.is_object_class(number(h)))
    raise(Failure::InvalidObjectClassHandle, "no object class has this handle");
  return number(h);
}

Handle valid(const JoinedFederate& m, const InteractionClassHandle& h) {
  if (!m.fom.is_interaction_class(number(h)))
    raise(Failure::InvalidInteractionClassHandle, "no interaction class has this handle");
  return number(h);
}

/// Throws InvalidAttributeHandle, AttributeNotDefined.
Handle valid(const JoinedFederate& m, Handle object_class, const AttributeHandle& h) {
  if (!m.fom.is_attribute(number(h)))
    raise(Failure::InvalidAttributeHandle, "no attribute has this handle");
  return defined(m, object_class, h);
}

Handle valid(const JoinedFederate& m, const DimensionHandle& h) {
  if (!m.fom.is_dimension(number(h)))
    raise(Failure::InvalidDimensionHandle, "no dimension has this handle");
  return number(h);
}

}  // namespace

// ---- federates (10.4, 10.5)

FederateHandle VernierAmbassador::getFederateHandle(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  JoinedFederate& m = member();
  std::string n = narrow(name);
  if (n == m.name) return handle<FederateHandle>(m.federate);
  return handle<FederateHandle>(
      ask_for<wire::Found>(lock, wire::FindFederate{std::move(n)}).federate);
}

std::wstring VernierAmbassador::getFederateName(FederateHandle federate) {
  Service lock(*this, __func__, {federate});
  JoinedFederate& m = member();
  if (!federate.isValid()) raise(Failure::InvalidFederateHandle, "the handle is of no federate");
  if (number(federate) == m.federate) return wide(m.name);
  return wide(ask_for<wire::Named>(lock, wire::NameFederate{number(federate)}).name);
}

unsigned long VernierAmbassador::normalizeFederateHandle(FederateHandle federate) {
  Service lock(*this, __func__, {federate});
  member();
  if (!federate.isValid()) raise(Failure::InvalidFederateHandle, "the handle is of no federate");
  return lock.gives(static_cast<unsigned long>(number(federate)));
}

unsigned long VernierAmbassador::normalizeServiceGroup(ServiceGroup group) {
  Service lock(*this, __func__, {group});
  member();
  if (group < FEDERATION_MANAGEMENT || group > SUPPORT_SERVICES)
    raise(Failure::InvalidServiceGroup, "there is no such service group");
  return lock.gives(static_cast<unsigned long>(group));
}

// ---- object classes, instances and attributes (10.6 to 10.14)

ObjectClassHandle VernierAmbassador::getObjectClassHandle(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  const std::string n = narrow(name);
  return lock.gives(found<ObjectClassHandle>(member().fom.object_class(n), "object class", n));
}

std::wstring VernierAmbassador::getObjectClassName(ObjectClassHandle h) {
  Service lock(*this, __func__, {h});
  const JoinedFederate& m = member();
  return lock.gives(wide(m.fom.object_class(valid(m, h)).path));
}

ObjectClassHandle VernierAmbassador::getKnownObjectClassHandle(ObjectInstanceHandle object) {
  Service lock(*this, __func__, {object});
  return lock.gives(handle<ObjectClassHandle>(known(member(), object).object_class));
}

ObjectInstanceHandle VernierAmbassador::getObjectInstanceHandle(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  const JoinedFederate& m = member();
  const auto at = m.instance_names.find(narrow(name));
  if (at == m.instance_names.end())
    raise(Failure::ObjectInstanceNotKnown,
          "the federate knows no object instance '" + narrow(name) + "'");
  return lock.gives(handle<ObjectInstanceHandle>(at->second));
}

std::wstring VernierAmbassador::getObjectInstanceName(ObjectInstanceHandle object) {
  Service lock(*this, __func__, {object});
  return lock.gives(wide(known(member(), object).name));
}

AttributeHandle VernierAmbassador::getAttributeHandle(ObjectClassHandle object_class,
                                                      const std::wstring& name) {
  Service lock(*this, __func__, {object_class, name});
  const JoinedFederate& m = member();
  const std::string n = narrow(name);
  return lock.gives(
      found<AttributeHandle>(m.fom.attribute(valid(m, object_class), n), "attribute", n));
}

std::wstring VernierAmbassador::getAttributeName(ObjectClassHandle object_class,
                                                 AttributeHandle attribute) {
  Service lock(*this, __func__, {object_class, attribute});
  const JoinedFederate& m = member();
  return lock.gives(wide(m.fom.attribute(valid(m, valid(m, object_class), attribute)).name));
}

double VernierAmbassador::getUpdateRateValue(const std::wstring& designator) {
  Service lock(*this, __func__, {designator});
  const auto* rate = member().fom.rate(narrow(designator));
  if (!rate)
    raise(Failure::InvalidUpdateRateDesignator,
          "there is no update rate '" + narrow(designator) + "'");
  return lock.gives(rate->hertz);
}

double VernierAmbassador::getUpdateRateValueForAttribute(ObjectInstanceHandle object,
                                                         AttributeHandle attribute) {
  Service lock(*this, __func__, {object, attribute});
  JoinedFederate& m = member();
  const Handle a = defined(m, known(m, object).object_class, attribute);
  return ask_for<wire::Rate>(lock, wire::QueryRate{number(object), a}).hertz;
}

// ---- interaction classes and parameters (10.15 to 10.18)

InteractionClassHandle VernierAmbassador::getInteractionClassHandle(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  const std::string n = narrow(name);
  return lock.gives(
      found<InteractionClassHandle>(member().fom.interaction_class(n), "interaction class", n));
}

std::wstring VernierAmbassador::getInteractionClassName(InteractionClassHandle h) {
  Service lock(*this, __func__, {h});
  const JoinedFederate& m = member();
  return lock.gives(wide(m.fom.interaction_class(valid(m, h)).path));
}

ParameterHandle VernierAmbassador::getParameterHandle(InteractionClassHandle interaction,
                                                      const std::wstring& name) {
  Service lock(*this, __func__, {interaction, name});
  const JoinedFederate& m = member();
  const std::string n = narrow(name);
  return lock.gives(
      found<ParameterHandle>(m.fom.parameter(valid(m, interaction), n), "parameter", n));
}

std::wstring VernierAmbassador::getParameterName(InteractionClassHandle interaction,
                                                 ParameterHandle parameter) {
  Service lock(*this, __func__, {interaction, parameter});
  const JoinedFederate& m = member();
  const Handle c = valid(m, interaction);
  const Handle p = number(parameter);
  if (!m.fom.is_parameter(p))
    raise(Failure::InvalidParameterHandle, "no parameter has this handle");
  if (!m.fom.has_parameter(c, p))
    raise(Failure::InteractionParameterNotDefined, "parameter '" + m.fom.parameter(p).name +
                                                       "' is not one of " +
                                                       m.fom.interaction_class(c).path);
  return lock.gives(wide(m.fom.parameter(p).name));
}

// ---- orders and transportations (10.19 to 10.22)

OrderType VernierAmbassador::getOrderType(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  member();
  if (name == L"Receive" || name == L"HLAreceive") return lock.gives(RECEIVE);
  if (name == L"TimeStamp" || name == L"HLAtimeStamp") return lock.gives(TIMESTAMP);
  raise(Failure::InvalidOrderName, "there is no order '" + narrow(name) + "'");
}

std::wstring VernierAmbassador::getOrderName(OrderType type) {
  Service lock(*this, __func__, {type});
  member();
  return lock.gives(
      std::wstring(order_of(type) == wire::Order::time_stamp ? L"TimeStamp" : L"Receive"));
}

TransportationType VernierAmbassador::getTransportationType(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  const JoinedFederate& m = member();
  const Handle h = m.fom.transportation(narrow(name));
  if (h == 0)
    raise(Failure::InvalidTransportationName, "there is no transportation '" + narrow(name) + "'");
  return lock.gives(transportation_of(m, h));
}

std::wstring VernierAmbassador::getTransportationName(TransportationType type) {
  Service lock(*this, __func__, {type});
  const JoinedFederate& m = member();
  return lock.gives(wide(m.fom.tables().transportations[transportation_of(m, type) - 1]));
}

// ---- dimensions (10.23 to 10.27)

DimensionHandleSet VernierAmbassador::getAvailableDimensionsForClassAttribute(
    ObjectClassHandle object_class, AttributeHandle attribute) {
  Service lock(*this, __func__, {object_class, attribute});
  const JoinedFederate& m = member();
  const Handle a = valid(m, valid(m, object_class), attribute);
  return lock.gives(handles<DimensionHandle>(m.fom.attribute(a).dimensions));
}

DimensionHandleSet VernierAmbassador::getAvailableDimensionsForInteractionClass(
    InteractionClassHandle interaction) {
  Service lock(*this, __func__, {interaction});
  const JoinedFederate& m = member();
  return lock.gives(
      handles<DimensionHandle>(m.fom.interaction_class(valid(m, interaction)).dimensions));
}

DimensionHandle VernierAmbassador::getDimensionHandle(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  const std::string n = narrow(name);
  return lock.gives(found<DimensionHandle>(member().fom.dimension(n), "dimension", n));
}

std::wstring VernierAmbassador::getDimensionName(DimensionHandle h) {
  Service lock(*this, __func__, {h});
  const JoinedFederate& m = member();
  return lock.gives(wide(m.fom.dimension(valid(m, h)).name));
}

unsigned long VernierAmbassador::getDimensionUpperBound(DimensionHandle h) {
  Service lock(*this, __func__, {h});
  const JoinedFederate& m = member();
  return lock.gives(m.fom.upper_bound(valid(m, h)));
}

// ---- switches (10.33 to 10.40)

void VernierAmbassador::set_switch(const char* service, wire::Switch which, bool on,
                                   Failure already) {
  Service lock(*this, service, {});
  JoinedFederate& m = active();
  bool& is_on = m.switches[static_cast<std::size_t>(which)];
  if (is_on == on) raise(already, on ? "the switch is on already" : "the switch is off already");
  ask(lock, wire::SetSwitch{which, on}, [&] { is_on = on; });
}

void VernierAmbassador::enableObjectClassRelevanceAdvisorySwitch() {
  set_switch(__func__, wire::Switch::object_class_relevance, true,
             Failure::ObjectClassRelevanceAdvisorySwitchIsOn);
}
void VernierAmbassador::disableObjectClassRelevanceAdvisorySwitch() {
  set_switch(__func__, wire::Switch::object_class_relevance, false,
             Failure::ObjectClassRelevanceAdvisorySwitchIsOff);
}
void VernierAmbassador::enableAttributeRelevanceAdvisorySwitch() {
  set_switch(__func__, wire::Switch::attribute_relevance, true,
             Failure::AttributeRelevanceAdvisorySwitchIsOn);
}
void VernierAmbassador::disableAttributeRelevanceAdvisorySwitch() {
  set_switch(__func__, wire::Switch::attribute_relevance, false,
             Failure::AttributeRelevanceAdvisorySwitchIsOff);
}
void VernierAmbassador::enableAttributeScopeAdvisorySwitch() {
  set_switch(__func__, wire::Switch::attribute_scope, true,
             Failure::AttributeScopeAdvisorySwitchIsOn);
}
void VernierAmbassador::disableAttributeScopeAdvisorySwitch() {
  set_switch(__func__, wire::Switch::attribute_scope, false,
             Failure::AttributeScopeAdvisorySwitchIsOff);
}
void VernierAmbassador::enableInteractionRelevanceAdvisorySwitch() {
  set_switch(__func__, wire::Switch::interaction_relevance, true,
             Failure::InteractionRelevanceAdvisorySwitchIsOn);
}
void VernierAmbassador::disableInteractionRelevanceAdvisorySwitch() {
  set_switch(__func__, wire::Switch::interaction_relevance, false,
             Failure::InteractionRelevanceAdvisorySwitchIsOff);
}

// ---- functions that only the C++ interface has

std::unique_ptr<LogicalTimeFactory> VernierAmbassador::getTimeFactory() const {
  Lock lock(mutex_);
  const JoinedFederate& m = member();
  if (m.own_time) return LogicalTimeFactoryFactory::makeLogicalTimeFactory(m.own_time->name());
  return HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(name_of(m.time.kind));
}

template <class H>
H VernierAmbassador::decode(const VariableLengthData& encoded) const {
  Lock lock(mutex_);
  member();
  return decoded<H>(encoded);
}

FederateHandle VernierAmbassador::decodeFederateHandle(const VariableLengthData& d) const {
  return decode<FederateHandle>(d);
}
ObjectClassHandle VernierAmbassador::decodeObjectClassHandle(const VariableLengthData& d) const {
  return decode<ObjectClassHandle>(d);
}
InteractionClassHandle VernierAmbassador::decodeInteractionClassHandle(
    const VariableLengthData& d) const {
  return decode<InteractionClassHandle>(d);
}
ObjectInstanceHandle VernierAmbassador::decodeObjectInstanceHandle(
    const VariableLengthData& d) const {
  return decode<ObjectInstanceHandle>(d);
}
AttributeHandle VernierAmbassador::decodeAttributeHandle(const VariableLengthData& d) const {
  return decode<AttributeHandle>(d);
}
ParameterHandle VernierAmbassador::decodeParameterHandle(const VariableLengthData& d) const {
  return decode<ParameterHandle>(d);
}
DimensionHandle VernierAmbassador::decodeDimensionHandle(const VariableLengthData& d) const {
  return decode<DimensionHandle>(d);
}
MessageRetractionHandle VernierAmbassador::decodeMessageRetractionHandle(
    const VariableLengthData& d) const {
  return decode<MessageRetractionHandle>(d);
}
RegionHandle VernierAmbassador::decodeRegionHandle(const VariableLengthData& d) const {
  return decode<RegionHandle>(d);
}

}  // namespace vernier::hla
