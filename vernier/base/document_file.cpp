#include "vernier/base/document_file.hpp"

namespace vernier {

std::filesystem::path found_at(const std::filesystem::path& file, const MovedFiles& moved) {
  const auto found = moved.find(std::filesystem::absolute(file).lexically_normal());
  return found == moved.end() ? file : found->second;
}

DocumentFile DocumentFile::beside(const std::filesystem::path& name) const {
  std::filesystem::path file = path_.parent_path() / name;
  return {moved_ ? found_at(file, *moved_) : std::move(file), moved_};
}

}  // namespace vernier
