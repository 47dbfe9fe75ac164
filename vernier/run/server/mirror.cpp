#include "vernier/run/server/mirror.hpp"

#include <filesystem>
#include <utility>

namespace vernier::server {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder = "files";

fs::path mirrored(const std::string& file) {
  const fs::path path(file);
  if (!path.is_absolute() || path != path.lexically_normal())
    throw ConfigurationError("V5604", "the composer names a file that is not allowed: " + file);
  return fs::absolute(folder) / path.relative_path();
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

Mirror::Mirror(Begin& b) {
  for (std::size_t i = 0; i + 1 < b.files.size(); i += 2) {
    const fs::path link = mirrored(b.files[i]);
    fs::create_directories(link.parent_path());
    if (!fs::exists(link)) fs::create_symlink(b.files[i + 1], link);
    here_[b.files[i]] = link.string();
  }
  for (std::size_t i = 0; i + 1 < b.moved.size(); i += 2)
    if (const auto found = here_.find(b.moved[i + 1]); found != here_.end())
      b.moved[i + 1] = found->second;
  for (std::string* file : {&b.document, &b.network})
    if (const auto found = here_.find(*file); found != here_.end()) *file = found->second;
  for (const auto& [file, link] : here_) b.moved.insert(b.moved.end(), {file, link});
}

void Mirror::rename(std::string& text) const {
  for (const auto& [file, link] : here_) {
    replace_all(text, link, file);
    replace_all(text, folder + file, file);  // by its name from the working directory
  }
}

Diagnostics Mirror::as_composer_knows(const Diagnostics& all) const {
  Diagnostics known;
  for (Diagnostic d : all.list()) {
    rename(d.message);
    rename(d.place.file);
    for (std::string& n : d.notes) rename(n);
    if (!here_.empty() && d.code == "V7601") {
      replace_all(d.message, "you have not trusted", "the owner of this node has not trusted");
      d.notes = {"it would run there with all rights of the owner, outside of the simulation",
                 "the owner can trust a copy of the file: vernier trust FILE",
                 "or for one server: vernier server --trust FILE"};
    }
    known.add(std::move(d));
  }
  return known;
}

}  // namespace vernier::server
