// Ownership management: IEEE 1516.1-2010, section 7.
#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;

/// A federate must publish what it acquires, and not own it already. Throws FederateOwnsAttributes,
/// ObjectClassNotPublished, AttributeNotPublished.
void require_acquirable(const JoinedFederate& m, const Instance& i, const Numbers& attributes) {
  for (const Handle a : attributes)
    if (i.owns(a))
      raise(Failure::FederateOwnsAttributes,
            "the federate owns attribute '" + m.fom.attribute(a).name + "' already");
  if (!m.publishes(i.object_class))
    raise(Failure::ObjectClassNotPublished,
          "the federate does not publish " + m.fom.object_class(i.object_class).path);
  for (const Handle a : attributes)
    if (!m.publishes(i.object_class, a))
      raise(Failure::AttributeNotPublished,
            "the federate does not publish attribute '" + m.fom.attribute(a).name + "'");
}

}  // namespace

void VernierAmbassador::unconditionalAttributeOwnershipDivestiture(
    ObjectInstanceHandle object, const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object, attributes});
  JoinedFederate& m = active();
  const Numbers n = owned(m, known(m, object), attributes);
  ask_as(lock, m, wire::DivestUnconditionally{number(object), n});
}

void VernierAmbassador::negotiatedAttributeOwnershipDivestiture(
    ObjectInstanceHandle object, const AttributeHandleSet& attributes,
    const VariableLengthData& tag) {
  Service lock(*this, __func__, {object, attributes, tag});
  JoinedFederate& m = active();
  const Numbers n = owned(m, known(m, object), attributes);
  ask(lock, wire::DivestNegotiated{number(object), n, blob(tag)});
}

void VernierAmbassador::confirmDivestiture(ObjectInstanceHandle object,
                                           const AttributeHandleSet& attributes,
                                           const VariableLengthData& tag) {
  Service lock(*this, __func__, {object, attributes, tag});
  JoinedFederate& m = active();
  const Numbers n = owned(m, known(m, object), attributes);
  ask(lock, wire::ConfirmDivestiture{number(object), n, blob(tag)},
      [&] { m.divest(number(object), n); });
}

void VernierAmbassador::attributeOwnershipAcquisition(ObjectInstanceHandle object,
                                                      const AttributeHandleSet& attributes,
                                                      const VariableLengthData& tag) {
  Service lock(*this, __func__, {object, attributes, tag});
  JoinedFederate& m = active();
  const Instance& i = known(m, object);
  Numbers n = defined(m, i.object_class, attributes);
  require_acquirable(m, i, n);
  ask(lock, wire::Acquire{number(object), std::move(n), blob(tag)});
}

void VernierAmbassador::attributeOwnershipAcquisitionIfAvailable(
    ObjectInstanceHandle object, const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object, attributes});
  JoinedFederate& m = active();
  const Instance& i = known(m, object);
  Numbers n = defined(m, i.object_class, attributes);
  require_acquirable(m, i, n);
  ask(lock, wire::AcquireIfAvailable{number(object), std::move(n)});
}

void VernierAmbassador::attributeOwnershipReleaseDenied(ObjectInstanceHandle object,
                                                        const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object, attributes});
  JoinedFederate& m = active();
  ask(lock, wire::DenyRelease{number(object), owned(m, known(m, object), attributes)});
}

void VernierAmbassador::attributeOwnershipDivestitureIfWanted(ObjectInstanceHandle object,
                                                              const AttributeHandleSet& attributes,
                                                              AttributeHandleSet& divested) {
  Service lock(*this, __func__, {object, attributes, divested});
  JoinedFederate& m = active();
  const wire::DivestIfWanted wish{number(object), owned(m, known(m, object), attributes)};
  const auto given = ask_for<wire::Divested>(lock, wish, [&](wire::Divested& d) {
    m.divest(number(object), d.attributes);
    return true;
  });
  divested = handles<AttributeHandle>(given.attributes);
}

void VernierAmbassador::cancelNegotiatedAttributeOwnershipDivestiture(
    ObjectInstanceHandle object, const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object, attributes});
  JoinedFederate& m = active();
  ask(lock, wire::CancelDivestiture{number(object), owned(m, known(m, object), attributes)});
}

void VernierAmbassador::cancelAttributeOwnershipAcquisition(ObjectInstanceHandle object,
                                                            const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object, attributes});
  JoinedFederate& m = active();
  const Instance& i = known(m, object);
  Numbers n = defined(m, i.object_class, attributes);
  for (const Handle a : n)
    if (i.owns(a))
      raise(Failure::AttributeAlreadyOwned,
            "the federate owns attribute '" + m.fom.attribute(a).name + "' already");
  ask(lock, wire::CancelAcquisition{number(object), std::move(n)});
}

void VernierAmbassador::queryAttributeOwnership(ObjectInstanceHandle object,
                                                AttributeHandle attribute) {
  Service lock(*this, __func__, {object, attribute});
  JoinedFederate& m = active();
  const Handle a = defined(m, known(m, object).object_class, attribute);
  ask(lock, wire::QueryOwnership{number(object), a});
}

bool VernierAmbassador::isAttributeOwnedByFederate(ObjectInstanceHandle object,
                                                   AttributeHandle attribute) {
  Service lock(*this, __func__, {object, attribute});
  JoinedFederate& m = active();
  const Instance& i = known(m, object);
  return lock.gives(i.owns(defined(m, i.object_class, attribute)) != nullptr);
}

}  // namespace vernier::hla
