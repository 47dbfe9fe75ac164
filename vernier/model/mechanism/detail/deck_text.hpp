#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/spatial/attitude.hpp"

namespace vernier::mechanism::detail {

/// Ends the conversion of a statement.
struct DeckProblem {
  Diagnostic diagnostic;
};

/// `keyword: argument, argument, …;` as it stands in a deck, comments taken out.
struct DeckArgument {
  std::string text;
  Place place;
};
struct DeckStatement {
  std::string keyword;  // lower case, single blanks
  Place place;
  std::vector<DeckArgument> arguments;
};

/// Splits a deck. What cannot be split is reported; then what came before it is answered.
std::vector<DeckStatement> deck_statements(std::string_view content, const std::string& name,
                                           Diagnostics& problems);

/// Variables of a deck and its arithmetic.
class DeckNumbers {
 public:
  /// `real L = 1.`, `const integer N = 2`, `L = 3.`
  void set(const DeckArgument&);
  /// Throws DeckProblem.
  double value(const DeckArgument&) const;
  /// An expression of Time in the language of documents, variables replaced by numbers; throws.
  std::string formula(const DeckArgument&) const;
  bool has(std::string_view name) const { return values_.contains(name); }

 private:
  std::map<std::string, double, std::less<>> values_;
};

[[noreturn]] void refuse(const char* code, std::string message, const Place&,
                         std::string note = {});
/// Lower case, single blanks.
std::string normal(std::string_view);

}  // namespace vernier::mechanism::detail
