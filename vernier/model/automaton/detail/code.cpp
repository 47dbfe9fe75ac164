#include "vernier/model/automaton/detail/code.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::automaton::detail {
namespace {

using expression::Graph;
using expression::Operation;

/// A text of several lines as a single line, for messages.
std::string flat(std::string_view s) {
  std::string out;
  for (const std::string_view word : words(s)) out += (out.empty() ? "" : " ") + std::string(word);
  return out;
}

hybrid::Signal signal(const Variable& v) {
  hybrid::Signal s;
  s.name = v.name;
  s.unit = v.unit_text.empty() ? "1" : v.unit_text;
  s.frame = v.frame;
  s.count = v.count;
  s.description = v.description;
  return s;
}

/// Noise by element; elements without noise have zero. Empty if no variable has noise.
std::vector<double> noise_of(const std::vector<Variable>& variables, std::size_t count) {
  std::vector<double> all;
  for (const Variable& v : variables) {
    if (v.noise.empty()) continue;
    all.resize(count, 0.0);
    std::copy(v.noise.begin(), v.noise.end(), all.begin() + static_cast<std::ptrdiff_t>(v.first));
  }
  return all;
}

// Compiles the equations of a model to programs, location by location. Symbols are x, then u, then
// p; programs of derivatives take a direction (dx, du, dp) after them.
class Compiler {
 public:
  Compiler(const Model& m, Equations e, std::span<const double> constants, const Adjustable& a,
           bool for_lanes)
      : m_(m),
        e_(std::move(e)),
        constants_(constants),
        adjustable_(a),
        for_lanes_(for_lanes),
        code_(std::make_shared<Code>()) {
    code_->n = m.x_size();
    code_->m = m.input_count;
    code_->q = a.count;
    code_->p = m.output_count;
  }

  std::shared_ptr<Code> run() {
    describe();
    code_->place_of.resize(m_.transitions.size());
    for (std::size_t i = 0; i < m_.locations.size(); ++i) add_location(i);
    code_->spec.work = work();
    return code_;
  }

  std::shared_ptr<OutputCode> run_outputs(hybrid::OutputSet wanted) {
    auto some = std::make_shared<OutputCode>();
    for (LocationTerms& terms : e_.locations) {
      graph_ = &terms.graph;
      for (std::size_t o = 0; o < m_.outputs.size(); ++o) {
        const Variable& v = m_.outputs[o];
        if ((wanted & hybrid::output_bit(o)) != 0) continue;
        std::fill_n(terms.output.begin() + static_cast<std::ptrdiff_t>(v.first), v.count,
                    expression::no_term);
      }
      some->locations.push_back({program(terms.output), tangent(terms.output)});
    }
    some->work = work();
    return some;
  }

 private:
  void describe() {
    hybrid::SystemSpec& spec = code_->spec;
    for (const Variable& v : m_.states) {
      hybrid::Signal s = signal(v);
      s.initial = v.value;
      using Kind = hybrid::UnitVector::Kind;
      if (v.normalise)
        spec.unit_vectors.push_back(
            {v.first, v.count, v.quaternion ? Kind::quaternion : Kind::direction});
      spec.states.push_back(std::move(s));
    }
    add_holders(spec);
    for (const Variable& v : m_.inputs) {
      hybrid::Signal s = signal(v);
      if (!v.value.empty()) s.initial = v.value;
      spec.inputs.push_back(std::move(s));
    }
    for (const Variable& v : m_.outputs) spec.outputs.push_back(signal(v));
    spec.noise.process = noise_of(m_.states, code_->n);
    for (double& q : spec.noise.process)
      q *= q;  // noise is given as the square root of the spectral density
    spec.noise.measurement = noise_of(m_.outputs, code_->p);
    for (const Variable& v : m_.constants) {
      if (adjustable_.count == 0 || adjustable_.symbol[v.first] == Adjustable::fixed) continue;
      hybrid::Signal s = signal(v);
      s.initial = {constants_.begin() + static_cast<std::ptrdiff_t>(v.first),
                   constants_.begin() + static_cast<std::ptrdiff_t>(v.first + v.count)};
      spec.parameters.push_back(std::move(s));
    }
    for (const Label& l : m_.events) spec.events.push_back({l.name, l.in, l.out});
    // A single location without transitions needs no automaton.
    if (m_.locations.size() > 1 || !m_.transitions.empty()) describe_automaton(spec);
  }

  void add_holders(hybrid::SystemSpec& spec) {
    for (const Variable& v : m_.outputs) {
      if (m_.holder[v.first] == Transition::none) continue;
      hybrid::Signal s = signal(v);
      s.name += "_held";
      while (m_.names.contains(s.name) || m_.names.contains(s.name + "[0]")) s.name += "_";
      s.initial = v.value;
      s.description = "the last value of " + v.name + ", where a location has none";
      spec.states.push_back(std::move(s));
    }
  }

