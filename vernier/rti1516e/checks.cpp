#include "vernier/rti1516e/checks.hpp"

#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>

#include <algorithm>
#include <bit>
#include <typeinfo>

#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {

using namespace ::rti1516e;
using federation::Failure;

namespace {

std::string quoted(const std::string& s) { return "'" + s + "'"; }

/// The object as a T, or null; fast when its type is exactly T.
template <class T, class Base>
const T* as(const Base& b) noexcept {
  return typeid(b) == typeid(T) ? static_cast<const T*>(&b) : dynamic_cast<const T*>(&b);
}

/// The bits of a non-negative double order like the number itself. Adding 0 turns -0 into 0.
Stamp stamp(double d) noexcept { return {std::bit_cast<std::int64_t>(d + 0.0)}; }

}  // namespace

federation::Blob blob(const VariableLengthData& d) {
  const Bytes b = bytes(d);
  return {b.begin(), b.end()};
}

Handle defined(const JoinedFederate& m, const ObjectClassHandle& h) {
  const Handle c = number(h);
  if (!m.fom.is_object_class(c))
    raise(Failure::ObjectClassNotDefined, "no object class has this handle");
  return c;
}

Handle defined(const JoinedFederate& m, const InteractionClassHandle& h) {
  const Handle c = number(h);
  if (!m.fom.is_interaction_class(c))
    raise(Failure::InteractionClassNotDefined, "no interaction class has this handle");
  return c;
}

Handle defined(const JoinedFederate& m, Handle c, const AttributeHandle& h) {
  const Handle a = number(h);
  if (!m.fom.has_attribute(c, a))
    raise(
        Failure::AttributeNotDefined,
        (m.fom.is_attribute(a) ? "attribute " + quoted(m.fom.attribute(a).name) + " is not one of "
                               : std::string("the handle is of no attribute of ")) +
            m.fom.object_class(c).path);
  return a;
}

Numbers defined(const JoinedFederate& m, Handle c, const AttributeHandleSet& all) {
  Numbers n;
  n.reserve(all.size());
  for (const AttributeHandle& h : all) n.push_back(defined(m, c, h));
  return n;
}

Instance& known(JoinedFederate& m, const ObjectInstanceHandle& h) {
  Instance* i = m.instance(number(h));
  if (!i)
    raise(Failure::ObjectInstanceNotKnown, "the federate knows no object instance of this handle");
  return *i;
}

void require_owned(const JoinedFederate& m, const Instance& i, const Numbers& attributes) {
  for (const Handle a : attributes)
    if (!i.owns(a))
      raise(Failure::AttributeNotOwned, "the federate does not own attribute " +
                                            quoted(m.fom.attribute(a).name) + " of " +
                                            quoted(i.name));
}

Numbers owned(const JoinedFederate& m, const Instance& i, const AttributeHandleSet& all) {
  Numbers n = defined(m, i.object_class, all);
  require_owned(m, i, n);
  return n;
}

Region& known_region(JoinedFederate& m, const RegionHandle& h) {
  const auto at = m.regions.find(number(h));
  if (at == m.regions.end()) raise(Failure::InvalidRegion, "no region has this handle");
  return at->second;
}

Region& own_region(JoinedFederate& m, const RegionHandle& h) {
  Region& r = known_region(m, h);
  if (!r.mine)
    raise(Failure::RegionNotCreatedByThisFederate, "the region was created by another federate");
  return r;
}

Numbers regions_within(JoinedFederate& m, const RegionHandleSet& all, const Numbers& available) {
  for (const RegionHandle& h : all)
    for (const federation::Bounds& b : own_region(m, h).bounds)
      if (std::find(available.begin(), available.end(), b.dimension) == available.end())
        raise(Failure::InvalidRegionContext,
              "dimension " + quoted(m.fom.dimension(b.dimension).name) + " is not available here");
  return numbers(all);
}

std::vector<federation::InRegions> parts_of(
    JoinedFederate& m, Handle c, const AttributeHandleSetRegionHandleSetPairVector& pairs,
    bool with_context) {
  std::vector<federation::InRegions> parts;
  for (const auto& [attributes, regions] : pairs)
    parts.push_back({defined(m, c, attributes), numbers(regions)});
  for (const auto& [attributes, regions] : pairs) {
    for (const RegionHandle& h : regions) own_region(m, h);
    if (!with_context) continue;
    for (const AttributeHandle& a : attributes)
      regions_within(m, regions, m.fom.attribute(number(a)).dimensions);
  }
  return parts;
}

