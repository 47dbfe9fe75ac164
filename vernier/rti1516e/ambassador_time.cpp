// Time management: IEEE 1516.1-2010, section 8.
#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;

void require_granted(const JoinedFederate& m) {
  if (m.time.advancing)
    raise(Failure::InTimeAdvancingState, "the federate waits for a time advance grant");
}

void require_regulating(const JoinedFederate& m) {
  if (!m.time.regulating)
    raise(Failure::TimeRegulationIsNotEnabled, "the federate is not time regulating");
}

void require_nothing_pending(const JoinedFederate& m) {
  if (m.time.regulation_pending)
    raise(Failure::RequestForTimeRegulationPending,
          "time regulation was asked for and is not enabled yet");
  if (m.time.constrained_pending)
    raise(Failure::RequestForTimeConstrainedPending,
          "to be time constrained was asked for and is not enabled yet");
}

}  // namespace

void VernierAmbassador::enableTimeRegulation(const LogicalTimeInterval& lookahead) {
  Service lock(*this, __func__, {lookahead});
  JoinedFederate& m = active();
  if (m.time.regulating)
    raise(Failure::TimeRegulationAlreadyEnabled, "the federate is time regulating already");
  if (m.time.regulation_pending)
    raise(Failure::RequestForTimeRegulationPending, "time regulation was asked for already");
  require_granted(m);
  const Stamp span = span_of(m, lookahead);
  ask_as(lock, m, wire::EnableRegulation{span});
}

void VernierAmbassador::disableTimeRegulation() {
  Service lock(*this, __func__, {});
  JoinedFederate& m = active();
  require_regulating(m);
  ask_as(lock, m, wire::DisableRegulation{});
}

void VernierAmbassador::enableTimeConstrained() {
  Service lock(*this, __func__, {});
  JoinedFederate& m = active();
  if (m.time.constrained)
    raise(Failure::TimeConstrainedAlreadyEnabled, "the federate is time constrained already");
  if (m.time.constrained_pending)
    raise(Failure::RequestForTimeConstrainedPending,
          "to be time constrained was asked for already");
  require_granted(m);
  ask_as(lock, m, wire::EnableConstrained{});
}

void VernierAmbassador::disableTimeConstrained() {
  Service lock(*this, __func__, {});
  JoinedFederate& m = active();
  if (!m.time.constrained)
    raise(Failure::TimeConstrainedIsNotEnabled, "the federate is not time constrained");
  ask_as(lock, m, wire::DisableConstrained{});
}

void VernierAmbassador::advance(const char* service, wire::AdvanceKind how,
                                const LogicalTime& time) {
  Service lock(*this, service, {time});
  JoinedFederate& m = active();
  require_nothing_pending(m);
  require_granted(m);
  const Stamp t = stamp_of(m, time);
  if (t < m.time.time)
    raise(Failure::LogicalTimeAlreadyPassed,
          "time " + narrow(time.toString()) + " lies before the federate's own");
  const wire::Advance wish{how, t};
  wire::write(link_.empty_frame(), wish);
  lock.asked();
  link_.post(true);
  m.done(wish);
}

void VernierAmbassador::timeAdvanceRequest(const LogicalTime& t) {
  advance(__func__, wire::AdvanceKind::to, t);
}
void VernierAmbassador::timeAdvanceRequestAvailable(const LogicalTime& t) {
  advance(__func__, wire::AdvanceKind::to_available, t);
}
void VernierAmbassador::nextMessageRequest(const LogicalTime& t) {
  advance(__func__, wire::AdvanceKind::next, t);
}
void VernierAmbassador::nextMessageRequestAvailable(const LogicalTime& t) {
  advance(__func__, wire::AdvanceKind::next_available, t);
}
void VernierAmbassador::flushQueueRequest(const LogicalTime& t) {
  advance(__func__, wire::AdvanceKind::flush, t);
}

