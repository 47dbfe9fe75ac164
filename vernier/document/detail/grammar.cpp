#include "vernier/document/detail/grammar.hpp"

#include <libxml/parser.h>
#include <libxml/valid.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"

namespace vernier::document::detail {
namespace {

using Occurrence = Particle::Occurrence;

std::string owned(const xmlChar* s) { return s ? reinterpret_cast<const char*>(s) : ""; }

Occurrence occurrence(xmlElementContentOccur o) noexcept {
  switch (o) {
    case XML_ELEMENT_CONTENT_OPT:
      return Occurrence::optional;
    case XML_ELEMENT_CONTENT_MULT:
      return Occurrence::any;
    case XML_ELEMENT_CONTENT_PLUS:
      return Occurrence::some;
    default:
      return Occurrence::once;
  }
}

/// libxml2 stores (a, b, c) as a, (b, c); this flattens it.
void collect(const xmlElementContent& c, xmlElementContentType type, std::vector<Particle>& out);

Particle particle(const xmlElementContent& c) {
  Particle p;
  p.occurrence = occurrence(c.ocur);
  if (c.type == XML_ELEMENT_CONTENT_ELEMENT) {
    p.name = owned(c.name);
    return p;
  }
  p.kind = c.type == XML_ELEMENT_CONTENT_SEQ ? Particle::Kind::sequence : Particle::Kind::choice;
  for (const xmlElementContent* part : {c.c1, c.c2}) {
    if (part) collect(*part, c.type, p.parts);
  }
  return p;
}

void collect(const xmlElementContent& c, xmlElementContentType type, std::vector<Particle>& out) {
  if (c.type == XML_ELEMENT_CONTENT_PCDATA) return;
  if (c.type == type && c.ocur == XML_ELEMENT_CONTENT_ONCE) {
    for (const xmlElementContent* part : {c.c1, c.c2}) {
      if (part) collect(*part, type, out);
    }
  } else {
    out.push_back(particle(c));
  }
}

void collect_names(const Particle& p, std::vector<std::string>& out) {
  if (p.kind == Particle::Kind::element) {
    if (std::find(out.begin(), out.end(), p.name) == out.end()) out.push_back(p.name);
  }
  for (const Particle& part : p.parts) collect_names(part, out);
}

AttributeRule attribute_rule(const xmlAttribute& a) {
  using Type = AttributeRule::Type;
  AttributeRule r;
  r.name = owned(a.name);
  if (a.prefix) r.name = owned(a.prefix) + ":" + r.name;
  r.required = a.def == XML_ATTRIBUTE_REQUIRED;
  r.fixed = a.def == XML_ATTRIBUTE_FIXED;
  r.has_initial = a.defaultValue != nullptr;
  r.initial = owned(a.defaultValue);
  switch (a.atype) {
    case XML_ATTRIBUTE_ID:
      r.type = Type::id;
      break;
    case XML_ATTRIBUTE_IDREF:
      r.type = Type::reference;
      break;
    case XML_ATTRIBUTE_NMTOKEN:
      r.type = Type::token;
      break;
    case XML_ATTRIBUTE_ENUMERATION:
      r.type = Type::choice;
      for (const xmlEnumeration* e = a.tree; e; e = e->next) r.choices.push_back(owned(e->name));
      break;
    case XML_ATTRIBUTE_CDATA:
      break;
    default:
      require(false);  // our formats use no entities, notations or lists
  }
  return r;
}

ElementRule element_rule(const xmlElement& e) {
  using Content = ElementRule::Content;
  ElementRule r;
  switch (e.etype) {
    case XML_ELEMENT_TYPE_ANY:
      r.content = Content::anything;
      break;
    case XML_ELEMENT_TYPE_MIXED: {
      r.content = Content::mixed;
      std::vector<Particle> parts;
      if (e.content) collect(*e.content, XML_ELEMENT_CONTENT_OR, parts);
      for (const Particle& p : parts) collect_names(p, r.inside);
      break;
    }
    case XML_ELEMENT_TYPE_ELEMENT:
      r.content = Content::elements;
      if (e.content->type == XML_ELEMENT_CONTENT_SEQ &&
          e.content->ocur == XML_ELEMENT_CONTENT_ONCE) {
        collect(*e.content, XML_ELEMENT_CONTENT_SEQ, r.sequence);
      } else {
        r.sequence.push_back(particle(*e.content));
      }
      break;
    default:
      break;
  }
  for (const xmlAttribute* a = e.attributes; a; a = a->nexth) {
    r.attributes.push_back(attribute_rule(*a));
  }
  r.matcher = Matcher(r.sequence);
  return r;
}

std::shared_ptr<const Rules> parsed(std::string_view dtd) {
  xmlInitParser();
  xmlParserInputBufferPtr buffer = xmlParserInputBufferCreateMem(
      dtd.data(), static_cast<int>(dtd.size()), XML_CHAR_ENCODING_UTF8);
  require(buffer != nullptr);
  const std::unique_ptr<xmlDtd, decltype(&xmlFreeDtd)> read(
      xmlIOParseDTD(nullptr, buffer, XML_CHAR_ENCODING_UTF8), xmlFreeDtd);
  require(read != nullptr);
  auto rules = std::make_shared<Rules>();
  std::string comment;
  for (const xmlNode* n = read->children; n; n = n->next) {
    if (n->type == XML_COMMENT_NODE) comment = owned(n->content);
    if (n->type != XML_ELEMENT_DECL) continue;
    const auto& e = *reinterpret_cast<const xmlElement*>(n);
    require(e.etype !=
            XML_ELEMENT_TYPE_UNDEFINED);  // attributes of an element that is not declared
    ElementRule rule = element_rule(e);
    rule.comment = std::exchange(comment, {});
    rules->elements.emplace(owned(e.name), std::move(rule));
  }
  return rules;
}

void unite(std::vector<int>& into, const std::vector<int>& more) {
  for (const int m : more) {
    if (std::find(into.begin(), into.end(), m) == into.end()) into.push_back(m);
  }
}

}  // namespace

std::string text(const Particle& p) {
  std::string s = p.name;
  if (p.kind != Particle::Kind::element) {
    std::vector<std::string> parts;
    for (const Particle& part : p.parts) parts.push_back(text(part));
    s = "(" + joined(parts, p.kind == Particle::Kind::sequence ? ", " : " | ") + ")";
  }
  constexpr const char* signs[] = {"", "?", "*", "+"};
  return s + signs[static_cast<int>(p.occurrence)];
}

bool mentions(const Particle& p, std::string_view name) {
  if (p.kind == Particle::Kind::element) return p.name == name;
  return std::any_of(p.parts.begin(), p.parts.end(),
                     [&](const Particle& part) { return mentions(part, name); });
}

bool repeats(const Particle& p) noexcept {
  return p.occurrence == Occurrence::any || p.occurrence == Occurrence::some;
}

bool optional(const Particle& p) noexcept {
  if (p.occurrence == Occurrence::optional || p.occurrence == Occurrence::any) return true;
  switch (p.kind) {
    case Particle::Kind::sequence:
      return std::all_of(p.parts.begin(), p.parts.end(), optional);
    case Particle::Kind::choice:
      return std::any_of(p.parts.begin(), p.parts.end(), optional);
    default:
      return false;
  }
}

Matcher::Matcher(const std::vector<Particle>& sequence) {
  for (const Particle& p : sequence) whole_ = chain(whole_, add(p));
}

// Glushkov's construction: a part has the positions that can be first and last in it; a position is
// followed by the first positions of what comes next.
Matcher::Part Matcher::chain(const Part& a, const Part& b) {
  for (const int l : a.last) unite(follows_[static_cast<std::size_t>(l)], b.first);
  Part both = a;
  both.nullable = a.nullable && b.nullable;
  if (a.nullable) unite(both.first, b.first);
  if (!b.nullable) both.last.clear();
  unite(both.last, b.last);
  return both;
}

Matcher::Part Matcher::add_once(const Particle& p) {
  Part whole;
  if (p.kind == Particle::Kind::element) {
    const int position = static_cast<int>(names_.size());
    names_.push_back(p.name);
    follows_.emplace_back();
    return {false, {position}, {position}};
  }
  if (p.kind == Particle::Kind::sequence) {
    for (const Particle& part : p.parts) whole = chain(whole, add(part));
    return whole;
  }
  whole.nullable = false;
  for (const Particle& part : p.parts) {
    const Part one = add(part);
    whole.nullable = whole.nullable || one.nullable;
    unite(whole.first, one.first);
    unite(whole.last, one.last);
  }
  return whole;
}

Matcher::Part Matcher::add(const Particle& p) {
  Part part = add_once(p);
  if (repeats(p)) {
    for (const int l : part.last) unite(follows_[static_cast<std::size_t>(l)], part.first);
  }
  if (p.occurrence == Occurrence::optional || p.occurrence == Occurrence::any) part.nullable = true;
  return part;
}

bool Matcher::matches(const std::vector<Element>& children) const {
  // XML 1.0 requires deterministic content models (appendix E): at most one position matches a name
  int at = -1;
  for (const Element& child : children) {
    const std::vector<int>& next = at < 0 ? whole_.first : follows_[static_cast<std::size_t>(at)];
    const auto fits = std::find_if(next.begin(), next.end(), [&](int position) {
      return names_[static_cast<std::size_t>(position)] == child.name;
    });
    if (fits == next.end()) return false;
    at = *fits;
  }
  if (at < 0) return whole_.nullable;
  return std::find(whole_.last.begin(), whole_.last.end(), at) != whole_.last.end();
}

const AttributeRule* ElementRule::attribute(std::string_view name) const noexcept {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const AttributeRule& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

std::vector<std::string> ElementRule::children() const {
  std::vector<std::string> names = inside;
  for (const Particle& p : sequence) collect_names(p, names);
  return names;
}

const ElementRule* Rules::find(std::string_view name) const noexcept {
  const auto found = elements.find(name);
  return found == elements.end() ? nullptr : &found->second;
}

std::shared_ptr<const Rules> rules_of(const Grammar& g) {
  // shared ownership: a reader in another thread may still use the rules it was given
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Rules>, std::less<>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(g.dtd);
  if (found != known.end()) return found->second;
  return known.emplace(std::string(g.dtd), parsed(g.dtd)).first->second;
}

}  // namespace vernier::document::detail
