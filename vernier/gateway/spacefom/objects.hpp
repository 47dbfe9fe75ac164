#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/gateway/spacefom/federate.hpp"
#include "vernier/kernel/frames/tree.hpp"

namespace vernier::spacefom {

/// A PhysicalEntity, or a DynamicalEntity with all attributes. SI. Its state is that of the body
/// frame (origin at the centre of mass) relative to the parent reference frame.
struct Entity {
  std::string name, type, status, parent;
  frames::FrameState state;  // acceleration of the centre of mass in parent axes, the angular one
                             // in body axes
  frames::Vector3 center_of_mass = frames::Vector3::Zero();       // structural axes
  frames::Quaternion body_wrt_structural = {0.0, 0.0, 0.0, 1.0};  // q_BS: structural to body
  bool dynamical = false;
  frames::Vector3 force = frames::Vector3::Zero(), torque = frames::Vector3::Zero();
  double mass = 0.0, mass_rate = 0.0;
  std::array<double, 9> inertia{}, inertia_rate{};  // row by row
};

/// A PhysicalInterface: a location on an entity, in its structural axes.
struct Interface {
  std::string name, parent;
  frames::Vector3 position = frames::Vector3::Zero();
  frames::Quaternion attitude = {0.0, 0.0, 0.0, 1.0};
};

/// A user class derived from one of the SpaceFOM, and the attributes that it adds.
struct Extension {
  std::string object_class = {};  // empty: the class of the SpaceFOM
  std::vector<std::string> attributes = {};
};

/// The SpaceFOM objects of a federation: ours to send, those of others as received, and the tree of
/// all reference frames.
class Objects final : public Listener {
 public:
  /// Listens to the federate, which must live as long.
  explicit Objects(Federate&);

  // -- before the federate joins --

  /// An empty parent: the root frame; the federate is then the root reference frame publisher.
  std::size_t publish_frame(std::string name, std::string parent, const Extension& = {});
  std::size_t publish_entity(Entity, const Extension& = {});
  std::size_t publish_interface(Interface, const Extension& = {});
  /// Of the attributes that extensions add, the accelerations of frames are used.
  void subscribe_frames(std::vector<Extension> = {});
  void subscribe_entities(std::vector<Extension> = {});
  void subscribe_interfaces(std::vector<Extension> = {});
  /// Where the federate stores a value of ours that an extension adds: object and attribute.
  using Place = std::pair<std::size_t, std::size_t>;
  Place frame_value(std::size_t i, std::size_t extra) const;
  Place entity_value(std::size_t i, std::size_t extra) const;
  Place interface_value(std::size_t i, std::size_t extra) const;

  // -- ours: the values at the time of sending are sent --

  frames::FrameState& frame(std::size_t i) { return frames_.at(i).state; }
  Entity& entity(std::size_t i) { return entities_.at(i).entity; }
  Interface& interface(std::size_t i) { return interfaces_.at(i).interface; }

  // -- of others --

  /// Accelerations that were received. The others are estimated from the last two states.
  struct Given {
    std::optional<frames::Vector3> acceleration, angular;
  };
  struct KnownEntity {
    Entity entity;
    double time = 0.0;  // scenario time of the state
    std::uint64_t updates = 0;
    Given given;
  };
  const KnownEntity* find_entity(std::string_view name) const;
  const Interface* find_interface(std::string_view name) const;
  const std::map<std::string, KnownEntity, std::less<>>& known_entities() const noexcept {
    return known_entities_;
  }
  const std::map<std::string, Interface, std::less<>>& known_interfaces() const noexcept {
    return known_interfaces_;
  }
  /// Our frames and those of others.
  const frames::FrameTree& tree() const noexcept { return tree_; }

  /// A frame or entity relative to a frame, with all states on the path propagated to
  /// `scenario_time`, or as received. False: unknown, or no path connects them. Does not allocate.
  bool resolve(std::string_view subject, std::string_view frame, double scenario_time,
               frames::FrameState&) const noexcept;
  bool resolve(std::string_view subject, std::string_view frame,
               frames::FrameState&) const noexcept;

  /// Values that could not be decoded: how many, and the last one.
  std::uint64_t malformed() const noexcept { return malformed_; }
  const std::string& last_malformed() const noexcept { return last_malformed_; }
  /// Problems with the frames, in sentences: several roots, a root other than the configuration's,
  /// missing parents.
  std::vector<std::string> problems() const;

  void discovered(const Remote&) override;
  void reflected(const Remote&, std::span<const std::size_t> changed) override;
  void removed(const Remote&) override;
  void sending(Ticks) override;

 private:
  struct OwnFrame {
    std::size_t object;
    std::string name, parent;
    frames::FrameTree::Index at;
    frames::FrameState state = {};
  };
  struct OwnEntity {
    std::size_t object;
    Entity entity;
  };
  struct OwnInterface {
    std::size_t object;
    Interface interface;
  };
  struct KnownFrame {
    std::optional<std::string> parent;
    std::optional<TimedState> state;
    Given given = {};
    frames::FrameTree::Index at = frames::FrameTree::none;
  };
  /// The meaning of a SpaceFOM attribute.
  enum class Field : std::uint8_t {
    other,
    parent,
    state,
    acceleration,
    rotational_acceleration,
    type,
    status,
    center_of_mass,
    body_wrt_structural,
    force,
    torque,
    mass,
    mass_rate,
    inertia,
    inertia_rate,
    position,
    attitude
  };
  /// An object of another federate, as resolved at its discovery.
  struct Resolved {
    enum class Kind : std::uint8_t { other, frame, entity, interface };
    Kind kind = Kind::other;
    bool dynamical = false;
    std::vector<Field> fields = {};  // of its values
    KnownFrame frame = {};
    KnownEntity* entity = nullptr;  // set with its first values
    Interface* interface = nullptr;
  };

  void subscribe(const std::string& path, std::vector<std::string> standard,
                 std::vector<Extension>);
  void put(std::size_t object, std::size_t attribute, const Octets&, bool always);
  static Field field_of(Resolved::Kind, std::string_view attribute) noexcept;
  void take_frame(const Remote&, Resolved&, std::span<const std::size_t>);
  bool take_frame_value(Field, const Octets&, KnownFrame&) const;
  void take_entity(const Remote&, Resolved&, std::span<const std::size_t>);
  bool take_entity_value(Field, const Octets&, KnownEntity&) const;
  void take_interface(const Remote&, Resolved&, std::span<const std::size_t>);
  bool take_interface_value(Field, const Octets&, Interface&) const;
  void refuse(const Remote&, const std::string& attribute);
  void place(frames::FrameTree::Index, const frames::FrameState&, double time, const Given& = {});
  static void give(const Given&, frames::FrameState&);
  bool resolve_at(std::string_view, std::string_view, const double*,
                  frames::FrameState&) const noexcept;

  Federate& federate_;
  std::vector<OwnFrame> frames_;
  std::vector<OwnEntity> entities_;
  std::vector<OwnInterface> interfaces_;
  std::vector<Resolved> resolved_;  // by Remote::number
  std::map<std::string, KnownEntity, std::less<>> known_entities_;
  std::map<std::string, Interface, std::less<>> known_interfaces_;
  std::map<std::pair<std::size_t, std::size_t>, Octets> sent_;
  frames::FrameTree tree_;
  std::uint64_t malformed_ = 0;
  std::string last_malformed_;
};

}  // namespace vernier::spacefom
