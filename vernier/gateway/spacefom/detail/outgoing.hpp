#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vernier/gateway/spacefom/detail/classes.hpp"

namespace vernier::spacefom::detail {

/// What we publish: object instances with their values, and interactions.
class Outgoing {
 public:
  struct Instance {
    Class of;
    std::string name;
    bool root = false;  // the root reference frame
    std::vector<Octets> values = {};
    std::vector<bool> dirty = {}, asked = {};
    rti1516e::ObjectInstanceHandle handle = {};
  };

  std::size_t add(std::string object_class, std::string name, std::vector<std::string> attributes,
                  bool root);
  std::size_t add_interaction(std::string name, std::vector<std::string> parameters);
  void set(std::size_t object, std::size_t attribute, std::span<const std::byte>);
  void post(std::size_t interaction, std::vector<Octets> values);

  const std::vector<Instance>& instances() const noexcept { return instances_; }
  bool has_instance(const std::string& name) const;

  /// Resolves and publishes all classes.
  void publish(rti1516e::RTIambassador&);
  /// Registers all instances; their names must be reserved.
  void register_instances(rti1516e::RTIambassador&);
  /// Values of an instance were requested.
  void want(const rti1516e::ObjectInstanceHandle&, const rti1516e::AttributeHandleSet&);

  /// Sends all values that were set or requested, or those of the root frame alone, in one update
  /// per object (rules 5-8, 6-8, 6-11, 6-15); with a time also the posted interactions.
  void send(rti1516e::RTIambassador&, std::optional<Ticks> stamp, bool root_only = false);
  /// Sends requested values that were sent before.
  void answer(rti1516e::RTIambassador&);

 private:
  std::vector<Instance> instances_;
  std::vector<Interaction> interactions_;
  std::vector<std::pair<std::size_t, std::vector<Octets>>> posted_;
};

}  // namespace vernier::spacefom::detail
