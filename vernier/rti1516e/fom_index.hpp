#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::hla {

using federation::Bytes;
using federation::FomTables;
using federation::Handle;
using federation::Numbers;

/// Lookup in the FOM for a federate; 0 means there is none.
class FomIndex {
 public:
  /// False when the bytes are not valid tables, are inconsistent, or lack entries of the previous
  /// tables; nothing then changes.
  bool load(Bytes tables);

  const FomTables& tables() const noexcept { return tables_; }

  /// Looks up a path, with or without the root's name.
  Handle object_class(std::string_view path) const { return found(object_classes_, path); }
  Handle interaction_class(std::string_view path) const {
    return found(interaction_classes_, path);
  }
  Handle dimension(std::string_view name) const { return found(dimensions_, name); }
  Handle transportation(std::string_view name) const { return found(transportations_, name); }
  Handle attribute(Handle object_class, std::string_view name) const;
  Handle parameter(Handle interaction_class, std::string_view name) const;
  /// Null when there is none of that name.
  const FomTables::UpdateRate* rate(std::string_view name) const;

  bool is_object_class(Handle h) const noexcept { return h - 1u < tables_.object_classes.size(); }
  bool is_interaction_class(Handle h) const noexcept {
    return h - 1u < tables_.interaction_classes.size();
  }
  bool is_attribute(Handle h) const noexcept { return h - 1u < tables_.attributes.size(); }
  bool is_parameter(Handle h) const noexcept { return h - 1u < tables_.parameters.size(); }
  bool is_dimension(Handle h) const noexcept { return h - 1u < tables_.dimensions.size(); }
  /// The class must be a valid one.
  bool has_attribute(Handle object_class, Handle) const noexcept;
  bool has_parameter(Handle interaction_class, Handle) const noexcept;

  const FomTables::Class& object_class(Handle h) const { return tables_.object_classes[h - 1]; }
  const FomTables::Class& interaction_class(Handle h) const {
    return tables_.interaction_classes[h - 1];
  }
  const FomTables::Field& attribute(Handle h) const { return tables_.attributes[h - 1]; }
  const FomTables::Field& parameter(Handle h) const { return tables_.parameters[h - 1]; }
  const FomTables::Dimension& dimension(Handle h) const { return tables_.dimensions[h - 1]; }
  /// The upper bound of the dimension for regions.
  std::uint64_t upper_bound(Handle dimension) const;
  /// Interactions of the Management Object Model that may be sent during a save or restore.
  bool is_for_any_time(Handle interaction_class) const noexcept;
  /// The handle of HLAprivilegeToDeleteObject.
  Handle privilege() const noexcept { return privilege_; }
  /// The handle of HLAbestEffort.
  Handle best_effort() const noexcept { return best_effort_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept {
      return std::hash<std::string_view>{}(s);
    }
  };
  template <class T>
  using Names = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  static Handle found(const Names<Handle>&, std::string_view);

  FomTables tables_;  // the members of each class are sorted
  Names<Handle> object_classes_, interaction_classes_, dimensions_, transportations_, rates_;
  Names<Numbers> attributes_, parameters_;  // by name: all that have it, in any class
  std::array<Handle, 4> for_any_time_{};
  Handle privilege_ = 0, best_effort_ = 0;
};

}  // namespace vernier::hla
