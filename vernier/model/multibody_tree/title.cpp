#include "vernier/model/multibody_tree/title.hpp"

#include <algorithm>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"

namespace vernier::multibody_tree {

Title title_of(const document::Document& d) {
  Title title;
  title.name = trimmed(d.root().value("name"));
  if (const document::Element* e = d.root().child("description")) {
    const std::string_view text = trimmed(e->text);
    title.summary = trimmed(text.substr(0, text.find('\n')));
  }
  return title;
}

void add_in_order(Diagnostics& to, const Diagnostics& of_files, const Diagnostics& of_document) {
  std::vector<Diagnostic> sorted = of_document.list();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  to.append(of_files);
  for (Diagnostic& one : sorted) to.add(std::move(one));
}

void report_set(const Diagnostics& found, const Diagnostics& of_document, const Parameters& p,
                const std::vector<ParameterSpec>& specs) {
  std::vector<std::string> set;
  for (const ParameterSpec& spec : specs) {
    if (p.given(spec.name)) set.push_back(spec.name);
  }
  const auto is_new = [&of_document](const Diagnostic& d) {
    const auto& known = of_document.list();
    return std::none_of(known.begin(), known.end(), [&d](const Diagnostic& k) {
      return k.code == d.code && k.message == d.message;
    });
  };
  Diagnostics all;
  for (const Diagnostic& d : found.list()) {
    if (is_new(d))
      all.add(d).notes.push_back("with what is set for \"" + p.instance() +
                                 "\": " + document::listed(set));
  }
  all.throw_if_errors();
  for (const Diagnostic& d : all.list()) p.warn(d);
}

}  // namespace vernier::multibody_tree
