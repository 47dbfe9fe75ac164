#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/kernel/constrained/elements/modal_body.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"
#include "vernier/model/multibody_tree/modal_file.hpp"

namespace vernier::multibody_loops::detail {
namespace {

std::vector<constrained::Vector3> columns(const multibody::Matrix3X& m) {
  std::vector<constrained::Vector3> all;
  for (Eigen::Index i = 0; i < m.cols(); ++i) all.push_back(plain(Vector3(m.col(i))));
  return all;
}

}  // namespace

std::optional<constrained::ModalBody::Station> Builder::station(
    const Element& e, const multibody_tree::ModalFile& file, std::optional<int> of) {
  constrained::ModalBody::Station s;
  s.name = name_of(e);
  quantities_.good_name(e, s.name);
  const auto node = node_named(e, "node", false);
  const auto id = parsed_integer(trimmed(e.value("point")));
  const auto found = id ? file.by_id.find(*id) : file.by_id.end();
  if (found == file.by_id.end()) {
    report_.error("V1657", "the modal file has no point " + in_quotes(trimmed(e.value("point"))),
                  Report::value_place(e, "point"));
    return {};
  }
  if (!file.rotations) {
    report_.error("V1628", "the modal file has no rotations, which a station needs", e.place);
    return {};
  }
  if (!node) return {};
  const multibody::Lump& p = file.points[found->second];
  s.place = plain(p.p);
  s.translation = columns(p.shape);
  s.rotation = columns(p.rotation);
  s.node = *node;
  // The station is clamped to its node as placed: its axes are the initial orientation of the node
  // relative to the body.
  const auto& all = made_.model.nodes;
  if (of) s.axes = spatial::transposed(all[*of].orientation) * all[*node].orientation;
  return s;
}

void Builder::read_modal(const Element& e) {
  const std::size_t before = found_.errors();
  const auto node = node_named(e, "node", false);
  const std::string name(trimmed(e.value("file")));
  const std::filesystem::path path = document_.beside(name);
  const Place place = Report::value_place(e, "file");
  Diagnostics of_file;
  auto read = multibody_tree::read_modal_file(path, of_file);
  const std::shared_ptr<const multibody_tree::ModalFile> file =
      read ? std::make_shared<const multibody_tree::ModalFile>(std::move(*read)) : nullptr;
  if (!file) {
    const bool there = of_file.list().empty() || of_file.list().front().code != "V1650";
    if (there) of_files_.append(of_file);
    report_.error(
        there ? "V1658" : "V1650",
        "the modal file " + in_quotes(name) + (there ? " cannot be used" : " cannot be read"),
        place);
    return;
  }
  files_.insert(path);
  if (std::ranges::any_of(file->points, [](const auto& p) { return p.second.cols() > 0; })) {
    report_
        .warning("V1618",
                 "mechanisms do not use the beams of the modal file " + in_quotes(name) +
                     ": the body has no geometric stiffness",
                 place)
        .notes.push_back("for a body that spins fast, use <beam_line>s, or a multibody document");
  }
  const std::size_t n = file->modes();
  const auto ratio = positive(e, "damping", "1", true);
  if (!ratio && file->damping.empty() && !e.attribute("damping")) {
    report_.error("V1704", who(e) + " has no damping", e.place)
        .notes.push_back("the modal file gives none: say damping=\"0.005\", a ratio to critical");
  }
  const std::vector<double> zeros(n, 0.0);
  std::vector<constrained::ModalBody::Station> stations;
  std::vector<double> initial = quantities_.replaceable(name_of(e) + ".eta", e, "eta", "1", zeros,
                                                        "modal coordinates at the start");
  std::vector<double> rates = quantities_.replaceable(name_of(e) + ".eta_rate", e, "eta_rate", "1",
                                                      zeros, "their rates at the start");
  for (const Element& c : e.children) {
    if (auto s = station(c, *file, node)) stations.push_back(std::move(*s));
  }
  if (!node || found_.errors() > before) return;
  multibody::Body body;
  body.inertia = multibody::rigid_inertia(file->points);
  multibody::Modes modes = multibody::modal_integrals(file->points);
  modes.stiffness = modes.damping = multibody::MatrixX::Zero(modes.mass.rows(), modes.mass.cols());
  // Eigenmodes: k = ω² m, d = 2 ζ ω m, diagonal.
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double w = file->frequencies[i], zeta = ratio ? *ratio : file->damping[i];
    modes.stiffness(k, k) = w * w * modes.mass(k, k);
    modes.damping(k, k) = 2.0 * zeta * w * modes.mass(k, k);
  }
  body.modes = std::move(modes);
  constrained::ModalBody b = constrained::modal_body(body, *node);
  b.stations = std::move(stations);
  made_.bending.push_back({name_of(e), *node, file, initial});
  b.initial = std::move(initial);
  b.initial_rates = std::move(rates);
  b.gravity = made_.model.gravity;
  add(e, name_of(e), "modal", b);
}

}  // namespace vernier::multibody_loops::detail
