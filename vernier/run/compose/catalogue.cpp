#include "vernier/run/compose/catalogue.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "vernier/document/document.hpp"
#include "vernier/run/compose/describe.hpp"

namespace vernier::compose {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t most_files = 300, most_visited = 5000;
constexpr int deepest = 2;
constexpr std::string_view composition_root = "interconnection";

const char* text_of(InstanceKind k) {
  switch (k) {
    case InstanceKind::system:
      return "system";
    case InstanceKind::component:
      return "component";
    case InstanceKind::connector:
      return "connector";
  }
  return "";
}

/// The root element of a file; only its beginning is read.
std::string root_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string begin(64u << 10, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return document::root_element(begin);
}

json types_json(const Catalogue& known) {
  std::vector<Sketch> all;
  for (const auto& [name, type] : known.types())
    all.push_back({type.system ? "system" : "component", "x", name, "", {}});
  json described = std::move(describe("x.xml", all, {}, known)["instances"]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    described[i]["type"] = all[i].type;
    described[i].erase("name");
  }
  return described;
}

json files_json(const fs::path& document, const Catalogue& known) {
  std::vector<std::pair<std::string, std::string>> found;  // file, root
  const fs::path folder = document.parent_path().empty() ? "." : document.parent_path();
  std::error_code failed;
  std::size_t visited = 0;
  fs::recursive_directory_iterator i(folder, fs::directory_options::skip_permission_denied, failed);
  for (const fs::recursive_directory_iterator end; !failed && i != end; i.increment(failed)) {
    if (++visited > most_visited || found.size() >= most_files) break;
    std::error_code ignored;
    const std::string name = i->path().filename().string();
    if (i->is_directory(ignored) && (i.depth() >= deepest || name.starts_with(".")))
      i.disable_recursion_pending();
    if (i->path().extension() != ".xml" || !i->is_regular_file(ignored)) continue;
    const std::string root = root_of(i->path());
    if (root == composition_root || known.document(root))
      found.emplace_back(i->path().lexically_relative(folder).string(), root);
  }
  std::sort(found.begin(), found.end());
  json all = json::array();
  for (const auto& [file, root] : found) {
    const DocumentKind* kind = known.document(root);
    all.push_back(
        {{"file", file}, {"root", root}, {"kind", kind ? text_of(kind->instance) : "composition"}});
  }
  return all;
}

}  // namespace

json catalogue(const fs::path& document, const Catalogue& known) {
  json kinds = json::array();
  for (const auto& [root, kind] : known.documents())
    kinds.push_back({{"root", root}, {"summary", kind.summary}, {"kind", text_of(kind.instance)}});
  return {{"types", types_json(known)},
          {"documents", std::move(kinds)},
          {"files", files_json(document, known)}};
}

}  // namespace vernier::compose
