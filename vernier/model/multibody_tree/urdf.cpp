#include "vernier/model/multibody_tree/urdf.hpp"

#include <console_bridge/console.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/component/mesh_file.hpp"

namespace vernier::multibody_tree {
namespace {

constexpr std::size_t most_bytes = 16u << 20;
constexpr std::size_t most_links = 10'000;
constexpr int most_depth = 64;

using Pose = Eigen::Isometry3d;

// Reading

/// Collects the messages of the URDF library instead of printing them.
class Listener final : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_WARN) said.push_back(text);
  }
  std::vector<std::string> said;
};

/// Why a text is not safe for the XML library of urdfdom: control characters, entities, deep
/// nesting or too many links. Null if it is.
const char* unfit(std::string_view text) {
  if (text.size() > most_bytes) return "it is larger than 16 MiB";
  int depth = 0;
  std::size_t links = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t')
      return "it has control characters";
    if (c != '<') continue;
    const std::string_view rest = text.substr(i + 1);
    if (rest.starts_with("!--")) {
      const std::size_t end = text.find("-->", i);
      if (end == std::string_view::npos) return "a comment does not end";
      i = end;
    } else if (rest.starts_with("!")) {
      return "it has a DOCTYPE, entities or CDATA";
    } else if (rest.starts_with("?")) {
      const std::size_t end = text.find("?>", i);
      if (end == std::string_view::npos) return "a processing instruction does not end";
      i = end;
    } else if (rest.starts_with("/")) {
      --depth;
    } else {
      if (rest.starts_with("link")) ++links;
      const std::size_t end = text.find('>', i);
      if (end == std::string_view::npos) return "a tag does not end";
      if (text[end - 1] != '/') ++depth;
    }
    if (depth > most_depth) return "it is nested too deep";
    if (links > most_links) return "it has more than 10000 links";
  }
  return nullptr;
}

urdf::ModelInterfaceSharedPtr read(std::string_view content, const std::string& name,
                                   Diagnostics& problems) {
  Listener listener;
  urdf::ModelInterfaceSharedPtr model;
  const char* why = unfit(content);
  if (!why) {
    static std::mutex one_at_a_time;  // the library has one global listener
    const std::lock_guard lock(one_at_a_time);
    console_bridge::useOutputHandler(&listener);
    try {
      model = urdf::parseURDF(std::string(content));
    } catch (const std::exception& e) {
      listener.said.emplace_back(e.what());
    }
    console_bridge::restorePreviousOutputHandler();
  }
  if (!model) {
    Diagnostic& d = problems.error("V1670", "this cannot be read as a robot description (URDF)",
                                   {.file = name});
    if (why) d.notes.emplace_back(why);
    constexpr std::size_t enough = 5;
    for (std::size_t i = 0; i < std::min(enough, listener.said.size()); ++i)
      d.notes.push_back(listener.said[i].substr(0, 200));
  }
  return model;
}

// Writing

std::string numbers(std::initializer_list<double> list) {
  std::string out;
  for (const double x : list) out += (out.empty() ? "" : " ") + exact(x == 0.0 ? 0.0 : x);
  return out;
}

/// Replaces rounding errors relative to `size` by zero.
double tidy(double x, double size) { return std::abs(x) <= 1e-15 * size ? 0.0 : x; }

std::string position(const Pose& p) {
  Eigen::Vector3d t = p.translation();
  for (double& x : t) x = tidy(x, t.lpNorm<Eigen::Infinity>());
  return t.isZero(0.0) ? "0 0 0" : numbers({t.x(), t.y(), t.z()}) + " m";
}

std::string attitude(const Pose& p) {
  const Eigen::Quaterniond q(p.linear());
  if (q.vec().isZero(1e-15)) return "";
  return " quaternion=\"" + numbers({q.x(), q.y(), q.z(), q.w()}) + "\"";
}

Pose pose(const urdf::Pose& u) {
  Pose p = Pose::Identity();
  p.linear() =
      Eigen::Quaterniond(u.rotation.w, u.rotation.x, u.rotation.y, u.rotation.z).toRotationMatrix();
  p.translation() = Eigen::Vector3d(u.position.x, u.position.y, u.position.z);
  return p;
}

/// Text for a document, restricted to ASCII: the library may produce any bytes from entities.
std::string plain(std::string text) {
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code >= 0x7f) c = '_';
  }
  return escaped(text);
}

