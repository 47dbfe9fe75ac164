#include "vernier/gateway/federation/federation.hpp"

#include <algorithm>
#include <utility>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/detail/routes.hpp"
#include "vernier/gateway/federation/detail/saved.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

using detail::refuse;

Federation::Federation(std::string name, TimeKind time, std::vector<Document> modules,
                       std::optional<Document> mim, SaveStore& store, FomStore& foms,
                       std::string own_time)
    : name_(std::move(name)),
      own_time_(std::move(own_time)),
      store_(store),
      mim_(std::move(mim)),
      foms_(foms),
      federates_(1),
      time_(time, [this](Handle to, const Frame& f) { deliver(to, f); }),
      regions_(std::make_unique<Regions>()) {
  load(std::move(modules));
  const fom::Switches& s = *fom().switches;
  switches_ = {s.is_on("objectClassRelevanceAdvisory"), s.is_on("attributeRelevanceAdvisory"),
               s.is_on("attributeScopeAdvisory"), s.is_on("interactionRelevanceAdvisory")};
  auto_provide_ = s.is_on("autoProvide");
  convey_producer_ = s.is_on("conveyProducingFederate");
  convey_regions_ = s.is_on("conveyRegionDesignatorSets");
  service_reporting_ = s.is_on("serviceReporting");
  exception_reporting_ = s.is_on("exceptionReporting");
  resign_ = static_cast<ResignAction>(s.resign);
}

Federation::~Federation() = default;

void Federation::require_running(Kind kind) const {
  switch (kind) {
    case Kind::resign:
    case Kind::leave:
    case Kind::save_begun:
    case Kind::save_done:
    case Kind::abort_save:
    case Kind::query_save_status:
    case Kind::restore_done:
    case Kind::abort_restore:
    case Kind::query_restore_status:
    case Kind::find_federate:
    case Kind::name_federate:
    case Kind::report_invocation:
    // sent before the federate knew of the save or restore; such messages get no answer
    case Kind::update_attributes:
    case Kind::send_interaction:
    case Kind::advance:
      return;
    default:
      if (saving_) refuse(Failure::SaveInProgress, "The federation is being saved");
      if (restoring_) refuse(Failure::RestoreInProgress, "The federation is being restored");
  }
}

// ---- joining and resigning (4.9, 4.10)

Federate& Federation::join(const Join& j, Peer& peer, Connection connection, Joined& answer) {
  require_running(Kind::join);
  if (joined_.size() >= limits.federates)
    refuse(Failure::RTIinternalError,
           "The federation has " + std::to_string(joined_.size()) + " federates and takes no more");
  if (federates_.size() > limits.joins)
    refuse(Failure::RTIinternalError, "The federation has had " + std::to_string(limits.joins) +
                                          " federates and takes no more; start it again");
  if (j.federate.size() > limits.name_bytes || j.type.size() > limits.name_bytes)
    refuse(Failure::RTIinternalError, "The name or type of the federate is too long");
  if (!j.federate.empty() && federate(j.federate))
    refuse(Failure::FederateNameAlreadyInUse,
           "A federate named '" + j.federate + "' has joined '" + name_ + "' already");
  const std::size_t modules = documents_.size();
  load(j.modules);
  if (documents_.size() != modules) {
    const Frame grown = frame(Tables{encoded_tables_});
    for (const Federate* f : joined_) send(*f, grown);
  }

  const auto handle = static_cast<Handle>(federates_.size());
  auto fresh = std::make_unique<Federate>();
  fresh->handle = handle;
  fresh->name = j.federate;
  for (Handle n = handle; fresh->name.empty(); ++n) {
    const std::string proposed = j.type + "-" + std::to_string(n);
    if (!federate(proposed)) fresh->name = proposed;
  }
  fresh->type = j.type;
  for (const Document& d : j.modules) {
    // of several identical documents, the first
    const auto same = [&](const Document& other) { return other.text == d.text; };
    if (std::find_if(j.modules.begin(), j.modules.end(), same) - j.modules.begin() ==
        &d - j.modules.data())
      fresh->modules.push_back(d.name);
  }
  fresh->resign = resign_;
  fresh->switches = switches_;
  fresh->convey_producer = convey_producer_;
  fresh->convey_regions = convey_regions_;
  fresh->service_reporting = service_reporting_;
  fresh->exception_reporting = exception_reporting_;
  fresh->peer = &peer;
  fresh->connection = connection;
  size_tables(*fresh);
  time_.add(handle);
  federates_.push_back(std::move(fresh));
  Federate& f = *federates_.back();
  joined_.push_back(&f);
  answer = {.federate = handle,
            .name = f.name,
            .time = time_.kind(),
            .tables = encoded_tables_,
            .switches = f.switches,
            .convey_producer = f.convey_producer,
            .convey_regions = f.convey_regions,
            .service_reporting = f.service_reporting,
            .exception_reporting = f.exception_reporting,
            .resign = f.resign,
            .own_time = own_time_};
  return f;
}

