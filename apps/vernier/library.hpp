#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/document/document.hpp"

/// Texts embedded in the program: messages, missions, examples, templates and grammars.
namespace vernier::app {

/// The codes that have a page, in order.
std::vector<std::string> message_codes();
/// The text of docs/messages/CODE.md; empty when there is none.
std::string_view message_text(std::string_view code);

/// A directory of documents that can be copied and run.
struct Example {
  std::string name;     // "aausat2"
  std::string folder;   // "missions/aausat2"
  std::string summary;  // one line
  std::string main;     // the document to run, relative to the folder; else README.md

  bool runs() const noexcept { return main.ends_with(".xml"); }
};
std::vector<Example> examples();
/// Templates for new projects.
std::vector<Example> templates();

/// Writes all files of an example or template into `target`, which must not have any of them yet,
/// with the modules and headers of other folders that they use. The copies name their grammars by
/// public identifiers. Scripts can be run. Throws ConfigurationError.
void copy_example(const Example&, const std::filesystem::path& target);

/// The DTDs of all documents; the roots are not set.
std::vector<document::Grammar> grammars();

/// Writes the DTDs of all documents into `target`, and catalog.xml, by which XML tools find them.
/// Returns the names of the files. Throws ConfigurationError.
std::vector<std::string> write_grammars(const std::filesystem::path& target);

}  // namespace vernier::app
