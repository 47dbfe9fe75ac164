#include <algorithm>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/detail/fom_store.hpp"
#include "vernier/gateway/federation/detail/routes.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"

namespace vernier::federation {

using detail::refuse;

namespace {

/// Problems of one severity for a log or an exception: one line each, without source text.
std::vector<std::string> lines(const Diagnostics& problems, Severity severity) {
  constexpr std::size_t most = 10;
  std::vector<std::string> all;
  std::size_t more = 0;
  for (const Diagnostic& d : problems.list()) {
    if (d.severity != severity) continue;
    if (all.size() == most) {
      ++more;
      continue;
    }
    std::string line = d.place.file;
    if (d.place.line > 0) line += ", line " + std::to_string(d.place.line);
    line += (line.empty() ? "" : ": ") + d.message;
    for (const std::string& note : d.notes) line += "; " + note;
    all.push_back(line + " (" + d.code + ")");
  }
  if (more > 0) all.push_back("and " + std::to_string(more) + " more");
  return all;
}

[[noreturn]] void refuse_modules(Failure failure, const Diagnostics& problems) {
  refuse(failure, vernier::joined(lines(problems, Severity::error), "\n"));
}

Handle handle_of(std::optional<int> index) { return index ? static_cast<Handle>(*index) + 1 : 0; }

Order order_of(fom::Order o) {
  return o == fom::Order::time_stamp ? Order::time_stamp : Order::receive;
}

Numbers handles(const std::vector<int>& indices) {
  Numbers all;
  for (const int i : indices) all.push_back(static_cast<Handle>(i) + 1);
  std::sort(all.begin(), all.end());
  return all;
}

Numbers dimension_handles(const fom::Fom& f, const std::vector<fom::Reference>& all) {
  Numbers found;
  for (const fom::Reference& r : all) {
    if (const Handle h = handle_of(f.dimension(r.name))) found.push_back(h);
  }
  std::sort(found.begin(), found.end());
  return found;
}

FomTables tables_of(const fom::Fom& f) {
  FomTables t;
  for (std::size_t i = 0; i < f.object_classes.size(); ++i) {
    const fom::ObjectClass& c = f.object_classes[i];
    t.object_classes.push_back({.path = c.path,
                                .parent = static_cast<Handle>(c.parent + 1),
                                .members = handles(f.all_attributes(static_cast<int>(i))),
                                .dimensions = {}});
  }
  for (std::size_t i = 0; i < f.interaction_classes.size(); ++i) {
    const fom::InteractionClass& c = f.interaction_classes[i];
    t.interaction_classes.push_back(
        {.path = c.path,
         .parent = static_cast<Handle>(c.parent + 1),
         .members = handles(f.all_parameters(static_cast<int>(i))),
         .order = order_of(c.order.value_or(fom::Order::receive)),
         .transportation = std::max(handle_of(f.transportation(c.transportation.name)), Handle{1}),
         .dimensions = dimension_handles(f, c.dimensions)});
  }
  for (const fom::Attribute& a : f.attributes)
    t.attributes.push_back(
        {.name = a.name,
         .order = order_of(a.order),
         .transportation = std::max(handle_of(f.transportation(a.transportation.name)), Handle{1}),
         .dimensions = dimension_handles(f, a.dimensions)});
  for (const fom::Parameter& p : f.parameters) t.parameters.push_back({p.name, {}, 0, {}});
  for (const fom::Dimension& d : f.dimensions) t.dimensions.push_back({d.name, d.upper_bound});
  for (const fom::Transportation& r : f.transportations) t.transportations.push_back(r.name);
  for (const fom::UpdateRate& r : f.update_rates) t.rates.push_back({r.name, r.rate});
  return t;
}

fom::Module parsed(const Document& d, Failure failure, std::vector<std::string>& warnings) {
  Diagnostics problems;
  auto m = fom::parse_module(d.text, d.name.empty() ? "module" : d.name, problems);
  if (!m) refuse_modules(failure, problems);
  for (std::string& line : lines(problems, Severity::warning)) warnings.push_back(std::move(line));
  return std::move(*m);
}

}  // namespace

void Federation::load(std::vector<Document> added) {
  std::erase_if(added, [&](const Document& d) {
    return std::any_of(documents_.begin(), documents_.end(),
                       [&](const Document& had) { return had.text == d.text; });
  });
  if (fom_ && added.empty()) return;
  if (documents_.size() + added.size() > limits.modules)
    refuse(Failure::ErrorReadingFDD, "There are more than " + std::to_string(limits.modules) +
                                         " FOM modules in the federation");
  std::size_t bytes = mim_ ? mim_->text.size() : 0;
  for (const auto* list : {&documents_, &added})
    for (const Document& d : *list) bytes += d.text.size();
  if (bytes > limits.module_bytes)
    refuse(Failure::ErrorReadingFDD, "The FOM modules of the federation are longer than " +
                                         std::to_string(limits.module_bytes >> 20) + " MiB");
  if (!fom_ && mim_ && mim_->name == "HLAstandardMIM")
    refuse(Failure::DesignatorIsHLAstandardMIM, "The standard MIM is always there");
  std::vector<Document> documents = documents_;
  for (const Document& d : added) documents.push_back(d);
  auto loaded = foms_.find(documents, mim_);
  if (!loaded) {
    auto fresh = std::make_shared<LoadedFom>();
    fresh->documents = documents;
    fresh->mim = mim_;
    if (fom_) {
      fresh->modules = fom_->modules;
      fresh->own_mim = fom_->own_mim;
    } else if (mim_) {
      fresh->own_mim = std::make_shared<const fom::Module>(
          parsed(*mim_, Failure::ErrorReadingMIM, fresh->warnings));
    }
    for (const Document& d : added)
      fresh->modules.push_back(parsed(d, Failure::ErrorReadingFDD, fresh->warnings));
    Diagnostics problems;
    auto merged = fom::merge(fresh->modules, fresh->own_mim ? *fresh->own_mim : fom::standard_mim(),
                             problems);
    if (!merged) refuse_modules(Failure::InconsistentFDD, problems);
    for (std::string& line : lines(problems, Severity::warning))
      fresh->warnings.push_back(std::move(line));
    fresh->fom = std::move(*merged);
    fresh->tables = tables_of(fresh->fom);
    Writer w(fresh->encoded_tables);
    w(fresh->tables);
    loaded = fresh;
    foms_.put(fresh);
  }

  fom_ = std::move(loaded);
  documents_ = std::move(documents);
  tables_ = fom_->tables;
  encoded_tables_ = fom_->encoded_tables;
  privilege_ = handle_of(fom().attribute(0, "HLAprivilegeToDeleteObject"));
  mom_ = handle_of(fom().interaction_class("HLAmanager"));
  interaction_routes_.resize(tables_.interaction_classes.size() + 1);
  routes_changed();
  for (Federate* f : joined_) size_tables(*f);
  // a class that was only an ancestor may now have attributes; they come last
  instances_.each([&](Instance& i) {
    const Numbers& members = tables_.object_classes[i.object_class - 1].members;
    for (std::size_t k = i.slots.size(); k < members.size(); ++k)
      i.slots.push_back(fresh_slot(members[k]));
  });
  if (observer_) observer_->changed();
}

const fom::Fom& Federation::fom() const noexcept { return fom_->fom; }

const std::vector<std::string>& Federation::fom_warnings() const noexcept { return fom_->warnings; }

Slot Federation::fresh_slot(Handle attribute) const {
  const FomTables::Field& m = tables_.attributes[attribute - 1];
  Slot s;
  s.attribute = attribute;
  s.order = m.order;
  s.transportation = m.transportation;
  return s;
}

void Federation::size_tables(Federate& f) const {
  const std::size_t objects = tables_.object_classes.size(),
                    interactions = tables_.interaction_classes.size(),
                    transportations = tables_.transportations.size();
  f.objects.resize(objects + 1);
  for (std::size_t c = f.interactions.size(); c <= interactions; ++c) {
    f.interactions.emplace_back();
    if (c == 0) continue;
    f.interactions.back().order = tables_.interaction_classes[c - 1].order;
    f.interactions.back().transportation = tables_.interaction_classes[c - 1].transportation;
  }
  f.counters.updates_sent.resize(objects, transportations);
  f.counters.reflections_received.resize(objects, transportations);
  f.counters.interactions_sent.resize(interactions, transportations);
  f.counters.interactions_received.resize(interactions, transportations);
}

const FomTables::Class& Federation::object_class(Handle h) const {
  if (h == 0 || h > tables_.object_classes.size())
    refuse(Failure::ObjectClassNotDefined,
           "The FOM has no object class of handle " + std::to_string(h));
  return tables_.object_classes[h - 1];
}

const FomTables::Class& Federation::interaction_class(Handle h) const {
  if (h == 0 || h > tables_.interaction_classes.size())
    refuse(Failure::InteractionClassNotDefined,
           "The FOM has no interaction class of handle " + std::to_string(h));
  return tables_.interaction_classes[h - 1];
}

Numbers Federation::checked_attributes(Handle of_class, const Numbers& given) const {
  const FomTables::Class& c = object_class(of_class);
  Numbers all = given;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const Handle a : all) {
    if (!std::binary_search(c.members.begin(), c.members.end(), a))
      refuse(Failure::AttributeNotDefined,
             c.path + " has no attribute of handle " + std::to_string(a));
  }
  return all;
}

bool Federation::is_a(Handle c, Handle ancestor) const noexcept {
  // a parent's handle is smaller than those of its children
  while (c > ancestor) c = tables_.object_classes[c - 1].parent;
  return c == ancestor;
}

bool Federation::interaction_is_a(Handle c, Handle ancestor) const noexcept {
  while (c > ancestor) c = tables_.interaction_classes[c - 1].parent;
  return c == ancestor;
}

void Federation::check_transportation(Handle h) const {
  if (h == 0 || h > tables_.transportations.size())
    refuse(Failure::InvalidTransportationType,
           "The FOM has no transportation of handle " + std::to_string(h));
}

bool Federation::reliable(Handle transportation) const noexcept {
  return fom().transportations[transportation - 1].reliable;
}

}  // namespace vernier::federation
