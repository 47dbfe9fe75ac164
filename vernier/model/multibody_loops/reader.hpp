#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/native_code.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/document/document.hpp"
#include "vernier/model/multibody_loops/definition.hpp"

/// Mechanisms in redundant coordinates from documents (formats/constrained), as a component.
namespace vernier::multibody_loops {

/// A document without errors. Its parameters are its constants.
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::string& name() const noexcept = 0;
  virtual const std::string& summary() const noexcept = 0;  // one line
  virtual const std::vector<ParameterSpec>& parameters() const noexcept = 0;
  virtual std::vector<std::filesystem::path> files() const = 0;  // files that the document names
  virtual const Alone& alone() const noexcept = 0;
  /// The mechanism with these parameters. Throws ConfigurationError if they are invalid.
  virtual Definition made(const Parameters&) const = 0;
};

document::Grammar grammar();

/// Reads and checks a document and the files it names; all problems go into `problems`. Returns
/// nothing if there is an error. The mechanism is not assembled: see Mechanism. `code` loads shared
/// objects with elements; without it, or if it loads nothing, these elements are left out, and the
/// component of the type is NotLoaded.
std::shared_ptr<const Source> read_source(const std::filesystem::path&, Diagnostics& problems,
                                          const std::shared_ptr<NativeCode>& code = {});
/// The same for text in memory; messages use `name` as the file name, and other files are searched
/// for next to it.
std::shared_ptr<const Source> parse_source(std::string content, const DocumentFile& name,
                                           Diagnostics& problems,
                                           const std::shared_ptr<NativeCode>& code = {});

Type type_of(const std::shared_ptr<const Source>&);
/// Makes <mechanism> documents available to compositions.
void add_to(Catalogue&, const std::shared_ptr<NativeCode>& code = {});

}  // namespace vernier::multibody_loops
