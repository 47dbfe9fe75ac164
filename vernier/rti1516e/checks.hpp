#pragma once

#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeInterval.h>
#include <RTI/Typedefs.h>

#include <vector>

#include "vernier/rti1516e/handles.hpp"
#include "vernier/rti1516e/joined_federate.hpp"

/// Conversions and checks of arguments; each throws the exception of the standard.
namespace vernier::hla {

inline Bytes bytes(const ::rti1516e::VariableLengthData& d) noexcept {
  return {static_cast<const std::byte*>(d.data()), d.size()};
}
federation::Blob blob(const ::rti1516e::VariableLengthData&);

template <class Set>
Numbers numbers(const Set& handles) {
  Numbers n;
  n.reserve(handles.size());
  for (const auto& h : handles) n.push_back(number(h));
  return n;
}
template <class H>
std::set<H> handles(const Numbers& all) {
  std::set<H> s;
  for (const Handle h : all) s.insert(s.end(), handle<H>(h));
  return s;
}

/// Throws ObjectClassNotDefined.
Handle defined(const JoinedFederate&, const ::rti1516e::ObjectClassHandle&);
/// Throws InteractionClassNotDefined.
Handle defined(const JoinedFederate&, const ::rti1516e::InteractionClassHandle&);
/// Throws AttributeNotDefined. The class must be defined.
Handle defined(const JoinedFederate&, Handle object_class, const ::rti1516e::AttributeHandle&);
Numbers defined(const JoinedFederate&, Handle object_class, const ::rti1516e::AttributeHandleSet&);
/// Throws ObjectInstanceNotKnown.
Instance& known(JoinedFederate&, const ::rti1516e::ObjectInstanceHandle&);
/// Throws AttributeNotOwned.
void require_owned(const JoinedFederate&, const Instance&, const Numbers& attributes);
/// The attributes of a known instance. Throws AttributeNotDefined, AttributeNotOwned.
Numbers owned(const JoinedFederate&, const Instance&, const ::rti1516e::AttributeHandleSet&);
/// Throws InvalidRegion.
Region& known_region(JoinedFederate&, const ::rti1516e::RegionHandle&);
/// Also throws RegionNotCreatedByThisFederate.
Region& own_region(JoinedFederate&, const ::rti1516e::RegionHandle&);
/// Throws InvalidRegion, RegionNotCreatedByThisFederate, and InvalidRegionContext unless the
/// dimensions of the regions are among the `available` ones.
Numbers regions_within(JoinedFederate&, const ::rti1516e::RegionHandleSet&,
                       const Numbers& available);
/// Attributes and regions of a class. Throws AttributeNotDefined, then as above.
std::vector<federation::InRegions> parts_of(
    JoinedFederate&, Handle object_class,
    const ::rti1516e::AttributeHandleSetRegionHandleSetPairVector&, bool with_context = true);
std::vector<federation::InRegions> parts_of(const JoinedFederate&, Handle object_class,
                                            const ::rti1516e::AttributeHandleSet&);

/// Throws InvalidLogicalTime if it is of another implementation, negative or NaN.
Stamp stamp_of(const JoinedFederate&, const ::rti1516e::LogicalTime&);
/// Throws InvalidLookahead.
Stamp span_of(const JoinedFederate&, const ::rti1516e::LogicalTimeInterval&);
/// Sets a time of the federation's kind; throws RTIinternalError when it is of another.
void assign(::rti1516e::LogicalTime&, const TimeClass&, Stamp);
void assign(::rti1516e::LogicalTimeInterval&, const TimeClass&, Stamp);
const wchar_t* name_of(TimeKind) noexcept;

/// Throws InvalidTransportationType.
Handle transportation_of(const JoinedFederate&, ::rti1516e::TransportationType);
::rti1516e::TransportationType transportation_of(const JoinedFederate&, Handle) noexcept;
/// Throws InvalidOrderType.
federation::Order order_of(::rti1516e::OrderType);
inline ::rti1516e::OrderType order_of(federation::Order o) noexcept {
  return o == federation::Order::time_stamp ? ::rti1516e::TIMESTAMP : ::rti1516e::RECEIVE;
}

}  // namespace vernier::hla
