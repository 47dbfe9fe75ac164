#include "vernier/kernel/expression/program.hpp"

#include <algorithm>
#include <atomic>

#include "vernier/base/require.hpp"
#include "vernier/kernel/expression/detail/bytecode.hpp"
#include "vernier/kernel/expression/detail/machine.hpp"
#include "vernier/kernel/expression/detail/values.hpp"

namespace vernier::expression {
namespace {

std::atomic<bool> machine_code_allowed{true};

}  // namespace

// The compiled forms of a program; immutable after the constructor.
struct Program::Code {
  std::size_t inputs = 0, outputs = 0, work = 0;
  detail::Bytecode bytecode;
  detail::Vectors vectors = detail::Vectors::portable;
  std::unique_ptr<const detail::MachineCode> machine;  // null: there is none
};

Program::Program(const Graph& graph, std::span<const Term> outputs, std::size_t inputs,
                 bool for_lanes) {
  const std::vector<Term> terms = detail::reachable(graph, outputs);
  for (const Term t : terms) {
    require(graph[t].operation != Operation::symbol || graph[t].symbol < inputs);
  }
  auto code = std::make_shared<Code>();
  code->inputs = inputs;
  code->outputs = outputs.size();
  // The bytecode is always made: it is the fallback, and the reference of the tests.
  const detail::Values values(graph, terms);
  code->bytecode = detail::compiled(values, outputs);
  code->work = code->bytecode.registers;
  code->vectors = detail::available_vectors();
  if (machine_code_allowed) code->machine = detail::machine_code(values, outputs, for_lanes);
  if (code->machine) code->work = std::max(code->work, code->machine->work());
  code_ = std::move(code);
}

std::size_t Program::inputs() const noexcept { return code_->inputs; }
std::size_t Program::outputs() const noexcept { return code_->outputs; }
std::size_t Program::work() const noexcept { return code_->work; }

void Program::interpret(const double* in, double* out, double* work) const noexcept {
  detail::interpret(code_->bytecode, in, out, work);
}

void Program::run(const double* in, double* out, double* work) const noexcept {
  if (code_->machine) {
    code_->machine->run(in, out, work);
  } else {
    detail::interpret(code_->bytecode, in, out, work);
  }
}

bool Program::machine_code() const noexcept { return code_->machine != nullptr; }

void Program::run_lanes(const double* const* in, double* out, double* work) const noexcept {
  if (code_->machine && code_->machine->has_lanes()) {
    code_->machine->run_lanes(in, out, work);
  } else {
    detail::interpret_lanes(code_->bytecode, code_->vectors, in, out, work);
  }
}

void allow_machine_code(bool allowed) noexcept { machine_code_allowed = allowed; }

}  // namespace vernier::expression
