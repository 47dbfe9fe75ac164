#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/component/file_writer.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::executive {
class Executive;
}

namespace vernier::session {

/// What the user may change in a document without editing it.
struct Changes {
  std::vector<std::string> set = {};  // "plant.mass=4.1kg", in order
  /// Parameters that remain adjustable, "plant.mass": derivatives with respect to them are wanted.
  std::vector<std::string> adjustable = {};
  std::optional<Duration> until = {};
  std::optional<std::uint64_t> seed = {};
  std::vector<std::string> record = {};  // patterns that replace the document's records
  bool frames = false;                   // the run's frames are signals too: frame.margin
  /// Where files are that documents and parameters name, if not there.
  MovedFiles moved = {};
  /// Texts of documents that are read instead of their files: an editor's.
  std::map<std::filesystem::path, std::string> texts = {};
};

/// A document read, checked and ready to run.
struct Prepared {
  composition::Composition composition;
  composition::Plan plan;
};

/// Reads a document and everything it refers to, and checks all that can be known before running.
/// Nothing is run. Problems go into `problems`; if there are errors, throws ConfigurationError with
/// all of them.
///
/// The inputs of a single model are inputs of the composition: `--set u=1` drives them. Signals of
/// figures are recorded even if no <record> names them. `must_end`: a document without a stop time
/// is an error (V2024).
Prepared prepare(const std::filesystem::path&, const Changes&, const Catalogue&,
                 Diagnostics& problems, bool must_end = true);

/// The same problems, each with its source line, where its file can be read.
Diagnostics with_lines(const Diagnostics&, const composition::Sources&);

/// "plant.torque=0 0 1e-3": replaces the value of the port from the start. Throws
/// ConfigurationError.
void apply_override(executive::Executive&, const std::string& assignment);
/// The parts that write files which the document names; valid as long as the plan's components are.
std::vector<FileWriter*> writers_in(const composition::Plan&);

}  // namespace vernier::session
