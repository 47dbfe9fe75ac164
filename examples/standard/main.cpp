// Flies Cassini from a program: sets a parameter, applies a torque, reads a signal, saves and
// restores the state. usage: fly missions/cassini/cassini.xml [directory for results]
#include <cstdio>
#include <vernier/standard/simulation.hpp>

int main(int argc, char** argv) try {
  if (argc < 2) return 2;
  vernier::Simulation s(argv[1], {.set = {"plant.sloshing = 0.5"}, .until = 40.0});
  s.observe(
      {"plant.bus.rate"},
      [](double t, auto rate) { std::printf("%4.0f s %9.2e rad/s\n", t, rate[2]); }, "0.1 Hz");
  s.run_until(10.0);
  const auto before = s.save();
  s.write("ext.disturbance", {0.0, 0.0, 2.0});  // N·m
  s.run_until(20.0);
  const double pushed = s.read("plant.bus.rate")[2];
  s.restore(before);
  s.run_until(20.0);
  std::printf("z rate %.17g rad/s, pushed %.17g\n", s.read("plant.bus.rate")[2], pushed);
  if (argc < 3) return 0;
  const auto summary = vernier::Simulation(argv[1], {.until = 40.0, .results = argv[2]}).run();
  std::printf("%s: %zu checks\n", summary.folder.c_str(), summary.checks.size());
} catch (const vernier::ConfigurationError& e) {
  std::fprintf(stderr, "%s", e.what());
  return 1;
}
