#include "vernier/rti1516e/fom_index.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace vernier::hla {
namespace {

bool within(const Numbers& handles, std::size_t count) {
  return std::all_of(handles.begin(), handles.end(), [&](Handle h) { return h - 1u < count; });
}

/// Sorts the members of the classes; false when an index is out of range.
bool ordered(std::vector<FomTables::Class>& classes, std::size_t members, std::size_t dimensions) {
  for (FomTables::Class& c : classes) {
    if (c.parent > classes.size() || !within(c.members, members) ||
        !within(c.dimensions, dimensions))
      return false;
    std::sort(c.members.begin(), c.members.end());
  }
  return true;
}

bool fitting(FomTables& t) {
  const auto sound = [&](const FomTables::Field& m) {
    return within(m.dimensions, t.dimensions.size());
  };
  return ordered(t.object_classes, t.attributes.size(), t.dimensions.size()) &&
         ordered(t.interaction_classes, t.parameters.size(), t.dimensions.size()) &&
         std::all_of(t.attributes.begin(), t.attributes.end(), sound) &&
         std::all_of(t.parameters.begin(), t.parameters.end(), sound);
}

bool has(const Numbers& sorted, Handle h) noexcept {
  return std::binary_search(sorted.begin(), sorted.end(), h);
}

template <class Names>
void name_classes(Names& names, const std::vector<FomTables::Class>& classes) {
  names.clear();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string& path = classes[i].path;
    const auto h = static_cast<Handle>(i + 1);
    names.emplace(path, h);
    if (const auto dot = path.find('.'); dot != path.npos) names.emplace(path.substr(dot + 1), h);
  }
}

template <class Names>
void name_members(Names& names, const std::vector<FomTables::Field>& members) {
  names.clear();
  for (std::size_t i = 0; i < members.size(); ++i)
    names[members[i].name].push_back(static_cast<Handle>(i + 1));
}

template <class Names, class Entries, class Name>
void name_entries(Names& names, const Entries& entries, Name name) {
  names.clear();
  for (std::size_t i = 0; i < entries.size(); ++i)
    names.emplace(name(entries[i]), static_cast<Handle>(i + 1));
}

}  // namespace

bool FomIndex::load(Bytes bytes) {
  FomTables t;
  federation::Reader r(bytes);
  t.fields(r);
  // handles must stay valid: tables only grow
  const bool grown = t.object_classes.size() >= tables_.object_classes.size() &&
                     t.interaction_classes.size() >= tables_.interaction_classes.size() &&
                     t.attributes.size() >= tables_.attributes.size() &&
                     t.parameters.size() >= tables_.parameters.size() &&
                     t.dimensions.size() >= tables_.dimensions.size();
  if (!r.complete() || !grown || !fitting(t)) return false;
  tables_ = std::move(t);
  name_classes(object_classes_, tables_.object_classes);
  name_classes(interaction_classes_, tables_.interaction_classes);
  name_members(attributes_, tables_.attributes);
  name_members(parameters_, tables_.parameters);
  const auto named = [](const auto& entry) { return entry.name; };
  name_entries(dimensions_, tables_.dimensions, named);
  name_entries(rates_, tables_.rates, named);
  name_entries(transportations_, tables_.transportations, [](const std::string& s) { return s; });
  privilege_ = tables_.object_classes.empty() ? 0 : attribute(1, "HLAprivilegeToDeleteObject");
  best_effort_ = transportation("HLAbestEffort");
  const std::string services = "HLAinteractionRoot.HLAmanager.HLAfederate.HLAservice.";
  for_any_time_ = {interaction_class(services + "HLAresignFederationExecution"),
                   interaction_class(services + "HLAfederateSaveBegun"),
                   interaction_class(services + "HLAfederateSaveComplete"),
                   interaction_class(services + "HLAfederateRestoreComplete")};
  return true;
}

bool FomIndex::is_for_any_time(Handle h) const noexcept {
  return h != 0 && std::find(for_any_time_.begin(), for_any_time_.end(), h) != for_any_time_.end();
}

Handle FomIndex::found(const Names<Handle>& names, std::string_view name) {
  const auto at = names.find(name);
  return at == names.end() ? 0 : at->second;
}

Handle FomIndex::attribute(Handle c, std::string_view name) const {
  const auto at = attributes_.find(name);
  if (at == attributes_.end()) return 0;
  for (const Handle h : at->second)
    if (has_attribute(c, h)) return h;
  return 0;
}

Handle FomIndex::parameter(Handle c, std::string_view name) const {
  const auto at = parameters_.find(name);
  if (at == parameters_.end()) return 0;
  for (const Handle h : at->second)
    if (has_parameter(c, h)) return h;
  return 0;
}

const FomTables::UpdateRate* FomIndex::rate(std::string_view name) const {
  const Handle h = found(rates_, name);
  return h ? &tables_.rates[h - 1] : nullptr;
}

bool FomIndex::has_attribute(Handle c, Handle h) const noexcept {
  return has(object_class(c).members, h);
}

bool FomIndex::has_parameter(Handle c, Handle h) const noexcept {
  return has(interaction_class(c).members, h);
}

std::uint64_t FomIndex::upper_bound(Handle h) const {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t said = dimension(h).upper_bound;
  return said == 0 || said > most ? most : said;
}

}  // namespace vernier::hla