  void describe_automaton(hybrid::SystemSpec& spec) {
    hybrid::Automaton a;
    for (const Location& l : m_.locations) a.locations.push_back(l.name);
    for (const Transition& t : m_.transitions) {
      hybrid::Transition out;
      out.name = t.name;
      out.from = static_cast<int>(t.from);
      out.to = static_cast<int>(t.to);
      out.on_event = t.in != Transition::none;
      if (t.in != Transition::none) out.condition = "on " + m_.events[t.in].name;
      if (t.domain.element) {
        out.condition += (out.condition.empty() ? "" : " and ") + flat(t.domain.element->text);
      }
      a.transitions.push_back(std::move(out));
    }
    a.initial = static_cast<int>(m_.initial);
    spec.automata.push_back(std::move(a));
  }

  /// Working memory: a point and a direction, the outputs of a program, and its registers.
  std::size_t work() const { return 2 * code_->inputs() + most_outputs_ + most_work_; }

  /// The conditions, and for each whether its truth depends on a comparison with NaN, which is
  /// false like its negation (Kleene's logic of three values).
  std::vector<Term> with_doubts(const std::vector<Term>& conditions) {
    std::vector<Term> out = conditions;
    for (const Term c : conditions) {
      const Term surely = bound(c, false), perhaps = bound(c, true);
      out.push_back(graph_->apply(Operation::logical_and, perhaps,
                                  graph_->apply(Operation::logical_not, surely)));
    }
    return out;
  }

  /// A condition that holds where `c` certainly does; with `perhaps`, where it does not certainly
  /// fail.
  Term bound(Term c, bool perhaps) {
    const expression::Node n = (*graph_)[c];
    const auto unless = [&](Operation opposite) {
      if (!perhaps) return c;
      return graph_->apply(Operation::logical_not, graph_->apply(opposite, n.a, n.b));
    };
    switch (n.operation) {
      case Operation::logical_and:
      case Operation::logical_or: {
        const Term a = bound(n.a, perhaps), b = bound(n.b, perhaps);
        return graph_->apply(n.operation, a, b);
      }
      case Operation::logical_not:
        return graph_->apply(Operation::logical_not, bound(n.a, !perhaps));
      case Operation::less:
        return unless(Operation::greater_equal);
      case Operation::less_equal:
        return unless(Operation::greater);
      case Operation::greater:
        return unless(Operation::less_equal);
      case Operation::greater_equal:
        return unless(Operation::less);
      default:
        return c;
    }
  }

  std::optional<Program> program(const std::vector<Term>& outputs, bool with_direction = false) {
    if (outputs.empty()) return {};
    const std::size_t inputs = code_->inputs() * (with_direction ? 2 : 1);
    Program p(*graph_, outputs, inputs, for_lanes_);
    most_work_ = std::max(most_work_, p.work());
    most_outputs_ = std::max(most_outputs_, outputs.size());
    return p;
  }

  /// The directional derivative of each term: symbol s moves with symbol count + s.
  std::optional<Program> tangent(const std::vector<Term>& outputs) {
    const auto count = static_cast<std::uint32_t>(code_->inputs());
    const auto seed = [&](std::uint32_t s) { return std::optional(graph_->symbol(count + s)); };
    return program(graph_->tangent(outputs, seed), true);
  }

  void add_location(std::size_t index) {
    const Location& l = m_.locations[index];
    // Moved out, so that the memory of a graph is freed after its location was compiled.
    LocationTerms terms = std::move(e_.locations[index]);
    graph_ = &terms.graph;
    watched_.clear();
    LocationCode c;
    std::vector<Term> guards, conditions, actions;
    for (const std::size_t t : l.transitions) {
      code_->place_of[t] = c.transitions.size();
      c.transitions.push_back(add_transition(t, guards, conditions, actions));
    }
    note_feedthrough(terms, conditions);
    c.guard_count = guards.size();
    code_->spec.guards = std::max(code_->spec.guards, guards.size());
    c.flow = program(terms.flow);
    c.guards = program(guards);
    c.conditions = program(conditions);
    c.undecided = program(with_doubts(conditions));
    c.actions = program(actions);
    c.flow_tangent = tangent(terms.flow);
    c.output = {program(terms.output), tangent(terms.output)};
    c.guards_tangent = tangent(guards);
    code_->locations.push_back(std::move(c));
    note_inactive(l);
  }

  TransitionCode add_transition(std::size_t number, std::vector<Term>& guards,
                                std::vector<Term>& conditions, std::vector<Term>& actions) {
    const Transition& t = m_.transitions[number];
    const TransitionTerms& terms = e_.transitions[number];
    TransitionCode c;
    c.number = static_cast<int>(number);
    c.to = static_cast<int>(t.to);
    c.in = t.in;
    c.out = t.out;
    if (terms.has_condition) {
      c.condition = conditions.size();
      conditions.push_back(terms.condition);
    }
    c.first_side = actions.size();
    for (const expression::Atom& a : terms.atoms) {
      // A transition that waits for an event needs no guards: the instant at which its condition
      // changes has no effect. Constants never cross zero, and equal guards are watched once.
      const Term z = graph_->apply(Operation::subtract, a.left, a.right);
      const bool moves = (*graph_)[z].operation != Operation::constant;
      if (t.in == Transition::none && moves && watched_.insert(z).second) guards.push_back(z);
      c.comparisons.push_back(a.comparison);
      actions.push_back(a.left);
      actions.push_back(a.right);
    }
    c.sides = terms.atoms.size();
    c.states = terms.states;
    c.first_value = actions.size();
    actions.insert(actions.end(), terms.values.begin(), terms.values.end());
    return c;
  }

