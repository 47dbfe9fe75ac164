#include "vernier/kernel/constrained/elements/ends.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

class LoadElement final : public Element {
 public:
  explicit LoadElement(const Load& load) : load_(load) {
    const Vector3& d = load.direction;
    check_finite({d.x, d.y, d.z}, "the direction of a load is not finite");
    demand(dot(d, d) > 0.0, "the direction of a load is zero");
    if (load.kind == Load::Kind::internal) {
      ends_ = joined(shape_, load.a, load.b);
    } else {
      parts::check(load.b);
      demand(load.b.node != ground, "a load acts on the ground");
      ends_ = {-1, place(shape_, load.b.node), {}, load.b};
    }
    drive_ = place_drive(shape_, load.drive);
    shape_.held = load.held;
    shape_.measures = {
        {"value", load.couple ? "N·m" : "N", 1, "what the direction is multiplied by"}};
    shape_.pattern = probed_pattern(*this, shape_);
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    if (load_.held) return;
    const Rows o(out, ends_, p.c);
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    const Vector3 f = -force(p);  // sign of the residual
    const Vector3 db = nb.R * ends_.on_b.offset, e = nb.x + db - na.x;
    if (load_.couple) {
      if (o.a >= 0) o.act(o.a + 3, -f);
      if (o.b >= 0) o.act(o.b + 3, f);
      if (o.J == nullptr) return;
      if (load_.kind == Load::Kind::follower) o.skew(o.b + 3, o.b + 3, f, -o.c);
      if (load_.kind != Load::Kind::internal || o.a < 0) return;
      o.skew(o.a + 3, o.a + 3, f, o.c);
      if (o.b >= 0) o.skew(o.b + 3, o.a + 3, f, -o.c);
      return;
    }
    // A force along a line fixed in a has the same derivatives as the reaction of `project`.
    if (load_.kind == Load::Kind::internal) return project_forces(o, f, e, db);
    o.act(o.b, f);
    o.act(o.b + 3, cross(db, f));
    if (o.J == nullptr) return;
    if (load_.kind == Load::Kind::dead) return o.skew2(o.b + 3, o.b + 3, f, db, o.c);
    o.skew(o.b, o.b + 3, f, -o.c);
    o.skew(o.b + 3, o.b + 3, cross(db, f), -o.c);
  }

  void held_forces(const Point& p, std::span<Wrench> to) const noexcept override {
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    const Vector3 f = force(p), none{0.0, 0.0, 0.0};
    const Vector3 db = nb.R * ends_.on_b.offset, e = nb.x + db - na.x;
    for (Wrench& w : to) w = {none, none};
    if (ends_.b >= 0) to[ends_.b] = load_.couple ? Wrench{none, f} : Wrench{f, cross(db, f)};
    if (ends_.a >= 0) to[ends_.a] = load_.couple ? Wrench{none, -f} : Wrench{-f, cross(f, e)};
  }

  void measure(const Point& p, std::span<double> to) const noexcept override { to[0] = value(p); }

 private:
  double value(const Point& p) const noexcept { return drive_ < 0 ? 1.0 : p.drive(drive_).value; }
  /// The force on b, in global axes.
  Vector3 force(const Point& p) const noexcept {
    const Vector3 f = load_.direction * value(p);
    if (load_.kind == Load::Kind::dead) return f;
    if (load_.kind == Load::Kind::internal) return ends_.node_a(p).R * (ends_.on_a.axes * f);
    return ends_.node_b(p).R * (ends_.on_b.axes * f);
  }

  Load load_;
  Shape shape_;
  Ends ends_;
  int drive_ = -1;
};

}  // namespace

std::unique_ptr<const Element> make(const Load& l) { return std::make_unique<LoadElement>(l); }

}  // namespace vernier::constrained
