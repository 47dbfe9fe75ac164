#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;

void require_granted(const Member& m) {
  if (m.time.advancing)
    raise(Failure::InTimeAdvancingState, "the federate waits for a time advance grant");
}

void require_regulating(const Member& m) {
  if (!m.time.regulating)
    raise(Failure::TimeRegulationIsNotEnabled, "the federate is not time regulating");
}

void require_nothing_pending(const Member& m) {
  if (m.time.regulation_pending)
    raise(Failure::RequestForTimeRegulationPending,
          "time regulation was asked for and is not enabled yet");
  if (m.time.constrained_pending)
    raise(Failure::RequestForTimeConstrainedPending,
          "to be time constrained was asked for and is not enabled yet");
}

}  // namespace

void VernierAmbassador::enableTimeRegulation(const LogicalTimeInterval& lookahead) {
  Lock lock(mutex_);
  Member& m = active();
  if (m.time.regulating)
    raise(Failure::TimeRegulationAlreadyEnabled, "the federate is time regulating already");
  if (m.time.regulation_pending)
    raise(Failure::RequestForTimeRegulationPending, "time regulation was asked for already");
  require_granted(m);
  const Stamp span = span_of(m, lookahead);
  ask(lock, wire::EnableRegulation{span}, [&] {
    m.time.regulation_pending = true;
    m.time.lookahead = span;
  });
}

void VernierAmbassador::disableTimeRegulation() {
  Lock lock(mutex_);
  Member& m = active();
  require_regulating(m);
  ask(lock, wire::DisableRegulation{}, [&] { m.time.regulating = false; });
}

void VernierAmbassador::enableTimeConstrained() {
  Lock lock(mutex_);
  Member& m = active();
  if (m.time.constrained)
    raise(Failure::TimeConstrainedAlreadyEnabled, "the federate is time constrained already");
  if (m.time.constrained_pending)
    raise(Failure::RequestForTimeConstrainedPending,
          "to be time constrained was asked for already");
  require_granted(m);
  ask(lock, wire::EnableConstrained{}, [&] { m.time.constrained_pending = true; });
}

void VernierAmbassador::disableTimeConstrained() {
  Lock lock(mutex_);
  Member& m = active();
  if (!m.time.constrained)
    raise(Failure::TimeConstrainedIsNotEnabled, "the federate is not time constrained");
  ask(lock, wire::DisableConstrained{}, [&] { m.time.constrained = false; });
}

void VernierAmbassador::advance(wire::AdvanceKind how, const LogicalTime& time) {
  Lock lock(mutex_);
  Member& m = active();
  require_nothing_pending(m);
  require_granted(m);
  const Stamp t = stamp_of(m, time);
  if (t < m.time.time)
    raise(Failure::LogicalTimeAlreadyPassed,
          "time " + narrow(time.toString()) + " lies before the federate's own");
  wire::write(link_.empty_frame(), wire::Advance{how, t});
  link_.post(true);
  m.time.ask(how, t);
}

void VernierAmbassador::timeAdvanceRequest(const LogicalTime& t) {
  advance(wire::AdvanceKind::to, t);
}
void VernierAmbassador::timeAdvanceRequestAvailable(const LogicalTime& t) {
  advance(wire::AdvanceKind::to_available, t);
}
void VernierAmbassador::nextMessageRequest(const LogicalTime& t) {
  advance(wire::AdvanceKind::next, t);
}
void VernierAmbassador::nextMessageRequestAvailable(const LogicalTime& t) {
  advance(wire::AdvanceKind::next_available, t);
}
void VernierAmbassador::flushQueueRequest(const LogicalTime& t) {
  advance(wire::AdvanceKind::flush, t);
}

void VernierAmbassador::enableAsynchronousDelivery() {
  Lock lock(mutex_);
  Member& m = active();
  if (m.time.asynchronous)
    raise(Failure::AsynchronousDeliveryAlreadyEnabled, "asynchronous delivery is on already");
  ask(lock, wire::EnableAsynchronous{}, [&] { m.time.asynchronous = true; });
}

void VernierAmbassador::disableAsynchronousDelivery() {
  Lock lock(mutex_);
  Member& m = active();
  if (!m.time.asynchronous)
    raise(Failure::AsynchronousDeliveryAlreadyDisabled, "asynchronous delivery is off already");
  ask(lock, wire::DisableAsynchronous{}, [&] { m.time.asynchronous = false; });
}

bool VernierAmbassador::queryGALT(LogicalTime& time) {
  Lock lock(mutex_);
  const TimeKind kind = active().time.kind;
  const auto answer = ask_for<wire::MaybeTime>(lock, wire::QueryGalt{});
  if (answer.time) assign(time, kind, *answer.time);
  return answer.time.has_value();
}

void VernierAmbassador::queryLogicalTime(LogicalTime& time) {
  Lock lock(mutex_);
  const TimeState& now = active().time;
  assign(time, now.kind, now.time);
}

bool VernierAmbassador::queryLITS(LogicalTime& time) {
  Lock lock(mutex_);
  const TimeKind kind = active().time.kind;
  const auto answer = ask_for<wire::MaybeTime>(lock, wire::QueryLits{});
  if (answer.time) assign(time, kind, *answer.time);
  return answer.time.has_value();
}

void VernierAmbassador::modifyLookahead(const LogicalTimeInterval& lookahead) {
  Lock lock(mutex_);
  Member& m = active();
  require_regulating(m);
  require_granted(m);
  const Stamp span = span_of(m, lookahead);
  ask(lock, wire::ModifyLookahead{span}, [&] { m.time.modify(span); });
}

void VernierAmbassador::queryLookahead(LogicalTimeInterval& interval) {
  Lock lock(mutex_);
  Member& m = active();
  require_regulating(m);
  const TimeKind kind = m.time.kind;
  const auto answer = ask_for<wire::MaybeTime>(lock, wire::QueryLookahead{});
  assign(interval, kind, answer.time.value_or(Stamp{}));
}

void VernierAmbassador::retract(MessageRetractionHandle message) {
  Lock lock(mutex_);
  Member& m = active();
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
  Lock lock(mutex_);
  Member& m = active();
  const Numbers n = owned(m, known(m, object), attributes);
  const wire::Order order = order_of(type);
  ask(lock, wire::ChangeAttributeOrder{number(object), n, order},
      [&] { m.reorder(number(object), n, order == wire::Order::time_stamp); });
}

void VernierAmbassador::changeInteractionOrderType(InteractionClassHandle interaction,
                                                   OrderType type) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, interaction);
  if (!m.published_interactions.contains(c))
    raise(Failure::InteractionClassNotPublished,
          "the federate does not publish " + m.fom.interaction_class(c).path);
  const wire::Order order = order_of(type);
  ask(lock, wire::ChangeInteractionOrder{c, order},
      [&] { m.published_interactions[c] = order == wire::Order::time_stamp; });
}

}  // namespace vernier::hla
