#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/model/multibody_loops/definition.hpp"
#include "vernier/model/multibody_loops/drives.hpp"
#include "vernier/model/multibody_tree/mesh.hpp"
#include "vernier/model/multibody_tree/quantities.hpp"

namespace vernier {
class NativeCode;
}
namespace vernier::constrained {
struct UserElementKind;
}
namespace vernier::multibody_tree {
struct ModalFile;
}

namespace vernier::multibody_loops::detail {

using constrained::Attachment;
using document::Document;
using document::Element;
using document::in_quotes;
using document::listed;
using document::Report;
using multibody_tree::Quantities;
using spatial::Matrix3;
using spatial::Vector3;

inline constrained::Vector3 plain(const Vector3& v) { return {v[0], v[1], v[2]}; }
inline constrained::Matrix3 plain(const Matrix3& m) {
  return {{m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)}};
}
inline spatial::Sym3<double> symmetric(const Matrix3& m) {
  return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
}

/// Builds a mechanism from a valid document. Elements with an error are reported and omitted.
class Builder {
 public:
  /// `found` collects the report; `of_files` collects problems in files that the document names.
  /// Shared objects are loaded by `NativeCode`, if it is there and loads any. Files in `meshes` are
  /// known already.
  Builder(const Document&, Report&, const Diagnostics& found, Diagnostics& of_files,
          const Parameters*, NativeCode*, multibody_tree::MeshFiles& meshes);

  Definition run();
  const std::vector<ParameterSpec>& specs() const noexcept { return quantities_.specs(); }
  const std::set<std::filesystem::path>& files() const noexcept { return files_; }

 private:
  enum class Named : std::uint8_t { frame, node, body, scalar, drive, element, section };
  /// A named element. `index` is its position in the vectors of the model or of the builder; -1:
  /// not read yet, or refused.
  struct Entry {
    Named kind = Named::element;
    const Element* element = nullptr;
    int index = -1;
  };
  /// Initial pose and velocities in global axes.
  struct Pose {
    Matrix3 R = Matrix3::Identity();
    Vector3 p = Vector3::Zero(), v = Vector3::Zero(), w = Vector3::Zero();
  };
  using Ends = std::pair<Attachment, Attachment>;

  // Names, references, numbers (builder.cpp)
  void collect();
  void read_all(std::initializer_list<std::string_view> elements);
  void read(const Element&);
  /// Reports a missing name. Also returns elements that were refused, with index -1.
  const Entry* find(std::string_view name, std::initializer_list<Named>, const std::string& what,
                    const Place&);
  const Entry* find(const Element&, std::string_view attribute, std::initializer_list<Named>,
                    const std::string& what);
  std::optional<int> node_named(const Element&, std::string_view attribute, bool ground_too);
  std::optional<double> positive(const Element&, std::string_view attribute, std::string_view unit,
                                 bool or_zero = false);
  double number(const Element&, std::string_view attribute, std::string_view unit,
                double otherwise = 0.0);
  int whole(const Element&, std::string_view attribute, int least, int most, int otherwise);
  bool refuse(const Element&, std::initializer_list<const char*> attributes,
              const std::string& why);
  bool need(const Element&, std::initializer_list<const char*> attributes, const std::string& who);
  /// All numbers of the text of an element, separated by blanks, commas and semicolons.
  std::optional<std::vector<double>> text_numbers(const Element&, const std::string& what);
  std::string who(const Element&) const;  // joint "elbow"
  std::string name_of(const Element&) const;
  void findings();

  // Frames, nodes, ends (places.cpp)
  void read_settings(const Element&);
  void read_run(const Element&);
  std::optional<Matrix3> attitude(const Element&, bool with_axes);
  std::optional<Pose> pose_of(std::string_view name, const Place&);
  std::optional<Pose> pose_of(const Element&);
  void read_frame(const Element&);
  void read_node(const Element&);
  int add_node(constrained::Node, const Pose&, const Place&);
  void read_body(const Element&);
  void read_scalar(const Element&);
  std::optional<Attachment> attachment(const Element& end, bool ground_too = true);
  /// Both ends of an element; nothing if one has an error.
  std::optional<Ends> ends(const Element&);
  Pose pose_of(const Attachment&) const;

