#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/document_file.hpp"

namespace vernier::document {

/// A document type: files with this root element are checked against this DTD, regardless of their
/// DOCTYPE. `name` is the file name under formats/, which a DOCTYPE may refer to as SYSTEM "name".
struct Grammar {
  std::string_view root;  // "hybridsystem"
  std::string_view name;  // "hybrid.dtd"
  std::string_view dtd;   // the text, from vernier::embedded
};

/// The public identifier by which a DOCTYPE may refer to a DTD, independent of where the file is:
/// `-//Vernier//DTD hybrid 1//EN` for "hybrid.dtd". XML catalogues of other tools map it to the
/// file.
std::string public_identifier(std::string_view dtd_name);

/// The resources that a document may use. Anything beyond is refused at once, with a message.
struct Limits {
  std::size_t bytes = 16u << 20;
  int depth = 64;
  std::size_t elements = 500'000;
};

struct Attribute {
  std::string name;
  std::string value;
  Place place;        // of the name
  Place value_place;  // of the first character of the value
};

class Document;

/// An element with exact places. Comments and processing instructions are dropped.
struct Element {
  std::string name;
  std::vector<Attribute> attributes;  // defaults of the DTD included, at the element's place
  std::vector<Element> children;
  std::string text;  // character data directly inside, references resolved, untrimmed
  Place place;       // of the name in the start tag

  /// Runs of `text` and the byte in the file where each begins.
  struct Run {
    std::size_t in_text, in_file;
  };
  std::vector<Run> runs;
  std::size_t end_name = 0;  // byte of the name in the end tag; 0: there is none

  const Attribute* attribute(std::string_view name) const noexcept;
  /// The value, or `otherwise` when the attribute is absent.
  std::string_view value(std::string_view attribute_name,
                         std::string_view otherwise = "") const noexcept;
  const Element* child(std::string_view name) const noexcept;
};

/// A document that was read and validated against its DTD.
class Document {
 public:
  const std::filesystem::path& file() const noexcept { return file_.path(); }
  /// A file that the document names.
  DocumentFile beside(const std::filesystem::path& name) const { return file_.beside(name); }
  const Element& root() const noexcept { return root_; }
  const std::string& content() const noexcept { return content_; }

  /// The place of `length` characters of an element's text, `offset` bytes into it; exact also
  /// after &lt; and line breaks.
  Place place_in_text(const Element&, std::size_t offset, std::size_t length = 1) const;
  /// The place of a byte of content(); `length` in characters.
  Place place_at(std::size_t offset, std::size_t length = 1) const;
  /// A line of the file without its line end, for display.
  std::string line(int number) const;
  /// Adds the source line to a diagnostic that has none, unless the line is too long to be useful.
  void show_source(Diagnostic&) const;
  /// Adds to the fix of a problem that an element gets another name, in both of its tags.
  void add_rename(Diagnostic&, const Element&, std::string_view name) const;

 private:
  friend class Reader;
  DocumentFile file_;
  std::string content_;
  std::vector<std::size_t> line_starts_;  // bytes
  std::vector<std::size_t> characters_;   // before every 256th byte: makes columns cheap
  Element root_;
};

/// Reads and validates; all problems go into `problems` with their places and source lines. Nothing
/// when the document is not well-formed, is not valid, has an unknown root element, or exceeds the
/// limits. Never accesses the network or another file; entities other than the five predefined ones
/// of XML are refused.
std::optional<Document> read(const DocumentFile&, std::span<const Grammar>, Diagnostics& problems,
                             const Limits& = {});

/// The same for text in memory; `name` stands for the file in messages.
std::optional<Document> parse(std::string content, const DocumentFile& name,
                              std::span<const Grammar>, Diagnostics& problems, const Limits& = {});

/// The bytes of a file, within the limits of read(); nothing, after a report, when it cannot be
/// read.
std::optional<std::string> content_of(const std::filesystem::path&, Diagnostics& problems,
                                      const Limits& = {});

/// The name of the root element, without checking the rest; empty when there is none.
std::string root_element(std::string_view content);

/// Converts a document that was read into a shared Source; null when there is no document or it has
/// errors, which Source(Document, Diagnostics&, more…) reports.
template <class Source, class... More>
std::shared_ptr<Source> made_of(std::optional<Document> d, Diagnostics& problems,
                                const More&... more) {
  if (!d) return {};
  const std::size_t before = problems.errors();
  auto source = std::make_shared<Source>(std::move(*d), problems, more...);
  return problems.errors() > before ? nullptr : source;
}
/// The same for a file, or for text in memory, with one grammar.
template <class Source, class... More>
std::shared_ptr<Source> read_as(const std::filesystem::path& path, const Grammar& grammar,
                                Diagnostics& problems, const More&... more) {
  return made_of<Source>(read(path, {&grammar, 1}, problems), problems, more...);
}
template <class Source, class... More>
std::shared_ptr<Source> parse_as(std::string content, const DocumentFile& name,
                                 const Grammar& grammar, Diagnostics& problems,
                                 const More&... more) {
  return made_of<Source>(parse(std::move(content), name, {&grammar, 1}, problems), problems,
                         more...);
}

}  // namespace vernier::document
