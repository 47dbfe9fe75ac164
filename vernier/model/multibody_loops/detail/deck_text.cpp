#include "vernier/model/multibody_loops/detail/deck_text.hpp"

#include <algorithm>

#include "vernier/base/text.hpp"

namespace vernier::multibody_loops::detail {
namespace {

constexpr std::size_t most_arguments = 100'000, most_statements = 1'000'000;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// A stream of characters without comments, with their places.
class Characters {
 public:
  Characters(std::string_view content, const std::string& name) : text_(content), file_(name) {}

  bool end() {
    skip_comments();
    return at_ >= text_.size();
  }
  char peek() const { return text_[at_]; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
      // Columns count UTF-8 characters: continuation bytes do not count.
    } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {
      ++column_;
    }
    return c;
  }
  Place place() const { return {.file = file_, .line = line_, .column = column_}; }
  bool open_comment() const { return open_comment_; }
  bool quoted = false;

 private:
  void skip_comments() {
    while (!quoted && at_ < text_.size()) {
      if (text_[at_] == '#' || text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && text_[at_] != '\n') take();
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t close = text_.find("*/", at_ + 2);
        open_comment_ = close == std::string_view::npos;
        const std::size_t to = open_comment_ ? text_.size() : close + 2;
        while (at_ < to) take();
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  bool open_comment_ = false;
};

}  // namespace

void refuse(const char* code, std::string message, const Place& place, std::string note) {
  Diagnostics problems;
  Diagnostic& d = problems.error(code, std::move(message), place);
  if (!note.empty()) d.notes.push_back(std::move(note));
  throw ConfigurationError(std::move(problems));
}

std::string normal(std::string_view text) {
  std::string all;
  for (const std::string_view w : words(text)) {
    if (!all.empty()) all += ' ';
    for (const char c : w) all += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return all;
}

// A statement is `keyword: argument, …;`. Commas inside parentheses and quotes do not separate
// arguments, and the first colon outside parentheses ends the keyword.
std::vector<DeckStatement> deck_statements(std::string_view content, const std::string& name,
                                           Diagnostics& problems) {
  std::vector<DeckStatement> all;
  Characters c(content, name);
  std::string text;
  Place place;
  DeckStatement now;
  bool begun = false, keyed = false;
  int depth = 0;
  const auto finish = [&] {
    const std::string_view t = trimmed(text);
    place.length = static_cast<int>(std::clamp<std::size_t>(width(t), 1, 1000));
    if (!keyed) {
      now.keyword = normal(t);
      now.place = place;
    } else {
      now.arguments.push_back({std::string(t), place});
    }
    text.clear();
    begun = false;
  };
  const auto stop = [&](std::string what, const Place& at) {
    problems.error("V1721", std::move(what), at);
    return all;
  };
  while (!c.end()) {
    if (!begun && !blank(c.peek())) {
      place = c.place();
      begun = true;
    }
    const Place here = c.place();
    const char ch = c.take();
    if (ch == '\0') return stop("a deck is text, and this is not", here);
    if (ch == '"') c.quoted = !c.quoted;
    if (c.quoted || ch == '"') {
      text += ch;
      continue;
    }
    if (ch == '(') ++depth;
    if (ch == ')') --depth;
    if (ch == ':' && !keyed && depth == 0) {
      finish();
      keyed = true;
    } else if (ch == ',' && keyed && depth <= 0) {
      if (!begun) place = here;
      finish();
      if (now.arguments.size() > most_arguments) return stop("a statement is too long", here);
    } else if (ch == ';') {
      if (depth != 0)
        return stop("a parenthesis is not closed in this statement",
                    now.place.line > 0 ? now.place : here);
      if (begun || keyed) {
        if (!begun) place = here;
        const bool nothing = keyed && trimmed(text).empty() && now.arguments.empty();
        if (nothing) {
          text.clear();
        } else {
          finish();
        }
        all.push_back(std::move(now));
      }
      now = {};
      keyed = begun = false;
      if (all.size() > most_statements) return stop("there are too many statements", here);
    } else {
      text += ch;
    }
  }
  if (c.open_comment()) return stop("a comment is not closed", c.place());
  if (begun || keyed)
    return stop("the last statement has no end: a ; is missing", keyed ? now.place : place);
  return all;
}

}  // namespace vernier::multibody_loops::detail
