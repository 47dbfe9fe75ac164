#include "vernier/kernel/expression/detail/lexer.hpp"

#include <charconv>
#include <system_error>

namespace vernier::expression::detail {
namespace {

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool latin(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct Spelling {
  std::string_view text;
  Symbol symbol;
};
// Longer ones first: the first match is taken.
constexpr Spelling spellings[] = {
    {"<=", Symbol::less_equal},  {">=", Symbol::greater_equal}, {"==", Symbol::equal},
    {"!=", Symbol::not_equal},   {".*", Symbol::each_times},    {"./", Symbol::each_divided},
    {"<", Symbol::less},         {">", Symbol::greater},        {"+", Symbol::plus},
    {"-", Symbol::minus},        {"*", Symbol::times},          {"/", Symbol::divided},
    {"^", Symbol::raised},       {"(", Symbol::open},           {")", Symbol::close},
    {"[", Symbol::open_bracket}, {"]", Symbol::close_bracket},  {",", Symbol::comma},
    {";", Symbol::semicolon},    {":", Symbol::colon},          {"=", Symbol::assign},
};

// Operators of other languages and their replacements, for the message.
struct Habit {
  std::string_view text, instead;
};
constexpr Habit habits[] = {
    {"**", "^"},      {"&&", "and"},    {"||", "or"},     {"&lt;", "<"},    {"&gt;", ">"},
    {"&amp;", "and"}, {"&", "and"},     {"|", "or"},      {"!", "not"},     {"{", "("},
    {"}", ")"},       {"\u2212", "-"},  {"\u2013", "-"},  {"\u00d7", "*"},  {"\u00b7", "*"},
    {"\u22c5", "*"},  {"\u00f7", "/"},  {"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="},
    {"\u00b2", "^2"}, {"\u00b3", "^3"},
};

const Habit* habit(std::string_view rest) noexcept {
  for (const Habit& h : habits) {
    if (rest.starts_with(h.text)) return &h;
  }
  return nullptr;
}

// Names may contain letters of any alphabet, but not the operators above.
bool letter(std::string_view rest) noexcept {
  if (rest.empty()) return false;
  return latin(rest[0]) || (static_cast<unsigned char>(rest[0]) >= 0x80 && habit(rest) == nullptr);
}

// The length of the UTF-8 character at the start in bytes; 1 if the bytes are not valid UTF-8.
std::size_t character(std::string_view s) noexcept {
  const auto lead = static_cast<unsigned char>(s[0]);
  const std::size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  for (std::size_t i = 1; i < n; ++i) {
    if (i >= s.size() || (static_cast<unsigned char>(s[i]) & 0xc0) != 0x80) return 1;
  }
  return n;
}

}  // namespace

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return {Symbol::end, text_.size(), text_.size()};
  const char c = text_[at_];
  if (digit(c) || (c == '.' && digit(look(at_ + 1)))) return number();
  if (letter(text_.substr(at_))) return name();
  return sign();
}

void Lexer::skip_blanks() noexcept {
  while (at_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
    ++at_;
}

Token Lexer::wrong(std::size_t length, std::string complaint) {
  Token t{Symbol::wrong, at_, at_ + length};
  t.complaint = std::move(complaint);
  at_ += length;
  return t;
}

Token Lexer::number() {
  std::size_t end = at_;
  while (digit(look(end))) ++end;
  if (look(end) == '.') {
    ++end;
    while (digit(look(end))) ++end;
  }
  // An e without digits is not an exponent; it is reported below as a missing operator.
  if (look(end) == 'e' || look(end) == 'E') {
    std::size_t exponent = end + 1;
    if (look(exponent) == '+' || look(exponent) == '-') ++exponent;
    if (digit(look(exponent))) {
      while (digit(look(exponent))) ++exponent;
      end = exponent;
    }
  }
  const std::string text(text_.substr(at_, end - at_));
  if (end < text_.size() && letter(text_.substr(end))) {
    std::string first(text_.substr(end, character(text_.substr(end))));
    at_ = end;
    return wrong(first.size(), "an operator is missing between " + text + " and " + first);
  }
  Token t{Symbol::number, at_, end};
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), t.number);
  if (error != std::errc{}) return wrong(end - at_, text + " does not fit into a number");
  at_ = end;
  return t;
}

Token Lexer::name() {
  std::size_t end = at_;
  while (end < text_.size() && (digit(text_[end]) || letter(text_.substr(end)))) ++end;
  Token t{Symbol::name, at_, end};
  t.name = text_.substr(at_, end - at_);
  at_ = end;
  if (t.name == "and") {
    t.symbol = Symbol::logical_and;
  } else if (t.name == "or") {
    t.symbol = Symbol::logical_or;
  } else if (t.name == "not") {
    t.symbol = Symbol::logical_not;
  }
  return t;
}

// `**` would match `*` first, so it is left to the habits below.
Token Lexer::sign() {
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with("**")) {
    for (const Spelling& s : spellings) {
      if (!rest.starts_with(s.text)) continue;
      Token t{s.symbol, at_, at_ + s.text.size()};
      at_ = t.end;
      return t;
    }
  }
  if (const Habit* h = habit(rest)) {
    return wrong(h->text.size(),
                 "write " + std::string(h->instead) + " instead of " + std::string(h->text));
  }
  const auto c = static_cast<unsigned char>(rest[0]);
  if (c < 0x20 || c == 0x7f) return wrong(1, "a control character is not allowed in an expression");
  const std::size_t n = character(rest);
  return wrong(n, std::string(rest.substr(0, n)) + " is not allowed in an expression");
}

}  // namespace vernier::expression::detail
