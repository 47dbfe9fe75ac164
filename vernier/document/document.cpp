#include "vernier/document/document.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/detail/grammar.hpp"
#include "vernier/document/detail/tree.hpp"
#include "vernier/document/detail/validator.hpp"
#include "vernier/document/detail/well_formed.hpp"

namespace vernier::document {

std::string public_identifier(std::string_view dtd_name) {
  return "-//Vernier//DTD " + std::string(dtd_name.substr(0, dtd_name.rfind(".dtd"))) + " 1//EN";
}

namespace {

constexpr std::size_t stride = 256;         // bytes between two counts of characters
constexpr std::size_t longest_shown = 400;  // bytes of a source line

std::size_t characters(std::string_view s) noexcept {
  // every byte except UTF-8 continuation bytes begins a character
  return static_cast<std::size_t>(std::count_if(
      s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string megabytes(std::size_t bytes) {
  return bytes >= 1u << 20 ? std::to_string(bytes >> 20) + " MiB"
                           : std::to_string(bytes) + " bytes";
}

}  // namespace

const Attribute* Element::attribute(std::string_view wanted) const noexcept {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

std::string_view Element::value(std::string_view wanted,
                                std::string_view otherwise) const noexcept {
  const Attribute* a = attribute(wanted);
  return a ? std::string_view(a->value) : otherwise;
}

const Element* Element::child(std::string_view wanted) const noexcept {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const Element& e) { return e.name == wanted; });
  return found == children.end() ? nullptr : &*found;
}

Place Document::place_at(std::size_t offset, std::size_t length) const {
  offset = std::min(offset, content_.size());
  const auto before = [&](std::size_t byte) {
    const std::size_t k = byte / stride;
    return characters_[k] +
           characters(std::string_view(content_).substr(k * stride, byte - k * stride));
  };
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t line = static_cast<std::size_t>(next - line_starts_.begin());
  Place p;
  p.file = file_.path().string();
  p.line = static_cast<int>(line);
  p.column = static_cast<int>(before(offset) - before(line_starts_[line - 1])) + 1;
  constexpr std::size_t most = std::numeric_limits<int>::max();
  p.length = static_cast<int>(std::min(std::max<std::size_t>(length, 1), most));
  return p;
}

Place Document::place_in_text(const Element& e, std::size_t offset, std::size_t length) const {
  if (e.runs.empty()) return e.place;
  const auto next =
      std::upper_bound(e.runs.begin(), e.runs.end(), offset,
                       [](std::size_t o, const Element::Run& r) { return o < r.in_text; });
  if (next == e.runs.begin()) return e.place;
  const Element::Run& run = *(next - 1);
  return place_at(run.in_file + (offset - run.in_text), length);
}

std::string Document::line(int number) const {
  const auto index = static_cast<std::size_t>(number);
  if (number < 1 || index > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[index - 1];
  std::size_t end = index < line_starts_.size() ? line_starts_[index] : content_.size();
  while (end > begin && (content_[end - 1] == '\n' || content_[end - 1] == '\r')) --end;
  return content_.substr(begin, end - begin);
}

void Document::show_source(Diagnostic& d) const {
  if (!d.source.empty() || d.place.line < 1) return;
  std::string text = line(d.place.line);
  if (text.size() > longest_shown) return;
  // a mark ends with its line
  d.place.length = std::max(
      1, std::min(d.place.length, static_cast<int>(characters(text)) - d.place.column + 1));
  d.source.push_back({d.place.line, std::move(text)});
}

void Document::add_rename(Diagnostic& d, const Element& e, std::string_view name) const {
  add_change(d, e.place, name);
  if (e.end_name > 0) add_change(d, place_at(e.end_name, width(e.name)), name);
}

class Reader {
 public:
  static std::optional<Document> read(std::string content, const DocumentFile& name,
                                      std::span<const Grammar> grammars, Diagnostics& problems,
                                      const Limits& limits) {
    const std::size_t before = problems.errors();
    Document d;
    d.file_ = name;
    constexpr std::size_t most = std::numeric_limits<int>::max();
    if (content.size() > std::min(limits.bytes, most)) {
      problems.error("V1215",
                     "the document has " + megabytes(content.size()) + "; at most " +
                         megabytes(limits.bytes) + " are read",
                     Place{.file = name.path().string()});
      return {};
    }
    if (content.starts_with("\xEF\xBB\xBF")) content.erase(0, 3);
    d.content_ = std::move(content);
    index(d);
    if (!detail::check_encoding(d, problems) || !detail::check_tags(d, problems) ||
        !detail::check_form(d, grammars, limits, problems)) {
      return {};
    }
    if (!detail::build_tree(d, d.root_)) {
      problems.error("V1201", "this is not a well-formed XML document", d.place_at(0));
      return {};
    }
    const auto grammar = std::find_if(grammars.begin(), grammars.end(),
                                      [&](const Grammar& g) { return g.root == d.root_.name; });
    if (grammar == grammars.end()) {
      refuse_root(d, grammars, problems);
      return {};
    }
    detail::validate(d, d.root_, *detail::rules_of(*grammar), problems);
    if (problems.errors() != before) return {};
    return d;
  }

 private:
  static void index(Document& d) {
    const std::string& s = d.content_;
    d.line_starts_ = {0};
    for (std::size_t i = 0; i < s.size(); ++i) {
      const bool ends = s[i] == '\n' || (s[i] == '\r' && (i + 1 == s.size() || s[i + 1] != '\n'));
      if (ends) d.line_starts_.push_back(i + 1);
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i <= s.size(); i += stride) {
      d.characters_.push_back(count);
      count += characters(std::string_view(s).substr(i, stride));
    }
  }

  static void refuse_root(const Document& d, std::span<const Grammar> grammars,
                          Diagnostics& problems) {
    std::vector<std::string> roots;
    for (const Grammar& g : grammars) roots.emplace_back(g.root);
    const std::string found = "<" + d.root_.name.substr(0, 60) + ">";
    Diagnostic& p = problems.error(
        "V1204",
        roots.size() == 1
            ? "the document is a " + found + ", not a <" + roots[0] + ">"
            : "the document is a " + found + ", which is no kind of document known here",
        d.root_.place);
    d.show_source(p);
    if (const auto near = closest(d.root_.name, roots)) {
      p.mark = "did you mean <" + *near + ">?";
      d.add_rename(p, d.root_, *near);
    }
    if (roots.size() > 1) p.notes.push_back("known: <" + joined(roots, ">, <") + ">");
  }
};

std::optional<std::string> content_of(const std::filesystem::path& path, Diagnostics& problems,
                                      const Limits& limits) {
  const std::size_t most = limits.bytes;
  const auto refuse = [&](const char* code, const std::string& why) {
    problems.error(code, why, Place{.file = path.string()});
    return std::nullopt;
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return refuse("V1200", "there is no file " + path.string());
  }
  if (!std::filesystem::is_regular_file(status)) {
    return refuse("V1200", path.string() + " is not a file");
  }
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > most) {
    return refuse("V1215", "the document has " + megabytes(size) + "; at most " + megabytes(most) +
                               " are read");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return refuse("V1200",
                  "cannot read " + path.string() + ": " + std::generic_category().message(errno));
  }
  // The file may grow meanwhile, or its size may be misreported: read one byte more than allowed to
  // detect that.
  std::string content;
  content.resize(std::min<std::size_t>(error ? most : size, most) + 1);
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(in.gcount()));
  if (content.size() > most) {
    return refuse("V1215", "the document has more than " + megabytes(most));
  }
  return content;
}

std::optional<Document> read(const DocumentFile& path, std::span<const Grammar> grammars,
                             Diagnostics& problems, const Limits& limits) {
  std::optional<std::string> content = content_of(path, problems, limits);
  if (!content) return {};
  return parse(std::move(*content), path, grammars, problems, limits);
}

std::optional<Document> parse(std::string content, const DocumentFile& name,
                              std::span<const Grammar> grammars, Diagnostics& problems,
                              const Limits& limits) {
  Diagnostics found;
  auto document = Reader::read(std::move(content), name, grammars, found, limits);
  for (Diagnostic d : found.list()) {
    d.shown = true;
    problems.add(std::move(d));
  }
  return document;
}

std::string root_element(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  const std::size_t at = detail::find_root(content);
  if (at == std::string::npos) return {};
  return std::string(detail::name_at(content, at + 1));
}

}  // namespace vernier::document
