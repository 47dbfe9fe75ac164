#include "vernier/document/detail/validator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/document/detail/tree.hpp"
#include "vernier/document/report.hpp"

namespace vernier::document::detail {
namespace {

constexpr std::size_t most_problems = 100;
constexpr std::size_t none = static_cast<std::size_t>(-1);

std::string tag(std::string_view name) { return "<" + std::string(name) + ">"; }
/// The element as messages name it: <transition> "toPayload".
std::string title(const Element& e) {
  std::string_view name = e.value("name");
  if (const Element* child = e.child("name"); child && name.empty()) name = trimmed(child->text);
  return name.empty() ? tag(e.name) : tag(e.name) + " " + in_quotes(name);
}

bool token(std::string_view s) {
  return !s.empty() && std::none_of(s.begin(), s.end(), [](char c) {
    return blank(c) || c == '"' || c == '<' || c == '>' || c == '&' || c == '/' || c == ',';
  });
}

/// "name, domain?, reset"
std::string pattern(const std::vector<Particle>& items) {
  std::string s;
  for (const Particle& p : items) {
    if (!s.empty()) s += ", ";
    s += text(p);
  }
  return s;
}

class Validator {
 public:
  Validator(const Document& d, const Rules& rules, Diagnostics& out)
      : document_(d), rules_(rules), out_(out) {}

  void run(Element& root) {
    const ElementRule* rule = rules_.find(root.name);
    if (!rule || !version_fits(root, *rule)) return;
    check(root, *rule);
    for (const auto& [value, place] : references_) {
      if (full() || ids_.contains(value)) continue;
      std::vector<std::string> known;
      for (const auto& [id, where] : ids_) known.push_back(id);
      suggest(report("V1213", "nothing here is called " + in_quotes(value), place), value, known,
              "");
    }
  }

 private:
  bool full() const { return reported_ >= most_problems; }

  Diagnostic& report(const char* code, std::string message, const Place& place) {
    ++reported_;
    Diagnostic& d = out_.error(code, std::move(message), place);
    document_.show_source(d);
    return d;
  }

  /// Adds the known word that is most similar, if any is similar enough, as a suggestion; returns
  /// it.
  static std::optional<std::string> suggest(Diagnostic& d, std::string_view word,
                                            const std::vector<std::string>& candidates,
                                            std::string_view brackets) {
    std::optional<std::string> near = closest(word, candidates);
    if (near) {
      if (brackets.empty()) {
        did_you_mean(d, *near);
      } else {
        d.mark = "did you mean " + tag(*near) + "?";
      }
    }
    return near;
  }

  /// A document of another format version is not compared with these rules: nearly everything in it
  /// would be reported.
  bool version_fits(const Element& root, const ElementRule& rule) {
    const AttributeRule* expected = rule.attribute("version");
    const Attribute* given = root.attribute("version");
    if (!expected || !given || expected->type != AttributeRule::Type::choice) return true;
    const auto& known = expected->choices;
    if (std::find(known.begin(), known.end(), given->value) != known.end()) return true;
    report("V1205",
           "this is version " + in_quotes(given->value) + " of " + tag(root.name) +
               "; this program reads version " + joined(known, ", "),
           given->value_place)
        .mark = "write version=\"" + known.back() + "\"";
    return false;
  }

  void check(Element& e, const ElementRule& rule) {
    if (full()) return;
    check_attributes(e, rule);
    check_content(e, rule);
  }

  void check_attributes(Element& e, const ElementRule& rule) {
    std::vector<std::string> meant;  // misspelt: do not also report it as missing
    for (Attribute& a : e.attributes) {
      if (full()) return;
      if (const AttributeRule* r = rule.attribute(a.name)) {
        check_value(e, a, *r);
        continue;
      }
      std::vector<std::string> free, all;
      for (const AttributeRule& r : rule.attributes) {
        all.push_back(r.name);
        if (!e.attribute(r.name)) free.push_back(r.name);
      }
      Diagnostic& d =
          report("V1211", tag(e.name) + " has no attribute " + in_quotes(a.name), a.place);
      if (const auto near = suggest(d, a.name, free, "")) {
        meant.push_back(*near);
      } else {
        d.notes.push_back(all.empty() ? tag(e.name) + " has no attributes"
                                      : "attributes of " + tag(e.name) + ": " + joined(all, ", "));
      }
    }
    for (const AttributeRule& r : rule.attributes) {
      if (full()) return;
      if (e.attribute(r.name)) continue;
      if (r.has_initial) {
        e.attributes.push_back({r.name, r.initial, e.place, e.place});
      } else if (r.required && std::find(meant.begin(), meant.end(), r.name) == meant.end()) {
        report("V1212", title(e) + " has no " + in_quotes(r.name), e.place).mark =
            "add " + r.name + "=\"…\"";
      }
    }
  }

