#include "vernier/document/detail/tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/text.hpp"

namespace vernier::document::detail {
namespace {

constexpr std::size_t npos = std::string_view::npos;

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

/// Resolves the reference at s[at] == '&'; returns the byte after its ';', or npos.
std::size_t append_reference(std::string_view s, std::size_t at, std::string& out) {
  constexpr std::size_t longest = 12;
  const std::size_t length = s.substr(at, longest).find(';');
  if (length == npos) return npos;
  const std::size_t end = at + length;
  const std::string_view name = s.substr(at + 1, length - 1);
  if (name == "lt") {
    out += '<';
  } else if (name == "gt") {
    out += '>';
  } else if (name == "amp") {
    out += '&';
  } else if (name == "quot") {
    out += '"';
  } else if (name == "apos") {
    out += '\'';
  } else if (name.size() > 1 && name[0] == '#') {
    const bool hex = name[1] == 'x';
    const char* first = name.data() + (hex ? 2 : 1);
    const char* last = name.data() + name.size();
    std::uint32_t code = 0;
    const auto [stop, problem] = std::from_chars(first, last, code, hex ? 16 : 10);
    if (problem != std::errc{} || stop != last || code == 0 || code > 0x10FFFF) return npos;
    append_utf8(out, code);
  } else {
    return npos;
  }
  return end + 1;
}

/// The byte after a <!DOCTYPE …>, with quotes, comments and an internal subset skipped.
std::size_t after_doctype(std::string_view s, std::size_t at) noexcept {
  int brackets = 0;
  for (std::size_t i = at; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '"' || c == '\'') {
      i = s.find(c, i + 1);
      if (i == npos) return npos;
    } else if (s.compare(i, 4, "<!--") == 0) {
      i = s.find("-->", i + 4);
      if (i == npos) return npos;
      i += 2;
    } else if (s.compare(i, 2, "<?") == 0) {
      i = s.find("?>", i + 2);
      if (i == npos) return npos;
      ++i;
    } else if (c == '[') {
      ++brackets;
    } else if (c == ']') {
      --brackets;
    } else if (c == '>' && brackets <= 0) {
      return i + 1;
    }
  }
  return npos;
}

class Builder {
 public:
  explicit Builder(const Document& d) : document_(d), s_(d.content()) {}

  bool run(Element& root) {
    at_ = find_root(s_);
    if (at_ == npos || !open()) return false;
    while (!stack_.empty()) {
      if (at_ >= s_.size()) return false;
      if (!(s_[at_] == '<' ? markup() : character_data())) return false;
    }
    root = std::move(finished_);
    return true;
  }

 private:
  bool markup() {
    if (s_.compare(at_, 9, "<![CDATA[") == 0) return literal_section();
    if (s_.compare(at_, 2, "</") == 0) return close();
    const std::size_t next = after_silent(s_, at_);
    if (next == at_) return open();
    at_ = next;
    return next != npos;
  }

  void begin_run() {
    Element& e = stack_.back();
    e.runs.push_back({e.text.size(), at_});
  }

  /// Appends s_[at_, end) with line ends normalized to \n (XML 1.0, section 2.11). A new run starts
  /// wherever bytes were left out, so that places in the text stay exact.
  void append_literal(std::size_t end) {
    begin_run();
    Element& e = stack_.back();
    while (at_ < end) {
      // search only this stretch: searching to the end of the file each time would be quadratic
      const std::size_t cr = at_ + std::min(s_.substr(at_, end - at_).find('\r'), end - at_);
      e.text.append(s_.substr(at_, cr - at_));
      at_ = cr;
      if (cr == end) return;
      e.text += '\n';
      at_ += at_ + 1 < end && s_[at_ + 1] == '\n' ? 2 : 1;
      if (at_ < end) begin_run();
    }
  }

  bool character_data() {
    if (s_[at_] == '&') {
      begin_run();
      at_ = append_reference(s_, at_, stack_.back().text);
      return at_ != npos;
    }
    const std::size_t end = s_.find_first_of("<&", at_);
    if (end == npos) return false;
    append_literal(end);
    return true;
  }

