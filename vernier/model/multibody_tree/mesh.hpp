#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/component/scene.hpp"
#include "vernier/document/document.hpp"
#include "vernier/model/multibody_tree/quantities.hpp"

/// What bodies look like by files that documents name: <mesh> elements. Nothing is computed with
/// them.
namespace vernier::multibody_tree {

struct MeshFile {
  std::filesystem::path path;
  std::optional<std::string> fault;  // scene::mesh_file_fault
};
/// By their names in the document. Each is read once, for all that is made from the document.
using MeshFiles = std::map<std::string, MeshFile, std::less<>>;

/// Reads the attitude that an element gives, as the document has it.
using AttitudeOf = std::function<std::optional<spatial::Matrix3>(const Element&)>;

/// The <mesh> elements of a body, as shapes.
std::vector<scene::Shape> read_meshes(const Element& body, const document::Document&, Quantities&,
                                      const AttitudeOf&, Report&, MeshFiles&);

}  // namespace vernier::multibody_tree