std::vector<federation::InRegions> parts_of(const JoinedFederate& m, Handle c,
                                            const AttributeHandleSet& attributes) {
  std::vector<federation::InRegions> parts(1);
  parts[0].attributes = defined(m, c, attributes);
  return parts;
}

Stamp stamp_of(const JoinedFederate& m, const LogicalTime& t) {
  if (m.own_time) {
    if (const auto n = m.own_time->count(t)) return {*n};
    raise(Failure::InvalidLogicalTime,
          narrow(t.toString()) + " is not a time of this federation, which are " +
              narrow(m.own_time->name()) + ", by whole epsilons from the initial one on");
  }
  if (m.time.kind == TimeKind::integer64) {
    if (const auto* i = as<HLAinteger64Time>(t))
      if (const Stamp s{i->getTime()}; federation::valid(m.time.kind, s)) return s;
  } else if (const auto* f = as<HLAfloat64Time>(t)) {
    if (const Stamp s = stamp(f->getTime()); federation::valid(m.time.kind, s)) return s;
  }
  raise(Failure::InvalidLogicalTime, narrow(t.toString()) +
                                         " is not a time of this federation, which are " +
                                         narrow(name_of(m.time.kind)) + ", from zero on");
}

Stamp span_of(const JoinedFederate& m, const LogicalTimeInterval& t) {
  if (m.own_time) {
    if (const auto n = m.own_time->count(t)) return {*n};
  } else if (m.time.kind == TimeKind::integer64) {
    if (const auto* i = as<HLAinteger64Interval>(t))
      if (const Stamp s{i->getInterval()}; federation::valid(m.time.kind, s)) return s;
  } else if (const auto* f = as<HLAfloat64Interval>(t)) {
    if (const Stamp s = stamp(f->getInterval()); federation::valid(m.time.kind, s)) return s;
  }
  raise(Failure::InvalidLookahead, narrow(t.toString()) + " is not a lookahead of this federation");
}

void assign(LogicalTime& to, const TimeClass& type, Stamp s) try {
  if (type.own && to.implementationName() != type.own->name())
    throw InvalidLogicalTime(to.implementationName() + L" is not " + type.own->name());
  if (type.own)
    type.own->set(to, s.raw);
  else if (type.kind == TimeKind::integer64)
    to = static_cast<const LogicalTime&>(HLAinteger64Time(s.raw));
  else
    to = static_cast<const LogicalTime&>(HLAfloat64Time(std::bit_cast<double>(s.raw)));
} catch (const InvalidLogicalTime& e) {
  raise(Failure::RTIinternalError, narrow(e.what()));
}

void assign(LogicalTimeInterval& to, const TimeClass& type, Stamp s) try {
  if (type.own && to.implementationName() != type.own->name())
    throw InvalidLogicalTimeInterval(to.implementationName() + L" is not " + type.own->name());
  if (type.own)
    type.own->set(to, s.raw);
  else if (type.kind == TimeKind::integer64)
    to = static_cast<const LogicalTimeInterval&>(HLAinteger64Interval(s.raw));
  else
    to = static_cast<const LogicalTimeInterval&>(HLAfloat64Interval(std::bit_cast<double>(s.raw)));
} catch (const InvalidLogicalTimeInterval& e) {
  raise(Failure::RTIinternalError, narrow(e.what()));
}

const wchar_t* name_of(TimeKind k) noexcept {
  return k == TimeKind::integer64 ? L"HLAinteger64Time" : L"HLAfloat64Time";
}

Handle transportation_of(const JoinedFederate& m, TransportationType t) {
  const Handle h = t == RELIABLE      ? m.fom.transportation("HLAreliable")
                   : t == BEST_EFFORT ? m.fom.best_effort()
                                      : 0;
  if (!h) raise(Failure::InvalidTransportationType, "there is no such transportation type");
  return h;
}

TransportationType transportation_of(const JoinedFederate& m, Handle h) noexcept {
  return h != 0 && h == m.fom.best_effort() ? BEST_EFFORT : RELIABLE;
}

federation::Order order_of(OrderType o) {
  if (o != RECEIVE && o != TIMESTAMP) raise(Failure::InvalidOrderType, "there is no such order");
  return o == TIMESTAMP ? federation::Order::time_stamp : federation::Order::receive;
}

}  // namespace vernier::hla
