#include "vernier/document/detail/well_formed.hpp"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/document/detail/tree.hpp"

namespace vernier::document::detail {
namespace {

std::string_view view(const xmlChar* s) noexcept {
  return s ? std::string_view(reinterpret_cast<const char*>(s)) : std::string_view();
}

/// The callbacks for libxml2. All state is in this object: no global handlers are set.
class Form {
 public:
  Form(const Document& d, std::span<const Grammar> grammars, const Limits& limits, Diagnostics& out)
      : document_(d), content_(d.content()), grammars_(grammars), limits_(limits), out_(out) {}

  bool run() {
    static std::once_flag once;
    std::call_once(once, xmlInitParser);
    using Context = std::unique_ptr<xmlParserCtxt, decltype(&xmlFreeParserCtxt)>;
    const Context context(
        xmlCreateMemoryParserCtxt(content_.data(), static_cast<int>(content_.size())),
        xmlFreeParserCtxt);
    if (!context) {
      report("V1201", "the file is empty", 0, 1);
      return false;
    }
    context_ = context.get();
    *context->sax = callbacks();
    context->_private = this;
    // No NOENT and no DTDLOAD: entities are not substituted and nothing is fetched, which prevents
    // attacks by entity expansion and external entities.
    xmlCtxtUseOptions(context.get(), XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
    xmlParseDocument(context.get());
    // on a declaration libxml2 creates a document of its own, and does not free it when stopped
    xmlFreeDoc(std::exchange(context->myDoc, nullptr));
    if (!failed_ && (!context->wellFormed || elements_ == 0)) {
      report("V1201", "this is not a well-formed XML document", 0, 1);
    }
    return !failed_;
  }

 private:
  struct Open {
    std::size_t offset;  // of its name
  };

  static Form& self(void* user) noexcept {
    return *static_cast<Form*>(static_cast<xmlParserCtxtPtr>(user)->_private);
  }

  static xmlSAXHandler callbacks() {
    xmlSAXHandler h{};
    h.initialized = XML_SAX2_MAGIC;
    h.internalSubset = [](void* u, const xmlChar*, const xmlChar* public_id,
                          const xmlChar* system) {
      self(u).doctype(view(public_id), view(system));
    };
    h.entityDecl = [](void* u, const xmlChar* name, int, const xmlChar*, const xmlChar*, xmlChar*) {
      self(u).refuse_declaration("entity", view(name));
    };
    h.elementDecl = [](void* u, const xmlChar* name, int, xmlElementContentPtr) {
      self(u).refuse_declaration("element", view(name));
    };
    h.attributeDecl = [](void* u, const xmlChar* element, const xmlChar*, int, int, const xmlChar*,
                         xmlEnumerationPtr values) {
      xmlFreeEnumeration(values);
      self(u).refuse_declaration("attributes of", view(element));
    };
    h.notationDecl = [](void* u, const xmlChar* name, const xmlChar*, const xmlChar*) {
      self(u).refuse_declaration("notation", view(name));
    };
    h.unparsedEntityDecl = [](void* u, const xmlChar* name, const xmlChar*, const xmlChar*,
                              const xmlChar*) { self(u).refuse_declaration("entity", view(name)); };
    h.getEntity = [](void*, const xmlChar* name) { return xmlGetPredefinedEntity(name); };
    h.startElementNs = [](void* u, const xmlChar*, const xmlChar*, const xmlChar*, int,
                          const xmlChar**, int, int, const xmlChar**) { self(u).opened(); };
    h.endElementNs = [](void* u, const xmlChar*, const xmlChar*, const xmlChar*) {
      self(u).open_.pop_back();
    };
    h.serror = [](void* u, xmlErrorPtr e) { self(u).failed(*e); };
    return h;
  }

  std::size_t offset() const noexcept {
    const long at = xmlByteConsumed(context_);
    return at < 0 ? content_.size() : std::min(static_cast<std::size_t>(at), content_.size());
  }

  Diagnostic& report(const char* code, std::string message, std::size_t at, std::size_t length) {
    failed_ = true;
    if (context_) xmlStopParser(context_);
    Diagnostic& d = out_.error(code, std::move(message), document_.place_at(at, length));
    document_.show_source(d);
    return d;
  }

  /// The last < before the position that the parser has reached.
  std::size_t last_tag() const noexcept {
    const std::size_t at = content_.rfind('<', offset() > 0 ? offset() - 1 : 0);
    return at == std::string_view::npos ? 0 : at;
  }

  void opened() {
    if (failed_) return;
    const std::size_t name = last_tag() + 1;
    open_.push_back({name});
    const std::size_t length = width(name_at(content_, name));
    if (open_.size() > static_cast<std::size_t>(limits_.depth)) {
      report("V1215", "elements are nested more than " + std::to_string(limits_.depth) + " deep",
             name, length);
    } else if (++elements_ > limits_.elements) {
      report("V1215",
             "the document has more than " + std::to_string(limits_.elements) + " elements", name,
             length);
    }
  }

  void doctype(std::string_view public_id, std::string_view system) {
    if (failed_ || (public_id.empty() && system.empty())) return;
    const std::string_view cited = system.substr(system.rfind('/') + 1);
    const bool network = system.find("://") != std::string_view::npos;
    const bool known = std::any_of(grammars_.begin(), grammars_.end(), [&](const Grammar& g) {
      return g.name == cited && (public_id.empty() || public_id == public_identifier(g.name));
    });
    if (known && !network) return;
    const std::string shown(system.empty() ? public_id : system);
    const std::size_t found = content_.find(shown);
    Diagnostic& d = report(
        "V1217",
        (network ? "the document refers to the network: " : "the document refers to ") + shown,
        found == std::string_view::npos ? last_tag() : found, width(shown));
    for (const Grammar& g : grammars_) {
      d.notes.push_back("a <!DOCTYPE " + std::string(g.root) + "> may cite SYSTEM \"" +
                        std::string(g.name) + "\", or be left out");
    }
    d.notes.push_back("nothing was fetched");
  }

  void refuse_declaration(const char* what, std::string_view name) {
    if (failed_) return;
    const std::size_t at = last_tag();
    Diagnostic& d = report("V1217",
                           std::string("the document declares the ") + what + " \"" +
                               std::string(name.substr(0, 60)) + "\" itself",
                           at, width(name_at(content_, at + 1)) + 1);
    d.notes.push_back("documents use the declarations of their format only; remove it");
  }

  std::string open_name(std::size_t i) const {
    return "<" + std::string(name_at(content_, open_[i].offset)) + ">";
  }
  int line_of(std::size_t byte) const { return document_.place_at(byte).line; }

  void cut_off() {
    const std::size_t end = content_.find_last_not_of(" \t\r\n") + 1;
    const std::size_t tag = content_.rfind('<', end ? end - 1 : 0);
    const bool in_tag =
        tag != std::string_view::npos && content_.find('>', tag) == std::string_view::npos;
    // the parser may have reported an element as open although its tag is incomplete
    if (in_tag && !open_.empty() && open_.back().offset > tag) open_.pop_back();
    std::string message = "the document ends ";
    if (open_.empty()) {
      message += in_tag ? "inside a tag" : "before its first element";
    } else {
      message += in_tag ? "inside a tag in " : "before ";
      message += open_name(open_.size() - 1);
      message += in_tag ? "" : " is closed";
    }
    Diagnostic& d = report("V1201", std::move(message), in_tag ? tag : (end ? end - 1 : 0),
                           in_tag ? width(content_.substr(tag, end - tag)) : 1);
    if (!open_.empty()) {
      std::string list = "still open:";
      for (std::size_t i = 0; i < open_.size(); ++i) {
        list += (i ? ", " : " ") + open_name(i) + " (line " +
                std::to_string(line_of(open_[i].offset)) + ")";
      }
      d.notes.push_back(std::move(list));
    }
  }

  void mismatch() {
    // the parser is positioned after the name of the end tag
    const std::size_t tag = content_.rfind("</", offset());
    if (tag == std::string_view::npos || open_.empty()) return not_well_formed("");
    const std::string closing(name_at(content_, tag + 2));
    const std::string opening(name_at(content_, open_.back().offset));
    const int line = line_of(open_.back().offset);
    Diagnostic& d = report("V1202", "</" + closing + "> does not close <" + opening + ">", tag + 2,
                           width(closing));
    d.mark = "expected </" + opening + "> here";
    d.notes.push_back("<" + opening + "> was opened on line " + std::to_string(line));
  }

  void bare_less_than(std::size_t at) {
    Diagnostic& d = report("V1209", "a bare < begins a tag", at, 1);
    d.mark = "write &lt; for \"less than\"";
  }

  void unknown_reference(std::string_view name) {
    const std::size_t at = content_.rfind('&', offset());
    Diagnostic& d =
        report("V1209",
               name.empty() ? "a bare & begins a reference"
                            : "&" + std::string(name.substr(0, 60)) + "; is not known",
               at == std::string_view::npos ? offset() : at, name.empty() ? 1 : width(name) + 2);
    d.mark = name.empty() ? "write &amp; for the sign itself" : "";
    d.notes.push_back("known references: &lt; &gt; &amp; &quot; &apos; and numbers such as &#956;");
  }

  void not_well_formed(std::string_view what) {
    std::string message = "this is not well-formed XML";
    if (!what.empty()) message += ": " + std::string(trimmed(what).substr(0, 200));
    report("V1201", std::move(message), offset(), 1);
  }

  void twice(std::string_view name) {
    const std::size_t begin = last_tag(), end = offset();
    std::size_t at = begin, found = begin + 1;
    // the last attribute of that name in the tag
    while ((at = content_.find(name, at + 1)) < end) {
      if (blank(content_[at - 1])) found = at;
    }
    Diagnostic& d = report("V1214", "attribute \"" + std::string(name) + "\" is given twice", found,
                           width(name));
    d.mark = "remove one of them";
  }

  void failed(const xmlError& e) {
    if (failed_ || e.domain == XML_FROM_NAMESPACE) return;
    if (e.level < XML_ERR_ERROR && e.code != XML_WAR_UNDECLARED_ENTITY) return;
    const std::size_t at = offset();
    const bool at_end = content_.find_first_not_of(" \t\r\n", at) == std::string_view::npos;
    switch (e.code) {
      case XML_ERR_TAG_NAME_MISMATCH:
        return at_end && content_.find('>', last_tag()) == std::string_view::npos ? cut_off()
                                                                                  : mismatch();
      case XML_ERR_ATTRIBUTE_REDEFINED:
        return twice(view(reinterpret_cast<const xmlChar*>(e.str1)));
      case XML_ERR_UNDECLARED_ENTITY:
      case XML_WAR_UNDECLARED_ENTITY:
        return unknown_reference(view(reinterpret_cast<const xmlChar*>(e.str1)));
      case XML_ERR_NAME_REQUIRED:
        if (at > 0 && content_[at - 1] == '&') return unknown_reference("");
        break;
      case XML_ERR_ENTITYREF_SEMICOL_MISSING:
        return unknown_reference("");
      case XML_ERR_ATTRIBUTE_NOT_STARTED:
      case XML_ERR_ATTRIBUTE_WITHOUT_VALUE: {
        Diagnostic& d = report("V1214", "an attribute needs a value in quotes", at, 1);
        d.mark = "write name=\"value\"";
        return;
      }
      case XML_ERR_LT_IN_ATTRIBUTE:
        return bare_less_than(at);
      case XML_ERR_DOCUMENT_END:
        if (elements_ > 0 && open_.empty()) {
          report("V1202", "something follows the end of the document", at, 1);
          return;
        }
        break;
      default:
        break;
    }
    if (at_end) return cut_off();
    // <name: when anything but a letter follows <, "less than" was meant
    const std::size_t tag = at > 0 && content_[at - 1] == '<' ? at - 1 : at;
    if (e.code == XML_ERR_NAME_REQUIRED && content_[tag] == '<' && !open_.empty()) {
      return bare_less_than(tag);
    }
    not_well_formed(e.message ? e.message : "");
  }

  const Document& document_;
  std::string_view content_;
  std::span<const Grammar> grammars_;
  const Limits& limits_;
  Diagnostics& out_;
  xmlParserCtxtPtr context_ = nullptr;
  std::vector<Open> open_;
  std::size_t elements_ = 0;
  bool failed_ = false;
};

/// The length of the UTF-8 character at s[i]; 0 if it is invalid or XML forbids it.
std::size_t character(std::string_view s, std::size_t i) noexcept {
  const auto byte = [&](std::size_t k) -> unsigned {
    return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u;
  };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0) == 0x80; };
  const unsigned c = byte(0);
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r' ? 1 : 0;
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF && follows(1)) return 2;
  if ((c & 0xF0) == 0xE0 && follows(1) && follows(2)) {
    const unsigned code = (c & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    return code >= 0x800 && (code < 0xD800 || code > 0xDFFF) && code < 0xFFFE ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4 && follows(1) && follows(2) && follows(3)) {
    const unsigned code = (c & 0x07) << 18 | (byte(1) & 0x3F) << 12;
    return code >= 0x10000 && code <= 0x10FFFF ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool check_encoding(const Document& document, Diagnostics& out) {
  const std::string_view s = document.content();
  const auto refuse = [&](std::string message, std::size_t at, std::string note) {
    Diagnostic& d = out.error("V1216", std::move(message), document.place_at(at));
    d.notes.push_back(std::move(note));
    return false;
  };
  if (s.starts_with("\xFE\xFF") || s.starts_with("\xFF\xFE")) {
    return refuse("the document is UTF-16; documents are UTF-8", 0,
                  "convert it: iconv -f UTF-16 -t UTF-8 FILE");
  }
  if (s.starts_with("<?xml")) {
    const std::string_view declaration = s.substr(0, s.find("?>"));
    const std::size_t key = declaration.find("encoding");
    const std::size_t open = declaration.find_first_of("\"'", key == declaration.npos ? 0 : key);
    if (key != declaration.npos && open != declaration.npos) {
      const std::string_view rest = declaration.substr(open + 1);
      const std::string name(rest.substr(0, rest.find(declaration[open])).substr(0, 40));
      std::string upper = name;
      for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      if (upper != "UTF-8" && upper != "UTF8" && upper != "US-ASCII" && upper != "ASCII") {
        return refuse("the document says it is " + name + "; documents are UTF-8", open + 1,
                      "convert it: iconv -f " + name + " -t UTF-8 FILE, and change the first line");
      }
    }
  }
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t length = character(s, i);
    if (length == 0) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "0x%02X",
                    static_cast<unsigned>(static_cast<unsigned char>(s[i])));
      const bool control = static_cast<unsigned char>(s[i]) < 0x20;
      return refuse(
          std::string(control ? "a control character, " : "not UTF-8: a byte ") + hex, i,
          control ? "remove it; a document is text" : "save the document as UTF-8 in your editor");
    }
    i += length;
  }
  return true;
}

bool check_tags(const Document& document, Diagnostics& out) {
  // libxml2 compares every attribute of a tag with all others, which takes quadratic time
  constexpr std::size_t most_attributes = 256;
  const std::string_view s = document.content();
  for (std::size_t at = s.find('<'); at < s.size(); at = s.find('<', at)) {
    if (const std::size_t next = after_silent(s, at); next != at) {
      at = next;
      continue;
    }
    std::size_t attributes = 0, i = at + 1;
    for (; i < s.size() && s[i] != '>' && s[i] != '<'; ++i) {
      if (s[i] != '"' && s[i] != '\'') continue;
      ++attributes;
      i = s.find(s[i], i + 1);
      if (i >= s.size()) return true;  // truncated: reported elsewhere
    }
    if (attributes > most_attributes) {
      const Place place = document.place_at(at + 1, width(name_at(s, at + 1)));
      Diagnostic& d = out.error(
          "V1215", "an element has more than " + std::to_string(most_attributes) + " attributes",
          place);
      document.show_source(d);
      return false;
    }
    at = i;
  }
  return true;
}

bool check_form(const Document& d, std::span<const Grammar> g, const Limits& l, Diagnostics& out) {
  return Form(d, g, l, out).run();
}

}  // namespace vernier::document::detail
