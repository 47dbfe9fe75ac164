#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/document/document.hpp"
#include "vernier/model/facility/facility.hpp"

namespace vernier::facility {

/// A facility document (formats/facility) without errors. Its parameters are its constants, and
/// delay, position_noise and attitude_noise.
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::string& name() const noexcept = 0;
  virtual const std::string& summary() const noexcept = 0;  // one line
  virtual const std::vector<ParameterSpec>& parameters() const noexcept = 0;
  /// The installation with these parameters. Throws ConfigurationError if they are invalid.
  virtual Installation made(const Parameters&) const = 0;
};

document::Grammar grammar();

/// Reads and checks a document; all problems go into `problems`. Returns nothing if there is an
/// error.
std::shared_ptr<const Source> read_source(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; messages use `name` as the file name.
std::shared_ptr<const Source> parse_source(std::string content, const std::filesystem::path& name,
                                           Diagnostics& problems);

Type type_of(const std::shared_ptr<const Source>&);
/// Makes facility documents available to compositions.
void add_to(Catalogue&);

}  // namespace vernier::facility
