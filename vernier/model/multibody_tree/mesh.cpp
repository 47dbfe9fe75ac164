#include "vernier/model/multibody_tree/mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/component/mesh_file.hpp"

namespace vernier::multibody_tree {
namespace {

/// One factor, or three.
std::optional<scene::Vector> factors(const Element& e, Quantities& quantities, Report& report) {
  const bool one = words(e.value("scale")).size() == 1;
  const auto given = quantities.numbers(e, "scale", "1", one ? 1 : 3);
  if (!given) return {};
  const scene::Vector all =
      one ? scene::Vector{given->front(), given->front(), given->front()} : scene::vector(*given);
  if (std::ranges::find(all, 0.0) == all.end()) return all;
  report.error("V1622", "scale must not be zero", Report::value_place(e, "scale"));
  return {};
}

/// Whether the file of an element can be drawn; reports if not.
const MeshFile* file_of(const Element& e, const document::Document& document, Report& report,
                        MeshFiles& files) {
  const std::string name(trimmed(e.value("file")));
  const auto [entry, fresh] = files.try_emplace(name);
  MeshFile& f = entry->second;
  if (fresh) {
    f.path = document.beside(name);
    f.fault = scene::mesh_file_fault(f.path);
  }
  const Place place = Report::value_place(e, "file");
  if (!f.fault) {
    report.error("V1638", "the mesh file " + in_quotes(name) + " cannot be read", place)
        .notes.push_back("it is looked for beside the document");
    return nullptr;
  }
  if (f.fault->empty()) return &f;
  report.error("V1639", "the mesh file " + in_quotes(name) + " cannot be drawn", place)
      .notes.push_back(*f.fault);
  return nullptr;
}

}  // namespace

std::vector<scene::Shape> read_meshes(const Element& body, const document::Document& document,
                                      Quantities& quantities, const AttitudeOf& attitude,
                                      Report& report, MeshFiles& files) {
  std::vector<scene::Shape> all;
  for (const Element& e : body.children) {
    if (e.name != "mesh") continue;
    const MeshFile* file = file_of(e, document, report, files);
    const auto scale = factors(e, quantities, report);
    const auto R = attitude(e);
    const bool placed = e.attribute("position");
    const auto p = quantities.vector(e, "position", "m");
    if (!file || !scale || !R || (placed && !p)) continue;
    scene::Shape s{.shape = "file", .role = std::string(e.value("role", ""))};
    const Eigen::Quaterniond q = Eigen::Quaterniond(*R).normalized();
    s.rotation = {q.x(), q.y(), q.z(), q.w()};
    if (p) s.at = scene::vector(*p);
    s.file = std::filesystem::absolute(file->path).lexically_normal().string();
    s.scale = *scale;
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace vernier::multibody_tree
