#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/instructions.hpp"

namespace vernier {

enum class ParameterKind : std::uint8_t { real, integer, boolean, text, choice, file };

/// A parameter that a type of component takes when it is made.
struct ParameterSpec {
  std::string name;
  ParameterKind kind = ParameterKind::real;
  std::string unit = "1";                   // of reals; values come in SI
  std::uint32_t count = 1;                  // reals: elements, separated by blanks or commas
  std::optional<std::string> initial = {};  // its text when not given; none: must be given
  std::string description = {};
  std::vector<std::string> choices = {};
  bool adjustable = false;  // reals of equations that may stay adjustable (ParameterValue)
};

/// What the document (or --set) says: the text, the unit written beside it, and where.
struct ParameterValue {
  std::string text;
  std::string unit = {};  // empty: the text may carry one ("600 km"), else that of the spec
  Place place = {};
  /// The system that is made has it among its parameters (hybrid::SystemSpec), so that derivatives
  /// by it are known; without a text it has the value of the spec. Refused (V2145) where the spec
  /// does not allow it.
  bool adjustable = false;
};

using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

/// The parameters of one instance, checked against the specs of its type.
class Parameters {
 public:
  /// Reports unknown names (with a suggestion), missing ones, and values that do not read or do not
  /// have the dimension of the spec; a value with a problem reads as its default or as zero.
  Parameters(std::string instance, std::span<const ParameterSpec>, const ParameterValues&,
             std::uint64_t seed, const Place& where, Diagnostics&,
             Arithmetic = Arithmetic::reproducible);

  const std::string& instance() const noexcept { return instance_; }

  double real(std::string_view name) const;
  const std::vector<double>& reals(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // text and choice
  /// Relative to the folder of the document that names it.
  std::filesystem::path file(std::string_view name) const;
  /// Whether the document gave it.
  bool given(std::string_view name) const;
  bool adjustable(std::string_view name) const;
  /// All that were asked to stay adjustable, by name.
  std::vector<std::string> adjustable() const;

  /// A seed of its own for this instance, derived from the run's seed and the instance's path.
  std::uint64_t seed() const noexcept { return seed_; }
  /// That of the run.
  Arithmetic arithmetic() const noexcept { return arithmetic_; }

  /// Refuses the value of `name`, at its place: "inertia must be positive".
  [[noreturn]] void reject(std::string_view name, const std::string& why) const;

 private:
  struct Value {
    std::vector<double> numbers;
    std::string text;
    Place place;
    bool given = false, adjustable = false;
  };
  const Value& find(std::string_view name) const;

  std::string instance_;
  std::map<std::string, Value, std::less<>> values_;
  std::uint64_t seed_;
  Arithmetic arithmetic_;
};

/// A system whose adjust(name) keeps a parameter adjustable, with those that were asked for. One
/// that the equations do not have as they are given (adjust() is false) is refused.
template <class System>
std::unique_ptr<System> adjusted(std::unique_ptr<System> system, const Parameters& p) {
  for (const std::string& name : p.adjustable())
    if (!system->adjust(name))
      p.reject(name, "cannot stay adjustable: the equations follow from another parameter");
  return system;
}

}  // namespace vernier
