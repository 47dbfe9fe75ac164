#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/gateway/fom/model.hpp"
#include "vernier/gateway/fom/words.hpp"

namespace vernier::fom::detail {

/// Where each name was defined, to detect duplicates.
using Names = std::map<std::string, Place, std::less<>>;

/// What the readers of all tables share: names, keywords and references with their places.
class Reading {
 public:
  Reading(document::Report& report, Names& labels) : report_(report), labels_(labels) {}

  document::Report& report() noexcept { return report_; }

  static std::string text(const document::Element&, std::string_view child);
  Reference reference(const document::Element&, std::string_view child) const;
  Place place(const document::Element&, std::string_view child) const;

  /// Reads name, semantics and notes. `free` names (of enumerators) may begin with digits and
  /// contain dots. `label`: the element that holds the name; if it is not "name", any text is
  /// allowed.
  void entry(const document::Element&, Entry&, bool free = false, std::string_view label = "name");

  /// The index in `words` of the child's text; `otherwise` when it is absent or not one of them.
  template <class Enum, std::size_t n>
  Enum word(const document::Element& e, std::string_view child,
            const std::array<std::string_view, n>& words, Enum otherwise) {
    const int at = word_at(e, child, {words.begin(), words.end()});
    return at < 0 ? otherwise : static_cast<Enum>(at);
  }

  /// False, with a report, when the name was already defined.
  bool unique(Names&, const std::string& name, const Place&, std::string_view what);
  /// Reports a missing child that the grammar leaves optional but this element requires.
  bool needs(const document::Element&, std::string_view child, std::string_view why);
  /// The same as a warning: the standard allows to leave it out.
  void should_have(const document::Element&, std::string_view child, std::string_view why);

 private:
  Diagnostic* missing(const document::Element&, std::string_view child, Severity);
  int word_at(const document::Element&, std::string_view child,
              const std::vector<std::string_view>& words);

  document::Report& report_;
  Names& labels_;  // of the notes that are referred to
};

/// The children of <dataTypes>.
void read_data_types(Reading&, const document::Element&, Model&);

}  // namespace vernier::fom::detail
