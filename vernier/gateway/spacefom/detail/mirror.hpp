#pragma once

#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "vernier/gateway/spacefom/detail/classes.hpp"
#include "vernier/gateway/spacefom/detail/events.hpp"
#include "vernier/gateway/spacefom/federate.hpp"

namespace vernier::spacefom::detail {

inline constexpr const char* frame_class = "HLAobjectRoot.ReferenceFrame";

/// The known objects of other federates, and the subscribed classes. Names are resolved when an
/// object is discovered; updates use handle and slot.
class Mirror {
 public:
  struct Object {
    Remote remote;
    const Class* of;
    rti1516e::ObjectInstanceHandle handle;
  };

  /// A class to subscribe; repeated calls for one class add attributes. The reference remains
  /// valid.
  Class& add(std::string name, std::vector<std::string> attributes,
             Class::Concern = Class::Concern::listeners);
  std::deque<Class>& classes() noexcept { return classes_; }
  const std::deque<Class>& classes() const noexcept { return classes_; }
  bool has(const std::string& name, Class::Concern) const;

  /// The class with this handle, or null.
  const Class* class_of(const rti1516e::ObjectClassHandle&) const;
  /// Null: it was already known.
  Object* discover(const rti1516e::ObjectInstanceHandle&, const Class&, std::string name);
  Object* find(const rti1516e::ObjectInstanceHandle&);
  /// Stores values; returns the slots that changed, valid until the next call.
  std::span<const std::size_t> reflect(Object&, Updates&, Ticks stamp);
  void remove(const Object&);

  /// In the order of discovery.
  const std::list<Object>& objects() const noexcept { return objects_; }
  std::list<Object>& objects() noexcept { return objects_; }
  bool has_instance(const std::string& name) const;
  /// A reference frame that has reported an empty parent, or null.
  const Remote* root_frame() const;

 private:
  std::deque<Class> classes_;
  std::list<Object> objects_;
  std::map<rti1516e::ObjectInstanceHandle, std::list<Object>::iterator> by_handle_;
  std::vector<std::size_t> free_;  // numbers of removed objects
  std::vector<std::size_t> changed_;
};

}  // namespace vernier::spacefom::detail