  void check_value(const Element& e, Attribute& a, const AttributeRule& r) {
    using Type = AttributeRule::Type;
    if (r.type != Type::text) a.value = trimmed(a.value);
    if (r.fixed && a.value != r.initial) {
      report("V1213", r.name + " is always " + in_quotes(r.initial), a.value_place);
    } else if (r.type == Type::choice) {
      if (std::find(r.choices.begin(), r.choices.end(), a.value) != r.choices.end()) return;
      Diagnostic& d =
          report("V1213", in_quotes(a.value) + " is not a value of " + r.name, a.value_place);
      suggest(d, a.value, r.choices, "");
      d.notes.push_back("values of " + r.name + ": " + joined(r.choices, ", "));
    } else if (r.type != Type::text && !token(a.value)) {
      report("V1213", in_quotes(a.value) + " is not a name", a.value_place);
    } else if (r.type == Type::reference) {
      references_.emplace_back(a.value, a.value_place);
    } else if (r.type == Type::id) {
      const auto [first, added] = ids_.emplace(a.value, a.value_place);
      if (added) return;
      report("V1213", tag(e.name) + ": the name " + in_quotes(a.value) + " is taken", a.value_place)
          .notes.push_back("first on line " + std::to_string(first->second.line));
    }
  }

  void check_content(Element& e, const ElementRule& rule) {
    using Content = ElementRule::Content;
    if (rule.content == Content::elements || rule.content == Content::empty) check_no_text(e);
    std::vector<std::string> meant(e.children.size());  // by child: the element to check it as
    for (std::size_t i = 0; i < meant.size(); ++i) meant[i] = e.children[i].name;
    switch (rule.content) {
      case Content::anything:
        break;
      case Content::empty:
      case Content::mixed:
        for (std::size_t i = 0; i < meant.size() && !full(); ++i) {
          if (std::find(rule.inside.begin(), rule.inside.end(), meant[i]) != rule.inside.end())
            continue;
          if (rules_.find(meant[i]))
            misplaced(e, e.children[i], rule);
          else
            meant[i] = unknown(e, e.children[i], rule, 0).value_or("");
        }
        break;
      case Content::elements:
        if (!rule.matcher.matches(e.children)) diagnose(e, rule, meant);
        break;
    }
    for (std::size_t i = 0; i < meant.size(); ++i) {
      if (const ElementRule* r = rules_.find(meant[i])) check(e.children[i], *r);
    }
  }

  void check_no_text(const Element& e) {
    const std::string_view text = e.text;
    const std::size_t at = text.find_first_not_of(" \t\n");
    if (at == std::string_view::npos || full()) return;
    const std::string_view rest = text.substr(at);
    const std::string_view line = trimmed(rest.substr(0, rest.find('\n')));
    report("V1210", "text is not allowed directly inside " + tag(e.name),
           document_.place_in_text(e, at, width(line)))
        .mark = "remove it, or put it into an element";
  }

  static bool admits(const ElementRule& rule, std::string_view child) {
    const std::vector<std::string> all = rule.children();
    return std::find(all.begin(), all.end(), child) != all.end();
  }

  /// Elements of the grammar that `name` may be directly inside; of those that `rule` admits where
  /// there is one.
  std::vector<std::string> containers(const ElementRule& rule, std::string_view name) const {
    std::vector<std::string> near, all;
    for (const auto& [element, inner] : rules_.elements)
      if (admits(inner, name)) (admits(rule, element) ? near : all).push_back(element);
    return near.empty() ? all : near;
  }

  /// Reports an element of the grammar that is in the wrong one; of several alike, the first.
  void misplaced(const Element& parent, const Element& child, const ElementRule& rule) {
    if (!misplaced_.insert({&parent, child.name}).second) return;
    const std::vector<std::string> homes = containers(rule, child.name);
    Diagnostic& d =
        report("V1203", tag(child.name) + " is not an element of " + tag(parent.name), child.place);
    if (homes.size() > 4) return;  // too many to help
    std::vector<std::string> tags;
    for (const std::string& h : homes) tags.push_back(tag(h));
    d.mark =
        homes.empty() ? "it is the root of a document" : "it belongs into " + joined(tags, " or ");
    if (homes.size() != 1) return;
    const bool sibling = admits(rule, homes[0]);
    const std::string nested = tag(homes[0]) + tag(child.name + " …") + "</" + homes[0] + ">";
    d.notes.push_back("write " +
                      (sibling ? tag(parent.name) + nested + "</" + parent.name + ">" : nested));
  }

  /// Reports a child that cannot be there at all; returns the name it was probably meant to have.
  std::optional<std::string> unknown(const Element& parent, const Element& child,
                                     const ElementRule& rule, std::size_t from) {
    Diagnostic& d =
        report("V1203", tag(child.name) + " is not an element of " + tag(parent.name), child.place);
    auto near = suggest(d, child.name, rule.children(), "<>");
    if (near) document_.add_rename(d, child, *near);
    const ElementRule* meant = near ? rules_.find(*near) : nullptr;
    for (const Element& inner : child.children) {
      if (!admits(rule, inner.name) || (meant && admits(*meant, inner.name))) continue;
      d.fix.clear();
      d.mark = "remove it: " + tag(inner.name) + " comes directly inside " + tag(parent.name);
      return {};
    }
    std::vector<std::string> next = rule.inside;
    for (std::size_t i = from; i < rule.sequence.size(); ++i)
      next.push_back(text(rule.sequence[i]));
    d.notes.push_back(next.empty() ? "nothing more may come here"
                                   : "here may come: " + joined(next, ", "));
    return near;
  }

