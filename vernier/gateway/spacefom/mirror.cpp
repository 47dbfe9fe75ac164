#include "vernier/gateway/spacefom/detail/mirror.hpp"

#include <algorithm>

namespace vernier::spacefom::detail {

Class& Mirror::add(std::string name, std::vector<std::string> attributes, Class::Concern concern) {
  for (Class& c : classes_) {
    if (c.name != name || c.concern != concern) continue;
    for (std::string& a : attributes)
      if (std::find(c.attributes.begin(), c.attributes.end(), a) == c.attributes.end())
        c.attributes.push_back(std::move(a));
    return c;
  }
  return classes_.emplace_back(Class{std::move(name), std::move(attributes), concern});
}

bool Mirror::has(const std::string& name, Class::Concern concern) const {
  return std::any_of(classes_.begin(), classes_.end(),
                     [&](const Class& c) { return c.name == name && c.concern == concern; });
}

const Class* Mirror::class_of(const rti1516e::ObjectClassHandle& handle) const {
  const auto c = std::find_if(classes_.begin(), classes_.end(),
                              [&](const Class& x) { return x.handle == handle; });
  return c == classes_.end() ? nullptr : &*c;
}

Mirror::Object* Mirror::discover(const rti1516e::ObjectInstanceHandle& handle, const Class& c,
                                 std::string name) {
  if (by_handle_.contains(handle)) return nullptr;
  Remote r{.number = objects_.size(), .name = std::move(name), .object_class = c.name};
  // numbers stay small: those of removed objects are reused
  if (free_.empty()) {
    r.number = objects_.size();
  } else {
    r.number = free_.back();
    free_.pop_back();
  }
  for (const std::string& a : c.attributes) r.values.push_back({a, {}});
  const auto at = objects_.insert(objects_.end(), {std::move(r), &c, handle});
  by_handle_[handle] = at;
  return &*at;
}

Mirror::Object* Mirror::find(const rti1516e::ObjectInstanceHandle& handle) {
  const auto at = by_handle_.find(handle);
  return at == by_handle_.end() ? nullptr : &*at->second;
}

std::span<const std::size_t> Mirror::reflect(Object& o, Updates& values, Ticks stamp) {
  changed_.clear();
  for (auto& [attribute, bytes] : values) {
    const auto slot = o.of->slot(attribute);
    if (!slot) continue;
    Remote::Value& v = o.remote.values[*slot];
    v.bytes = std::move(bytes);
    ++v.updates;
    v.stamp = stamp;
    changed_.push_back(*slot);
  }
  return changed_;
}

void Mirror::remove(const Object& o) {
  const auto at = by_handle_.find(o.handle);
  free_.push_back(o.remote.number);
  const auto in_list = at->second;
  by_handle_.erase(at);
  objects_.erase(in_list);
}

bool Mirror::has_instance(const std::string& name) const {
  return std::any_of(objects_.begin(), objects_.end(),
                     [&](const Object& o) { return o.remote.name == name; });
}

const Remote* Mirror::root_frame() const {
  for (const Object& o : objects_) {
    if (!o.remote.object_class.starts_with(frame_class)) continue;
    for (const Remote::Value& v : o.remote.values)
      if (v.attribute == "parent_name" && v.updates > 0 && read_string(v.bytes) == "")
        return &o.remote;
  }
  return nullptr;
}

}  // namespace vernier::spacefom::detail
