#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vernier::expression::detail {

enum class Symbol {
  end,
  number,
  name,
  plus,
  minus,
  times,
  divided,
  each_times,
  each_divided,
  raised,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  open,
  close,
  open_bracket,
  close_bracket,
  comma,
  semicolon,
  colon,
  assign,
  wrong  // not allowed in an expression; see Token::complaint
};

struct Token {
  Symbol symbol = Symbol::end;
  std::size_t begin = 0, end = 0;  // bytes
  double number = 0.0;
  std::string name = {};
  std::string complaint = {};
};

/// Splits a text into tokens. It never fails: anything else is returned as Symbol::wrong.
class Lexer {
 public:
  explicit Lexer(std::string_view text) noexcept : text_(text) {}
  Token next();

 private:
  Token number();
  Token name();
  Token sign();
  Token wrong(std::size_t length, std::string complaint);
  void skip_blanks() noexcept;
  bool starts(std::string_view word) const noexcept { return text_.substr(at_).starts_with(word); }
  char look(std::size_t i) const noexcept { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace vernier::expression::detail
