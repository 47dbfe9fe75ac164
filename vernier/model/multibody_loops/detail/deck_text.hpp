#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/spatial/attitude.hpp"

namespace vernier::multibody_loops::detail {

/// `keyword: argument, argument, …;` as written in a deck, without comments.
struct DeckArgument {
  std::string text;
  Place place;
};
struct DeckStatement {
  std::string keyword;  // lower case, single blanks
  Place place;
  std::vector<DeckArgument> arguments;
};

/// Splits a deck into statements. At the first error it reports the problem and returns the
/// statements before it.
std::vector<DeckStatement> deck_statements(std::string_view content, const std::string& name,
                                           Diagnostics& problems);

/// Variables and arithmetic of a deck, which distinguishes integers from reals: 1/2 is 0, 1./2 is
/// 0.5.
class DeckNumbers {
 public:
  /// A number, or a text in the language of documents if it depends on Time.
  struct Value {
    double x = 0.0;
    bool whole = false, varies = false;
    int level = 0;  // precedence of the outermost operator of the text
    std::string text;
  };

  /// `real L = 1.`, `const integer N = 2`, `L = 3.`
  void set(const DeckArgument&);
  /// Throws ConfigurationError.
  double value(const DeckArgument&) const;
  /// Translates an expression of Time to the language of documents, with variables replaced by
  /// numbers; throws ConfigurationError. `start` is the value of Time when a run begins.
  std::string formula(const DeckArgument&, double start) const;
  bool has(std::string_view name) const { return values_.contains(name); }
  /// A variable that a formula used, with its value at that time.
  struct Use {
    std::string name;
    double value;
    Place place;
  };
  /// Uses in formulas of variables whose values were changed afterwards.
  std::vector<Use> changed_uses() const;
  /// Whether a number begins here: a digit, a sign, a parenthesis, a variable, a function.
  bool begins(std::string_view text) const;

 private:
  std::map<std::string, Value, std::less<>> values_;
  mutable std::vector<Use> uses_;  // of formulas, which MBDyn evaluates again and again
};

[[noreturn]] void refuse(const char* code, std::string message, const Place&,
                         std::string note = {});
/// Lower case, single blanks.
std::string normal(std::string_view);

}  // namespace vernier::multibody_loops::detail
