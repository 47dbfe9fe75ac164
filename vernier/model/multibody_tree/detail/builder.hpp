#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/model/multibody_tree/mesh.hpp"
#include "vernier/model/multibody_tree/modal_file.hpp"
#include "vernier/model/multibody_tree/quantities.hpp"
#include "vernier/model/multibody_tree/reader.hpp"

namespace vernier::multibody_tree::detail {

using document::Document;
using multibody::Body;
using multibody::HingeDof;
using multibody::HingeFacts;
using multibody::HingeKind;
using multibody::Inertia;
using multibody::Lump;
using multibody::Matrix3X;
using multibody::MatrixX;
using multibody::Modes;
using multibody::Node;
using multibody::NodeId;
using spatial::Matrix3;
using spatial::Vector3;

/// Modal files by their name in the document; null: unusable. Each is read once, for all spacecraft
/// made from the document.
using ModalFiles = std::map<std::string, std::shared_ptr<const ModalFile>, std::less<>>;

/// The files that a document names.
struct Files {
  ModalFiles modal;
  MeshFiles meshes;
};

/// Builds a spacecraft from a valid document. Elements with an error are reported and omitted.
class Builder {
 public:
  Builder(const Document&, Files&, Report&, Diagnostics& of_files, const Parameters*);

  Spacecraft run();
  const std::vector<ParameterSpec>& specs() const noexcept { return quantities_.specs(); }
  /// Whether the modal integrals of a body were computed from points instead of given.
  bool computed(int body) const { return known_[static_cast<std::size_t>(body)].computed; }

 private:
  /// What the builder knows about a body in addition to the model.
  struct Known {
    const Element* element = nullptr;
    std::vector<std::string> modes;  // names, or numbers
    std::shared_ptr<const ModalFile> file;
    std::vector<scene::Shape> meshes;
    std::map<std::string, int, std::less<>> nodes;
    std::vector<double> q, u, eta, eta_rate;  // at the start
    std::vector<std::uint8_t> motion, held;   // of the hinge's speeds
    bool computed = false;                    // integrals were computed from points
    bool usable = true;  // false: an error was reported; suppress errors that follow from it
  };

  // Names and references (builder.cpp)
  bool take_name(const Element&, std::string& name);
  void collect_bodies();
  void collect_body(const Element&);
  std::optional<int> body_named(std::string_view name, const Place&);
  std::optional<NodeId> node_named(const Element&, std::string_view attribute);
  std::optional<int> own_node(int body, std::string_view name, const Place&);
  void not_given(const char* code, std::string message, const Element&, std::string note);
  bool refuse_attributes(const Element&, std::initializer_list<const char*>, const char* code,
                         const std::string& why);
  void finish(Spacecraft&);

  // Mass, nodes, modes (bodies.cpp, modes.cpp)
  void read_gravity(const Element&);
  void read_ground(const Element&);
  void read_body(int body);
  void read_rigid(int body);
  std::optional<Inertia> inertia(const Element&, double mass, const Vector3& centre);
  std::vector<Lump> lumps(int body);
  void read_nodes(int body);
  Node read_node(const Element&, const Known&);
  void read_modes(int body, const Element&);
  std::shared_ptr<const ModalFile> modal_file(const Element&);
  std::optional<std::size_t> mode_index(const Known&, const Element&, std::string_view attribute);
  std::optional<std::size_t> mode_pair(const Known&, const Element&);
  bool read_shapes(const Element&, const Known&, const std::string& whose, bool turns,
                   Matrix3X& translation, Matrix3X& rotation, Matrix3X& second);
  void read_integrals(const Element&, int body, Modes&);
  void read_pairs(const Element&, int body, Modes&);
  void read_stiffness(const Element&, int body, Modes&);

  // Hinges (hinges.cpp)
  void read_hinge(int body);
  void orient_hinge(const Element&, HingeKind, Node& outboard, Node& inboard);
  void read_start(const Element&, int body);
  void read_parameter(const Element&, multibody::Hinge&);
  void read_dof(const Element&, int body, std::size_t which);
  void read_law(const Element&, int body, std::size_t which);

  // Sloshing fuel, wheels, tanks, actuators (equipment.cpp)
  void read_pendulum(const Element&);
  void read_slosh(const Element&);
  void read_wheel(const Element&);
  void read_tank(const Element&);
  void read_actuator(const Element&);
  void read_feeds(const Element&, multibody::Actuator&);
  int add_body(const Element&, const NodeId& at, double mass, const Vector3& centre, HingeKind);
  std::optional<double> positive(const Element&, std::string_view attribute, std::string_view unit,
                                 bool or_zero = false);

  /// Makes a replaceable number adjustable if requested, as part of the mass, law, rotor or modes
  /// with this index.
  void adjustable(const std::string& name, std::string_view unit, multibody::Parameter::Kind,
                  std::size_t index, std::size_t count = 1);

  Body& body(int i) { return craft_.model.tree.bodies[static_cast<std::size_t>(i)]; }
  Known& known(int i) { return known_[static_cast<std::size_t>(i)]; }

  const Document& document_;
  Files& files_;
  Report& report_;
  Diagnostics& of_files_;
  Quantities quantities_;
  Spacecraft craft_;
  std::vector<Known> known_;
  std::map<std::string, const Element*, std::less<>> names_;  // of everything except nodes
  std::map<std::string, int, std::less<>> bodies_;
  std::vector<Node> ground_;
  bool names_known_ = true;  // false: a name was refused
};

}  // namespace vernier::multibody_tree::detail
