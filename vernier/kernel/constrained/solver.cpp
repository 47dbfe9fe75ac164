#include "vernier/kernel/constrained/solver.hpp"

#include <utility>

namespace vernier::constrained {

// Resets everything except the inputs.
void Solver::begin() {
  State blank = mechanism_.blank();
  blank.inputs.swap(state_.inputs);
  state_ = std::move(blank);
}

void Solver::initialize(double time) {
  begin();
  mechanism_ = mechanism_.assembled(state_, time);
  work_ = Workspace(mechanism_);
}

void Solver::equilibrate(double time, int load_steps) {
  begin();
  mechanism_ = mechanism_.at_rest(state_, time, load_steps);
  work_ = Workspace(mechanism_);
}

}  // namespace vernier::constrained