  /// Finds which inputs each output and the conditions depend on. Sets of 64 inputs are the bits of
  /// a word and propagate from operands to terms.
  void note_feedthrough(const LocationTerms& terms, const std::vector<Term>& conditions) {
    if (!code_->spec.condition_inputs) code_->spec.condition_inputs.emplace();
    for (std::size_t first = 0; first < m_.inputs.size(); first += 64) {
      std::vector<std::uint64_t> needs(graph_->size(), 0);
      for (Term t = 0; t < graph_->size(); ++t) {
        const expression::Node& node = (*graph_)[t];
        if (node.operation == Operation::symbol) {
          needs[t] = bit_of(node.symbol, first);
          continue;
        }
        const int operands = expression::arity(node.operation);
        if (operands > 0) needs[t] |= needs[node.a];
        if (operands > 1) needs[t] |= needs[node.b];
        if (operands > 2) needs[t] |= needs[node.c];
      }
      for (std::size_t o = 0; o < m_.outputs.size(); ++o) {
        const Variable& v = m_.outputs[o];
        std::uint64_t all = 0;
        for (std::size_t i = v.first; i < v.first + v.count; ++i) all |= needs[terms.output[i]];
        for (std::size_t k = 0; all != 0; ++k, all >>= 1) {
          if ((all & 1) == 0 || !pairs_.emplace(o, first + k).second) continue;
          code_->spec.feedthrough.push_back({o, first + k});
        }
      }
      // Guards are differences of terms of the conditions, so they need the same inputs.
      std::uint64_t all = 0;
      for (const Term t : conditions) all |= needs[t];
      for (std::size_t k = 0; all != 0; ++k, all >>= 1) {
        std::vector<std::size_t>& inputs = *code_->spec.condition_inputs;
        if ((all & 1) == 0 || std::find(inputs.begin(), inputs.end(), first + k) != inputs.end()) {
          continue;
        }
        inputs.push_back(first + k);
      }
    }
  }

  /// The bit of the input signal to which a symbol belongs, relative to signal `first`.
  std::uint64_t bit_of(std::size_t symbol, std::size_t first) const {
    if (symbol < code_->n || symbol >= code_->n + code_->m) return 0;
    const auto in = std::upper_bound(m_.inputs.begin(), m_.inputs.end(), symbol - code_->n,
                                     [](std::size_t k, const Variable& x) { return k < x.first; }) -
                    1;
    const auto signal = static_cast<std::size_t>(in - m_.inputs.begin());
    return signal >= first && signal < first + 64 ? std::uint64_t{1} << (signal - first) : 0;
  }

  void note_inactive(const Location& l) {
    const auto inactive = [](const std::vector<Variable>& variables,
                             const std::vector<Expression>& given) {
      std::vector<std::size_t> signals;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        const auto first = given.begin() + static_cast<std::ptrdiff_t>(variables[i].first);
        const bool active = std::any_of(first, first + variables[i].count,
                                        [](const Expression& e) { return e.element != nullptr; });
        if (!active) signals.push_back(i);
      }
      return signals;
    };
    code_->inactive_states.push_back(inactive(m_.states, l.flow));
    code_->inactive_outputs.push_back(inactive(m_.outputs, l.output));
  }

  const Model& m_;
  Equations e_;
  std::span<const double> constants_;
  const Adjustable& adjustable_;
  bool for_lanes_;
  std::shared_ptr<Code> code_;
  Graph* graph_ = nullptr;  // of the location being compiled
  std::set<Term> watched_;  // its guards
  std::size_t most_work_ = 0, most_outputs_ = 0;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;
};

}  // namespace

std::shared_ptr<Code> compile(const Model& m, Equations e, std::span<const double> constants,
                              const Adjustable& a, bool for_lanes) {
  return Compiler(m, std::move(e), constants, a, for_lanes).run();
}

std::shared_ptr<OutputCode> compile_outputs(const Model& m, Equations e,
                                            std::span<const double> constants, const Adjustable& a,
                                            hybrid::OutputSet wanted, bool for_lanes) {
  return Compiler(m, std::move(e), constants, a, for_lanes).run_outputs(wanted);
}

std::shared_ptr<const Code> FurtherCode::lanes() const {
  const std::lock_guard lock(mutex_);
  if (!lanes_) lanes_ = compile_();
  return lanes_;
}

std::shared_ptr<const OutputCode> FurtherCode::outputs(hybrid::OutputSet wanted,
                                                       bool for_lanes) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const OutputCode>& known = outputs_[{wanted, for_lanes}];
  if (!known) known = compile_outputs_(wanted, for_lanes);
  return known;
}

}  // namespace vernier::automaton::detail