// Walks the tree of links and writes a document. Massless links at fixed joints become nodes of the
// body that carries them.
class Importer {
 public:
  Importer(const urdf::ModelInterface& m, std::string_view content, std::string file,
           const UrdfOptions& o, Diagnostics& problems)
      : model_(m), content_(content), file_(std::move(file)), options_(o), problems_(problems) {}

  std::optional<std::string> run() {
    const urdf::LinkConstSharedPtr root = model_.getRoot();
    if (!root) return refuse("it has no root link");
    if (!numbers_are_finite()) return refuse("it has numbers that are not finite");
    walk(*root);
    if (reached_ != model_.links_.size())
      return refuse("its joints make a loop, apart from the root link");
    if (bodies_.empty()) {
      return refuse("no link has mass: nothing can move");
    }
    warn();
    return document();
  }

 private:
  /// How a link is written: as a body, or as a place on another body.
  struct Carrier {
    std::string body;            // "ground", or the name of a body
    Pose at = Pose::Identity();  // pose of the link's frame in that body
  };
  struct Body {
    std::string name;
    const urdf::Link* link = nullptr;
    std::string hinge;
    std::string nodes;
    std::string meshes;
  };

  std::optional<std::string> refuse(const char* why) {
    problems_.error("V1670", "this cannot be read as a robot description (URDF)", {.file = file_})
        .notes.emplace_back(why);
    return {};
  }

  Diagnostic& warning(std::string message) {
    return problems_.warning("V1671", std::move(message), {.file = file_});
  }

  bool numbers_are_finite() const {
    const auto finite = [](const urdf::Pose& p) {
      return std::isfinite(p.position.x + p.position.y + p.position.z) &&
             std::isfinite(p.rotation.x + p.rotation.y + p.rotation.z + p.rotation.w);
    };
    for (const auto& [name, l] : model_.links_) {
      if (!l->inertial) continue;
      const urdf::Inertial& i = *l->inertial;
      if (!finite(i.origin) ||
          !std::isfinite(i.mass + i.ixx + i.ixy + i.ixz + i.iyy + i.iyz + i.izz))
        return false;
    }
    for (const auto& [name, j] : model_.joints_) {
      if (!finite(j->parent_to_joint_origin_transform) ||
          !std::isfinite(j->axis.x + j->axis.y + j->axis.z))
        return false;
      if (j->limits && !std::isfinite(j->limits->lower + j->limits->upper)) return false;
      if (j->dynamics && !std::isfinite(j->dynamics->damping + j->dynamics->friction)) return false;
    }
    return true;
  }

