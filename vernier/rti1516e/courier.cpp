#include "vernier/rti1516e/courier.hpp"

#include <bit>
#include <cstdio>

#include "vernier/rti1516e/checks.hpp"

namespace vernier::hla {

using namespace ::rti1516e;
using federation::read;
using Federate = FederateAmbassador;

namespace {

SaveFailureReason reason_of(federation::SaveFailure f) noexcept {
  using From = federation::SaveFailure;
  switch (f) {
    case From::federate_failed:
      return FEDERATE_REPORTED_FAILURE_DURING_SAVE;
    case From::resigned:
      return FEDERATE_RESIGNED_DURING_SAVE;
    case From::crashed:
      return RTI_DETECTED_FAILURE_DURING_SAVE;
    case From::aborted:
      return SAVE_ABORTED;
    case From::stamp_passed:
      return SAVE_TIME_CANNOT_BE_HONORED;
    default:
      return RTI_UNABLE_TO_SAVE;
  }
}

RestoreFailureReason reason_of(federation::RestoreFailure f) noexcept {
  using From = federation::RestoreFailure;
  switch (f) {
    case From::federate_failed:
      return FEDERATE_REPORTED_FAILURE_DURING_RESTORE;
    case From::resigned:
      return FEDERATE_RESIGNED_DURING_RESTORE;
    case From::crashed:
      return RTI_DETECTED_FAILURE_DURING_RESTORE;
    case From::aborted:
      return RESTORE_ABORTED;
    default:
      return RTI_UNABLE_TO_RESTORE;
  }
}

template <class M>
constexpr bool of_connection =
    std::is_same_v<M, federation::Answer> || std::is_same_v<M, federation::Tables> ||
    std::is_same_v<M, federation::Reporting> || std::is_same_v<M, federation::Lost>;

}  // namespace

void Courier::complain(const std::string& what) {
  if (complained_) return;
  complained_ = true;
  std::fprintf(stderr,
               "warning: a callback of the federate threw \"%s\", which the RTI ignores; more of "
               "this is not reported\n",
               what.c_str());
}

const LogicalTime& Courier::time(const TimeClass& type, Stamp s) {
  if (type.own) {
    try {
      if (type.own != own_) own_time_ = type.own->make_time();
      own_ = type.own;
      own_->set(*own_time_, s.raw);
    } catch (const Exception& e) {
      complain(narrow(e.what()));
    }
    if (own_time_) return *own_time_;
  }
  if (type.kind == TimeKind::integer64) {
    integer_time_.setTime(s.raw);
    return integer_time_;
  }
  float_time_.setTime(std::bit_cast<double>(s.raw));
  return float_time_;
}

const VariableLengthData& Courier::tag(Bytes b) {
  tag_.setDataPointer(const_cast<std::byte*>(b.data()), b.size());
  return tag_;
}

void Courier::tell_loss(Lock& lock, const std::string& why) {
  const std::wstring text = wide(why);
  call(lock, [&](Federate& f) { f.connectionLost(text); });
}

bool Courier::deliver(Lock& lock, Bytes frame, Holder& member) {
  bool good = !member;
  federation::with_callback(federation::front(frame).kind, [&]<class M>() {
    // messages for the connection itself are handled there and do not arrive here
    if constexpr (!of_connection<M>) {
      const bool wanted = member || std::is_same_v<M, federation::Federations>;
      M m;
      good = !wanted || (read(frame, m) && take(lock, member, m));
    }
  });
  return good;
}

bool Courier::take(Lock& lock, Holder&, federation::Federations& m) {
  FederationExecutionInformationVector all;
  for (const federation::FederationName& n : m.all)
    all.emplace_back(wide(n.name), n.own_time.empty() ? name_of(n.time) : wide(n.own_time));
  call(lock, [&](Federate& f) { f.reportFederationExecutions(all); });
  return true;
}

/// Another federate invoked a service on this federate's behalf, by an interaction of the
/// Management Object Model: the member changes as if it had invoked the service itself.
bool Courier::take(Lock&, Holder& member, federation::Served& m) {
  const auto request = federation::header(m.request);
  if (request && request->kind == federation::Kind::resign) {
    member.reset();
    return true;
  }
  return member->done(m.request);
}

bool Courier::take(Lock& lock, Holder&, federation::SynchronizationRegistered& m) {
  const std::wstring label = wide(m.label);
  using Why = federation::SynchronizationFailure;
  call(lock, [&](Federate& f) {
    if (m.failure == Why::none)
      f.synchronizationPointRegistrationSucceeded(label);
    else
      f.synchronizationPointRegistrationFailed(label, m.failure == Why::label_in_use
                                                          ? SYNCHRONIZATION_POINT_LABEL_NOT_UNIQUE
                                                          : SYNCHRONIZATION_SET_MEMBER_NOT_JOINED);
  });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::AnnounceSynchronization& m) {
  const std::wstring label = wide(m.label);
  call(lock, [&](Federate& f) { f.announceSynchronizationPoint(label, tag(m.tag)); });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::Synchronized& m) {
  const std::wstring label = wide(m.label);
  const FederateHandleSet failed = handles<FederateHandle>(m.failed);
  call(lock, [&](Federate& f) { f.federationSynchronized(label, failed); });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::InitiateSave& m) {
  member->saving = Saving::instructed;
  const std::wstring label = wide(m.label);
  const TimeClass type = member->time_class();
  call(lock, [&](Federate& f) {
    if (m.time)
      f.initiateFederateSave(label, time(type, *m.time));
    else
      f.initiateFederateSave(label);
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Saved& m) {
  member->saving = Saving::no;
  call(lock, [&](Federate& f) {
    m.success ? f.federationSaved() : f.federationNotSaved(reason_of(m.reason));
  });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::SaveStatusReport& m) {
  FederateHandleSaveStatusPairVector all;
  for (const federation::StatusOf& s : m.all) {
    if (s.status > federation::SaveStatus::waiting) return false;
    all.emplace_back(handle<FederateHandle>(s.federate), static_cast<SaveStatus>(s.status));
  }
  call(lock, [&](Federate& f) { f.federationSaveStatusResponse(all); });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::RestoreRequested& m) {
  const std::wstring label = wide(m.label);
  call(lock, [&](Federate& f) {
    m.success ? f.requestFederationRestoreSucceeded(label)
              : f.requestFederationRestoreFailed(label);
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::RestoreBegun&) {
  member->restoring = Restoring::begun;
  call(lock, [&](Federate& f) { f.federationRestoreBegun(); });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::InitiateRestore& m) {
  member->restoring = Restoring::instructed;
  member->federate = m.federate;
  member->name = m.federate_name;
  const std::wstring label = wide(m.label), name = wide(m.federate_name);
  call(lock, [&](Federate& f) {
    f.initiateFederateRestore(label, name, handle<FederateHandle>(m.federate));
  });
  return true;
}

bool Courier::take(Lock&, Holder& member, federation::MemberState& m) {
  if (!member->can_be(m)) return false;
  member->restore(std::move(m));
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Restored& m) {
  member->restoring = Restoring::no;
  call(lock, [&](Federate& f) {
    m.success ? f.federationRestored() : f.federationNotRestored(reason_of(m.reason));
  });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::RestoreStatusReport& m) {
  FederateRestoreStatusVector all;
  for (const federation::RestoreStatusOf& s : m.all) {
    if (s.status > federation::RestoreStatus::done) return false;
    all.emplace_back(handle<FederateHandle>(s.before), handle<FederateHandle>(s.after),
                     static_cast<RestoreStatus>(s.status));
  }
  call(lock, [&](Federate& f) { f.federationRestoreStatusResponse(all); });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::RegulationEnabled& m) {
  const TimeClass type = member->time_class();
  member->time.enabled_regulation(m.time, m.after);
  call(lock, [&](Federate& f) { f.timeRegulationEnabled(time(type, m.time)); });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::ConstrainedEnabled& m) {
  const TimeClass type = member->time_class();
  member->time.enabled_constrained(m.time);
  call(lock, [&](Federate& f) { f.timeConstrainedEnabled(time(type, m.time)); });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Granted& m) {
  const TimeClass type = member->time_class();
  member->time.granted(m.time);
  call(lock, [&](Federate& f) { f.timeAdvanceGrant(time(type, m.time)); });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::RetractionRequested& m) {
  call(lock, [&](Federate& f) {
    f.requestRetraction(retraction(m.retraction.federate, m.retraction.number));
  });
  return true;
}

// messages about an instance that is no longer known are dropped

bool Courier::take(Lock& lock, Holder& member, federation::Assume& m) {
  if (member->instance(m.object))
    call(lock, [&](Federate& f) {
      f.requestAttributeOwnershipAssumption(handle<ObjectInstanceHandle>(m.object),
                                            handles<AttributeHandle>(m.attributes), tag(m.tag));
    });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::ConfirmDivest& m) {
  if (member->instance(m.object))
    call(lock, [&](Federate& f) {
      f.requestDivestitureConfirmation(handle<ObjectInstanceHandle>(m.object),
                                       handles<AttributeHandle>(m.attributes));
    });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Acquired& m) {
  if (!member->instance(m.object)) return true;
  member->acquire(m.object, m.attributes);
  call(lock, [&](Federate& f) {
    f.attributeOwnershipAcquisitionNotification(handle<ObjectInstanceHandle>(m.object),
                                                handles<AttributeHandle>(m.attributes), tag(m.tag));
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Unavailable& m) {
  if (member->instance(m.object))
    call(lock, [&](Federate& f) {
      f.attributeOwnershipUnavailable(handle<ObjectInstanceHandle>(m.object),
                                      handles<AttributeHandle>(m.attributes));
    });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Release& m) {
  if (member->instance(m.object))
    call(lock, [&](Federate& f) {
      f.requestAttributeOwnershipRelease(handle<ObjectInstanceHandle>(m.object),
                                         handles<AttributeHandle>(m.attributes), tag(m.tag));
    });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::AcquisitionCancelled& m) {
  if (member->instance(m.object))
    call(lock, [&](Federate& f) {
      f.confirmAttributeOwnershipAcquisitionCancellation(handle<ObjectInstanceHandle>(m.object),
                                                         handles<AttributeHandle>(m.attributes));
    });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Owner& m) {
  if (!member->instance(m.object)) return true;
  const auto attribute = handle<AttributeHandle>(m.attribute);
  call(lock, [&](Federate& f) {
    if (m.federate == 0)
      f.attributeIsNotOwned(handle<ObjectInstanceHandle>(m.object), attribute);
    else if (m.federate == federation::rti_owner)
      f.attributeIsOwnedByRTI(handle<ObjectInstanceHandle>(m.object), attribute);
    else
      f.informAttributeOwnership(handle<ObjectInstanceHandle>(m.object), attribute,
                                 handle<FederateHandle>(m.federate));
  });
  return true;
}

bool Courier::take(Lock&, Holder& member, federation::OwnershipSet& m) {
  m.owned ? member->acquire(m.object, m.attributes) : member->divest(m.object, m.attributes);
  return true;
}

}  // namespace vernier::hla
