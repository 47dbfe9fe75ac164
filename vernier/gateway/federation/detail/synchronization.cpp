// Synchronization points: IEEE 1516.1-2010, 4.11 to 4.15.
#include <algorithm>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

using detail::refuse;

// registerFederationSynchronizationPoint (4.11)
void Federation::take(Federate& f, const RegisterSynchronization& m) {
  if (m.label.size() > limits.name_bytes)
    refuse(Failure::RTIinternalError,
           "The label is longer than " + std::to_string(limits.name_bytes) + " bytes");
  check_tag(m.tag);
  if (points_.size() >= limits.points)
    refuse(Failure::RTIinternalError, "The federation takes no more synchronization points");
  keep_entries(1, m.label.size() + m.tag.size() + joined_.size() * sizeof(Point::Participant));
  SynchronizationFailure failure{};
  Point p;
  p.tag = m.tag;
  p.all = !m.federates || m.federates->empty();
  if (points_.contains(m.label)) {
    failure = SynchronizationFailure::label_in_use;
  } else if (p.all) {
    for (const Federate* member : joined_) p.members.push_back({member->handle});
  } else {
    Numbers given = *m.federates;
    std::sort(given.begin(), given.end());
    given.erase(std::unique(given.begin(), given.end()), given.end());
    for (const Handle h : given) {
      if (!federate(h)) failure = SynchronizationFailure::member_unknown;
      p.members.push_back({h});
    }
  }
  tell(f, SynchronizationRegistered{m.label, failure});
  if (failure != SynchronizationFailure::none) return;
  const Frame announcement = frame(AnnounceSynchronization{m.label, m.tag});
  for (const Point::Participant& member : p.members) send(*federate(member.federate), announcement);
  points_.emplace(m.label, std::move(p));
  if (observer_) observer_->changed();
}

void Federation::announce_points(Federate& f) {
  for (auto& [label, p] : points_) {
    if (!p.all) continue;
    p.members.push_back({f.handle});
    tell(f, AnnounceSynchronization{label, p.tag});
  }
}

// synchronizationPointAchieved (4.14)
void Federation::take(Federate& f, const AchieveSynchronization& m) {
  const auto at = points_.find(m.label);
  Point::Participant* member = nullptr;
  if (at != points_.end()) {
    for (Point::Participant& one : at->second.members) {
      if (one.federate == f.handle && !one.achieved) member = &one;
    }
  }
  if (!member)
    refuse(Failure::SynchronizationPointLabelNotAnnounced,
           "No synchronization point '" + m.label + "' waits for this federate");
  member->achieved = true;
  member->success = m.success;
  complete_point(m.label);
  if (observer_) observer_->changed();
}

/// Completes the point when all its federates have achieved it.
void Federation::complete_point(const std::string& label) {
  const auto at = points_.find(label);
  const Point& p = at->second;
  if (!std::all_of(p.members.begin(), p.members.end(),
                   [](const Point::Participant& m) { return m.achieved; }))
    return;
  Synchronized m{label, {}};
  for (const Point::Participant& one : p.members) {
    if (!one.success) m.failed.push_back(one.federate);
  }
  const Frame done = frame(m);
  for (const Point::Participant& one : p.members) send(*federate(one.federate), done);
  kept_gone_ += label.size() + at->second.tag.size();
  points_.erase(at);
}

void Federation::leave_points(Handle federate) {
  std::vector<std::string> labels;
  for (auto& [label, p] : points_) {
    if (std::erase_if(p.members,
                      [&](const Point::Participant& m) { return m.federate == federate; }))
      labels.push_back(label);
  }
  for (const std::string& label : labels) complete_point(label);
}

}  // namespace vernier::federation
