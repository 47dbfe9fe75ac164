#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <cstring>
#include <sstream>

#include "family.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/kernel/spatial/spans.hpp"

namespace vernier::peers {

using namespace multibody;

namespace {

void write(std::ostream& o, const Vector3& v) { o << v[0] << ' ' << v[1] << ' ' << v[2]; }

/// A body and what hangs at it. The frame of the body is that of its inboard node.
void write_body(std::ostream& o, const Model& model, int index) {
  const Body& b = model.bodies[static_cast<std::size_t>(index)];
  const auto inboard = [&](int of) {
    return of == ground ? Pose{} : model.bodies[static_cast<std::size_t>(of)].hinge.inboard.pose;
  };
  const Pose parent = inboard(b.hinge.parent), own = inboard(index);
  const Pose& at = b.hinge.outboard.pose;
  const Eigen::Quaterniond q(Matrix3(parent.R.transpose() * at.R));
  o << "<body name='" << index << "' pos='";
  write(o, parent.R.transpose() * (at.p - parent.p));
  o << "' quat='" << q.w() << ' ' << q.x() << ' ' << q.y() << ' ' << q.z() << "'>\n";
  const auto joint = [&](const char* type, const char* axis) {
    o << "<joint type='" << type << "' axis='" << axis << "'/>\n";
  };
  switch (b.hinge.kind) {
    case HingeKind::free:
      o << "<freejoint/>\n";
      break;
    case HingeKind::pin:
      joint("hinge", "0 0 1");
      break;
    case HingeKind::prismatic:
      joint("slide", "0 0 1");
      break;
    case HingeKind::cylindrical:
      joint("hinge", "0 0 1");
      joint("slide", "0 0 1");
      break;
    case HingeKind::universal:
      joint("hinge", "1 0 0");
      joint("hinge", "0 1 0");
      break;
    case HingeKind::gimbal:
      joint("hinge", "1 0 0");
      joint("hinge", "0 1 0");
      joint("hinge", "0 0 1");
      break;
    case HingeKind::ball:
      o << "<joint type='ball'/>\n";
      break;
    case HingeKind::planar:
      joint("slide", "1 0 0");
      joint("slide", "0 1 0");
      joint("hinge", "0 0 1");
      break;
    case HingeKind::fixed:
      break;
    case HingeKind::screw:
      require(false);  // they have none
  }
  const Inertia& i = b.inertia;
  const Vector3 c = i.moment / i.mass;
  const Matrix3 central = i.inertia - i.mass * (c.dot(c) * Matrix3::Identity() - c * c.transpose());
  // principal axes by us: theirs are good to 1e-7 only
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(own.R.transpose() * central * own.R);
  Matrix3 axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1.0;
  const Eigen::Quaterniond turn(axes);
  o << "<inertial pos='";
  write(o, own.R.transpose() * (c - own.p));
  o << "' quat='" << turn.w() << ' ' << turn.x() << ' ' << turn.y() << ' ' << turn.z() << "' mass='"
    << i.mass << "' diaginertia='";
  write(o, principal.eigenvalues());
  o << "'/>\n";
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    if (model.bodies[k].hinge.parent == index) write_body(o, model, static_cast<int>(k));
  }
  o << "</body>\n";
}

std::string document(const Model& model) {
  std::ostringstream o;
  o.precision(17);
  o << "<mujoco><compiler angle='radian' inertiafromgeom='false' balanceinertia='false' "
       "boundmass='0' boundinertia='0'/>\n<size njmax='1' nconmax='1'/>\n<option gravity='";
  write(o, model.gravity);
  // nothing but the dynamics of the tree
  o << "'><flag constraint='disable' contact='disable' equality='disable' frictionloss='disable' "
       "limit='disable' passive='disable' actuation='disable' sensornoise='disable' "
       "energy='disable'/></option>\n<worldbody>\n";
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    if (model.bodies[k].hinge.parent == ground) write_body(o, model, static_cast<int>(k));
  }
  o << "</worldbody></mujoco>\n";
  return o.str();
}

