#include "vernier/run/composition/sources.hpp"

#include <algorithm>
#include <utility>

#include "vernier/document/document.hpp"
#include "vernier/run/composition/detail/members.hpp"

namespace vernier::composition {
namespace {

std::filesystem::path key(const std::filesystem::path& file) {
  return std::filesystem::absolute(file).lexically_normal();
}

}  // namespace

const std::string* Sources::content(const std::filesystem::path& file, Diagnostics& problems) {
  if (const std::string* known = find(file)) return known;
  auto read = document::content_of(file, problems);
  return read ? &contents_.emplace(key(file), std::move(*read)).first->second : nullptr;
}

void Sources::put(const std::filesystem::path& file, std::string text) {
  contents_.insert_or_assign(key(file), std::move(text));
}

const std::string* Sources::find(const std::filesystem::path& file) const {
  const auto found = contents_.find(key(file));
  return found == contents_.end() ? nullptr : &found->second;
}

Sources::Model Sources::compiled(const std::filesystem::path& file, const Place& named,
                                 const Catalogue& catalogue) {
  Model m;
  Diagnostics why;
  const std::string* content = this->content(file, why);
  const std::string root = content ? document::root_element(*content) : "";
  std::error_code ignored;
  if (const DocumentKind* kind = catalogue.document(root)) {
    m.type = kind->read(*content, {file, moved_}, m.found);
  } else if (!content && std::filesystem::is_regular_file(file, ignored)) {
    m.found.append(why);
  } else if (root.empty()) {
    m.found.error("V2102", "cannot read \"" + file.string() + "\" as a document", named)
        .notes.push_back("is the file there, and is it XML?");
  } else {
    detail::report_kind(file, root, named, catalogue, m.found);
  }
  return m;
}

const Type* Sources::type(const std::filesystem::path& file, const Place& named,
                          const Catalogue& catalogue, Diagnostics* problems) {
  auto found = models_.find(file);
  if (found == models_.end()) found = models_.emplace(file, compiled(file, named, catalogue)).first;
  const Model& m = found->second;
  if (problems) problems->append(m.found);
  return m.type.system || m.type.component ? &m.type : nullptr;
}

Sources::Made Sources::make(const Type& type, const Instance& i, const RunSettings& run,
                            const Parameters& parameters) {
  const bool same = i.parameters.empty() && !i.file.empty() && spare_.name == i.name &&
                    spare_.file == i.file && spare_.seed == run.seed &&
                    spare_.arithmetic == run.arithmetic;
  if (same && (spare_.made.system || spare_.made.component)) return std::move(spare_.made);
  Made made;
  if (type.system)
    made.system = type.system(parameters);
  else
    made.component = type.component(parameters);
  return made;
}

void Sources::put_back(Made made, const Instance& i, const RunSettings& run) {
  if (i.parameters.empty()) spare_ = {std::move(made), i.name, i.file, run.seed, run.arithmetic};
}

std::vector<std::filesystem::path> Sources::files() const {
  std::vector<std::filesystem::path> all;
  for (const auto& [document, model] : models_) {
    for (const std::filesystem::path& f : model.type.files) {
      if (std::find(all.begin(), all.end(), f) == all.end()) all.push_back(f);
    }
  }
  return all;
}

}  // namespace vernier::composition
