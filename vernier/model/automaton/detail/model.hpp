#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/units.hpp"
#include "vernier/document/document.hpp"
#include "vernier/document/report.hpp"
#include "vernier/kernel/expression/expression.hpp"

namespace vernier::automaton::detail {

using document::Document;
using document::Element;
using document::in_quotes;
using document::listed;
using document::Report;

enum class Role : std::uint8_t { constant, input, state, output };

/// A constant, input, state or output as declared.
struct Variable {
  std::string name;
  std::string unit_text;     // as written; empty: none
  std::optional<Unit> unit;  // nothing: not checked
  std::string frame, description;
  expression::Shape shape;
  std::uint32_t count = 1;
  std::size_t first = 0;      // index of its first element among those of its role
  std::string value_text;     // constant, initial or default, as written
  std::vector<double> value;  // in SI; empty: none (an input that must be connected)
  std::vector<double> noise;  // by element; state: per √s, output: standard deviation; empty: none
  bool normalise = false, quaternion = false;
  const Element* element = nullptr;
};

/// One element of a variable.
struct Reference {
  Role role;
  std::uint32_t variable;  // among those of its role
  std::uint32_t index;     // of the element, among all elements of its role
};

/// A variable by its name.
struct NamedVariable {
  Role role;
  std::uint32_t variable;  // among those of its role
};

/// An expression of the document.
struct Expression {
  const Element* element = nullptr;  // null: there is none
  bool units = true;                 // false: switched off by unit="1"
  bool whole = false;                // it is for all elements of a vector or matrix
  std::size_t target = 0;            // element of the state or output; whole: the first
};

/// A named expression (<let>).
struct Definition {
  std::string name;
  Expression expression;
};

struct Transition {
  std::string name;
  std::size_t from = 0, to = 0;
  std::size_t in = none;  // event
  std::vector<std::size_t> out;
  Expression domain;
  std::vector<Expression> resets;
  long long priority = 0;
  const Element* element = nullptr;

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

struct Location {
  std::string name;
  std::vector<Expression> flow, output;  // by element of the state or output; null: none here
  std::vector<std::size_t> transitions;  // in the order they are tried
  std::vector<Expression> strays;        // for unknown targets, or given twice: only checked
  const Element* element = nullptr;
};

struct Label {
  std::string name;
  bool in = false, out = false;
  const Element* element = nullptr;
};

/// The document with its names resolved; expressions are still text.
struct Model {
  Document document;
  std::string name, description;
  bool constant_dimension = true;  // kind="cds"
  std::vector<Variable> constants, inputs, states, outputs;
  std::size_t constant_count = 0, input_count = 0, state_count = 0, output_count = 0;  // elements
  std::vector<Label> events;
  std::vector<Definition> lets;  // each may use those before it
  expression::UserFunctions functions;
  std::vector<const Element*> function_elements;
  std::vector<Location> locations;
  std::vector<Transition> transitions;  // in the order of the document
  std::size_t initial = 0;
  bool names_known = true;  // false: a declaration was refused; unknown names are not reported
  std::unordered_map<std::string, Reference> names;  // elements: "C", "f[0]", "P[0,1]"
  std::unordered_map<std::string, NamedVariable> variables_by_name;
  std::unordered_map<std::string, std::size_t> lets_by_name;

  /// By output element: the state that holds it in locations without a map, or none.
  std::vector<std::size_t> holder;
  std::size_t held_count = 0;  // holders; they follow the states

  /// States and holders.
  std::size_t x_size() const noexcept { return state_count + held_count; }

  const std::vector<Variable>& variables(Role) const noexcept;
  const Variable& variable(const Reference& r) const noexcept {
    return variables(r.role)[r.variable];
  }
  const Variable& variable(const NamedVariable& n) const noexcept {
    return variables(n.role)[n.variable];
  }
  /// The variable to which an element belongs.
  const Variable& variable(Role, std::size_t index) const noexcept;
  /// "f[2]", "P[0,1]", or "C" for a scalar.
  std::string element_name(Role, std::size_t index) const;
  /// "input", "state", …
  static std::string_view role_name(Role) noexcept;
};

/// "f[2]", "P[0,1]", or "C" for a scalar: element `k` of the variable.
std::string element_name(const Variable&, std::size_t k);

/// Resolves everything except expressions. Even if problems were reported, the model is complete
/// enough for further checks.
std::shared_ptr<Model> read_model(Document, Diagnostics&);

/// Applies the constants, initial values and initial location of an extending document to the
/// model.
void apply_changes(Model&, const Document& changes, Diagnostics&);

}  // namespace vernier::automaton::detail
