// Reads a hybrid system and integrates it, with the installed headers and libraries.
#include <cstdio>

#include "vernier/component/catalogue.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/island/island.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  vernier::Diagnostics problems;
  const vernier::Type type = vernier::automaton::read_type(argv[1], problems);
  std::fputs(vernier::rendered(problems).c_str(), stderr);
  if (!type.system) return 2;
  const vernier::Parameters none("model", type.parameters, {}, 1, {}, problems);
  const auto component = vernier::island::make_island(type.system(none), {});
  std::printf("%zu outputs, %zu bytes of state\n", component->description().outputs.size(),
              component->description().state_bytes);
  return 0;
}
