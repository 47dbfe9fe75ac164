#pragma once

#include <memory>
#include <vector>

#include "vernier/kernel/constrained/check.hpp"
#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/section.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

/// Beams of every kind, for the tests of all elements.
namespace vernier::constrained {

struct BeamCase {
  std::shared_ptr<const Element> element;
  Surroundings around = {};
};

inline NodeState placed_at(const Vector3& x, const Matrix3& R = spatial::identity3<double>()) {
  return {x, R, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

/// Damped or not, coupled or not, straight or curved with offsets and section axes of its own;
/// moderate stiffnesses, so that differences see all of them.
inline std::vector<BeamCase> beam_cases(bool three) {
  std::vector<BeamCase> all;
  for (int kind = 0; kind < 5; ++kind) {
    Section s = section({900.0, 300.0, 400.0, 20.0, 30.0, 50.0});
    if (kind >= 1) s = damped(s, 0.01);
    if (kind >= 2) s = displaced(s, 0.1, -0.2);
    if (kind >= 2) s.stiffness[3] = s.stiffness[18] = 15.0;
    const bool turned = kind >= 3;
    std::vector<NodeState> places;
    for (int i = 0; i < (three ? 3 : 2); ++i) {
      const Vector3 bow{0.0, i == 1 && turned ? 0.15 : 0.0, 0.0};
      places.push_back(
          placed_at(Vector3{0.5 * i, 0.2, -0.1} + bow,
                    turned ? rotation(Vector3{0.2 * i, -0.1, 0.2}) : spatial::identity3<double>()));
    }
    const auto finish = [&](auto beam) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        beam.nodes[i] = static_cast<int>(i);
        beam.reference[i] = places[i];
        if (turned) {
          beam.offsets[i] = Vector3{0.0, 0.1, 0.05 * static_cast<double>(i)};
          beam.axes[i] = rotation(Vector3{0.5, 0.1, -0.2});
        }
      }
      if (kind == 4) beam.nodes[0] = ground;
      const double turn = kind == 0 ? 0.02 : 0.4;
      all.push_back({make(beam), {.about = places, .shift = 0.1, .turn = turn}});
    };
    if (three) {
      Beam3 b;
      b.sections = {s, damped(s, 0.0)};
      if (kind == 1) b.sections[1] = damped(section({500.0, 200.0, 300.0, 10.0, 40.0, 20.0}), 0.02);
      finish(b);
    } else {
      Beam2 b;
      b.section = s;
      b.correct_shear = kind != 1;
      finish(b);
    }
  }
  return all;
}

}  // namespace vernier::constrained
