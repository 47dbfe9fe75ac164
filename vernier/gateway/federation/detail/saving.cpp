// Federation save and the protocol of federation restore: IEEE 1516.1-2010, 4.16 to 4.32.
#include <algorithm>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/detail/saved.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

using detail::refuse;

// ---- saving

// requestFederationSave (4.16)
void Federation::take(Federate& f, const RequestSave& m) {
  if (m.label.size() > limits.name_bytes || !store_.has_room(name_, m.label))
    refuse(Failure::UnableToPerformSave,
           "The RTI has no room for a save of this label: it keeps " +
               std::to_string(SaveStore::most_in_memory) + " in memory, " +
               std::to_string(SaveStore::most_in_folder) + " in its folder");
  const auto constrained = [&](const Federate* one) { return time_.constrained(one->handle); };
  const bool anybody = std::any_of(joined_.begin(), joined_.end(), constrained);
  if (m.time) {
    if (!time_.regulating(f.handle) && !time_.constrained(f.handle))
      refuse(Failure::FederateUnableToUseTime,
             "The federate is neither time-regulating nor time-constrained");
    if (next_save_time_) time_.go_on();  // the later request replaces the earlier one
    next_save_time_.reset();
    if (anybody) time_.stop_at(*m.time);
  } else if (next_save_time_) {
    time_.go_on();
  }
  next_save_ = m.label;
  next_save_time_ = m.time;
  if (observer_) observer_->changed();
  if (!m.time || !anybody)
    begin_save();
  else
    check_stopped();
}

/// Starts a scheduled save once all constrained federates have reached its time.
void Federation::check_stopped() {
  if (next_save_time_ && !saving_ && time_.stopped()) begin_save();
}

void Federation::begin_save() {
  saving_ = true;
  save_failed_ = false;
  time_.pause();
  const Frame initiate = frame(InitiateSave{next_save_, next_save_time_});
  for (Federate* f : joined_) {
    f->saving = SaveStatus::instructed;
    send(*f, initiate);
  }
  if (observer_) observer_->changed();
}

// federateSaveBegun (4.18)
void Federation::take(Federate& f, const SaveBegun&) {
  if (f.saving != SaveStatus::instructed)
    refuse(Failure::SaveNotInitiated, "The federate was not told to save");
  f.saving = SaveStatus::saving;
}

// federateSaveComplete (4.19)
void Federation::take(Federate& f, const SaveDone& m) {
  if (f.saving != SaveStatus::saving)
    refuse(Failure::FederateHasNotBegunSave, "The federate has not begun to save");
  f.saving = SaveStatus::waiting;
  save_failed_ = save_failed_ || !m.success;
  if (std::all_of(joined_.begin(), joined_.end(),
                  [](const Federate* one) { return one->saving == SaveStatus::waiting; }))
    end_save(save_failed_ ? SaveFailure::federate_failed : SaveFailure::none);
}

// abortFederationSave (4.21)
void Federation::take(Federate&, const AbortSave&) {
  if (!saving_) refuse(Failure::SaveNotInProgress, "The federation is not being saved");
  end_save(SaveFailure::aborted);
}

void Federation::end_save(SaveFailure failure) {
  if (failure == SaveFailure::none && !store_.put(name_, next_save_, state()))
    failure = SaveFailure::rti;
  saving_ = false;
  const bool success = failure == SaveFailure::none;
  if (success) {
    last_save_ = next_save_;
    last_save_time_ = next_save_time_;
  }
  next_save_.clear();
  next_save_time_.reset();
  const Frame done = frame(Saved{success, failure});
  for (Federate* f : joined_) {
    f->saving = SaveStatus::none;
    send(*f, done);
  }
  deliver_waiting();
  time_.go_on();
  if (observer_) observer_->changed();
}

// queryFederationSaveStatus (4.22)
void Federation::take(Federate& f, const QuerySaveStatus&) {
  SaveStatusReport r;
  for (const Federate* one : joined_) r.all.push_back({one->handle, one->saving});
  tell(f, r);
}

