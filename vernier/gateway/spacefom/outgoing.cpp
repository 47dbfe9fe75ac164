#include "vernier/gateway/spacefom/detail/outgoing.hpp"

#include <algorithm>

#include "vernier/base/require.hpp"

namespace vernier::spacefom::detail {

std::size_t Outgoing::add(std::string object_class, std::string name,
                          std::vector<std::string> attributes, bool root) {
  const std::size_t n = attributes.size();
  instances_.push_back({.of = {std::move(object_class), std::move(attributes)},
                        .name = std::move(name),
                        .root = root,
                        .values = std::vector<Octets>(n),
                        .dirty = std::vector<bool>(n),
                        .asked = std::vector<bool>(n)});
  return instances_.size() - 1;
}

std::size_t Outgoing::add_interaction(std::string name, std::vector<std::string> parameters) {
  interactions_.push_back({std::move(name), std::move(parameters)});
  return interactions_.size() - 1;
}

void Outgoing::set(std::size_t object, std::size_t attribute, std::span<const std::byte> bytes) {
  Instance& o = instances_.at(object);
  o.values.at(attribute).assign(bytes.begin(), bytes.end());
  o.dirty[attribute] = true;
}

void Outgoing::post(std::size_t interaction, std::vector<Octets> values) {
  require(interaction < interactions_.size() &&
          values.size() == interactions_[interaction].parameters.size());
  posted_.emplace_back(interaction, std::move(values));
}

bool Outgoing::has_instance(const std::string& name) const {
  return std::any_of(instances_.begin(), instances_.end(),
                     [&](const Instance& o) { return o.name == name; });
}

void Outgoing::publish(rti1516e::RTIambassador& rti) {
  for (Interaction& i : interactions_) {
    i.resolve(rti);
    rti.publishInteractionClass(i.handle);
  }
  std::map<std::string, rti1516e::AttributeHandleSet> published;
  for (Instance& o : instances_) {
    o.of.resolve(rti);
    published[o.of.name].insert(o.of.handles.begin(), o.of.handles.end());
  }
  for (const auto& [name, attributes] : published)
    rti.publishObjectClassAttributes(rti.getObjectClassHandle(wide(name)), attributes);
}

void Outgoing::register_instances(rti1516e::RTIambassador& rti) {
  for (Instance& o : instances_) o.handle = rti.registerObjectInstance(o.of.handle, wide(o.name));
}

void Outgoing::want(const rti1516e::ObjectInstanceHandle& object,
                    const rti1516e::AttributeHandleSet& wanted) {
  for (Instance& o : instances_) {
    if (o.handle != object) continue;
    for (std::size_t i = 0; i < o.of.handles.size(); ++i)
      if (wanted.contains(o.of.handles[i])) o.asked[i] = true;
  }
}

void Outgoing::send(rti1516e::RTIambassador& rti, std::optional<Ticks> stamp, bool root_only) {
  for (Instance& o : instances_) {
    if (root_only && !o.root) continue;
    rti1516e::AttributeHandleValueMap values;
    for (std::size_t i = 0; i < o.values.size(); ++i) {
      if (!(o.dirty[i] || o.asked[i]) || o.values[i].empty()) continue;
      values[o.of.handles[i]].setData(o.values[i].data(), o.values[i].size());
      o.dirty[i] = o.asked[i] = false;
    }
    if (values.empty()) continue;
    if (stamp) {
      rti.updateAttributeValues(o.handle, values, {}, rti1516e::HLAinteger64Time(*stamp));
    } else {
      rti.updateAttributeValues(o.handle, values, {});
    }
  }
  if (!stamp) return;
  for (const auto& [number, values] : std::exchange(posted_, {})) {
    const Interaction& i = interactions_[number];
    rti1516e::ParameterHandleValueMap parameters;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!values[k].empty()) parameters[i.handles[k]].setData(values[k].data(), values[k].size());
    rti.sendInteraction(i.handle, parameters, {}, rti1516e::HLAinteger64Time(*stamp));
  }
}

void Outgoing::answer(rti1516e::RTIambassador& rti) {
  for (Instance& o : instances_) {
    rti1516e::AttributeHandleValueMap values;
    for (std::size_t i = 0; i < o.asked.size(); ++i) {
      if (!o.asked[i] || o.values[i].empty()) continue;
      o.asked[i] = false;
      values[o.of.handles[i]].setData(o.values[i].data(), o.values[i].size());
    }
    if (!values.empty()) rti.updateAttributeValues(o.handle, values, {});
  }
}

}  // namespace vernier::spacefom::detail
