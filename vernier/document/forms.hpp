#pragma once

#include <string>
#include <vector>

#include "vernier/document/document.hpp"

/// What a DTD permits, as plain data for editors and documentation.
namespace vernier::document {

struct AttributeForm {
  std::string name;
  bool required = false;
  bool fixed = false;                // always has the value `initial`
  std::vector<std::string> choices;  // empty: any text
  std::string initial;               // empty: no default
};

struct ElementForm {
  std::string name;
  std::string comment;  // of the DTD, without line breaks; empty: none
  std::vector<AttributeForm> attributes;
  std::vector<std::string> children;  // in the order of the content model
  std::string content;                // the content model, "name, domain?, reset"; empty: text
  bool text = false;                  // it may contain text
};

/// All elements that a DTD declares, by name.
std::vector<ElementForm> forms_of(const Grammar&);

/// The elements of a DTD that no other contains: the roots of its documents.
std::vector<std::string> roots_of(const std::vector<ElementForm>&);

}  // namespace vernier::document
