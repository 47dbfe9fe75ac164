#include <algorithm>

#include "vernier/document/document.hpp"
#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/detail/octets.hpp"
#include "vernier/gateway/fom/reader.hpp"

namespace vernier::federation {

using detail::OctetReader;
using detail::Octets;

// ---- counts

std::map<Handle, std::uint64_t> Mom::deletable(const Federate& f) const {
  std::map<Handle, std::uint64_t> counts;
  federation_.instances().each([&](Instance& i) {
    const Slot* s = i.slot(privilege_);
    if (s && s->owner == f.handle && i.deleted_by == 0) ++counts[i.object_class];
  });
  return counts;
}

std::map<Handle, std::uint64_t> Mom::instances_of(const Federate& f, bool Known::*which) const {
  std::map<Handle, std::uint64_t> counts;
  federation_.instances().each([&](Instance& i) {
    const Known* k = i.known_by(f.handle);
    if (k && k->*which) ++counts[i.object_class];
  });
  return counts;
}

void Mom::report_counts(const Federate& f, std::string_view name, std::string_view parameter,
                        const std::map<Handle, std::uint64_t>& counts,
                        std::string_view transportation) {
  Octets o;
  o.number(static_cast<std::uint32_t>(counts.size()));
  for (const auto& [of, n] : counts) o.handle(of).count(n);
  Named parameters{{parameter, o.take()}};
  if (!transportation.empty())
    parameters.emplace_back("HLAtransportation", Octets{}.text(transportation).take());
  report_federate(name, f, std::move(parameters));
}

/// Sends one report for each transportation.
void Mom::report_tally(const Federate& f, std::string_view name, std::string_view parameter,
                       const Tally& tally, std::size_t classes) {
  const auto& transportations = federation_.tables().transportations;
  for (std::size_t t = 1; t <= transportations.size(); ++t) {
    std::map<Handle, std::uint64_t> counts;
    for (std::size_t c = 1; c <= classes; ++c) {
      const auto n = tally.of(static_cast<Handle>(c), static_cast<Handle>(t));
      if (n > 0) counts[static_cast<Handle>(c)] = n;
    }
    report_counts(f, name, parameter, counts, transportations[t - 1]);
  }
}

// ---- declarations

void Mom::report_publications(const Federate& f) {
  std::uint64_t classes = 0;
  for (const ObjectDeclaration& d : f.objects) classes += d.published.empty() ? 0 : 1;
  const auto one = [&](Handle c, const Numbers& attributes) {
    report_federate("HLAreportObjectClassPublication", f,
                    {{"HLAnumberOfClasses", Octets{}.count(classes).take()},
                     {"HLAobjectClass", Octets{}.handle(c).take()},
                     {"HLAattributeList", Octets{}.handles(attributes).take()}});
  };
  for (std::size_t c = 1; c < f.objects.size(); ++c) {
    if (!f.objects[c].published.empty()) one(static_cast<Handle>(c), f.objects[c].published);
  }
  if (classes == 0)
    report_federate("HLAreportObjectClassPublication", f,
                    {{"HLAnumberOfClasses", Octets{}.count(0).take()}});
  Numbers interactions;
  for (std::size_t c = 1; c < f.interactions.size(); ++c) {
    if (f.interactions[c].published) interactions.push_back(static_cast<Handle>(c));
  }
  report_federate("HLAreportInteractionPublication", f,
                  {{"HLAinteractionClassList", Octets{}.handles(interactions).take()}});
}

void Mom::report_subscriptions(const Federate& f) {
  // attributes of one class with the same kind of subscription
  struct Like {
    Handle of;
    bool active;
    Handle rate;
    auto operator<=>(const Like&) const = default;
  };
  std::map<Like, Numbers> all;
  for (std::size_t c = 1; c < f.objects.size(); ++c) {
    for (const AttributeSubscription& s : f.objects[c].subscribed)
      all[{static_cast<Handle>(c), s.active, s.rate}].push_back(s.attribute);
  }
  const std::size_t classes = all.size();
  if (all.empty())
    report_federate("HLAreportObjectClassSubscription", f,
                    {{"HLAnumberOfClasses", Octets{}.count(0).take()}});
  const auto& rates = federation_.tables().rates;
  for (const auto& [like, attributes] : all) {
    const std::string rate = like.rate == 0 ? std::string() : rates[like.rate - 1].name;
    report_federate("HLAreportObjectClassSubscription", f,
                    {{"HLAnumberOfClasses", Octets{}.count(classes).take()},
                     {"HLAobjectClass", Octets{}.handle(like.of).take()},
                     {"HLAactive", Octets{}.truth(like.active).take()},
                     {"HLAmaxUpdateRate", Octets{}.text(rate).take()},
                     {"HLAattributeList", Octets{}.handles(attributes).take()}});
  }
  Octets list;
  std::uint32_t count = 0;
  for (const InteractionDeclaration& d : f.interactions) count += d.subscribed() ? 1 : 0;
  list.number(count);
  for (std::size_t c = 1; c < f.interactions.size(); ++c) {
    const InteractionDeclaration& d = f.interactions[c];
    if (d.subscribed()) list.handle(static_cast<Handle>(c)).truth(d.active);
  }
  report_federate("HLAreportInteractionSubscription", f,
                  {{"HLAinteractionClassList", list.take()}});
}

void Mom::report_instance(const Federate& f, Handle object) {
  Instance* i = federation_.instance(object);
  const Known* k = i ? i->known_by(f.handle) : nullptr;
  if (!k) {
    report_federate("HLAreportObjectInstanceInformation", f,
                    {{"HLAobjectInstance", Octets{}.handle(object).take()},
                     {"HLAownedInstanceAttributeList", Octets{}.handles({}).take()}});
    return;
  }
  Numbers owned;
  for (const Slot& s : i->slots) {
    if (s.owner == f.handle) owned.push_back(s.attribute);
  }
  report_federate("HLAreportObjectInstanceInformation", f,
                  {{"HLAobjectInstance", Octets{}.handle(object).take()},
                   {"HLAownedInstanceAttributeList", Octets{}.handles(owned).take()},
                   {"HLAregisteredClass", Octets{}.handle(i->object_class).take()},
                   {"HLAknownClass", Octets{}.handle(k->object_class).take()}});
}

// ---- requests

const std::map<std::string_view, Mom::Act>& Mom::requests() {
  static const std::map<std::string_view, Act> all{
      {"HLAfederate.HLArequest.HLArequestPublications",
       [](Call& c) { c.mom.report_publications(*c.target); }},
      {"HLAfederate.HLArequest.HLArequestSubscriptions",
       [](Call& c) { c.mom.report_subscriptions(*c.target); }},
      {"HLAfederate.HLArequest.HLArequestObjectInstancesThatCanBeDeleted",
       [](Call& c) {
         c.mom.report_counts(*c.target, "HLAreportObjectInstancesThatCanBeDeleted",
                             "HLAobjectInstanceCounts", c.mom.deletable(*c.target));
       }},
      {"HLAfederate.HLArequest.HLArequestObjectInstancesUpdated",
       [](Call& c) {
         c.mom.report_counts(*c.target, "HLAreportObjectInstancesUpdated",
                             "HLAobjectInstanceCounts",
                             c.mom.instances_of(*c.target, &Known::updated));
       }},
      {"HLAfederate.HLArequest.HLArequestObjectInstancesReflected",
       [](Call& c) {
         c.mom.report_counts(*c.target, "HLAreportObjectInstancesReflected",
                             "HLAobjectInstanceCounts",
                             c.mom.instances_of(*c.target, &Known::reflected));
       }},
      {"HLAfederate.HLArequest.HLArequestUpdatesSent",
       [](Call& c) {
         c.mom.report_tally(*c.target, "HLAreportUpdatesSent", "HLAupdateCounts",
                            c.target->counters.updates_sent,
                            c.mom.federation_.tables().object_classes.size());
       }},
      {"HLAfederate.HLArequest.HLArequestReflectionsReceived",
       [](Call& c) {
         c.mom.report_tally(*c.target, "HLAreportReflectionsReceived", "HLAreflectCounts",
                            c.target->counters.reflections_received,
                            c.mom.federation_.tables().object_classes.size());
       }},
      {"HLAfederate.HLArequest.HLArequestInteractionsSent",
       [](Call& c) {
         c.mom.report_tally(*c.target, "HLAreportInteractionsSent", "HLAinteractionCounts",
                            c.target->counters.interactions_sent,
                            c.mom.federation_.tables().interaction_classes.size());
       }},
      {"HLAfederate.HLArequest.HLArequestInteractionsReceived",
       [](Call& c) {
         c.mom.report_tally(*c.target, "HLAreportInteractionsReceived", "HLAinteractionCounts",
                            c.target->counters.interactions_received,
                            c.mom.federation_.tables().interaction_classes.size());
       }},
      {"HLAfederate.HLArequest.HLArequestObjectInstanceInformation",
       [](Call& c) {
         c.mom.report_instance(*c.target, c.get("HLAobjectInstance", &OctetReader::handle));
       }},
      {"HLAfederate.HLArequest.HLArequestFOMmoduleData",
       [](Call& c) {
         const std::uint32_t n = c.get("HLAFOMmoduleIndicator", &OctetReader::number);
         if (n >= c.target->modules.size())
           throw WrongParameter{"HLAFOMmoduleIndicator is not the number of a module"};
         std::string text;
         for (const Document& d : c.mom.federation_.documents()) {
           if (d.name == c.target->modules[n]) text = d.text;
         }
         c.mom.report_federate("HLAreportFOMmoduleData", *c.target,
                               {{"HLAFOMmoduleIndicator", Octets{}.number(n).take()},
                                {"HLAFOMmoduleData", Octets{}.text(text).take()}});
       }},
      {"HLAfederation.HLArequest.HLArequestFOMmoduleData",
       [](Call& c) {
         const std::uint32_t n = c.get("HLAFOMmoduleIndicator", &OctetReader::number);
         const auto& documents = c.mom.federation_.documents();
         if (n >= documents.size())
           throw WrongParameter{"HLAFOMmoduleIndicator is not the number of a module"};
         c.mom.report("HLAfederation.HLAreport.HLAreportFOMmoduleData",
                      {{"HLAFOMmoduleIndicator", Octets{}.number(n).take()},
                       {"HLAFOMmoduleData", Octets{}.text(documents[n].text).take()}});
       }},
      {"HLAfederation.HLArequest.HLArequestMIMdata",
       [](Call& c) {
         const auto& mim = c.mom.federation_.mim();
         const std::string& text = mim ? mim->text : fom::standard_mim().source->content();
         c.mom.report("HLAfederation.HLAreport.HLAreportMIMdata",
                      {{"HLAMIMdata", Octets{}.text(text).take()}});
       }},
      {"HLAfederation.HLArequest.HLArequestSynchronizationPoints",
       [](Call& c) {
         std::vector<std::string> labels;
         for (const auto& [label, point] : c.mom.federation_.points()) labels.push_back(label);
         c.mom.report("HLAfederation.HLAreport.HLAreportSynchronizationPoints",
                      {{"HLAsyncPoints", Octets{}.texts(labels).take()}});
       }},
      {"HLAfederation.HLArequest.HLArequestSynchronizationPointStatus",
       [](Call& c) {
         // the standard MIM lacks this parameter: then report all points
         const bool named = c.has("HLAsyncPointName");
         const std::string wanted = named ? c.get("HLAsyncPointName", &OctetReader::text) : "";
         const auto& points = c.mom.federation_.points();
         if (named && !points.contains(wanted))
           throw WrongParameter{"HLAsyncPointName is not a synchronization point in progress"};
         for (const auto& [label, point] : points) {
           if (named && label != wanted) continue;
           Octets o;
           o.number(static_cast<std::uint32_t>(point.members.size()));
           // MovingToSynchPoint, WaitingForRestOfFederation
           for (const auto& m : point.members) o.handle(m.federate).number(m.achieved ? 3 : 2);
           c.mom.report("HLAfederation.HLAreport.HLAreportSynchronizationPointStatus",
                        {{"HLAsyncPointName", Octets{}.text(label).take()},
                         {"HLAsyncPointFederates", o.take()}});
         }
       }},
  };
  return all;
}

}  // namespace vernier::federation
