// Federation management: IEEE 1516.1-2010, section 4; connect and disconnect are in ambassador.cpp.
#include <algorithm>

#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/documents.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;

std::vector<wire::Document> documents(const std::vector<std::wstring>& designators) {
  std::vector<wire::Document> all;
  std::size_t size = 0;
  for (const std::wstring& d : designators) {
    all.push_back(read_document(d));
    size += all.back().text.size();
    if (size > wire::longest_frame / 2)
      raise(Failure::ErrorReadingFDD, "the FOM modules are larger than 32 MB together");
  }
  return all;
}

/// Selects the time by its name. The standard's default is HLAfloat64Time; a time that the
/// federates define themselves is counted in integers (OwnTime).
void choose_time(wire::CreateFederation& m, const std::wstring& name) {
  m.time =
      name.empty() || name == name_of(TimeKind::float64) ? TimeKind::float64 : TimeKind::integer64;
  if (m.time == TimeKind::float64 || name == name_of(TimeKind::integer64)) return;
  m.own_time = narrow(OwnTime(name).name());
}

wire::ResignAction action_of(ResignAction a) {
  if (a < UNCONDITIONALLY_DIVEST_ATTRIBUTES || a > NO_ACTION)
    raise(Failure::InvalidResignAction, "there is no such resign action");
  return static_cast<wire::ResignAction>(a);  // both are in the order of the standard
}

}  // namespace

void VernierAmbassador::create(const std::wstring& federation,
                               const std::vector<std::wstring>& modules, const std::wstring* mim,
                               const std::wstring& time) {
  Service lock(*this, "createFederationExecution", {federation, modules, mim, time});
  require_connection();
  wire::CreateFederation m{.federation = narrow(federation), .modules = documents(modules)};
  if (mim) {
    if (*mim == L"HLAstandardMIM")
      raise(Failure::DesignatorIsHLAstandardMIM,
            "the standard MIM is there without being named; name another one or none");
    m.mim = read_document(*mim, true);
  }
  choose_time(m, time);
  ask(lock, m);
}

void VernierAmbassador::createFederationExecution(const std::wstring& federation,
                                                  const std::wstring& module,
                                                  const std::wstring& time) {
  create(federation, {module}, nullptr, time);
}

void VernierAmbassador::createFederationExecution(const std::wstring& federation,
                                                  const std::vector<std::wstring>& modules,
                                                  const std::wstring& time) {
  create(federation, modules, nullptr, time);
}

void VernierAmbassador::createFederationExecutionWithMIM(const std::wstring& federation,
                                                         const std::vector<std::wstring>& modules,
                                                         const std::wstring& mim,
                                                         const std::wstring& time) {
  create(federation, modules, &mim, time);
}

void VernierAmbassador::destroyFederationExecution(const std::wstring& federation) {
  Service lock(*this, __func__, {federation});
  require_connection();
  ask(lock, wire::DestroyFederation{narrow(federation)});
}

void VernierAmbassador::listFederationExecutions() {
  Service lock(*this, __func__, {});
  require_connection();
  ask(lock, wire::ListFederations{});
}

FederateHandle VernierAmbassador::join(const std::wstring& name, const std::wstring& type,
                                       const std::wstring& federation,
                                       const std::vector<std::wstring>& modules) {
  Service lock(*this, "joinFederationExecution", {name, type, federation, modules});
  require_outside_callback();
  require_connection();
  if (member_)
    raise(Failure::FederateAlreadyExecutionMember,
          "the federate has joined '" + member_->federation + "' already");
  const wire::Join m{narrow(name), narrow(type), narrow(federation), documents(modules)};
  const auto joined = ask_for<wire::Joined>(lock, m, [&](wire::Joined& j) {
    auto made = std::make_unique<JoinedFederate>();
    if (j.time > TimeKind::float64 || j.resign > wire::ResignAction::none ||
        !made->fom.load(j.tables))
      return false;
    made->federate = j.federate;
    made->name = j.name;
    made->federation = m.federation;
    made->time.kind = j.time;
    made->switches = j.switches;
    made->resign = j.resign;
    made->reports_services = j.service_reporting;
    made->reports_exceptions = j.exception_reporting;
    member_ = std::move(made);
    return true;
  });
  if (joined.own_time.empty()) return handle<FederateHandle>(joined.federate);
  try {
    member_->own_time = std::make_shared<OwnTime>(wide(joined.own_time));
  } catch (const CouldNotCreateLogicalTimeFactory&) {
    ask(lock, wire::Resign{wire::ResignAction::none}, [this] {
      member_.reset();
      link_.forget_callbacks();
    });
    throw;
  }
  return handle<FederateHandle>(joined.federate);
}

FederateHandle VernierAmbassador::joinFederationExecution(
    const std::wstring& type, const std::wstring& federation,
    const std::vector<std::wstring>& modules) {
  return join(L"", type, federation, modules);
}

FederateHandle VernierAmbassador::joinFederationExecution(
    const std::wstring& name, const std::wstring& type, const std::wstring& federation,
    const std::vector<std::wstring>& modules) {
  return join(name, type, federation, modules);
}

