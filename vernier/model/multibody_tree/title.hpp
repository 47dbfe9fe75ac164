#pragma once

#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/parameters.hpp"
#include "vernier/document/document.hpp"

/// What sources of all model documents have in common, whatever they make.
namespace vernier::multibody_tree {

struct Title {
  std::string name;
  std::string summary;  // the first line of the description
};
Title title_of(const document::Document&);

/// The problems of the files that a document names, then its own from the top: references are
/// looked at after what they refer to, but people read downwards.
void add_in_order(Diagnostics& to, const Diagnostics& of_files, const Diagnostics& of_document);

/// The same problems of a document that was good as it stands: each says what was set.
Diagnostics with_what_was_set(const Diagnostics&, const Parameters&,
                              const std::vector<ParameterSpec>&);

}  // namespace vernier::multibody_tree
