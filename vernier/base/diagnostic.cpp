#include "vernier/base/diagnostic.hpp"

#include <algorithm>
#include <set>

#include "vernier/base/text.hpp"

namespace vernier {
namespace {

struct Colors {
  const char* severity = "";
  const char* strong = "";
  const char* faint = "";
  const char* none = "";
};

Colors colors(Severity s, Rendering how) {
  if (!how.color) return {};
  return {s == Severity::error ? "\033[1;31m" : "\033[1;33m", "\033[1m", "\033[36m", "\033[0m"};
}

// the indentation of the mark, with tabs kept so that the mark stays under its column
std::string indentation(std::string_view line, int column) {
  std::string blank;
  int at = 1;
  for (std::size_t i = 0; i < line.size() && at < column; ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0) == 0x80) continue;
    blank += line[i] == '\t' ? '\t' : ' ';
    ++at;
  }
  for (; at < column; ++at) blank += ' ';
  return blank;
}

// removes control characters that a terminal would interpret: messages quote files and peers
std::string plain(std::string text) {
  if (text.ends_with('\r')) text.pop_back();  // of a file with CR LF line ends
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }, '?');
  return text;
}

constexpr int widest = 160;  // characters of a source line that are shown

// a part of a long line around the marked column, and that column in it
std::string clipped(const std::string& line, int& column) {
  const auto characters = static_cast<int>(width(line));
  if (characters <= widest) return line;
  const int first = column > widest / 2 ? column - widest / 2 : 1;
  std::string part = first > 1 ? "…" : "";
  int at = 0;
  for (const char c : line) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++at;
    if (at >= first && at < first + widest) part += c;
  }
  if (first + widest <= characters) part += "…";
  if (first > 1) column += 2 - first;
  return part;
}

}  // namespace

Diagnostic& Diagnostics::add(Diagnostic d) { return list_.emplace_back(std::move(d)); }

Diagnostic& Diagnostics::error(std::string code, std::string message, Place place) {
  return add(
      {Severity::error, std::move(code), std::move(message), std::move(place), {}, {}, {}, {}});
}

Diagnostic& Diagnostics::warning(std::string code, std::string message, Place place) {
  return add(
      {Severity::warning, std::move(code), std::move(message), std::move(place), {}, {}, {}, {}});
}

std::size_t Diagnostics::errors() const noexcept {
  return static_cast<std::size_t>(std::count_if(
      list_.begin(), list_.end(), [](const auto& d) { return d.severity == Severity::error; }));
}

std::size_t Diagnostics::warnings() const noexcept { return list_.size() - errors(); }

void Diagnostics::append(const Diagnostics& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
}

void Diagnostics::throw_if_errors() const {
  if (errors() > 0) throw ConfigurationError(*this);
}

void did_you_mean(Diagnostic& d, const std::string& word) {
  d.mark = "did you mean " + word + "?";
  add_change(d, d.place, word);
}

void add_change(Diagnostic& d, const Place& place, std::string_view text) {
  if (place.file.empty() || place.line < 1) return;
  d.fix.push_back({place, escaped(text)});
}

ConfigurationError::ConfigurationError(Diagnostics d)
    : std::runtime_error(rendered(d)), diagnostics_(std::move(d)) {}

ConfigurationError::ConfigurationError(std::string code, std::string message, Place place,
                                       Category category)
    : ConfigurationError([&] {
        Diagnostics d;
        d.error(std::move(code), std::move(message), std::move(place)).category = category;
        return d;
      }()) {}

std::string rendered(const Diagnostic& d, Rendering how) {
  const Colors c = colors(d.severity, how);
  std::string out;
  out += c.severity;
  out += d.severity == Severity::error ? "error" : "warning";
  if (!d.code.empty()) out += "[" + d.code + "]";
  out += c.none;
  out += ": ";
  out += c.strong + plain(d.message) + c.none + "\n";

  std::size_t gutter = 2;
  for (const auto& line : d.source) gutter = std::max(gutter, std::to_string(line.number).size());
  const std::string margin(gutter, ' ');
  if (!d.place.file.empty()) {
    out += margin + c.faint + "--> " + c.none + plain(d.place.file);
    if (d.place.line > 0) {
      out += ":" + std::to_string(d.place.line) + ":" + std::to_string(d.place.column);
    }
    out += "\n";
  }
  if (!d.source.empty()) {
    out += margin + c.faint + " |" + c.none + "\n";
    int column = d.place.column;
    std::string marked;
    for (const auto& line : d.source) {
      const std::string number = std::to_string(line.number);
      column = d.place.column;
      marked = plain(clipped(line.text, column));
      out += std::string(gutter - number.size(), ' ') + c.faint + number + " | " + c.none + marked +
             "\n";
    }
    out += margin + c.faint + " | " + c.none + indentation(marked, column) + c.severity +
           std::string(static_cast<std::size_t>(std::clamp(d.place.length, 1, widest / 2)), '^');
    if (!d.mark.empty()) out += " " + plain(d.mark);
    out += std::string(c.none) + "\n";
  }
  for (const auto& line : d.body) out += margin + " " + plain(line) + "\n";
  for (const auto& note : d.notes) out += margin + c.faint + " = " + c.none + plain(note) + "\n";
  if (!d.code.empty()) {
    out += margin + c.faint + " = " + c.none + "see: vernier explain " + d.code + "\n";
  }
  return out;
}

std::string rendered(const Diagnostics& all, std::size_t most, Rendering how) {
  std::string out;
  std::size_t shown = 0;
  std::set<std::string> files;
  for (const auto& d : all.list()) {
    if (d.severity == Severity::error && !d.place.file.empty()) files.insert(d.place.file);
    if (shown == most) continue;
    if (shown++ > 0) out += "\n";
    out += rendered(d, how);
  }
  const std::size_t left = all.list().size() - shown;
  if (left > 0) out += "\nand " + std::to_string(left) + " more\n";
  if (all.errors() > 0) {
    out += "\n" + std::to_string(all.errors()) + (all.errors() == 1 ? " error" : " errors");
    if (files.size() == 1) out += " in " + *files.begin();
    if (files.size() > 1) out += " in " + std::to_string(files.size()) + " files";
    out += how.no_run ? "; nothing was run\n" : "\n";
  }
  return out;
}

}  // namespace vernier