class Mujoco final : public Peer {
 public:
  Mujoco(const Tree& tree, mjModel* model, const std::vector<State>& states)
      : tree_(tree), states_(states), model_(model), data_(mj_makeData(model)) {
    const auto& bodies = tree.model().bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const int id = mj_name2id(model, mjOBJ_BODY, std::to_string(i).c_str());
      const int joint = model->body_jntadr[id];
      if (joint < 0) continue;  // fixed
      const Block b = tree.block(static_cast<int>(i));
      places_.push_back({i, bodies[i].hinge.kind, b,
                         static_cast<std::size_t>(model->jnt_qposadr[joint]),
                         static_cast<std::size_t>(model->jnt_dofadr[joint])});
    }
    for (const State& s : states) {
      const auto speeds = static_cast<std::size_t>(model->nv);
      std::vector<double> q(static_cast<std::size_t>(model->nq)), v(speeds), f(speeds);
      for (const Place& p : places_) {
        const auto quaternion = [&](std::size_t to) {  // theirs begins with the scalar
          q[to] = s.q[p.block.q + 3];
          for (std::size_t k = 0; k < 3; ++k) q[to + 1 + k] = s.q[p.block.q + k];
        };
        if (p.kind == HingeKind::free) {
          // position and linear velocity in ground axes first
          const Matrix3 R = attitude(p, s);
          const Eigen::Quaterniond k(R);
          const Pose& at = outboard(p);
          spatial::vector3(std::span(q), p.q) = at.p + at.R * spatial::vector3(s.q, p.block.q + 4);
          q[p.q + 3] = k.w();
          spatial::vector3(std::span(q), p.q + 4) = k.vec();
          spatial::vector3(std::span(v), p.v) = R * spatial::vector3(s.u, p.block.u + 3);
          spatial::vector3(std::span(v), p.v + 3) = spatial::vector3(s.u, p.block.u);
          spatial::vector3(std::span(f), p.v) = R * spatial::vector3(s.force, p.block.u + 3);
          spatial::vector3(std::span(f), p.v + 3) = spatial::vector3(s.force, p.block.u);
          continue;
        }
        if (p.kind == HingeKind::ball) {
          quaternion(p.q);
        } else {
          for (std::size_t k = 0; k < p.block.coordinates; ++k) q[p.q + k] = s.q[p.block.q + k];
        }
        for (std::size_t k = 0; k < p.block.speeds; ++k) {
          v[p.v + k] = s.u[p.block.u + k];
          f[p.v + k] = s.force[p.block.u + k];
        }
      }
      q_.push_back(std::move(q));
      v_.push_back(std::move(v));
      f_.push_back(std::move(f));
    }
  }
  ~Mujoco() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  void evaluate(std::size_t state) override {
    last_ = state;
    std::memcpy(data_->qpos, q_[state].data(), q_[state].size() * sizeof(double));
    std::memcpy(data_->qvel, v_[state].data(), v_[state].size() * sizeof(double));
    std::memcpy(data_->qfrc_applied, f_[state].data(), f_[state].size() * sizeof(double));
    mj_forward(model_, data_);
  }

  std::vector<double> accelerations() const override {
    std::vector<double> udot(tree_.speeds());
    const State& s = states_[last_];
    for (const Place& p : places_) {
      const double* a = data_->qacc + p.v;
      if (p.kind == HingeKind::free) {
        const Matrix3 A = attitude(p, s).transpose();
        const Vector3 w = spatial::vector3(s.u, p.block.u),
                      v = spatial::vector3(s.u, p.block.u + 3);
        spatial::vector3(std::span(udot), p.block.u) = Vector3(a[3], a[4], a[5]);
        spatial::vector3(std::span(udot), p.block.u + 3) =
            A * Vector3(a[0], a[1], a[2]) - w.cross(v);
      } else {
        for (std::size_t k = 0; k < p.block.speeds; ++k) udot[p.block.u + k] = a[k];
      }
    }
    return udot;
  }

 private:
  struct Place {
    std::size_t body;
    HingeKind kind;
    Block block;
    std::size_t q, v;
  };
  const Pose& outboard(const Place& p) const {
    return tree_.model().bodies[p.body].hinge.outboard.pose;
  }
  /// Of a free body: from its axes to those of the ground.
  Matrix3 attitude(const Place& p, const State& s) const {
    return outboard(p).R *
           spatial::attitude_matrix(spatial::quaternion(s.q, p.block.q)).transpose();
  }
  const Tree& tree_;
  const std::vector<State>& states_;
  mjModel* model_;
  mjData* data_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> q_, v_, f_;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<Peer> mujoco(const Tree& tree, const std::vector<State>& states) {
  // this version reads documents from files only
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.xml";
  {
    std::FILE* file = std::fopen(path.c_str(), "w");
    std::fputs(document(tree.model()).c_str(), file);
    std::fclose(file);
  }
  char error[1000] = "";
  mjModel* model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
  if (model == nullptr) return nullptr;
  return std::make_unique<Mujoco>(tree, model, states);
}

}  // namespace vernier::peers
