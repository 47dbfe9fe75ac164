#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/component/parameters.hpp"
#include "vernier/document/report.hpp"
#include "vernier/kernel/expression/expression.hpp"
#include "vernier/kernel/spatial/attitude.hpp"

namespace vernier::multibody_tree {

using document::Element;
using document::in_quotes;
using document::listed;
using document::Report;

/// Reads the numbers of a document: quantities with units, expressions of constants, and what the
/// parameters replace. Problems are reported; what has one reads as nothing.
class Quantities {
 public:
  /// Without parameters, those that the document has are collected in specs().
  Quantities(Report&, const Parameters*);

  /// Reads <constants>, each of which may use those before it.
  void declare(const Element& constants);

  /// `count` numbers in SI of an attribute. `unit` is what they are in; "1" where numbers are bare.
  /// `what` names them in messages: "mass". Nothing when the attribute is not there.
  std::optional<std::vector<double>> numbers(const Element&, std::string_view attribute,
                                             std::string_view unit, std::size_t count);
  std::optional<double> number(const Element&, std::string_view attribute, std::string_view unit);
  std::optional<spatial::Vector3> vector(const Element&, std::string_view attribute,
                                         std::string_view unit);
  /// The same of a text; `bare_unit` is that of numbers without one, or empty when they need one.
  std::optional<std::vector<double>> numbers(std::string_view text, const Place&,
                                             const std::string& what, std::string_view unit,
                                             std::size_t count, std::string_view bare_unit = "");

  /// Numbers that a parameter may replace; `otherwise` when the attribute is not there.
  std::vector<double> replaceable(const std::string& parameter, const Element&,
                                  std::string_view attribute, std::string_view unit,
                                  std::vector<double> otherwise, std::string_view description);
  /// The same of numbers that were read otherwise.
  std::vector<double> replaceable(const std::string& parameter, std::string_view unit,
                                  std::vector<double> values, std::string_view description);

  /// The same of frequencies in rad/s; "0.8 Hz" counts cycles.
  std::vector<double> replaceable_frequencies(const std::string& parameter,
                                              std::vector<double> values,
                                              std::string_view description);
  /// Whether a replaceable number is asked to stay adjustable; it may be from now on.
  bool adjustable(const std::string& parameter);

  /// A frequency in rad/s: "0.8 Hz" or "5 rad/s".
  std::optional<double> frequency(const Element&, std::string_view attribute);
  /// A unit vector in the direction given; reports one without length.
  std::optional<spatial::Vector3> direction(const Element&, std::string_view attribute);
  /// The axes of quaternion="…" or turned="…", as columns in those they are turned from; the same
  /// axes when neither is there.
  std::optional<spatial::Matrix3> attitude(const Element&);
  /// A unit quaternion, scalar last, brought to length one.
  std::optional<spatial::Quaternion> quaternion(std::span<const double>, const Place&);

  /// The numbers of <inertia> as a tensor.
  std::optional<spatial::Matrix3> inertia(const Element&);

  /// An expression of constants and of symbol 0 of the graph, which it calls `name`. What the whole
  /// is in is not checked.
  std::optional<expression::Term> function(std::string_view text, const Place&,
                                           const std::string& what, std::string_view name,
                                           expression::Graph&);

  /// Whether a name can be one; reports.
  bool good_name(const Element&, const std::string& name);

  bool has_constant(std::string_view name) const { return constants_.contains(name); }
  const std::vector<ParameterSpec>& specs() const noexcept { return specs_; }

 private:
  struct Constant {
    double value = 0.0;
    std::optional<Unit> unit;
    const Element* element = nullptr;
  };

  void declare_one(const Element&);
  struct Computed {
    double value = 0.0;
    std::optional<Unit> unit;
  };
  /// Of constants; `unit` is what it must be in, or empty.
  std::optional<Computed> expression(std::string_view text, const Place&, const std::string& what,
                                     std::string_view unit);
  expression::Parsed parsed(std::string_view text, const Place&, const std::string& what,
                            expression::Graph&, const expression::Scope& others, bool& refused);
  bool agrees(const std::optional<Unit>&, std::string_view unit, const Place&,
              const std::string& what);
  void tell(const expression::Problem&, const Place&, const std::string& what);
  void tell_number(std::string_view text, const Place&, const std::string& what,
                   std::string_view unit, std::size_t count);
  std::optional<double> unit_factor(std::string_view given, std::string_view unit,
                                    std::string_view text, const Place&, const std::string& what,
                                    std::size_t count);
  bool fits(std::string_view given, std::string_view unit, const Place&, const std::string& what);
  std::optional<spatial::Matrix3> turned(std::string_view text, const Place&);

  Report& report_;
  const Parameters* parameters_;
  std::vector<ParameterSpec> specs_;
  std::map<std::string, Constant, std::less<>> constants_;
  bool constants_known_ = true;  // false: one was refused, so that unknown names say nothing
  expression::Graph graph_;
};

/// Axes whose z is the unit vector n, turned as little as can be; downwards from y and z reversed.
spatial::Matrix3 with_z_along(const spatial::Vector3& n);

/// Letters, digits and _, not beginning with a digit, and not too long.
bool identifier(std::string_view) noexcept;

}  // namespace vernier::multibody_tree
