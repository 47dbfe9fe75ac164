#pragma once

#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/parameters.hpp"
#include "vernier/document/document.hpp"

/// What the sources of all model documents have in common.
namespace vernier::multibody_tree {

struct Title {
  std::string name;
  std::string summary;  // the first line of the description
};
Title title_of(const document::Document&);

/// Adds the problems of the files that a document names, then its own from top to bottom, whatever
/// the order in which they were found.
void add_in_order(Diagnostics& to, const Diagnostics& of_files, const Diagnostics& of_document);

/// Reports what was found in a document that is valid by itself once parameters were set: throws
/// errors, and warns of what the document alone did not have. Each names the parameters that were
/// set.
void report_set(const Diagnostics& found, const Diagnostics& of_document, const Parameters&,
                const std::vector<ParameterSpec>&);

}  // namespace vernier::multibody_tree