  bool literal_section() {
    at_ += 9;
    const std::size_t end = s_.find("]]>", at_);
    if (end == npos) return false;
    if (end > at_) append_literal(end);
    at_ = end + 3;
    return true;
  }

  bool close() {
    const std::size_t end = s_.find('>', at_);
    if (end == npos) return false;
    stack_.back().end_name = at_ + 2;
    at_ = end + 1;
    finish();
    return true;
  }

  void finish() {
    Element e = std::move(stack_.back());
    stack_.pop_back();
    if (stack_.empty()) {
      finished_ = std::move(e);
    } else {
      stack_.back().children.push_back(std::move(e));
    }
  }

  void skip_blanks() {
    while (at_ < s_.size() && blank(s_[at_])) ++at_;
  }

  bool open() {
    ++at_;
    const std::string_view name = name_at(s_, at_);
    if (name.empty()) return false;
    Element e;
    e.name = name;
    e.place = document_.place_at(at_, width(name));
    at_ += name.size();
    stack_.push_back(std::move(e));
    while (true) {
      skip_blanks();
      if (at_ >= s_.size()) return false;
      if (s_[at_] == '>') {
        ++at_;
        return true;
      }
      if (s_[at_] == '/') {
        at_ += 2;
        finish();
        return true;
      }
      if (!attribute()) return false;
    }
  }

  bool attribute() {
    Attribute a;
    const std::string_view name = name_at(s_, at_);
    if (name.empty()) return false;
    a.name = name;
    a.place = document_.place_at(at_, width(name));
    at_ += name.size();
    skip_blanks();
    if (at_ >= s_.size() || s_[at_] != '=') return false;
    ++at_;
    skip_blanks();
    if (at_ >= s_.size() || (s_[at_] != '"' && s_[at_] != '\'')) return false;
    const std::size_t end = s_.find(s_[at_], at_ + 1);
    if (end == npos) return false;
    ++at_;
    a.value_place =
        document_.place_at(at_, std::max<std::size_t>(1, width(s_.substr(at_, end - at_))));
    while (at_ < end) {
      const char c = s_[at_];
      if (c == '&') {
        at_ = append_reference(s_, at_, a.value);
        if (at_ == npos) return false;
      } else if (c == '\r' && s_[at_ + 1] == '\n') {
        ++at_;
      } else {
        a.value += blank(c) ? ' ' : c;
        ++at_;
      }
    }
    at_ = end + 1;
    stack_.back().attributes.push_back(std::move(a));
    return true;
  }

  const Document& document_;
  std::string_view s_;
  std::size_t at_ = 0;
  std::vector<Element> stack_;
  Element finished_;
};

}  // namespace

std::size_t after_silent(std::string_view s, std::size_t at) noexcept {
  const auto after = [&](std::string_view end, std::size_t from) {
    const std::size_t found = s.find(end, from);
    return found == npos ? npos : found + end.size();
  };
  if (s.compare(at, 4, "<!--") == 0) return after("-->", at + 4);
  if (s.compare(at, 2, "<?") == 0) return after("?>", at + 2);
  if (s.compare(at, 9, "<!DOCTYPE") == 0) return after_doctype(s, at + 9);
  return at;
}

bool build_tree(const Document& d, Element& root) { return Builder(d).run(root); }

std::size_t find_root(std::string_view s) noexcept {
  std::size_t at = 0;
  while (at < s.size()) {
    if (blank(s[at])) {
      ++at;
      continue;
    }
    if (s[at] != '<') return npos;
    const std::size_t next = after_silent(s, at);
    if (next == at) return at;
    at = next;
  }
  return npos;
}

std::string_view name_at(std::string_view s, std::size_t offset) noexcept {
  if (offset >= s.size()) return {};
  std::size_t end = offset;
  while (end < s.size() && !blank(s[end]) && s[end] != '=' && s[end] != '/' && s[end] != '>' &&
         s[end] != '<') {
    ++end;
  }
  return s.substr(offset, end - offset);
}

}  // namespace vernier::document::detail
