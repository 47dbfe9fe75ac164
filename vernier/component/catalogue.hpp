#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/document_file.hpp"
#include "vernier/component/component.hpp"
#include "vernier/component/parameters.hpp"
#include "vernier/component/state_machine.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier {

class NativeCode;

namespace scene {
struct Scene;
}

/// Something that can be instantiated: equations (a System, run in an island) or a component.
/// Exactly one of `system` and `component` is set.
struct Type {
  std::string name;     // "rigid_body"
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  std::function<std::unique_ptr<hybrid::System>(const Parameters&)> system = {};
  std::function<std::unique_ptr<Component>(const Parameters&)> component = {};
  std::vector<std::filesystem::path> files = {};     // read in addition to its document
  std::shared_ptr<const StateMachine> machine = {};  // null: it has none, or it is not known
  /// What an instance looks like (component/scene.hpp); null: nothing is known. May throw what
  /// `system` or `component` throws.
  std::function<scene::Scene(const Parameters&)> scene = {};
};

/// What a composition does with an instance: equations that an island integrates, a component that
/// advances by itself, or a connection to external devices and programs.
enum class InstanceKind { system, component, connector };

/// How a document wants to be run by itself; without a value, the default of the program.
struct Alone {
  std::optional<Duration> stop = {}, step = {};
};

/// A kind of document that describes something that can be instantiated.
struct DocumentKind {
  std::string root;     // its root element: "hybridsystem"
  std::string summary;  // "equations with modes and transitions"
  InstanceKind instance = InstanceKind::system;
  /// Reads the text of a document; `file` stands for it in messages, and files that it names are
  /// relative to it. Constants and initial states become the type's parameters. Reports into
  /// Diagnostics; an unusable document gives an empty type.
  std::function<Type(std::string content, const DocumentFile& file, Diagnostics&)> read = {};
  /// For kinds whose documents can say it. Problems are those of `read`, which reports them.
  std::function<Alone(std::string content, const DocumentFile& file)> alone = {};
};

/// How an island integrates.
struct IslandSettings {
  std::string integrator = "dopri5";  // dopri5, rk4, euler, rodas (stiff)
  double rtol = 1e-9;
  double atol = 1e-9;
  double step = 0.0;  // s; of the fixed-step methods, and the largest of the others; 0: free
  std::string zeno = "stop";    // stop, warn
  std::string inputs = "hold";  // between two exchanges: hold; or linear: extrapolates where that
                                // predicts an input better
  bool stops_early = true;  // at its events, so that others see them there; false, for real time:
                            // others see them at the next tick
};

/// What composition documents can refer to. Filled by standard/; constant during the program's
/// life.
class Catalogue {
 public:
  using IslandMaker = std::function<std::unique_ptr<Component>(std::unique_ptr<hybrid::System>,
                                                               const IslandSettings&)>;

  void add(Type);
  void add(DocumentKind);
  void set_island(IslandMaker m) { island_ = std::move(m); }
  /// The one that its readers load native code with; null: none.
  void set_code(std::shared_ptr<const NativeCode> c) { code_ = std::move(c); }

  const Type* find(std::string_view name) const;
  const DocumentKind* document(std::string_view root_element) const;
  const IslandMaker& island() const noexcept { return island_; }
  const NativeCode* code() const noexcept { return code_.get(); }
  const std::map<std::string, Type, std::less<>>& types() const noexcept { return types_; }
  const std::map<std::string, DocumentKind, std::less<>>& documents() const noexcept {
    return documents_;
  }
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Type, std::less<>> types_;
  std::map<std::string, DocumentKind, std::less<>> documents_;
  IslandMaker island_;
  std::shared_ptr<const NativeCode> code_;
};

}  // namespace vernier
