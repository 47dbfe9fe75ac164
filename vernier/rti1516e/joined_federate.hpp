#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/requests.hpp"
#include "vernier/rti1516e/fom_index.hpp"
#include "vernier/rti1516e/own_time.hpp"
#include "vernier/rti1516e/time_state.hpp"

namespace vernier::hla {

/// An attribute of an instance that the federate owns.
struct Owned {
  Handle attribute = 0;
  bool time_stamped = false;
};

struct Instance {
  Handle object_class = 0;
  std::string name;
  std::vector<Owned> owned;  // by attribute, ascending

  const Owned* owns(Handle attribute) const noexcept;
};

struct Region {
  std::vector<federation::Bounds> bounds;  // by dimension, ascending
  bool mine = false;

  federation::Bounds* in(Handle dimension) noexcept;
};

/// What the federate publishes of one class; never empty.
struct Publication {
  Numbers attributes;               // ascending, including HLAprivilegeToDeleteObject
  bool explicit_privilege = false;  // else it is published and unpublished implicitly
};

/// An instance deleted by a message in time stamp order, which can still be retracted.
struct Deleted {
  Handle object = 0;
  Instance instance;
  Stamp stamp;
};

enum class Saving { no, instructed, begun, done };
enum class Restoring { no, begun, instructed, done };

/// What a joined federate knows about itself and the federation, as far as services need it: from
/// answers, and from callbacks when they are delivered.
struct JoinedFederate {
  Handle federate = 0;
  std::string name, federation;
  FomIndex fom;
  TimeState time;
  std::shared_ptr<OwnTime> own_time;  // null: one of the two standard times
  Saving saving = Saving::no;
  Restoring restoring = Restoring::no;
  std::array<bool, 4> switches{};
  federation::ResignAction resign{};
  std::uint32_t retraction = 0;                               // the last number given
  bool reports_services = false, reports_exceptions = false;  // whether the RTI reports them

  std::unordered_map<Handle, Instance> instances;
  std::unordered_map<std::string, Handle> instance_names;
  std::unordered_map<Handle, Publication> published;        // by class
  std::unordered_map<Handle, bool> published_interactions;  // true: in time stamp order
  std::unordered_map<Handle, Region> regions;
  std::unordered_map<std::uint32_t, Deleted> deleted;  // by retraction

  TimeClass time_class() const { return {time.kind, own_time}; }
  /// Null when the instance is not known.
  Instance* instance(Handle) noexcept;
  void discover(Handle object, Handle object_class, std::string instance_name);
  /// A new instance: the federate owns the attributes that it publishes.
  void registered(Handle object, Handle object_class, std::string instance_name);
  void forget(Handle object);
  void forget_until(Handle object, Stamp, std::uint32_t retraction_number);
  /// Restores the instance after the message that deleted it was retracted.
  void revive(std::uint32_t retraction_number);

  bool publishes(Handle object_class) const noexcept { return published.contains(object_class); }
  bool publishes(Handle object_class, Handle attribute) const noexcept;
  void publish(Handle object_class, const Numbers& attributes);
  /// Attributes that are no longer published are no longer owned. No list: the whole class.
  void unpublish(Handle object_class, const std::optional<Numbers>& attributes);

  void acquire(Handle object, const Numbers& attributes);
  void divest(Handle object, const Numbers& attributes);
  /// Changes the order of attributes that are owned.
  void reorder(Handle object, const Numbers& attributes, bool time_stamped);

  /// Whether everything that the state refers to is in the FOM.
  bool can_be(const federation::MemberState&) const noexcept;
  void restore(federation::MemberState&&);

  // ---- what services change once served, requested by the federate or on its behalf
  void done(const federation::SaveBegun&) { saving = Saving::begun; }
  void done(const federation::SaveDone&) { saving = Saving::done; }
  void done(const federation::RestoreDone&) { restoring = Restoring::done; }
  void done(const federation::PublishAttributes& m) { publish(m.object_class, m.attributes); }
  void done(const federation::UnpublishAttributes& m) { unpublish(m.object_class, m.attributes); }
  void done(const federation::PublishInteraction&);
  void done(const federation::UnpublishInteraction& m) {
    published_interactions.erase(m.interaction_class);
  }
  void done(const federation::DeleteObject&);
  void done(const federation::LocalDelete& m) { forget(m.object); }
  void done(const federation::DivestUnconditionally& m) { divest(m.object, m.attributes); }
  void done(const federation::EnableRegulation&);
  void done(const federation::DisableRegulation&) { time.regulating = false; }
  void done(const federation::EnableConstrained&) { time.constrained_pending = true; }
  void done(const federation::DisableConstrained&) { time.constrained = false; }
  void done(const federation::Advance& m) { time.ask(m.how, m.time); }
  void done(const federation::EnableAsynchronous&) { time.asynchronous = true; }
  void done(const federation::DisableAsynchronous&) { time.asynchronous = false; }
  void done(const federation::ModifyLookahead& m) { time.modify(m.lookahead); }
  void done(const federation::ChangeAttributeOrder&);
  void done(const federation::ChangeInteractionOrder&);
  // these change nothing that is stored here
  void done(const federation::AchieveSynchronization&) {}
  void done(const federation::SubscribeAttributes&) {}
  void done(const federation::UnsubscribeAttributes&) {}
  void done(const federation::SubscribeInteraction&) {}
  void done(const federation::UnsubscribeInteraction&) {}
  void done(const federation::ChangeAttributeTransportation&) {}
  void done(const federation::ChangeInteractionTransportation&) {}
  /// Applies the request in a frame. False when it cannot be decoded.
  bool done(federation::Bytes request);
};

}  // namespace vernier::hla