  /// Works out why the children do not match, item by item of the model's outer sequence.
  void diagnose(const Element& e, const ElementRule& rule, std::vector<std::string>& meant) {
    const std::size_t before = reported_;
    const auto& items = rule.sequence;
    std::vector<std::size_t> used(items.size(), none);  // by item: its first child
    std::size_t cursor = 0;
    const auto start = [&] {
      const bool spent = cursor < items.size() && used[cursor] != none && !repeats(items[cursor]);
      return cursor + (spent ? 1 : 0);
    };
    const auto find = [&](std::size_t from, std::size_t to, std::string_view name) {
      for (std::size_t i = from; i < to; ++i) {
        if (mentions(items[i], name)) return i;
      }
      return none;
    };
    for (std::size_t k = 0; k < e.children.size() && !full(); ++k) {
      const Element& child = e.children[k];
      const bool known = find(0, items.size(), child.name) != none;
      if (!known && rules_.find(child.name)) {
        misplaced(e, child, rule);  // checked further as what it is
        continue;
      }
      if (!known) {
        meant[k] = unknown(e, child, rule, start()).value_or("");
        if (meant[k].empty()) continue;
      }
      if (const std::size_t later = find(start(), items.size(), meant[k]); later != none) {
        cursor = later;
        if (used[later] == none) used[later] = k;
        continue;
      }
      const std::size_t earlier = find(0, items.size(), meant[k]);
      if (used[earlier] != none && !repeats(items[earlier])) {
        if (known) too_often(e, child, e.children[used[earlier]]);
        continue;
      }
      if (used[earlier] == none) used[earlier] = k;
      if (known) out_of_order(e, k, items, earlier);
    }
    for (std::size_t i = 0; i < items.size() && !full(); ++i) {
      if (used[i] == none && !optional(items[i])) missing(e, items, i);
    }
    if (reported_ == before) {
      report("V1206", "the elements inside " + title(e) + " do not follow their pattern", e.place)
          .notes.push_back("pattern: " + pattern(items));
    }
  }

  void too_often(const Element& e, const Element& child, const Element& first) {
    Diagnostic& d = report("V1208", title(e) + " has a second " + tag(child.name), child.place);
    d.mark = "only one may come";
    d.notes.push_back("the first is on line " + std::to_string(first.place.line));
  }

  void out_of_order(const Element& e, std::size_t k, const std::vector<Particle>& items,
                    std::size_t item) {
    const Element& child = e.children[k];
    const Element* blocker = nullptr;
    for (std::size_t i = 0; i < k && !blocker; ++i) {
      for (std::size_t j = item + 1; j < items.size(); ++j) {
        if (mentions(items[j], e.children[i].name)) blocker = &e.children[i];
      }
    }
    if (!blocker) return;
    Place place = child.place;
    place.column -= 1;  // the mark includes the <
    place.length += child.attributes.empty() ? 2 : 1;
    ++reported_;
    Diagnostic d;
    d.code = "V1207";
    d.message = title(e) + ": " + tag(child.name) + " must come before " + tag(blocker->name);
    d.place = place;
    const bool above = blocker->place.line < place.line;
    document_.show_source(d);
    if (above && !d.source.empty()) {
      d.source.insert(d.source.begin(), {blocker->place.line, document_.line(blocker->place.line)});
    }
    d.mark = above ? "move this above line " + std::to_string(blocker->place.line)
                   : "move this before " + tag(blocker->name);
    std::vector<std::string> order;
    for (const Particle& p : items) {
      for (const Element& c : e.children) {
        if (!mentions(p, c.name)) continue;
        if (std::find(order.begin(), order.end(), c.name) == order.end()) order.push_back(c.name);
      }
    }
    d.notes.push_back("order: " + joined(order, ", "));
    out_.add(std::move(d));
  }

  void missing(const Element& e, const std::vector<Particle>& items, std::size_t item) {
    const Particle& p = items[item];
    const std::string what = p.kind == Particle::Kind::element ? tag(p.name) : "any of " + text(p);
    Diagnostic& d = report("V1206", title(e) + " has no " + what, e.place);
    d.notes.push_back("pattern: " + pattern(items));
  }

  const Document& document_;
  const Rules& rules_;
  Diagnostics& out_;
  std::size_t reported_ = 0;
  std::set<std::pair<const Element*, std::string>> misplaced_;
  std::map<std::string, Place, std::less<>> ids_;
  std::vector<std::pair<std::string, Place>> references_;
};

}  // namespace

void validate(const Document& d, Element& root, const Rules& rules, Diagnostics& out) {
  Validator(d, rules, out).run(root);
}

}  // namespace vernier::document::detail
