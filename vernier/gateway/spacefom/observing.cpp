#include "vernier/gateway/spacefom/detail/work.hpp"

namespace vernier::spacefom {

// Who is there, from the Management Object Model.

std::vector<std::string> Federate::Work::members() const {
  std::vector<std::string> names;
  for (const Remote& r : remotes)
    if (r.object_class == federates_.name)
      if (auto name = read_string(r.values[0].bytes)) names.push_back(std::move(*name));
  return names;
}

// times in the MOM: how many bytes, then those of HLAinteger64Time
std::vector<Peer> Federate::Work::peers() const {
  const auto number = [](const Octets& b, std::size_t skip) -> std::optional<Ticks> {
    if (b.size() <= skip || b.size() - skip > 8) return {};
    std::uint64_t n = 0;
    for (std::size_t i = skip; i < b.size(); ++i) n = n << 8 | static_cast<std::uint64_t>(b[i]);
    return static_cast<Ticks>(n);
  };
  std::vector<Peer> all;
  for (const Remote& r : remotes) {
    if (r.object_class != federates_.name) continue;
    Peer p;
    for (const Remote::Value& v : r.values) {
      const bool on = number(v.bytes, 0).value_or(0) != 0;
      if (v.attribute == "HLAfederateName") p.name = read_string(v.bytes).value_or("");
      if (v.attribute == "HLAfederateType") p.type = read_string(v.bytes).value_or("");
      if (v.attribute == "HLAlogicalTime") p.time = number(v.bytes, 4).value_or(-1);
      if (v.attribute == "HLAlookahead") p.lookahead = number(v.bytes, 4).value_or(-1);
      if (v.attribute == "HLAtimeRegulating") p.regulating = on;
      if (v.attribute == "HLAtimeConstrained") p.constrained = on;
      if (v.attribute == "HLAtimeManagerState") p.advancing = on;
    }
    if (p.name.empty()) continue;
    for (const auto& [object, owner] : owners_) {
      if (owner != p.name) continue;
      p.master |= object == exco_object_;
      const auto known = remote_of_.find(object);
      p.root_publisher |=
          known != remote_of_.end() && remotes[known->second].name == configuration.root_frame;
    }
    all.push_back(std::move(p));
  }
  return all;
}

void Federate::Work::look_around() {
  if (has_mom_)
    rti().requestAttributeValueUpdate(
        federates_.handle,
        rti1516e::AttributeHandleSet(federates_.handles.begin(), federates_.handles.end()), {});
  if (!owners_.empty()) return;  // both roles stay where they are
  if (exco_object_.isValid() && !settings.master)
    rti().queryAttributeOwnership(exco_object_, exco_.handles.front());
  for (const auto& [object, index] : remote_of_) {
    if (remotes[index].name != configuration.root_frame) continue;
    for (const Class& c : classes)
      if (c.name == remotes[index].object_class)
        rti().queryAttributeOwnership(object, c.handles.front());
  }
}

}  // namespace vernier::spacefom