  // Drives (functions.cpp)
  void read_drive(const Element&);
  Function function(const Element&, double factor);
  std::optional<std::vector<double>> csv(const Element&);
  int drive(const Element&, std::string_view attribute, std::string_view unit);
  int drive(std::string_view text, const Place&, const std::string& what, std::string_view unit);
  /// Its value at t = 0; 0 without a drive.
  double at_start(int drive) const;
  bool fits(const Entry&, std::string_view unit, const Place&, const std::string& what);

  // Joints and springs (joints.cpp)
  void read_joint(const Element&);
  void read_friction(const Element&, constrained::Joint&);
  void read_coupling(const Element&);
  std::optional<constrained::JointCoordinate> coordinate(const Element&, std::string_view of,
                                                         std::string_view kind);
  void read_deformable(const Element&);
  std::optional<constrained::Law> law(const Element&, bool turns);
  void read_rod(const Element&);

  // Loads, contact, control (forces.cpp)
  void read_load(const Element&);
  void read_contact(const Element&);
  void read_servo(const Element&);
  void read_state_space(const Element&);
  void read_branch(const Element&);
  void read_transducer(const Element&);
  /// A matrix of the element, row by row; nothing if it is absent or has the wrong size.
  std::optional<std::vector<double>> matrix(const Element&, std::string_view of, std::size_t rows,
                                            std::size_t columns);

  // Beams, modal bodies, elements of libraries (beams.cpp, modal.cpp, user.cpp)
  void read_section(const Element&);
  bool general_section(const Element&, constrained::Section&);
  bool shaped_section(const Element&, constrained::Section&);
  std::optional<std::vector<constrained::Section>> sections(const Element&, std::size_t most);
  void read_beam(const Element&);
  void read_line(const Element&);
  double radius_of(const Element& beam) const;  // of its section, for pictures
  void read_modal(const Element&);
  /// `of`: the node of the modal body, if it is known.
  std::optional<constrained::ModalBody::Station> station(const Element&,
                                                         const multibody_tree::ModalFile&,
                                                         std::optional<int> of);
  void read_user(const Element&);
  std::vector<double> user_parameters(const Element&, const constrained::UserElementKind&);
  constrained::NodeState start_of(int node) const;

  // Outputs (outputs.cpp)
  void read_outputs();
  void show_node(int node, const Element* wanted);
  bool accelerates(int node) const;
  void show_scalar(int scalar);
  void show_element(int element, const Element* wanted);
  void show_totals(const Element* wanted);
  void show(Shown, const std::string& path);
  bool chosen(const Element* wanted, std::string_view measure) const;
  void check_measures(const Element&, const std::vector<std::string>& all);

  void add_made(const Element&, const std::string& name, std::string_view kind,
                std::shared_ptr<const constrained::Element>);
  template <class Parameters>
  void add(const Element& e, const std::string& name, std::string_view kind, const Parameters& p) {
    try {
      add_made(e, name, kind, constrained::make(p));
    } catch (const std::invalid_argument& x) {
      report_.error("V1707", who(e) + ": " + x.what(), e.place);
    }
  }

  const Document& document_;
  const Element& root_;
  Report& report_;
  const Diagnostics& found_;
  Diagnostics& of_files_;
  NativeCode* code_;
  Quantities quantities_;
  Definition made_;
  std::map<std::string, Entry, std::less<>> names_;
  bool names_known_ = true;                                        // false: a name was refused
  std::map<std::string, std::optional<Pose>, std::less<>> poses_;  // of frames and nodes
  std::set<std::string, std::less<>> resolving_;
  std::vector<Pose> node_poses_;
  std::map<std::string, Ends, std::less<>> ends_;  // of elements with a relative coordinate
  std::vector<constrained::Section> sections_;
  std::vector<double> radii_;             // of sections, about
  std::vector<std::string> drive_units_;  // by drive; empty: not known
  std::set<std::filesystem::path> files_;
  multibody_tree::MeshFiles& meshes_;
};

}  // namespace vernier::multibody_loops::detail
