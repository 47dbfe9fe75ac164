#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "vernier/run/scene/scene_of.hpp"

namespace vernier::scene::detail {

/// The signals of a composition, and what feeds the inputs of its instances.
class Signals {
 public:
  Signals(const composition::Composition&, const composition::Plan&, const Recorded&);

  /// Replaces a port of an instance by the path of an output, through connections if it is an
  /// input. One that is nowhere keeps its name as a path and is not recorded.
  Binding resolved(const std::string& instance, Binding) const;
  bool has(const std::string& path) const { return outputs_.contains(path); }
  /// The outputs by path, in no order.
  const std::unordered_map<std::string, const Port*>& outputs() const { return outputs_; }

 private:
  Binding fed(const std::string& instance, const Binding&) const;
  std::optional<Binding> source(const composition::Connection&, const Binding&) const;

  const composition::Composition& composition_;
  Recorded recorded_;
  std::unordered_map<std::string, const Port*> outputs_;
  std::unordered_set<std::string> inputs_;  // of parts; not those inside islands
};

/// Whether a binding has a value in the run, now or always.
bool known(const Binding&);
/// The paths of its signals that are not recorded.
void add_missing(const Binding&, std::vector<std::string>& to);

}  // namespace vernier::scene::detail
