#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/detail/octets.hpp"
#include "vernier/gateway/fom/writer.hpp"

namespace vernier::federation {

using detail::Octets;

namespace {

constexpr std::string_view rti_version = "Vernier";

std::uint64_t milliseconds(std::chrono::steady_clock::duration d) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(d).count());
}

std::uint64_t summed(const std::map<Handle, std::uint64_t>& counts) {
  std::uint64_t all = 0;
  for (const auto& [of, n] : counts) all += n;
  return all;
}

}  // namespace

const std::vector<Mom::Entry>& Mom::federate_entries() {
  using S = const Subject&;
  using enum Update;
  static const std::vector<Entry> all{
      {"HLAfederateHandle", [](S s, Octets& o) { o.handle(s.federate->handle); }, fixed},
      {"HLAfederateName", [](S s, Octets& o) { o.text(s.federate->name); }, fixed},
      {"HLAfederateType", [](S s, Octets& o) { o.text(s.federate->type); }, fixed},
      {"HLAfederateHost", [](S s, Octets& o) { o.text(s.federate->peer->host()); }, fixed},
      {"HLARTIversion", [](S, Octets& o) { o.text(rti_version); }, fixed},
      {"HLAFOMmoduleDesignatorList", [](S s, Octets& o) { o.texts(s.federate->modules); }, fixed},
      {"HLAtimeConstrained", [](S s, Octets& o) { o.truth(s.time.constrained); }, conditional},
      {"HLAtimeRegulating", [](S s, Octets& o) { o.truth(s.time.regulating); }, conditional},
      {"HLAasynchronousDelivery", [](S s, Octets& o) { o.truth(s.time.asynchronous); },
       conditional},
      {"HLAfederateState",
       [](S s, Octets& o) {
         const Federation& f = s.mom.federation_;
         o.number(f.saving() ? 3 : f.restoring() ? 5 : 1);
       },
       conditional},
      {"HLAtimeManagerState", [](S s, Octets& o) { o.number(s.time.advancing ? 1 : 0); },
       conditional},
      {"HLAlogicalTime", [](S s, Octets& o) { o.time(s.time.time); }, periodic},
      {"HLAlookahead",
       [](S s, Octets& o) {
         o.time(s.time.regulating ? std::optional(s.time.lookahead) : std::nullopt);
       },
       periodic},
      {"HLAGALT", [](S s, Octets& o) { o.time(s.time.galt); }, periodic},
      {"HLALITS", [](S s, Octets& o) { o.time(s.time.lits); }, periodic},
      {"HLAROlength", [](S s, Octets& o) { o.count(s.time.receive_queue); }, periodic},
      {"HLATSOlength", [](S s, Octets& o) { o.count(s.time.stamp_queue); }, periodic},
      {"HLAreflectionsReceived",
       [](S s, Octets& o) { o.count(s.federate->counters.reflections_received.total()); },
       periodic},
      {"HLAupdatesSent", [](S s, Octets& o) { o.count(s.federate->counters.updates_sent.total()); },
       periodic},
      {"HLAinteractionsReceived",
       [](S s, Octets& o) { o.count(s.federate->counters.interactions_received.total()); },
       periodic},
      {"HLAinteractionsSent",
       [](S s, Octets& o) { o.count(s.federate->counters.interactions_sent.total()); }, periodic},
      {"HLAobjectInstancesThatCanBeDeleted",
       [](S s, Octets& o) { o.count(summed(s.mom.deletable(*s.federate))); }, periodic},
      {"HLAobjectInstancesUpdated",
       [](S s, Octets& o) { o.count(summed(s.mom.instances_of(*s.federate, &Known::updated))); },
       periodic},
      {"HLAobjectInstancesReflected",
       [](S s, Octets& o) { o.count(summed(s.mom.instances_of(*s.federate, &Known::reflected))); },
       periodic},
      {"HLAobjectInstancesDeleted", [](S s, Octets& o) { o.count(s.federate->counters.deleted); },
       periodic},
      {"HLAobjectInstancesRemoved", [](S s, Octets& o) { o.count(s.federate->counters.removed); },
       periodic},
      {"HLAobjectInstancesRegistered",
       [](S s, Octets& o) { o.count(s.federate->counters.registered); }, periodic},
      {"HLAobjectInstancesDiscovered",
       [](S s, Octets& o) { o.count(s.federate->counters.discovered); }, periodic},
      {"HLAtimeGrantedTime",
       [](S s, Octets& o) { o.count(milliseconds(spent(*s.watched, false))); }, periodic},
      {"HLAtimeAdvancingTime",
       [](S s, Octets& o) { o.count(milliseconds(spent(*s.watched, true))); }, periodic},
      {"HLAconveyRegionDesignatorSets", [](S s, Octets& o) { o.truth(s.federate->convey_regions); },
       conditional},
      {"HLAconveyProducingFederate", [](S s, Octets& o) { o.truth(s.federate->convey_producer); },
       conditional},
  };
  return all;
}

const std::vector<Mom::Entry>& Mom::federation_entries() {
  using S = const Subject&;
  using enum Update;
  static const std::vector<Entry> all{
      {"HLAfederationName", [](S s, Octets& o) { o.text(s.mom.federation_.name()); }, fixed},
      {"HLAfederatesInFederation",
       [](S s, Octets& o) {
         Numbers members;
         for (const Federate* f : s.mom.federation_.federates()) members.push_back(f->handle);
         o.handles(members);
       },
       conditional},
      {"HLARTIversion", [](S, Octets& o) { o.text(rti_version); }, fixed},
      {"HLAMIMdesignator",
       [](S s, Octets& o) {
         const auto& mim = s.mom.federation_.mim();
         o.text(mim ? mim->name : "HLAstandardMIM");
       },
       fixed},
      {"HLAFOMmoduleDesignatorList",
       [](S s, Octets& o) {
         std::vector<std::string> names;
         for (const Document& d : s.mom.federation_.documents()) names.push_back(d.name);
         o.texts(names);
       },
       conditional},
      {"HLAcurrentFDD",
       [](S s, Octets& o) {
         o.text(fom::written(s.mom.federation_.fom(), s.mom.federation_.name(), true));
       },
       conditional},
      {"HLAtimeImplementationName",
       [](S s, Octets& o) {
         const Federation& f = s.mom.federation_;
         o.text(!f.own_time().empty()                  ? f.own_time()
                : f.time_kind() == TimeKind::integer64 ? "HLAinteger64Time"
                                                       : "HLAfloat64Time");
       },
       fixed},
      {"HLAlastSaveName", [](S s, Octets& o) { o.text(s.mom.federation_.last_save()); },
       conditional},
      {"HLAlastSaveTime", [](S s, Octets& o) { o.time(s.mom.federation_.last_save_time()); },
       conditional},
      {"HLAnextSaveName", [](S s, Octets& o) { o.text(s.mom.federation_.next_save()); },
       conditional},
      {"HLAnextSaveTime", [](S s, Octets& o) { o.time(s.mom.federation_.next_save_time()); },
       conditional},
      {"HLAautoProvide", [](S s, Octets& o) { o.truth(s.mom.federation_.auto_provide()); },
       conditional},
  };
  return all;
}

/// The time spent granted or advancing since the last query; at first since the federate joined.
Mom::Clock::duration Mom::spent(Watched& w, bool advancing) {
  const auto now = Clock::now();
  (w.advancing ? w.advanced : w.granted) += now - std::exchange(w.since, now);
  return std::exchange(advancing ? w.advanced : w.granted, {});
}

}  // namespace vernier::federation
