#include <csignal>
#include <string>
#include <vector>

#include "apps/vernier/command.hpp"

int main(int count, char** words) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit on file sizes fails and says so
  return vernier::app::run_program(std::vector<std::string>(words + 1, words + count));
}
