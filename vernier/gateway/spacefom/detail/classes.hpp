#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "vernier/gateway/spacefom/detail/rti.hpp"
#include "vernier/gateway/spacefom/encoding.hpp"

namespace vernier::spacefom::detail {

/// An object class and some of its attributes: by name from the start, by handle once an RTI has
/// resolved them. Slot i is attributes[i], handles[i].
struct Class {
  /// Which part handles the objects of a subscribed class.
  enum class Concern { listeners, root_frame, federates, federation, configuration };

  std::string name;
  std::vector<std::string> attributes;
  Concern concern = Concern::listeners;
  rti1516e::ObjectClassHandle handle = {};
  std::vector<rti1516e::AttributeHandle> handles = {};

  void resolve(rti1516e::RTIambassador& rti) {
    handle = rti.getObjectClassHandle(wide(name));
    handles.clear();
    for (const std::string& a : attributes)
      handles.push_back(rti.getAttributeHandle(handle, wide(a)));
  }
  void subscribe(rti1516e::RTIambassador& rti) {
    resolve(rti);
    rti.subscribeObjectClassAttributes(handle, all());
  }
  rti1516e::AttributeHandleSet all() const { return {handles.begin(), handles.end()}; }
  std::optional<std::size_t> slot(const rti1516e::AttributeHandle& a) const {
    const auto at = std::find(handles.begin(), handles.end(), a);
    if (at == handles.end()) return {};
    return static_cast<std::size_t>(at - handles.begin());
  }
};

/// The same for interactions.
struct Interaction {
  std::string name;
  std::vector<std::string> parameters;
  rti1516e::InteractionClassHandle handle = {};
  std::vector<rti1516e::ParameterHandle> handles = {};

  void resolve(rti1516e::RTIambassador& rti) {
    handle = rti.getInteractionClassHandle(wide(name));
    handles.clear();
    for (const std::string& p : parameters)
      handles.push_back(rti.getParameterHandle(handle, wide(p)));
  }
};

}  // namespace vernier::spacefom::detail
