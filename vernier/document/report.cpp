#include "vernier/document/report.hpp"

#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::document {

Diagnostic& Report::add(Severity severity, const char* code, std::string message,
                        const Place& place) {
  if (++(severity == Severity::error ? errors_ : warnings_) > most) return ignored_ = {};
  Diagnostic& d = severity == Severity::error ? out_.error(code, std::move(message), place)
                                              : out_.warning(code, std::move(message), place);
  document_.show_source(d);
  return d;
}

Diagnostic& Report::error(const char* code, std::string message, const Place& place) {
  return add(Severity::error, code, std::move(message), place);
}

Diagnostic& Report::warning(const char* code, std::string message, const Place& place) {
  return add(Severity::warning, code, std::move(message), place);
}

Place Report::text_place(const Element& e) const {
  const std::string_view text = trimmed(e.text);
  if (text.empty()) return e.place;
  const std::string_view first_line = trimmed(text.substr(0, text.find('\n')));
  return document_.place_in_text(e, static_cast<std::size_t>(text.data() - e.text.data()),
                                 width(first_line));
}

Place Report::value_place(const Element& e, std::string_view attribute) {
  const document::Attribute* a = e.attribute(attribute);
  return a ? a->value_place : e.place;
}

std::string in_quotes(std::string_view s) { return "\"" + std::string(s.substr(0, 80)) + "\""; }

std::string listed(const std::vector<std::string>& all, std::size_t most) {
  if (all.size() <= most) return joined(all, ", ");
  const std::vector<std::string> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most));
  return joined(some, ", ") + ", … (" + std::to_string(all.size() - most) + " more)";
}

}  // namespace vernier::document
