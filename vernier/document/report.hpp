#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/document/document.hpp"

namespace vernier::document {

/// Problems found in one document, with their source lines; at most a hundred errors and a hundred
/// warnings.
class Report {
 public:
  Report(const Document& d, Diagnostics& out) : document_(d), out_(out) {}

  Diagnostic& error(const char* code, std::string message, const Place&);
  Diagnostic& warning(const char* code, std::string message, const Place&);
  /// Enough errors: nothing more needs to be read. Warnings do not end reading.
  bool full() const noexcept { return errors_ >= most; }
  bool failed() const noexcept { return errors_ > 0; }

  /// The place of an element's text without the blanks around it.
  Place text_place(const Element&) const;
  /// The place of an attribute's value, or of the element when it is absent.
  static Place value_place(const Element&, std::string_view attribute);

  const Document& document() const noexcept { return document_; }

 private:
  static constexpr std::size_t most = 100;
  Diagnostic& add(Severity, const char* code, std::string message, const Place&);

  const Document& document_;
  Diagnostics& out_;
  Diagnostic ignored_;  // receives the notes of problems beyond the limit
  std::size_t errors_ = 0, warnings_ = 0;
};

std::string in_quotes(std::string_view);
/// "a, b, c", at most `most`, then "… (12 more)".
std::string listed(const std::vector<std::string>&, std::size_t most = 12);

}  // namespace vernier::document
