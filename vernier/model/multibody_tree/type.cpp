#include "vernier/model/multibody_tree/type.hpp"

#include <algorithm>

#include "vernier/model/multibody_tree/scene.hpp"
#include "vernier/model/multibody_tree/system.hpp"

namespace vernier::multibody_tree {

Type type_of(const std::shared_ptr<const Source>& source) {
  Type type;
  type.name = source->name();
  type.summary = source->summary();
  type.parameters = source->parameters();
  type.files = source->files();
  const auto own = [&](ParameterSpec spec) {
    const bool taken = std::any_of(type.parameters.begin(), type.parameters.end(),
                                   [&](const ParameterSpec& p) { return p.name == spec.name; });
    if (!taken) type.parameters.push_back(std::move(spec));
    return !taken;
  };
  const bool reactions = own({.name = "reactions",
                              .kind = ParameterKind::boolean,
                              .initial = "false",
                              .description = "whether forces and moments of hinges are outputs"});
  const bool path = own({.name = "path",
                         .kind = ParameterKind::choice,
                         .initial = "automatic",
                         .description = "which code computes it; all agree to rounding",
                         .choices = {"automatic", "tree", "star"}});
  type.system = [source, reactions, path](const Parameters& p) {
    using multibody::Path;
    Spacecraft craft = source->made(p);
    const std::string way = path ? p.text("path") : "automatic";
    MultibodySystem::Options options;
    options.held = std::move(craft.held);
    options.reactions = reactions && p.boolean("reactions");
    // `automatic` selects the star wherever possible.
    multibody::Spacecraft made(std::move(craft.model), way == "tree" ? Path::tree : Path::automatic,
                               p.arithmetic());
    if (way == "star" && made.tree().path() != Path::star)
      p.reject(
          "path",
          "only rigid bodies that all hang at one hub, none by a free hinge, are a star; a hub "
          "with geometric stiffness is not");
    return std::make_unique<MultibodySystem>(std::move(made), options);
  };
  type.scene = [source](const Parameters& p) { return scene_of(source->made(p)); };
  return type;
}

Type read_type(const std::filesystem::path& path, Diagnostics& problems) {
  const std::shared_ptr<const Source> source = read_source(path, problems);
  return source ? type_of(source) : Type{};
}

void add_to(Catalogue& c) {
  c.add(DocumentKind{
      .root = "multibody",
      .summary = "a tree of rigid and flexible bodies",
      .instance = InstanceKind::system,
      .read = [](std::string content, const DocumentFile& file, Diagnostics& problems) {
        const auto source = parse_source(std::move(content), file, problems);
        return source ? type_of(source) : Type{};
      }});
}

}  // namespace vernier::multibody_tree
