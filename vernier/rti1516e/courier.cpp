#include "vernier/rti1516e/courier.hpp"

#include <bit>
#include <cstdio>

#include "vernier/rti1516e/checks.hpp"

namespace vernier::hla {

using namespace ::rti1516e;
using federation::Kind;
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

bool Courier::deliver(Lock& lock, Bytes frame, std::unique_ptr<Member>& member) {
  const Kind kind = federation::header(frame)->kind;
  if (kind == Kind::federations) {
    federation::Federations m;
    if (!read(frame, m)) return false;
    FederationExecutionInformationVector all;
    for (const federation::FederationName& n : m.all)
      all.emplace_back(wide(n.name), n.own_time.empty() ? name_of(n.time) : wide(n.own_time));
    call(lock, [&](Federate& f) { f.reportFederationExecutions(all); });
    return true;
  }
  if (!member) return true;
  if (kind == Kind::served) return deliver_served(frame, member);
  if (kind == Kind::reflect) return deliver_reflect(lock, frame, *member);
  if (kind == Kind::receive) return deliver_receive(lock, frame, *member);
  if (kind >= Kind::regulation_enabled) return deliver_time(lock, frame, *member, kind);
  if (kind >= Kind::assume) return deliver_ownership(lock, frame, *member, kind);
  if (kind >= Kind::registration_wanted) return deliver_object(lock, frame, member, kind);
  return deliver_federation(lock, frame, *member, kind);
}

/// Somebody invoked a service on the federate's behalf: it knows what it would know if it had done
/// so itself.
bool Courier::deliver_served(Bytes frame, std::unique_ptr<Member>& member) {
  federation::Served m;
  if (!read(frame, m)) return false;
  const auto request = federation::header(m.request);
  if (request && request->kind == Kind::resign) {
    member.reset();
    return true;
  }
  return member->done(m.request);
}

bool Courier::deliver_federation(Lock& lock, Bytes frame, Member& member, Kind kind) {
  switch (kind) {
    case Kind::synchronization_registered: {
      federation::SynchronizationRegistered m;
      if (!read(frame, m)) return false;
      const std::wstring label = wide(m.label);
      using Why = federation::SynchronizationFailure;
      call(lock, [&](Federate& f) {
        if (m.failure == Why::none)
          f.synchronizationPointRegistrationSucceeded(label);
        else
          f.synchronizationPointRegistrationFailed(
              label, m.failure == Why::label_in_use ? SYNCHRONIZATION_POINT_LABEL_NOT_UNIQUE
                                                    : SYNCHRONIZATION_SET_MEMBER_NOT_JOINED);
      });
      return true;
    }
    case Kind::announce_synchronization: {
      federation::AnnounceSynchronization m;
      if (!read(frame, m)) return false;
      const std::wstring label = wide(m.label);
      call(lock, [&](Federate& f) { f.announceSynchronizationPoint(label, tag(m.tag)); });
      return true;
    }
    case Kind::synchronized: {
      federation::Synchronized m;
      if (!read(frame, m)) return false;
      const std::wstring label = wide(m.label);
      const FederateHandleSet failed = handles<FederateHandle>(m.failed);
      call(lock, [&](Federate& f) { f.federationSynchronized(label, failed); });
      return true;
    }
    case Kind::initiate_save: {
      federation::InitiateSave m;
      if (!read(frame, m)) return false;
      member.saving = Saving::instructed;
      const std::wstring label = wide(m.label);
      const TimeClass type = member.time_class();
      call(lock, [&](Federate& f) {
        if (m.time)
          f.initiateFederateSave(label, time(type, *m.time));
        else
          f.initiateFederateSave(label);
      });
      return true;
    }
    case Kind::saved: {
      federation::Saved m;
      if (!read(frame, m)) return false;
      member.saving = Saving::no;
      call(lock, [&](Federate& f) {
        m.success ? f.federationSaved() : f.federationNotSaved(reason_of(m.reason));
      });
      return true;
    }
    case Kind::save_status: {
      federation::SaveStatusReport m;
      if (!read(frame, m)) return false;
      FederateHandleSaveStatusPairVector all;
      for (const federation::StatusOf& s : m.all) {
        if (s.status > federation::SaveStatus::waiting) return false;
        all.emplace_back(handle<FederateHandle>(s.federate), static_cast<SaveStatus>(s.status));
      }
      call(lock, [&](Federate& f) { f.federationSaveStatusResponse(all); });
      return true;
    }
    case Kind::restore_requested: {
      federation::RestoreRequested m;
      if (!read(frame, m)) return false;
      const std::wstring label = wide(m.label);
      call(lock, [&](Federate& f) {
        m.success ? f.requestFederationRestoreSucceeded(label)
                  : f.requestFederationRestoreFailed(label);
      });
      return true;
    }
    case Kind::restore_begun:
      member.restoring = Restoring::begun;
      call(lock, [&](Federate& f) { f.federationRestoreBegun(); });
      return true;
    case Kind::initiate_restore: {
      federation::InitiateRestore m;
      if (!read(frame, m)) return false;
      member.restoring = Restoring::instructed;
      member.federate = m.federate;
      member.name = m.federate_name;
      const std::wstring label = wide(m.label), name = wide(m.federate_name);
      call(lock, [&](Federate& f) {
        f.initiateFederateRestore(label, name, handle<FederateHandle>(m.federate));
      });
      return true;
    }
    case Kind::member_state: {
      federation::MemberState m;
      if (!read(frame, m) || !member.can_be(m)) return false;
      member.restore(std::move(m));
      return true;
    }
    case Kind::restored: {
      federation::Restored m;
      if (!read(frame, m)) return false;
      member.restoring = Restoring::no;
      call(lock, [&](Federate& f) {
        m.success ? f.federationRestored() : f.federationNotRestored(reason_of(m.reason));
      });
      return true;
    }
    case Kind::restore_status: {
      federation::RestoreStatusReport m;
      if (!read(frame, m)) return false;
      FederateRestoreStatusVector all;
      for (const federation::RestoreStatusOf& s : m.all) {
        if (s.status > federation::RestoreStatus::done) return false;
        all.emplace_back(handle<FederateHandle>(s.before), handle<FederateHandle>(s.after),
                         static_cast<RestoreStatus>(s.status));
      }
      call(lock, [&](Federate& f) { f.federationRestoreStatusResponse(all); });
      return true;
    }
    default:
      return false;
  }
}

bool Courier::deliver_time(Lock& lock, Bytes frame, Member& member, Kind kind) {
  const TimeClass type = member.time_class();
  switch (kind) {
    case Kind::regulation_enabled: {
      federation::RegulationEnabled m;
      if (!read(frame, m)) return false;
      member.time.enabled_regulation(m.time, m.after);
      call(lock, [&](Federate& f) { f.timeRegulationEnabled(time(type, m.time)); });
      return true;
    }
    case Kind::constrained_enabled: {
      federation::ConstrainedEnabled m;
      if (!read(frame, m)) return false;
      member.time.enabled_constrained(m.time);
      call(lock, [&](Federate& f) { f.timeConstrainedEnabled(time(type, m.time)); });
      return true;
    }
    case Kind::granted: {
      federation::Granted m;
      if (!read(frame, m)) return false;
      member.time.granted(m.time);
      call(lock, [&](Federate& f) { f.timeAdvanceGrant(time(type, m.time)); });
      return true;
    }
    case Kind::retraction_requested: {
      federation::RetractionRequested m;
      if (!read(frame, m)) return false;
      call(lock, [&](Federate& f) {
        f.requestRetraction(retraction(m.retraction.federate, m.retraction.number));
      });
      return true;
    }
    default:
      return false;
  }
}

bool Courier::deliver_ownership(Lock& lock, Bytes frame, Member& member, Kind kind) {
  // messages of an instance that is not known any more are dropped
  const auto known = [&](Handle object) { return member.instance(object) != nullptr; };
  const auto attributes = [](const Numbers& n) { return handles<AttributeHandle>(n); };
  const auto object = [](const auto& m) { return handle<ObjectInstanceHandle>(m.object); };
  switch (kind) {
    case Kind::assume: {
      federation::Assume m;
      if (!read(frame, m)) return false;
      if (known(m.object))
        call(lock, [&](Federate& f) {
          f.requestAttributeOwnershipAssumption(object(m), attributes(m.attributes), tag(m.tag));
        });
      return true;
    }
    case Kind::confirm_divest: {
      federation::ConfirmDivest m;
      if (!read(frame, m)) return false;
      if (known(m.object))
        call(lock, [&](Federate& f) {
          f.requestDivestitureConfirmation(object(m), attributes(m.attributes));
        });
      return true;
    }
    case Kind::acquired: {
      federation::Acquired m;
      if (!read(frame, m)) return false;
      if (!known(m.object)) return true;
      member.acquire(m.object, m.attributes);
      call(lock, [&](Federate& f) {
        f.attributeOwnershipAcquisitionNotification(object(m), attributes(m.attributes),
                                                    tag(m.tag));
      });
      return true;
    }
    case Kind::unavailable: {
      federation::Unavailable m;
      if (!read(frame, m)) return false;
      if (known(m.object))
        call(lock, [&](Federate& f) {
          f.attributeOwnershipUnavailable(object(m), attributes(m.attributes));
        });
      return true;
    }
    case Kind::release: {
      federation::Release m;
      if (!read(frame, m)) return false;
      if (known(m.object))
        call(lock, [&](Federate& f) {
          f.requestAttributeOwnershipRelease(object(m), attributes(m.attributes), tag(m.tag));
        });
      return true;
    }
    case Kind::acquisition_cancelled: {
      federation::AcquisitionCancelled m;
      if (!read(frame, m)) return false;
      if (known(m.object))
        call(lock, [&](Federate& f) {
          f.confirmAttributeOwnershipAcquisitionCancellation(object(m), attributes(m.attributes));
        });
      return true;
    }
    case Kind::owner: {
      federation::Owner m;
      if (!read(frame, m)) return false;
      if (!known(m.object)) return true;
      const auto attribute = handle<AttributeHandle>(m.attribute);
      call(lock, [&](Federate& f) {
        if (m.federate == 0)
          f.attributeIsNotOwned(object(m), attribute);
        else if (m.federate == federation::rti_owner)
          f.attributeIsOwnedByRTI(object(m), attribute);
        else
          f.informAttributeOwnership(object(m), attribute, handle<FederateHandle>(m.federate));
      });
      return true;
    }
    case Kind::ownership_set: {
      federation::OwnershipSet m;
      if (!read(frame, m)) return false;
      m.owned ? member.acquire(m.object, m.attributes) : member.divest(m.object, m.attributes);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace vernier::hla