  /// A valid name for documents that differs from all in `taken`.
  std::string named(const std::string& given, std::set<std::string>& taken) {
    std::string name = given.substr(0, 90);
    for (char& c : name) {
      const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!good) c = '_';
    }
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name == "ground" || name == "frame")
      name = "_" + name;
    std::string unique = name;
    for (int n = 2; !taken.insert(unique).second; ++n) unique = name + "_" + std::to_string(n);
    if (unique != given) renamed_.push_back(plain(given.substr(0, 40)) + " → " + unique);
    return unique;
  }

  static bool massless(const urdf::Link& l) { return !l.inertial || l.inertial->mass == 0.0; }

  void walk(const urdf::Link& root) {
    std::set<std::string> names;
    std::map<std::string, std::set<std::string>> nodes;  // of a body
    struct Step {
      const urdf::Link* link;
      const urdf::Joint* joint;  // null: the root
      Carrier parent;
    };
    std::vector<Step> open{{&root, nullptr, {"ground", Pose::Identity()}}};
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      ++reached_;
      const urdf::Link& l = *step.link;
      const bool fixed = step.joint ? step.joint->type == urdf::Joint::FIXED : !options_.free_base;
      Pose at = step.parent.at;
      if (step.joint) at = at * pose(step.joint->parent_to_joint_origin_transform);
      Carrier own;
      if (massless(l) && fixed) {
        // A frame on the body that carries it.
        own = {step.parent.body, at};
        if (step.joint) add_node(own.body, named(l.name, nodes[own.body]), at);
      } else {
        own.body = named(l.name, names);
        Body b;
        b.name = own.body;
        b.link = &l;
        if (massless(l)) weightless_.push_back(plain(l.name));
        if (step.joint) {
          const std::string node = named(step.joint->name, nodes[step.parent.body]);
          add_node(step.parent.body, node, at);
          b.hinge = hinge(*step.joint, step.parent.body + "." + node);
        } else {
          b.hinge = options_.free_base ? "<hinge kind=\"free\"/>" : "<hinge kind=\"fixed\"/>";
        }
        index_[b.name] = bodies_.size();
        bodies_.push_back(std::move(b));
      }
      add_meshes(l, own);
      // Pushed in reverse, so that children are visited in document order.
      for (auto child = l.child_links.rbegin(); child != l.child_links.rend(); ++child)
        open.push_back({child->get(), (*child)->parent_joint.get(), own});
    }
  }

  /// The file that a description names; empty: it is not there. "package://NAME/PATH" is looked for
  /// in the folder NAME, which is beside the description or above it.
  std::filesystem::path mesh_path(const std::string& given) const {
    namespace fs = std::filesystem;
    constexpr std::string_view package = "package://", file = "file://";
    constexpr int most_levels = 8;
    std::error_code failed;
    const auto found = [&](const fs::path& p) {
      return fs::is_regular_file(p, failed) ? p.lexically_normal() : fs::path();
    };
    if (options_.folder.empty() || given.find('\0') != std::string::npos) return {};
    if (given.starts_with(file)) return found("/" + given.substr(file.size()));
    const fs::path folder = fs::absolute(options_.folder, failed);
    if (!given.starts_with(package)) return found(folder / given);
    const fs::path rest = given.substr(package.size());
    fs::path at = folder;
    for (int level = 0; level < most_levels; ++level, at /= "..") {
      if (fs::path p = found(at / rest); !p.empty()) return p;
    }
    return {};
  }

  /// The name of a file in the document.
  std::string from_document(const std::filesystem::path& file) const {
    std::error_code failed;
    const std::filesystem::path& there =
        options_.beside.empty() ? options_.folder : options_.beside;
    return std::filesystem::proximate(file, there, failed).generic_string();
  }

  /// Keeps the meshes of a link that the document can name; counts what is left out.
  void add_meshes(const urdf::Link& l, const Carrier& on) {
    bool left = !l.collision_array.empty() || l.collision;
    std::vector<urdf::VisualSharedPtr> all = l.visual_array;
    if (all.empty() && l.visual) all.push_back(l.visual);
    for (const urdf::VisualSharedPtr& v : all) {
      const auto mesh = v ? std::dynamic_pointer_cast<urdf::Mesh>(v->geometry) : nullptr;
      if (!mesh || on.body == "ground") {
        left = true;
        continue;
      }
      const std::string name = plain(mesh->filename.substr(0, 200));
      const std::filesystem::path path = mesh_path(mesh->filename);
      const auto fault = path.empty() ? std::nullopt : scene::mesh_file_fault(path);
      const urdf::Vector3& k = mesh->scale;
      const Pose at = on.at * pose(v->origin);
      if (path.empty()) {
        absent_.push_back(name);
      } else if (!fault || !fault->empty()) {
        undrawable_.push_back(name);
      } else if (!at.matrix().allFinite() || !std::isfinite(k.x * k.y * k.z) ||
                 k.x * k.y * k.z == 0.0) {
        left = true;
      } else {
        std::string scale = numbers({k.x, k.y, k.z});
        if (k.x == k.y && k.y == k.z) scale = exact(k.x);
        bodies_[index_.at(on.body)].meshes +=
            "    <mesh file=\"" + escaped(from_document(path)) + "\"" +
            (scale == "1" ? "" : " scale=\"" + scale + "\"") + " position=\"" + position(at) +
            "\"" + attitude(at) + "/>\n";
      }
    }
    if (left) others_.push_back(plain(l.name));
  }

  void add_node(const std::string& body, const std::string& name, const Pose& at) {
    const std::string text =
        "    <node name=\"" + name + "\" position=\"" + position(at) + "\"" + attitude(at) + "/>\n";
    if (body == "ground") {
      ground_ += text;
    } else {
      bodies_[index_.at(body)].nodes += text;
    }
  }

  std::string hinge(const urdf::Joint& j, const std::string& to) {
    const char* kind = "fixed";
    const char* dof = nullptr;
    bool angle = true;
    switch (j.type) {
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        kind = "pin";
        dof = "turn";
        break;
      case urdf::Joint::PRISMATIC:
        kind = "prismatic";
        dof = "slide";
        angle = false;
        break;
      case urdf::Joint::PLANAR:
        kind = "planar";
        break;
      case urdf::Joint::FLOATING:
        kind = "free";
        break;
      default:
        break;
    }
    if (j.mimic) mimics_.push_back(plain(j.name));
    if (j.safety || j.calibration) controlled_.push_back(plain(j.name));
    std::string out = "<hinge kind=\"" + std::string(kind) + "\" to=\"" + to + "\"";
    if (dof || j.type == urdf::Joint::PLANAR)
      out += " axis=\"" + numbers({j.axis.x, j.axis.y, j.axis.z}) + "\"";
    std::string law;
    if (dof && j.dynamics && j.dynamics->damping != 0.0)
      law += " damping=\"" + exact(j.dynamics->damping) + (angle ? " N*m*s" : " N*s/m") + "\"";
    if (dof && j.dynamics && j.dynamics->friction != 0.0)
      law += " friction=\"" + exact(j.dynamics->friction) + (angle ? " N*m" : " N") + "\"";
    if (!dof && j.dynamics && (j.dynamics->damping != 0.0 || j.dynamics->friction != 0.0))
      undamped_.push_back(plain(j.name));
    if (j.limits && (j.limits->effort != 0.0 || j.limits->velocity != 0.0))
      limited_.push_back(plain(j.name));
    const bool stops =
        dof && j.limits && j.type != urdf::Joint::CONTINUOUS && j.limits->lower < j.limits->upper;
    if (stops) {
      const char* unit = angle ? " rad" : " m";
      (angle ? turn_stops_ : slide_stops_) = true;
      law += " lower=\"" + exact(j.limits->lower) + unit + "\" upper=\"" + exact(j.limits->upper) +
             unit + "\" stop_stiffness=\"" + (angle ? "turn_stop" : "slide_stop") + "\"";
    }
    if (law.empty()) return out + "/>";
    return out + ">\n      <dof name=\"" + dof + "\"" + law + "/>\n    </hinge>";
  }

  void warn() {
    const auto list = [](const std::vector<std::string>& all) {
      constexpr std::size_t enough = 12;
      const std::vector<std::string> some(
          all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(enough, all.size())));
      return joined(some, ", ") + (all.size() > enough ? ", …" : "");
    };
    const auto say = [&](const std::vector<std::string>& who, const std::string& what,
                         const char* note) {
      if (who.empty()) return;
      warning(what + ": " + list(who)).notes.emplace_back(note);
    };
    say(renamed_, "names were changed",
        "names have letters, digits and _, and begin with a letter");
    say(weightless_, "links without mass were written with mass zero",
        "give them mass, if something moves them and nothing heavier hangs there");
    say(mimics_, "joints that mimic others move on their own",
        "make them prescribed and connect the acceleration of the other, or join them by a stiff "
        "law");
    say(limited_, "limits of effort and velocity were left out",
        "they belong to the motors, which are models of their own");
    say(undamped_, "damping and friction of planar and floating joints were left out",
        "add <dof name=\"…\" damping=\"…\"/> to their hinges");
    say(controlled_, "safety controllers and calibrations were left out",
        "they belong to the controller");
    if (turn_stops_ || slide_stops_)
      warning("limits of position became stops of an assumed stiffness")
          .notes.emplace_back("set the constants turn_stop and slide_stop");
    std::vector<std::string> others;
    for (const char* element : {"gazebo", "transmission", "sensor", "ros2_control"}) {
      if (content_.find("<" + std::string(element)) != std::string_view::npos)
        others.push_back("<" + std::string(element) + ">");
    }
    say(others, "elements of other programs were left out",
        "sensors of a spacecraft are <sensor name=\"…\" at=\"BODY.NODE\"/>");
    const auto no_mesh = [&](const std::vector<std::string>& who, const std::string& what,
                             const char* note) {
      if (who.empty()) return;
      problems_.warning("V1672", what + ": " + list(who), {.file = file_}).notes.emplace_back(note);
    };
    no_mesh(absent_, "meshes were left out, as their files were not found",
            "package://NAME/… is looked for in the folder NAME, beside the robot description or "
            "above it");
    no_mesh(undrawable_, "meshes were left out, as their files cannot be drawn",
            "save them as glTF 2.0 (.glb), STL or OBJ, and name them: <mesh file=\"…\"/>");
    no_mesh(others_, "shapes other than meshes were left out, of links",
            "a body without a mesh is drawn as a box by its inertia");
  }

  std::string inertial(const urdf::Link& l) const {
    if (massless(l)) {
      return " mass=\"0\" centre=\"0 0 0\">|    <inertia about=\"centre\" xx=\"0\" yy=\"0\" "
             "zz=\"0\"/>\n";
    }
    const urdf::Inertial& i = *l.inertial;
    const Pose at = pose(i.origin);
    Eigen::Matrix3d J;
    J << i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz;
    if (!at.linear().isIdentity(0.0)) J = at.linear() * J * at.linear().transpose();
    for (double& x : J.reshaped()) x = tidy(x, J.trace());
    std::string text = "    <inertia about=\"centre\" unit=\"kg*m^2\" xx=\"" + exact(J(0, 0)) +
                       "\" yy=\"" + exact(J(1, 1)) + "\" zz=\"" + exact(J(2, 2)) + "\"";
    if (J(0, 1) != 0.0 || J(0, 2) != 0.0 || J(1, 2) != 0.0) {
      text += "\n             xy=\"" + exact(J(0, 1)) + "\" xz=\"" + exact(J(0, 2)) + "\" yz=\"" +
              exact(J(1, 2)) + "\" products=\"tensor\"";
    }
    return " mass=\"" + exact(i.mass) + " kg\" centre=\"" + position(at) + "\">|" + text + "/>\n";
  }

  std::string document() const {
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!DOCTYPE multibody SYSTEM \"multibody.dtd\">\n";
    out += "<multibody name=\"" + plain(model_.getName()) + "\" version=\"1\">\n";
    out += "  <description>" + plain(model_.getName()) +
           ", from a robot description (URDF)</description>\n";
    if (turn_stops_ || slide_stops_) {
      out += "\n  <!-- URDF does not say how stiff stops are. -->\n  <constants>\n";
      if (turn_stops_)
        out +=
            "    <constant name=\"turn_stop\" value=\"1e4\" unit=\"N*m\" description=\"stiffness "
            "of stops, per rad\"/>\n";
      if (slide_stops_)
        out +=
            "    <constant name=\"slide_stop\" value=\"1e6\" unit=\"N/m\" description=\"stiffness "
            "of stops\"/>\n";
      out += "  </constants>\n";
    }
    if (!ground_.empty()) out += "\n  <ground>\n" + ground_ + "  </ground>\n";
    for (const Body& b : bodies_) {
      const std::string mass = inertial(*b.link);
      const std::size_t bar = mass.find('|');
      out += "\n  <body name=\"" + b.name + "\"" + mass.substr(0, bar) + "\n    " + b.hinge + "\n" +
             mass.substr(bar + 1) + b.nodes + b.meshes + "  </body>\n";
    }
    return out + "</multibody>\n";
  }

  const urdf::ModelInterface& model_;
  std::string_view content_;
  std::string file_;
  UrdfOptions options_;
  Diagnostics& problems_;
  std::vector<Body> bodies_;
  std::map<std::string, std::size_t> index_;
  std::string ground_;
  std::size_t reached_ = 0;
  bool turn_stops_ = false, slide_stops_ = false;
  std::vector<std::string> renamed_, weightless_, mimics_, limited_, undamped_, controlled_,
      absent_, undrawable_, others_;
};

}  // namespace

std::optional<std::string> imported_urdf(std::string_view content, const std::string& name,
                                         const UrdfOptions& options, Diagnostics& problems) {
  const urdf::ModelInterfaceSharedPtr model = read(content, name, problems);
  if (!model) return {};
  return Importer(*model, content, name, options, problems).run();
}

std::optional<std::string> import_urdf(const std::filesystem::path& path,
                                       const UrdfOptions& options, Diagnostics& problems) {
  std::error_code failed;
  const bool file = std::filesystem::is_regular_file(path, failed);
  std::ifstream in(path, std::ios::binary);
  if (!file || !in || std::filesystem::file_size(path, failed) > most_bytes || failed) {
    problems
        .error("V1670", "this cannot be read as a robot description (URDF)",
               {.file = path.string()})
        .notes.emplace_back("is it a file of at most 16 MiB?");
    return {};
  }
  std::string content((std::istreambuf_iterator<char>(in)), {});
  UrdfOptions beside = options;
  if (beside.folder.empty())
    beside.folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return imported_urdf(content, path.string(), beside, problems);
}

}  // namespace vernier::multibody_tree
