// Loads the shared object as Vernier does, compares every Jacobian with differences, and compares
// runs of both elements with closed forms. usage: elements_test <user_elements.so>
#include <cmath>
#include <cstdio>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/constrained/check.hpp"
#include "vernier/kernel/constrained/solver.hpp"
#include "vernier/kernel/constrained/user_element.hpp"

namespace {

using namespace vernier::constrained;

int failures = 0;
void expect(bool holds, const char* what, double value) {
  std::printf("%s  %s: %g\n", holds ? "ok    " : "FAILED", what, value);
  failures += !holds;
}

const double bearing[] = {1e-5, 5e-4, 2.0, 1.0, 1e-3, 2e4, 20.0};
const NodeState origin{{}, vernier::spatial::identity3<double>(), {}, {}};

std::shared_ptr<const Element> made(const UserElements& all, const char* kind,
                                    std::span<const int> nodes,
                                    std::span<const double> parameters) {
  const std::vector<NodeState> reference(nodes.size(), origin);
  return all.make(*all.find(kind), {nodes, {}, {}, parameters, reference});
}

void check_jacobians(const UserElements& all) {
  const int nodes[] = {0, 1};
  const auto b = made(all, "magnetic_bearing", nodes, bearing);
  const Deviation of_bearing = check_jacobian(*b, 1, {.shift = 1e-4, .turn = 0.5, .motion = 0.5});
  expect(of_bearing.error < 1e-6, "Jacobian of the bearing", of_bearing.error);
  const double coefficient[] = {0.3};
  const auto d = made(all, "quadratic_drag", std::span(nodes, 1), coefficient);
  const Deviation of_drag = check_jacobian(*d, 1);
  expect(of_drag.error < 1e-6, "Jacobian of the drag", of_drag.error);
}

// v = v_end tanh(g t / v_end)
void fall(const UserElements& all) {
  Model m;
  m.gravity = {0.0, 0.0, -9.81};
  const int ball[] = {m.add(Node{.name = "ball"})};
  m.add(Body{"ball", ball[0], 2.0, {}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}});
  const double coefficient[] = {0.3};
  m.add("drag", "quadratic_drag", made(all, "quadratic_drag", ball, coefficient));
  Solver s(std::move(m), {});
  s.initialize();
  for (int i = 0; i < 1000; ++i) s.step(1e-3);
  const double end = std::sqrt(2.0 * 9.81 / 0.3), v = end * std::tanh(9.81 / end);
  expect(std::fabs(s.node(0).v.z + v) < 1e-5, "speed after 1 s", -s.node(0).v.z);
}

// at rest, for small displacements: s = m g / (k_i P / R - k_s), k_i = 4 K I / g², k_s = k_i I / g
void hover(const UserElements& all) {
  Model m;
  m.gravity = {-1.0, 0.0, 0.0};
  const int nodes[] = {ground, m.add(Node{.name = "rotor"})};
  m.add(Body{"rotor", nodes[1], 1.0, {}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}});
  m.add("bearing", "magnetic_bearing", made(all, "magnetic_bearing", nodes, bearing));
  Solver s(std::move(m), {});
  s.initialize();
  bool good = true;
  for (int i = 0; i < 5000; ++i) good = good && s.step(1e-3).end != StepReport::End::failed;
  const double ki = 4.0 * 1e-5 * 2.0 / 25e-8, ks = ki * 2.0 / 5e-4;
  const double sag = -1.0 / (ki * 2e4 - ks);
  expect(good && std::fabs(s.node(0).x.x / sag - 1.0) < 1e-3, "sag of the rotor", s.node(0).x.x);
  double currents[2];
  s.measure(0, currents);
  expect(std::fabs(currents[0] + 2e4 * s.node(0).x.x) < 1e-6, "current", currents[0]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const UserElements all(argv[1], *vernier::code_of({argv[1]}));
    check_jacobians(all);
    fall(all);
    hover(all);
    try {
      const int nodes[] = {0, 1};
      const double no_gap[] = {1e-5, 0.0, 2.0, 1.0, 1e-3, 2e4, 20.0};
      made(all, "magnetic_bearing", nodes, no_gap);
      expect(false, "a bearing without gap was made", 0.0);
    } catch (const vernier::ConfigurationError& e) {
      const std::string& why = e.diagnostics().list().front().message;
      expect(why.find("magnetic_bearing") != std::string::npos, why.c_str(), 0.0);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
