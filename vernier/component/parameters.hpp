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
const char* name_of(ParameterKind) noexcept;

/// A parameter of a type, given when it is instantiated.
struct ParameterSpec {
  std::string name;
  ParameterKind kind = ParameterKind::real;
  std::string unit = "1";                   // of reals; values are converted to SI
  std::uint32_t count = 1;                  // reals: elements, separated by blanks or ", "
  std::optional<std::string> initial = {};  // its default as text; none: required
  std::string description = {};
  std::vector<std::string> choices = {};
  bool adjustable = false;  // reals of equations that may remain adjustable (ParameterValue)
  bool secret = false;      // a file that is not kept with the run: a key
  bool turns = false;       // reals in rad/s: may be given in Hz, 1 Hz is 2π rad/s
};

/// The value in the document (or --set): the text, the unit given with it, and its place.
struct ParameterValue {
  std::string text;
  std::string unit = {};  // empty: the text may carry one ("600 km"), else that of the spec
  Place place = {};
  Place name_place = {};  // of the parameter's name; no file: unknown
  bool exact = false;     // `place` is that of the text and nothing else
  /// The system has it among its parameters (hybrid::SystemSpec), so that derivatives with respect
  /// to it are available; without a text it has the value of the spec. Refused (V2145) if the spec
  /// does not permit it.
  bool adjustable = false;
};

using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

/// The parameters of one instance, checked against the specs of its type.
class Parameters {
 public:
  /// Reports unknown names (with a suggestion), missing ones, and values that are invalid or of
  /// another dimension; such a value reads as its default or as zero.
  Parameters(std::string instance, std::span<const ParameterSpec>, const ParameterValues&,
             std::uint64_t seed, const Place& where, Diagnostics&,
             Arithmetic = Arithmetic::reproducible);

  const std::string& instance() const noexcept { return instance_; }

  double real(std::string_view name) const;
  const std::vector<double>& reals(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // text and choice
  /// Relative to the directory of the document that names it.
  std::filesystem::path file(std::string_view name) const;
  /// Whether the document gave it.
  bool given(std::string_view name) const;
  bool adjustable(std::string_view name) const;
  /// The names of all parameters requested to remain adjustable.
  std::vector<std::string> adjustable() const;

  /// A seed for this instance, derived from the run's seed and the instance's path.
  std::uint64_t seed() const noexcept { return seed_; }
  /// The run's arithmetic.
  Arithmetic arithmetic() const noexcept { return arithmetic_; }

  /// Refuses the value of `name`, at its place: "inertia must be positive".
  [[noreturn]] void reject(std::string_view name, const std::string& why) const;
  /// Warns of the value of `name`, at its place, where the problems of the constructor went. Only
  /// while those are there: for the maker of an instance.
  Diagnostic& warn(std::string_view name, std::string code, const std::string& why) const;
  /// The same for a finding of its own place.
  void warn(Diagnostic) const;

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
  Diagnostics* problems_;
};

/// Calls adjust(name) of a system for each parameter requested to remain adjustable. Refuses one
/// that the equations do not contain directly (adjust() returns false).
template <class System>
std::unique_ptr<System> adjusted(std::unique_ptr<System> system, const Parameters& p) {
  for (const std::string& name : p.adjustable())
    if (!system->adjust(name))
      p.reject(name, "cannot stay adjustable: the equations follow from another parameter");
  return system;
}

}  // namespace vernier
