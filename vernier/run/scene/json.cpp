#include <cmath>
#include <nlohmann/json.hpp>

#include "vernier/component/mesh_file.hpp"
#include "vernier/run/scene/scene_of.hpp"

namespace vernier::scene {
namespace {

using json = nlohmann::ordered_json;

constexpr int version = 1;

/// JSON has no NaN and no infinities: null.
json number(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }

template <class Numbers>
json numbers(const Numbers& all) {
  json list = json::array();
  for (const double v : all) list.push_back(number(v));
  return list;
}

json vectors(const std::vector<Vector>& all) {
  json list = json::array();
  for (const Vector& v : all) list.push_back(numbers(v));
  return list;
}

json binding(const Binding& b) {
  json j = json::object();
  if (!b.sum.empty()) {
    for (const Binding& term : b.sum) j["sum"].push_back(binding(term));
  } else if (!b.signal.empty()) {
    j["signal"] = b.signal;
    if (b.element != 0) j["element"] = b.element;
  }
  if (b.count != 1) j["count"] = b.count;
  if (b.gain != 1.0 && b.sum.empty() && !b.signal.empty()) j["gain"] = number(b.gain);
  if (!b.start.empty()) j["start"] = numbers(b.start);
  if (b.signal.empty() && b.rate != 0.0) j["rate"] = number(b.rate);
  if (!b.signal.empty() && !b.recorded) j["recorded"] = false;
  return j;
}

json step(const Step& s) {
  using Kind = Step::Kind;
  switch (s.kind) {
    case Kind::offset:
      return {{"offset", numbers(s.vector)}};
    case Kind::rotation:
      return {{"rotation", numbers(s.quaternion)}};
    case Kind::position:
      return {{"position", binding(s.by)}};
    case Kind::attitude:
      return {{"attitude", binding(s.by)}};
    case Kind::along:
      return {{"along", numbers(s.vector)}, {"by", binding(s.by)}};
    case Kind::about:
      return {{"about", numbers(s.vector)}, {"by", binding(s.by)}};
    case Kind::spin:
      return {{"about", numbers(s.vector)}, {"speed", binding(s.by)}};
    case Kind::modes:
      break;
  }
  json j{{"modes", binding(s.by)}};
  if (!s.shape.empty()) j["shape"] = vectors(s.shape);
  if (!s.turn.empty()) j["turn"] = vectors(s.turn);
  if (!s.pairs.empty()) j["pairs"] = vectors(s.pairs);
  return j;
}

json shape(const Shape& s) {
  json j{{"shape", s.shape}};
  if (!s.role.empty()) j["role"] = s.role;
  if (s.at != Vector{}) j["at"] = numbers(s.at);
  if (s.rotation != Quaternion{0.0, 0.0, 0.0, 1.0}) j["rotation"] = numbers(s.rotation);
  if (s.assumed) j["assumed"] = true;
  if (s.shape == "box") j["size"] = numbers(s.size);
  if (s.shape == "plume") {
    j["direction"] = numbers(s.direction);
    j["by"] = binding(s.by);
    if (s.full > 0.0) j["full"] = number(s.full);
  }
  if (s.shape == "globe") j["planet"] = s.planet;
  if (s.radius > 0.0) j["radius"] = number(s.radius);
  if (s.shape == "cone") j["top"] = number(s.top);
  if (s.length > 0.0) j["length"] = number(s.length);
  if (!s.points.empty()) j["points"] = vectors(s.points);
  if (!s.members.empty()) j["members"] = s.members;
  if (!s.quads.empty()) j["quads"] = s.quads;
  if (!s.blocks.empty()) j["blocks"] = s.blocks;
  if (s.shape == "file") {
    j["file"] = s.file;
    j["format"] = mesh_format(s.file);
    if (s.scale != Vector{1.0, 1.0, 1.0}) j["scale"] = numbers(s.scale);
    for (const Shape& i : s.instead) j["instead"].push_back(shape(i));
  }
  return j;
}

const char* kind(Body::Kind k) {
  switch (k) {
    case Body::Kind::craft:
      return "craft";
    case Body::Kind::part:
      return "part";
    case Body::Kind::point:
      return "point";
    case Body::Kind::frame:
      return "frame";
    case Body::Kind::planet:
      return "planet";
  }
  return "part";
}

json body(const Body& b) {
  json j{{"name", b.name}, {"kind", kind(b.kind)}};
  if (!b.parent.empty()) j["parent"] = b.parent;
  j["pose"] = json::array();
  for (const Step& s : b.pose) j["pose"].push_back(step(s));
  if (b.modes) j["modes"] = binding(*b.modes);
  for (const Point& p : b.points) {
    json point{{"at", numbers(p.at)}};
    if (!p.shape.empty()) point["shape"] = vectors(p.shape);
    j["points"].push_back(std::move(point));
  }
  for (const Shape& s : b.shapes) j["shapes"].push_back(shape(s));
  if (b.orbit) {
    j["orbit"] = {{"about", b.orbit->about},
                  {"mu", number(b.orbit->mu)},
                  {"position", binding(b.orbit->position)},
                  {"velocity", binding(b.orbit->velocity)}};
  }
  if (!b.missing.empty()) j["missing"] = b.missing;
  return j;
}

}  // namespace

std::string to_json(const Composed& c) {
  json j{{"version", version}, {"name", c.name}, {"bodies", json::array()}};
  for (const Body& b : c.scene.bodies) j["bodies"].push_back(body(b));
  for (const Curve& k : c.scene.curves) {
    json through = json::array();
    for (const Curve::Through& t : k.through)
      through.push_back({{"body", t.body}, {"at", numbers(t.at)}});
    j["curves"].push_back(
        {{"name", k.name}, {"role", k.role}, {"radius", number(k.radius)}, {"through", through}});
  }
  for (const Arrow& v : c.scene.vectors) {
    json one{{"name", v.name}, {"of", v.of}};
    if (!v.axes.empty()) one["axes"] = v.axes;
    one["by"] = binding(v.by);
    one["unit"] = v.unit;
    one["role"] = v.role;
    if (!v.shown) one["shown"] = false;
    j["vectors"].push_back(std::move(one));
  }
  if (c.scene.up) j["up"] = numbers(*c.scene.up);
  if (c.scene.sun) j["sun"] = {{"by", binding(*c.scene.sun)}};
  for (const Advice& a : c.missing) {
    json one{{"signals", a.signals}};
    if (!a.add.empty()) one["add"] = a.add;
    j["missing"].push_back(std::move(one));
  }
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace vernier::scene
