#include "vernier/gateway/fom/detail/reading.hpp"

#include <algorithm>

namespace vernier::fom::detail {

using document::Element;
using document::in_quotes;

namespace {

constexpr std::size_t longest_name = 255;

bool letter(char c) noexcept {
  const auto u = static_cast<unsigned char>(c);
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u >= 0x80;
}
bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Why a text is not a valid name; empty when it is valid.
std::string fault(std::string_view s, bool free) {
  if (s.empty()) return "is empty";
  if (s.size() > longest_name) return "has more than 255 characters";
  std::string lower(s);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (lower == "na") return "is \"NA\", which says that there is none";
  if (!letter(s[0]) && !(free && digit(s[0]))) return "does not begin with a letter";
  for (const char c : s) {
    if (letter(c) || digit(c) || c == '-' || (free && std::string_view(".+/()").find(c) != s.npos))
      continue;
    return std::string("has ") + (c == ' ' ? "a blank" : in_quotes(std::string(1, c))) + " in it";
  }
  return {};
}

}  // namespace

std::string Reading::text(const Element& e, std::string_view child) {
  const Element* c = e.child(child);
  return c ? std::string(trimmed(c->text)) : std::string();
}

Place Reading::place(const Element& e, std::string_view child) const {
  const Element* c = e.child(child);
  return c ? report_.text_place(*c) : e.place;
}

Reference Reading::reference(const Element& e, std::string_view child) const {
  return {text(e, child), place(e, child)};
}

void Reading::entry(const Element& e, Entry& out, bool free, std::string_view label) {
  out.name = text(e, label);
  out.place = place(e, label);
  out.semantics = text(e, "semantics");
  if (const document::Attribute* notes = e.attribute("notes")) {
    for (const std::string_view w : words(notes->value)) {
      out.notes.push_back({std::string(w), notes->value_place});
      labels_.emplace(w, notes->value_place);
    }
  }
  if (label == "label") {
    if (out.name.empty() || out.name.size() > longest_name) {
      report_.error("V1801", "a label has from 1 to 255 characters", out.place);
    }
    return;
  }
  if (const std::string why = fault(out.name, free); !why.empty()) {
    report_
        .error("V1801", "the name " + (out.name.empty() ? "" : in_quotes(out.name) + " ") + why,
               out.place)
        .notes.push_back("names are made of letters, digits, _ and -, and begin with a letter");
  }
}

int Reading::word_at(const Element& e, std::string_view child,
                     const std::vector<std::string_view>& all) {
  const Element* c = e.child(child);
  if (!c) return -1;
  const std::string_view given = trimmed(c->text);
  const auto at = std::find(all.begin(), all.end(), given);
  if (at != all.end()) return static_cast<int>(at - all.begin());
  Diagnostic& d =
      report_.error("V1802", in_quotes(given) + " is no " + c->name, report_.text_place(*c));
  const std::vector<std::string> known(all.begin(), all.end());
  if (given.size() < 64) {
    if (const auto near = closest(given, known)) d.mark = "did you mean " + *near + "?";
  }
  d.notes.push_back("one of: " + joined(known, ", "));
  return -1;
}

bool Reading::unique(Names& names, const std::string& name, const Place& at,
                     std::string_view what) {
  const auto [first, added] = names.emplace(name, at);
  if (added) return true;
  report_.error("V1803", "there are two " + std::string(what) + " " + in_quotes(name), at)
      .notes.push_back("the first is on line " + std::to_string(first->second.line));
  return false;
}

Diagnostic* Reading::missing(const Element& e, std::string_view child, Severity severity) {
  const Element* c = e.child(child);
  if (c && (!trimmed(c->text).empty() || !c->children.empty())) return nullptr;
  const std::string name = text(e, "name");
  std::string what = "<" + e.name + "> " + (name.empty() ? "" : in_quotes(name) + " ") +
                     "has no <" + std::string(child) + ">";
  const Place& at = c ? c->place : e.place;
  return severity == Severity::error ? &report_.error("V1804", std::move(what), at)
                                     : &report_.warning("V1804", std::move(what), at);
}

bool Reading::needs(const Element& e, std::string_view child, std::string_view why) {
  Diagnostic* d = missing(e, child, Severity::error);
  if (d) d->notes.emplace_back(why);
  return !d;
}

void Reading::should_have(const Element& e, std::string_view child, std::string_view why) {
  if (Diagnostic* d = missing(e, child, Severity::warning)) d->notes.emplace_back(why);
}

}  // namespace vernier::fom::detail
