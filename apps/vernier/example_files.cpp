#include "apps/vernier/example_files.hpp"

namespace vernier::app {

std::filesystem::path ExampleFiles::document(const Example& e) {
  std::filesystem::path here = std::filesystem::path(e.folder) / e.main;
  std::error_code none;
  if (std::filesystem::is_regular_file(here, none)) return here;
  if (!copies_) copies_.emplace();
  const std::filesystem::path copy = *copies_ / e.name;
  if (!std::filesystem::exists(copy, none)) copy_example(e, copy);
  return copy / e.main;
}

}  // namespace vernier::app