void Federation::sent_joined(Federate& f) {
  announce_points(f);
  if (observer_) observer_->joined(f);
}

Federate* Federation::federate(std::string_view by_name) const noexcept {
  const auto at = std::find_if(joined_.begin(), joined_.end(),
                               [&](const Federate* f) { return f->name == by_name; });
  return at == joined_.end() ? nullptr : *at;
}

void Federation::check_resign(const Federate& f, ResignAction action) const {
  const bool cancels = action == ResignAction::cancel_acquisitions ||
                       action == ResignAction::cancel_then_delete_then_divest;
  const bool deletes = action == ResignAction::delete_objects;
  const bool divests = action == ResignAction::divest ||
                       action == ResignAction::delete_then_divest ||
                       action == ResignAction::cancel_then_delete_then_divest;
  instances_.each([&](Instance& i) {
    if (i.deleted_by != 0) return;
    const Slot* privilege = i.slot(privilege_);
    const bool goes = deletes && privilege && privilege->owner == f.handle;
    for (const Slot& s : i.slots) {
      if (!divests && !goes && s.owner == f.handle)
        refuse(Failure::FederateOwnsAttributes, "The federate owns attributes of '" + i.name + "'");
      const bool wants = std::any_of(s.wanted_by.begin(), s.wanted_by.end(),
                                     [&](const Acquisition& a) { return a.federate == f.handle; });
      if (!cancels && wants)
        refuse(Failure::OwnershipAcquisitionPending,
               "The federate waits for attributes of '" + i.name + "'");
    }
  });
}

void Federation::resign(Federate& f, ResignAction action, std::string_view lost) {
  if (action > ResignAction::none) refuse(Failure::InvalidResignAction, "No such resign action");
  if (lost.empty()) check_resign(f, action);
  const Handle h = f.handle;
  if (observer_) observer_->resigning(f, lost);
  if (saving_) end_save(lost.empty() ? SaveFailure::resigned : SaveFailure::crashed);
  if (restoring_) end_restore(lost.empty() ? RestoreFailure::resigned : RestoreFailure::crashed);

  cancel_acquisitions(f);
  if (action == ResignAction::delete_objects || action == ResignAction::delete_then_divest ||
      action == ResignAction::cancel_then_delete_then_divest) {
    instances_.each([&](Instance& i) {
      if (i.deleted_by == 0 && i.slot(privilege_)->owner == h) remove(i, h, {}, {}, 0);
    });
  }
  // it gets no further messages
  std::erase(joined_, &f);
  for (ObjectDeclaration& d : f.objects) d = {};
  for (InteractionDeclaration& d : f.interactions) d = {};
  routes_changed();
  instances_.each([&](Instance& i) {
    forget(i, h);
    if (i.deleted_by != 0) {
      if (i.known.empty()) erase(i);
      return;
    }
    std::vector<Slot*> lost_slots;
    for (Slot& s : i.slots) {
      if (s.owner == h) lost_slots.push_back(&s);
    }
    if (!lost_slots.empty()) make_unowned(i, lost_slots, {});
    review(i);
  });
  std::erase_if(names_,
                [&](const auto& n) { return n.second.reserved_by == h && n.second.object == 0; });
  regions_->remove(h);
  time_.remove(h);
  leave_points(h);
  federates_[h].reset();
  review_advisories();
  check_stopped();
  if (observer_) observer_->resigned(h);
}

// ---- support

// setAutomaticResignDirective (10.3)
void Federation::take(Federate& f, const SetResignAction& m) {
  if (m.action > ResignAction::none) refuse(Failure::InvalidResignAction, "No such resign action");
  f.resign = m.action;
}

// the advisory switches (10.33 to 10.40)
void Federation::take(Federate& f, const SetSwitch& m) {
  struct Failures {
    Failure is_on, is_off;
  };
  static constexpr std::array<Failures, 4> failures{
      Failures{Failure::ObjectClassRelevanceAdvisorySwitchIsOn,
               Failure::ObjectClassRelevanceAdvisorySwitchIsOff},
      {Failure::AttributeRelevanceAdvisorySwitchIsOn,
       Failure::AttributeRelevanceAdvisorySwitchIsOff},
      {Failure::AttributeScopeAdvisorySwitchIsOn, Failure::AttributeScopeAdvisorySwitchIsOff},
      {Failure::InteractionRelevanceAdvisorySwitchIsOn,
       Failure::InteractionRelevanceAdvisorySwitchIsOff}};
  const auto which = static_cast<std::size_t>(m.which);
  if (which >= failures.size()) refuse(Failure::RTIinternalError, "No such switch");
  if (f.switches[which] == m.on)
    refuse(m.on ? failures[which].is_on : failures[which].is_off,
           m.on ? "The switch is on already" : "The switch is off already");
  f.switches[which] = m.on;
  if (!m.on) {
    // forget what was told before: everything is reported again
    if (m.which == Switch::object_class_relevance)
      for (ObjectDeclaration& d : f.objects) d.wanted = false;
    if (m.which == Switch::interaction_relevance)
      for (InteractionDeclaration& d : f.interactions) d.wanted = false;
    if (m.which == Switch::attribute_relevance) forget_wanted(f);
  } else if (m.which == Switch::attribute_relevance) {
    instances_.each([&](Instance& i) { review_wanted(i); });
  } else if (m.which != Switch::attribute_scope) {
    review_advisories();
  }
  if (observer_) observer_->changed();
}