void VernierAmbassador::resignFederationExecution(ResignAction action) {
  Service lock(*this, __func__, {action});
  require_outside_callback();
  member();
  ask(lock, wire::Resign{action_of(action)}, [this] {
    member_.reset();
    link_.forget_callbacks();
  });
}

void VernierAmbassador::registerFederationSynchronizationPoint(const std::wstring& label,
                                                               const VariableLengthData& tag) {
  Service lock(*this, __func__, {label, tag});
  active();
  ask(lock, wire::RegisterSynchronization{narrow(label), blob(tag), {}});
}

void VernierAmbassador::registerFederationSynchronizationPoint(const std::wstring& label,
                                                               const VariableLengthData& tag,
                                                               const FederateHandleSet& set) {
  Service lock(*this, __func__, {label, tag, set});
  active();
  if (std::any_of(set.begin(), set.end(), [](const auto& h) { return !h.isValid(); }))
    raise(Failure::InvalidFederateHandle, "a handle of the set is of no federate");
  ask(lock, wire::RegisterSynchronization{narrow(label), blob(tag), numbers(set)});
}

void VernierAmbassador::synchronizationPointAchieved(const std::wstring& label, bool success) {
  Service lock(*this, __func__, {label, success});
  active();
  ask(lock, wire::AchieveSynchronization{narrow(label), success});
}

// ---- save (4.16 to 4.23)

void VernierAmbassador::requestFederationSave(const std::wstring& label) {
  Service lock(*this, __func__, {label});
  active();
  ask(lock, wire::RequestSave{narrow(label), {}});
}

void VernierAmbassador::requestFederationSave(const std::wstring& label, const LogicalTime& time) {
  Service lock(*this, __func__, {label, time});
  JoinedFederate& m = active();
  const Stamp t = stamp_of(m, time);
  if (m.time.constrained && t < m.time.time)
    raise(Failure::LogicalTimeAlreadyPassed, "the federate is past the time of the save");
  ask(lock, wire::RequestSave{narrow(label), t});
}

void VernierAmbassador::federateSaveBegun() {
  Service lock(*this, __func__, {});
  JoinedFederate& m = member();
  if (m.restoring != Restoring::no) raise(Failure::RestoreInProgress, "a restore is in progress");
  if (m.saving != Saving::instructed)
    raise(Failure::SaveNotInitiated, "the federate was not told to save");
  ask_as(lock, m, wire::SaveBegun{});
}

void VernierAmbassador::finish_save(const char* service, bool success) {
  Service lock(*this, service, {});
  JoinedFederate& m = member();
  if (m.restoring != Restoring::no) raise(Failure::RestoreInProgress, "a restore is in progress");
  if (m.saving != Saving::begun)
    raise(Failure::FederateHasNotBegunSave, "the federate has not begun to save");
  ask_as(lock, m, wire::SaveDone{success});
}

void VernierAmbassador::federateSaveComplete() { finish_save(__func__, true); }
void VernierAmbassador::federateSaveNotComplete() { finish_save(__func__, false); }

void VernierAmbassador::abortFederationSave() {
  Service lock(*this, __func__, {});
  member();
  ask(lock, wire::AbortSave{});
}

void VernierAmbassador::queryFederationSaveStatus() {
  Service lock(*this, __func__, {});
  if (member().restoring != Restoring::no)
    raise(Failure::RestoreInProgress, "a restore is in progress");
  ask(lock, wire::QuerySaveStatus{});
}

// ---- restore (4.24 to 4.32)

void VernierAmbassador::requestFederationRestore(const std::wstring& label) {
  Service lock(*this, __func__, {label});
  active();
  ask(lock, wire::RequestRestore{narrow(label)});
}

void VernierAmbassador::finish_restore(const char* service, bool success) {
  Service lock(*this, service, {});
  JoinedFederate& m = member();
  if (m.saving != Saving::no) raise(Failure::SaveInProgress, "a save is in progress");
  if (m.restoring != Restoring::instructed)
    raise(Failure::RestoreNotRequested, "the federate was not told to restore");
  ask_as(lock, m, wire::RestoreDone{success});
}

void VernierAmbassador::federateRestoreComplete() { finish_restore(__func__, true); }
void VernierAmbassador::federateRestoreNotComplete() { finish_restore(__func__, false); }

void VernierAmbassador::abortFederationRestore() {
  Service lock(*this, __func__, {});
  member();
  ask(lock, wire::AbortRestore{});
}

void VernierAmbassador::queryFederationRestoreStatus() {
  Service lock(*this, __func__, {});
  if (member().saving != Saving::no) raise(Failure::SaveInProgress, "a save is in progress");
  ask(lock, wire::QueryRestoreStatus{});
}

// ---- automatic resign directive (10.2, 10.3)

ResignAction VernierAmbassador::getAutomaticResignDirective() {
  Service lock(*this, __func__, {});
  return lock.gives(static_cast<ResignAction>(member().resign));
}

void VernierAmbassador::setAutomaticResignDirective(ResignAction action) {
  Service lock(*this, __func__, {action});
  JoinedFederate& m = member();
  const wire::ResignAction a = action_of(action);
  ask(lock, wire::SetResignAction{a}, [&] { m.resign = a; });
}

}  // namespace vernier::hla
