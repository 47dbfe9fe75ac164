#include <string>
#include <vector>

#include "apps/vernier/command.hpp"

int main(int count, char** words) {
  return vernier::app::run_program(std::vector<std::string>(words + 1, words + count));
}
