#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier {

std::string_view trimmed(std::string_view) noexcept;
std::vector<std::string_view> words(std::string_view);
std::vector<std::string_view> split(std::string_view, char separator);
std::string joined(const std::vector<std::string>&, std::string_view separator);

/// An integer or a number in C notation, independent of the locale, with nothing around it. Refuses
/// values out of range; accepts "inf" and "nan" only on request.
std::optional<double> parsed_real(std::string_view) noexcept;
std::optional<long long> parsed_integer(std::string_view) noexcept;

/// The text with points for decimal commas, "0,2 m" as "0.2 m"; nothing when it has none. Commas
/// between numbers are followed by a blank.
std::optional<std::string> without_decimal_commas(std::string_view);

/// The shortest text that reads back as the same number.
std::string exact(double);

/// Damerau-Levenshtein distance; a difference in case counts half.
double edit_distance(std::string_view, std::string_view);

/// The candidate that the user probably meant by `word`, if one is similar enough.
std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// Shell-like patterns over names: * and ? match within, [abc] is not special (ports have indices).
bool matches(std::string_view pattern, std::string_view name) noexcept;

/// Escapes & < > " for XML and HTML text and attributes.
std::string escaped(std::string_view);

/// Columns that `text` takes on a terminal: characters, not bytes.
std::size_t width(std::string_view utf8) noexcept;

}  // namespace vernier
