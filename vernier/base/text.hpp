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

/// A whole number or a number in C notation, independent of the locale; nothing else around it.
/// Refuses what does not fit; accepts "inf" and "nan" only where asked to.
std::optional<double> parsed_real(std::string_view) noexcept;
std::optional<long long> parsed_integer(std::string_view) noexcept;

/// The shortest text that reads back as the same number.
std::string exact(double);

/// Damerau-Levenshtein distance, upper and lower case counted as half different.
double edit_distance(std::string_view, std::string_view);

/// The candidate a user probably meant by `word`, if one is near enough; else nothing.
std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// Shell-like patterns over names: * and ? match within, [abc] is not special (ports have indices).
bool matches(std::string_view pattern, std::string_view name) noexcept;

/// As text or attribute of XML and HTML: & < > " as references.
std::string escaped(std::string_view);

/// Columns that `text` takes on a terminal: characters, not bytes.
std::size_t width(std::string_view utf8) noexcept;

}  // namespace vernier