Blob Federation::state() const {
  SavedState s;
  s.name = name_;
  s.kind = time_.kind();
  s.own_time = own_time_;
  s.documents = documents_;
  s.auto_provide = auto_provide_;
  s.federates_end = static_cast<Handle>(federates_.size());
  s.next_instance = next_instance_;
  for (const auto& [name, n] : names_) {
    if (n.reserved_by != 0 && federate(n.reserved_by)) s.reserved.push_back({name, n.reserved_by});
  }
  std::sort(s.reserved.begin(), s.reserved.end(),
            [](const ReservedName& a, const ReservedName& b) { return a.name < b.name; });
  for (const auto& [label, p] : points_) s.points.push_back({label, p});
  for (const Federate* f : joined_) {
    s.federates.push_back(*f);
    for (const Frame& message : f->waiting) s.waiting.push_back({f->handle, *message});
  }
  instances_.each([&](const Instance& i) { s.instances.push_back(i); });
  time_.save(s.time);
  regions_->save(s.regions);
  Blob bytes;
  Writer w(bytes);
  s.fields(w);
  return bytes;
}

// ---- restoring

// requestFederationRestore (4.24)
void Federation::take(Federate& f, const RequestRestore& m) {
  std::unique_ptr<SavedState> found;
  if (const auto bytes = store_.get(name_, m.label)) found = parsed_state(*bytes);
  const bool possible = found && matched(*found);
  tell(f, RestoreRequested{m.label, possible});
  if (!possible) return;
  restoring_state_ = std::move(found);
  restoring_ = true;
  restore_failed_ = false;
  time_.pause();
  const Frame begun = frame(RestoreBegun{});
  for (const Federate* one : joined_) send(*one, begun);
  for (Federate* one : joined_) {
    one->restoring = RestoreStatus::restoring;
    const auto as =
        std::find_if(restoring_state_->federates.begin(), restoring_state_->federates.end(),
                     [&](const Federate& s) { return s.handle == one->restored_as; });
    tell(*one, InitiateRestore{m.label, as->name, one->restored_as});
  }
  if (observer_) observer_->changed();
}

/// Assigns to each federate the saved one that it becomes: of the same name and type, or else of
/// the same type. False when that is impossible.
bool Federation::matched(const SavedState& s) {
  if (s.federates.size() != joined_.size()) return false;
  for (Federate* f : joined_) f->restored_as = 0;
  std::vector<const Federate*> left;
  for (const Federate& saved : s.federates) {
    Federate* same = federate(std::string_view(saved.name));
    if (same && same->type == saved.type)
      same->restored_as = saved.handle;
    else
      left.push_back(&saved);
  }
  for (const Federate* saved : left) {
    const auto at = std::find_if(joined_.begin(), joined_.end(), [&](const Federate* f) {
      return f->restored_as == 0 && f->type == saved->type;
    });
    if (at == joined_.end()) return false;
    (*at)->restored_as = saved->handle;
  }
  return true;
}

// federateRestoreComplete (4.28)
void Federation::take(Federate& f, const RestoreDone& m) {
  if (f.restoring != RestoreStatus::restoring)
    refuse(Failure::RestoreNotRequested, "The federate was not told to restore");
  f.restoring = RestoreStatus::done;
  restore_failed_ = restore_failed_ || !m.success;
  if (std::all_of(joined_.begin(), joined_.end(),
                  [](const Federate* one) { return one->restoring == RestoreStatus::done; }))
    end_restore(restore_failed_ ? RestoreFailure::federate_failed : RestoreFailure::none);
}

// abortFederationRestore (4.30)
void Federation::take(Federate&, const AbortRestore&) {
  if (!restoring_) refuse(Failure::RestoreNotInProgress, "The federation is not being restored");
  end_restore(RestoreFailure::aborted);
}

void Federation::end_restore(RestoreFailure failure) {
  if (failure == RestoreFailure::none && !adopt(*restoring_state_)) failure = RestoreFailure::rti;
  const bool success = failure == RestoreFailure::none;
  restoring_state_.reset();
  restoring_ = false;
  if (success) {
    for (const Federate* f : joined_) tell(*f, member_state(*f));
  }
  const Frame done = frame(Restored{success, failure});
  for (Federate* f : joined_) {
    f->restoring = RestoreStatus::none;
    f->restored_as = 0;
    send(*f, done);
  }
  deliver_waiting();
  time_.go_on();
  if (observer_) success ? observer_->restored() : observer_->changed();
}

// queryFederationRestoreStatus (4.31)
void Federation::take(Federate& f, const QueryRestoreStatus&) {
  RestoreStatusReport r;
  for (const Federate* one : joined_)
    r.all.push_back(
        {one->handle, one->restored_as == 0 ? one->handle : one->restored_as, one->restoring});
  tell(f, r);
}

}  // namespace vernier::federation