void VernierAmbassador::enableAsynchronousDelivery() {
  Service lock(*this, __func__, {});
  JoinedFederate& m = active();
  if (m.time.asynchronous)
    raise(Failure::AsynchronousDeliveryAlreadyEnabled, "asynchronous delivery is on already");
  ask_as(lock, m, wire::EnableAsynchronous{});
}

void VernierAmbassador::disableAsynchronousDelivery() {
  Service lock(*this, __func__, {});
  JoinedFederate& m = active();
  if (!m.time.asynchronous)
    raise(Failure::AsynchronousDeliveryAlreadyDisabled, "asynchronous delivery is off already");
  ask_as(lock, m, wire::DisableAsynchronous{});
}

bool VernierAmbassador::queryGALT(LogicalTime& time) {
  Service lock(*this, __func__, {time});
  const TimeClass type = active().time_class();
  const auto answer = ask_for<wire::MaybeTime>(lock, wire::QueryGalt{});
  if (answer.time) assign(time, type, *answer.time);
  return answer.time.has_value();
}

void VernierAmbassador::queryLogicalTime(LogicalTime& time) {
  Service lock(*this, __func__, {time});
  const JoinedFederate& m = active();
  assign(time, m.time_class(), m.time.time);
  lock.gives(&time);
}

bool VernierAmbassador::queryLITS(LogicalTime& time) {
  Service lock(*this, __func__, {time});
  const TimeClass type = active().time_class();
  const auto answer = ask_for<wire::MaybeTime>(lock, wire::QueryLits{});
  if (answer.time) assign(time, type, *answer.time);
  return answer.time.has_value();
}

void VernierAmbassador::modifyLookahead(const LogicalTimeInterval& lookahead) {
  Service lock(*this, __func__, {lookahead});
  JoinedFederate& m = active();
  require_regulating(m);
  require_granted(m);
  const Stamp span = span_of(m, lookahead);
  ask_as(lock, m, wire::ModifyLookahead{span});
}

void VernierAmbassador::queryLookahead(LogicalTimeInterval& interval) {
  Service lock(*this, __func__, {interval});
  JoinedFederate& m = active();
  require_regulating(m);
  const TimeClass type = m.time_class();
  const auto answer = ask_for<wire::MaybeTime>(lock, wire::QueryLookahead{});
  assign(interval, type, answer.time.value_or(Stamp{}));
}

void VernierAmbassador::retract(MessageRetractionHandle message) {
  Service lock(*this, __func__, {message});
  JoinedFederate& m = active();
  require_regulating(m);
  const std::uint32_t n = number(message);
  if (!message.isValid() || federate_of(message) != m.federate || n == 0 || n > m.retraction)
    raise(Failure::InvalidMessageRetractionHandle,
          "the handle is of no message that the federate sent in time stamp order");
  ask(lock, wire::Retract{n}, [&] { m.revive(n); });
}

void VernierAmbassador::changeAttributeOrderType(ObjectInstanceHandle object,
                                                 const AttributeHandleSet& attributes,
                                                 OrderType type) {
  Service lock(*this, __func__, {object, attributes, type});
  JoinedFederate& m = active();
  const Numbers n = owned(m, known(m, object), attributes);
  const wire::Order order = order_of(type);
  ask_as(lock, m, wire::ChangeAttributeOrder{number(object), n, order});
}

void VernierAmbassador::changeInteractionOrderType(InteractionClassHandle interaction,
                                                   OrderType type) {
  Service lock(*this, __func__, {interaction, type});
  JoinedFederate& m = active();
  const Handle c = defined(m, interaction);
  if (!m.published_interactions.contains(c))
    raise(Failure::InteractionClassNotPublished,
          "the federate does not publish " + m.fom.interaction_class(c).path);
  const wire::Order order = order_of(type);
  ask_as(lock, m, wire::ChangeInteractionOrder{c, order});
}

}  // namespace vernier::hla
