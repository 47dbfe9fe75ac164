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

/// Reads the numbers of a document: quantities with units, expressions of constants, and values
/// that parameters replace. Problems are reported, and the result is then empty.
class Quantities {
 public:
  /// Without parameters, specs() collects those that the document offers.
  Quantities(Report&, const Parameters*);

  /// Reads <constants>, each of which may use those before it.
  void declare(const Element& constants);

  /// `count` numbers of an attribute in SI. `unit` is the required unit, "1" for bare numbers.
  /// `what` names them in messages: "mass". Nothing if the attribute is absent.
  std::optional<std::vector<double>> numbers(const Element&, std::string_view attribute,
                                             std::string_view unit, std::size_t count);
  std::optional<double> number(const Element&, std::string_view attribute, std::string_view unit);
  std::optional<spatial::Vector3> vector(const Element&, std::string_view attribute,
                                         std::string_view unit);
  /// The same for a text; `bare_unit` applies to numbers without a unit; empty: they need one.
  std::optional<std::vector<double>> numbers(std::string_view text, const Place&,
                                             const std::string& what, std::string_view unit,
                                             std::size_t count, std::string_view bare_unit = "");

  /// Numbers that a parameter may replace; `otherwise` if the attribute is absent.
  std::vector<double> replaceable(const std::string& parameter, const Element&,
                                  std::string_view attribute, std::string_view unit,
                                  std::vector<double> otherwise, std::string_view description);
  /// The same for numbers that were read in another way.
  std::vector<double> replaceable(const std::string& parameter, std::string_view unit,
                                  std::vector<double> values, std::string_view description);

  /// The same for frequencies in rad/s; "0.8 Hz" counts cycles.
  std::vector<double> replaceable_frequencies(const std::string& parameter,
                                              std::vector<double> values,
                                              std::string_view description);
  /// Whether a replaceable number is requested to remain adjustable. Also declares that it may be.
  bool adjustable(const std::string& parameter);

  /// A frequency in rad/s: "0.8 Hz" or "5 rad/s".
  std::optional<double> frequency(const Element&, std::string_view attribute);
  /// A unit vector in the given direction; a zero vector is reported.
  std::optional<spatial::Vector3> direction(const Element&, std::string_view attribute);
  /// The rotation matrix of quaternion="…" or turned="…": columns are the rotated axes in the
  /// original ones. The identity if neither is given.
  std::optional<spatial::Matrix3> attitude(const Element&);
  /// A unit quaternion, scalar last, normalised.
  std::optional<spatial::Quaternion> quaternion(std::span<const double>, const Place&);

  /// The inertia tensor of an <inertia> element.
  std::optional<spatial::Matrix3> inertia(const Element&);

  /// An expression of constants and of symbol 0 of the graph, which is called `name`. The unit of
  /// the result is not checked.
  std::optional<expression::Term> function(std::string_view text, const Place&,
                                           const std::string& what, std::string_view name,
                                           expression::Graph&);

  /// Whether a name is valid; reports if not.
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
  /// Evaluates an expression of constants; `unit` is the required unit, or empty.
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
  bool constants_known_ = true;  // false: one was refused; unknown names are not reported
  expression::Graph graph_;
};

/// Axes whose z is the unit vector n, with the smallest rotation. For n near -z, the rotation
/// starts from axes with y and z reversed.
spatial::Matrix3 with_z_along(const spatial::Vector3& n);

/// Letters, digits and _, not starting with a digit, at most 100 characters.
bool identifier(std::string_view) noexcept;

}  // namespace vernier::multibody_tree
