#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "vernier/gateway/federation/core.hpp"
#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// A federate's subscription to one attribute at one class.
struct AttributeSubscription {
  Handle attribute = 0;
  bool plain = false;  // without regions
  bool active = false;
  Handle rate = 0;  // index of the update rate + 1; 0: all updates
  Numbers regions;
  VERNIER_FIELDS(attribute, plain, active, rate, regions)
};

struct ObjectDeclaration {
  Numbers published;                // ascending
  bool explicit_privilege = false;  // else HLAprivilegeToDeleteObject follows the others
  std::vector<AttributeSubscription> subscribed;  // by attribute, ascending
  bool wanted = false;                            // was told to start registration
  VERNIER_FIELDS(published, explicit_privilege, subscribed, wanted)

  AttributeSubscription* subscription(Handle attribute) noexcept {
    const auto at =
        std::lower_bound(subscribed.begin(), subscribed.end(), attribute,
                         [](const AttributeSubscription& s, Handle a) { return s.attribute < a; });
    return at != subscribed.end() && at->attribute == attribute ? &*at : nullptr;
  }
};

struct InteractionDeclaration {
  bool published = false;
  bool plain = false, active = false;  // plain: subscribed without regions
  Numbers regions;                     // subscribed with these
  bool wanted = false;                 // was told to turn interactions on
  Order order{};                       // as it sends them
  Handle transportation = 0;
  VERNIER_FIELDS(published, plain, active, regions, wanted, order, transportation)

  bool subscribed() const noexcept { return plain || !regions.empty(); }
};

/// Counts messages by class and transportation, for the Management Object Model.
class Tally {
 public:
  void resize(std::size_t classes, std::size_t transportations) {
    std::vector<std::uint64_t> grown(classes * transportations);
    for (std::size_t c = 0; c * transportations_ < counts_.size(); ++c) {
      for (std::size_t t = 0; t < transportations_; ++t)
        grown[c * transportations + t] = counts_[c * transportations_ + t];
    }
    counts_ = std::move(grown);
    transportations_ = transportations;
  }
  /// The counter of a class and a transportation. Valid until resize().
  std::uint64_t& of(Handle of_class, Handle transportation) {
    return counts_[(of_class - 1) * transportations_ + (transportation - 1)];
  }
  std::uint64_t of(Handle of_class, Handle transportation) const {
    return counts_[(of_class - 1) * transportations_ + (transportation - 1)];
  }
  std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t c : counts_) sum += c;
    return sum;
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::size_t transportations_ = 1;
};

/// Event counts since the federate joined.
struct Counters {
  Tally updates_sent, reflections_received;        // by the class registered
  Tally interactions_sent, interactions_received;  // by the class sent
  std::uint64_t registered = 0, deleted = 0, discovered = 0, removed = 0;
};

/// A joined federate.
struct Federate {
  Handle handle = 0;
  std::string name, type;
  std::vector<std::string> modules;  // that it brought when it joined
  ResignAction resign{};
  std::array<bool, 4> switches{};  // in the order of enum Switch
  bool convey_producer = false, convey_regions = false;
  bool service_reporting = false, exception_reporting = false;
  /// By handle; index 0 is unused.
  std::vector<ObjectDeclaration> objects;
  std::vector<InteractionDeclaration> interactions;
  VERNIER_FIELDS(handle, name, type, modules, resign, switches[0], switches[1], switches[2],
                 switches[3], convey_producer, convey_regions, service_reporting,
                 exception_reporting, objects, interactions)

  Peer* peer = nullptr;
  Connection connection = 0;
  Counters counters;
  SaveStatus saving{};
  RestoreStatus restoring{};
  std::vector<Frame> waiting;  // messages kept until it has saved or restored
  std::size_t waiting_bytes = 0;
  // since when it has been inactive with too many messages waiting
  std::uint64_t moves_seen = 0;
  std::chrono::steady_clock::time_point moved{};
  Handle restored_as = 0;  // its handle after the restore

  bool is_on(Switch s) const noexcept { return switches[static_cast<std::size_t>(s)]; }
};

}  // namespace vernier::federation