void Federation::forget_wanted(const Federate& f) {
  instances_.each([&](Instance& i) {
    for (Slot& s : i.slots) {
      if (s.owner == f.handle) s.updates_told = false;
    }
  });
}

void Federation::set_convey(Federate& f, bool producer, bool regions) {
  f.convey_producer = producer;
  f.convey_regions = regions;
  routes_changed();
}

void Federation::set_reporting(Federate& f, bool services, bool exceptions) {
  f.service_reporting = services;
  f.exception_reporting = exceptions;
  tell(f, Reporting{services, exceptions});
}

void Federation::take(Federate& f, const ReportInvocation& m) {
  if (observer_) observer_->invoked(f, m);
}

// getUpdateRateValueForAttribute (10.14)
Rate Federation::take(Federate& f, const QueryRate& m) {
  Instance& i = known_instance(f, m.object);
  slots(f, i, {m.attribute});
  const AttributeSubscription* s =
      f.objects[i.known_by(f.handle)->object_class].subscription(m.attribute);
  return {s && s->rate != 0 ? tables_.rates[s->rate - 1].hertz : 0.0};
}

// getFederateHandle (10.4)
Found Federation::take(Federate&, const FindFederate& m) {
  const Federate* found = federate(m.name);
  if (!found) refuse(Failure::NameNotFound, "No federate is named '" + m.name + "'");
  return {found->handle};
}

// getFederateName (10.5)
Named Federation::take(Federate&, const NameFederate& m) {
  if (m.federate == 0 || m.federate >= federates_.size())
    refuse(Failure::InvalidFederateHandle, "No federate has had this handle");
  if (!federates_[m.federate])
    refuse(Failure::FederateHandleNotKnown, "The federate of this handle has resigned");
  return {federates_[m.federate]->name};
}

// ---- time

// enableTimeRegulation (8.2)
void Federation::take(Federate& f, const EnableRegulation& m) {
  time_.enable_regulation(f.handle, m.lookahead);
  check_stopped();
}
// disableTimeRegulation (8.4)
void Federation::take(Federate& f, const DisableRegulation&) {
  time_.disable_regulation(f.handle);
  check_stopped();
}
// enableTimeConstrained (8.5)
void Federation::take(Federate& f, const EnableConstrained&) {
  time_.enable_constrained(f.handle);
  check_stopped();
}
// disableTimeConstrained (8.7)
void Federation::take(Federate& f, const DisableConstrained&) {
  time_.disable_constrained(f.handle);
  check_stopped();
}
// timeAdvanceRequest to flushQueueRequest (8.8 to 8.12)
void Federation::take(Federate& f, const Advance& m) {
  if (m.how > AdvanceKind::flush) throw detail::Malformed{};
  time_.advance(f.handle, m.how, m.time);
  if (next_save_time_) check_stopped();
}
// enableAsynchronousDelivery (8.14)
void Federation::take(Federate& f, const EnableAsynchronous&) {
  time_.enable_asynchronous(f.handle);
}
// disableAsynchronousDelivery (8.15)
void Federation::take(Federate& f, const DisableAsynchronous&) {
  time_.disable_asynchronous(f.handle);
}
// queryGALT (8.16)
MaybeTime Federation::take(Federate& f, const QueryGalt&) { return {time_.galt(f.handle)}; }
// queryLITS (8.18)
MaybeTime Federation::take(Federate& f, const QueryLits&) { return {time_.lits(f.handle)}; }
// queryLogicalTime (8.17)
MaybeTime Federation::take(Federate& f, const QueryTime&) { return {time_.time(f.handle)}; }
// modifyLookahead (8.19)
void Federation::take(Federate& f, const ModifyLookahead& m) {
  time_.modify_lookahead(f.handle, m.lookahead);
}
// queryLookahead (8.20)
MaybeTime Federation::take(Federate& f, const QueryLookahead&) {
  return {time_.lookahead(f.handle)};
}

}  // namespace vernier::federation
