#include "vernier/document/forms.hpp"

#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/document/detail/grammar.hpp"

namespace vernier::document {
namespace {

std::string on_one_line(std::string_view text) {
  std::vector<std::string> list;
  for (const std::string_view w : words(text)) list.emplace_back(w);
  return joined(list, " ");
}

AttributeForm form_of(const detail::AttributeRule& r) {
  return {r.name, r.required, r.fixed, r.choices, r.initial};
}

ElementForm form_of(const std::string& name, const detail::ElementRule& r) {
  ElementForm f;
  f.name = name;
  f.comment = on_one_line(r.comment);
  for (const detail::AttributeRule& a : r.attributes) f.attributes.push_back(form_of(a));
  f.children = r.children();
  std::vector<std::string> parts;
  for (const detail::Particle& p : r.sequence) parts.push_back(detail::text(p));
  f.content = joined(parts, ", ");
  using Content = detail::ElementRule::Content;
  f.text = r.content == Content::mixed || r.content == Content::anything;
  return f;
}

}  // namespace

std::vector<ElementForm> forms_of(const Grammar& g) {
  std::vector<ElementForm> all;
  for (const auto& [name, rule] : detail::rules_of(g)->elements) all.push_back(form_of(name, rule));
  return all;
}

std::vector<std::string> roots_of(const std::vector<ElementForm>& forms) {
  std::vector<std::string> roots;
  for (const ElementForm& f : forms) {
    const bool inside = std::any_of(forms.begin(), forms.end(), [&f](const ElementForm& g) {
      return g.name != f.name &&
             std::find(g.children.begin(), g.children.end(), f.name) != g.children.end();
    });
    if (!inside) roots.push_back(f.name);
  }
  return roots;
}

}  // namespace vernier::document
