#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/hybrid/system.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/sources.hpp"

namespace vernier::composition::detail {

/// A created instance: its ports as the document names them, independent of its island.
struct Member {
  const Instance* instance = nullptr;  // null: the composition's own inputs, "ext"
  std::string name;
  std::unique_ptr<hybrid::System> system;  // one of the two
  std::unique_ptr<Component> component;
  std::vector<Port> inputs, outputs;
  std::vector<Port> states;  // that can be observed
  std::vector<Feedthrough> feedthrough;
  bool made = false;  // false: creation failed and was reported

  Place place() const { return instance ? instance->place : Place{}; }
};

/// Elements of one port of a member.
struct Reach {
  std::size_t member = 0, port = 0;
  bool output = false, state = false;  // neither: an input
  std::uint32_t first = 0, count = 1;
};

enum class Wanted { output, input, any, watched };

/// All members of a composition, "ext" last, and the resolution of endpoints among them.
class Members {
 public:
  /// Reads the documents, checks the parameters and creates all instances; reports into `problems`.
  Members(const Composition&, const Catalogue&, Diagnostics& problems);

  std::vector<Member>& list() noexcept { return list_; }
  const std::vector<Member>& list() const noexcept { return list_; }
  Member& operator[](std::size_t i) { return list_[i]; }
  const Member& operator[](std::size_t i) const { return list_[i]; }
  Member& ext() { return list_.back(); }

  const Port& port(const Reach& r) const {
    const Member& m = list_[r.member];
    return (r.state ? m.states : r.output ? m.outputs : m.inputs)[r.port];
  }
  std::string path(const Reach& r) const { return list_[r.member].name + "." + port(r).name; }

  /// The port that an endpoint names. Reports an unknown instance or port (with a suggestion), a
  /// wrong direction, and elements out of range. Nothing, without a report, when the instance could
  /// not be created, or when only native code that was not loaded knows the port. `role` is for the
  /// message: "feeds", "is fed".
  std::optional<Reach> find(const Endpoint&, Wanted, Diagnostics&) const;

  const Sources& sources() const noexcept { return *sources_; }
  /// The files that parameters name, without keys; each once.
  const std::vector<std::filesystem::path>& data() const noexcept { return data_; }

 private:
  const Type* type_of(const Instance&, const Catalogue&, Diagnostics&);
  void make(const Instance&, const Composition&, const Catalogue&, Diagnostics&);
  void note_data(const Type&, const Parameters&);
  std::optional<Reach> elements(const Endpoint&, Reach, Diagnostics&) const;

  std::vector<Member> list_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::shared_ptr<Sources> sources_;
  std::vector<std::filesystem::path> data_;
  std::set<std::filesystem::path> told_;  // documents whose problems were reported
};

/// Reports that a document cannot be an instance, with the kind that was probably meant or all
/// kinds. Place: where it is named.
void report_kind(const std::filesystem::path&, const std::string& root, const Place&,
                 const Catalogue&, Diagnostics&);

/// "3 × m", "3 × rad/s in body", "event", "stream": the kind of a port.
std::string shape(const Port&, std::uint32_t count);

/// Adds the problems found; those without a place get this one. A problem that several instances
/// share is reported once.
void append_at(const Place&, const Diagnostics& found, Diagnostics& problems);

/// Whether `count` elements of an output can feed as many of an input, regardless of their number.
bool same_kind(const Port& from, const Port& to);

}  // namespace vernier::composition::detail
