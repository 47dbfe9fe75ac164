#include "apps/vernier/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "apps/vernier/console.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"

namespace vernier::embedded {
std::string_view messages(std::string_view file) noexcept;
std::span<const std::string_view> messages_files() noexcept;
std::string_view examples(std::string_view file) noexcept;
std::span<const std::string_view> examples_files() noexcept;
std::string_view templates(std::string_view file) noexcept;
std::span<const std::string_view> templates_files() noexcept;
std::string_view grammars(std::string_view file) noexcept;
std::span<const std::string_view> grammars_files() noexcept;
}  // namespace vernier::embedded

namespace vernier::app {
namespace {

constexpr std::string_view message_folder = "docs/messages/";

/// The first sentence of a text, on one line and without its full stop.
std::string first_sentence(std::string_view text) {
  std::vector<std::string> list;
  for (const std::string_view w : words(text)) list.emplace_back(w);
  const std::string all = joined(list, " ");
  std::string first = all.substr(0, all.find(". "));
  if (first.ends_with('.')) first.pop_back();
  return first;
}

/// Of the description of a document.
std::string summary_of(std::string_view document) {
  constexpr std::string_view open = "<description>";
  const std::size_t start = document.find(open);
  if (start == std::string_view::npos) return {};
  const std::string_view text = document.substr(start + open.size());
  return first_sentence(text.substr(0, text.find('<')));
}

/// Of what follows the title of a README.
std::string summary_of_page(std::string_view page) {
  const std::size_t title = page.find("\n\n");
  if (title == std::string_view::npos) return {};
  page = page.substr(title + 2);
  return first_sentence(page.substr(0, page.find("\n\n")));
}

/// "missions/aausat2/models/x.xml": the folder is "missions/aausat2".
std::string folder_of(std::string_view file) {
  const std::size_t first = file.find('/');
  const std::size_t second = file.find('/', first + 1);
  return second == std::string_view::npos ? std::string() : std::string(file.substr(0, second));
}

std::string_view content_of(std::string_view file) {
  return file.starts_with("templates/") ? embedded::templates(file) : embedded::examples(file);
}

bool is_interconnection(std::string_view file) {
  return file.ends_with(".xml") &&
         content_of(file).find("<interconnection") != std::string_view::npos;
}

/// The main document of a folder: the interconnection named as the folder is, else the first one;
/// of a folder without one, its README.
std::string main_of(const std::string& folder, const std::vector<std::string_view>& files) {
  const std::string own = folder + "/" + folder.substr(folder.rfind('/') + 1) + ".xml";
  std::string_view found;
  for (const std::string_view f : files) {
    if (is_interconnection(f) && (found.empty() || f == own)) found = f;
  }
  const std::string page = folder + "/README.md";
  if (found.empty() && std::find(files.begin(), files.end(), page) != files.end()) found = page;
  return found.empty() ? std::string() : std::string(found.substr(folder.size() + 1));
}

std::vector<Example> examples_in(std::span<const std::string_view> all) {
  std::map<std::string, std::vector<std::string_view>> folders;
  for (const std::string_view file : all) {
    const std::string folder = folder_of(file);
    if (!folder.empty()) folders[folder].push_back(file);
  }
  std::vector<Example> list;
  for (const auto& [folder, files] : folders) {
    Example e;
    e.folder = folder;
    e.name = folder.substr(folder.rfind('/') + 1);
    e.main = main_of(folder, files);
    if (e.main.empty()) continue;
    const std::string_view content = content_of(folder + "/" + e.main);
    e.summary = e.runs() ? summary_of(content) : summary_of_page(content);
    list.push_back(std::move(e));
  }
  return list;
}

/// A copy has no formats/ directory nearby: it refers to its grammar by the public identifier.
std::string with_public_identifier(std::string_view content) {
  constexpr std::string_view system = " SYSTEM \"";
  std::string text(content);
  const std::size_t doctype = text.find("<!DOCTYPE");
  if (doctype == std::string::npos) return text;
  const std::size_t at = text.find(system, doctype);
  const std::size_t end = at == std::string::npos ? at : text.find('"', at + system.size());
  if (end == std::string::npos || end > text.find('>', doctype)) return text;
  const std::string path = text.substr(at + system.size(), end - at - system.size());
  const std::string name = path.substr(path.rfind('/') + 1);
  text.replace(at, end + 1 - at,
               fmt::format(" PUBLIC \"{}\" \"{}\"", document::public_identifier(name), name));
  return text;
}

/// The modules and headers that a script or a source asks for by name: "vernier_lines.py".
std::vector<std::string> used_by(std::string_view file, std::string_view content) {
  const bool script = file.ends_with(".py");
  if (!script && !file.ends_with(".c")) return {};
  std::vector<std::string> names;
  for (const std::string_view line : split(content, '\n')) {
    const std::vector<std::string_view> w = words(line);
    if (w.size() < 2) continue;
    if (script && w[0] == "import") names.push_back(std::string(w[1]) + ".py");
    if (!script && w[0] == "#include" && w[1].size() > 2 && w[1].front() == '"')
      names.emplace_back(w[1].substr(1, w[1].size() - 2));
  }
  return names;
}

/// Files of other folders that `files` use.
std::vector<std::string_view> borrowed_by(const std::vector<std::string_view>& files) {
  const auto base = [](std::string_view f) { return f.substr(f.rfind('/') + 1); };
  std::vector<std::string_view> all;
  for (const std::string_view file : files) {
    for (const std::string& name : used_by(file, content_of(file))) {
      const auto named = [&](std::string_view f) { return base(f) == name; };
      if (std::any_of(files.begin(), files.end(), named) ||
          std::any_of(all.begin(), all.end(), named))
        continue;
      const auto known = embedded::examples_files();
      const auto found = std::find_if(known.begin(), known.end(), named);
      if (found != known.end()) all.push_back(*found);
    }
  }
  return all;
}

struct File {
  std::filesystem::path path;
  std::string content;
};

/// Writes all of them, or none if one already exists.
void write_all(const std::vector<File>& files, const std::string& advice) {
  for (const File& f : files) {
    if (!std::filesystem::exists(f.path)) continue;
    Diagnostics problems;
    problems
        .error("V7501",
               fmt::format("\"{}\" is there already; nothing was written", f.path.string()), {})
        .notes.push_back(advice);
    throw ConfigurationError(problems);
  }
  for (const File& f : files) {
    std::error_code failed;
    std::filesystem::create_directories(f.path.parent_path(), failed);
    std::ofstream out(f.path, std::ios::binary);
    out.write(f.content.data(), static_cast<std::streamsize>(f.content.size()));
    out.close();
    if (!out) cannot_write(f.path.string());
    using std::filesystem::perms;
    if (f.content.starts_with("#!"))
      std::filesystem::permissions(f.path, perms::owner_exec | perms::group_exec,
                                   std::filesystem::perm_options::add, failed);
  }
}

}  // namespace

std::vector<std::string> message_codes() {
  std::vector<std::string> codes;
  for (const std::string_view file : embedded::messages_files()) {
    codes.emplace_back(file.substr(message_folder.size(), file.rfind('.') - message_folder.size()));
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

std::string_view message_text(std::string_view code) {
  return embedded::messages(fmt::format("{}{}.md", message_folder, code));
}

std::vector<Example> examples() {
  std::vector<Example> list = examples_in(embedded::examples_files());
  // missions first: they interest users most
  std::stable_sort(list.begin(), list.end(), [](const Example& a, const Example& b) {
    return a.folder.starts_with("missions/") > b.folder.starts_with("missions/");
  });
  return list;
}

std::vector<Example> templates() { return examples_in(embedded::templates_files()); }

void copy_example(const Example& e, const std::filesystem::path& target) {
  const bool is_template = e.folder.starts_with("templates/");
  std::vector<std::string_view> own;
  for (const std::string_view file :
       is_template ? embedded::templates_files() : embedded::examples_files()) {
    if (folder_of(file) == e.folder) own.push_back(file);
  }
  std::vector<File> files;
  for (const std::string_view file : own) {
    const std::string_view content = content_of(file);
    files.push_back(
        {target / file.substr(e.folder.size() + 1),
         file.ends_with(".xml") ? with_public_identifier(content) : std::string(content)});
  }
  for (const std::string_view file : borrowed_by(own))
    files.push_back({target / file.substr(file.rfind('/') + 1), std::string(content_of(file))});
  write_all(files, fmt::format("choose another folder: vernier {} {} DIR",
                               is_template ? "new" : "examples copy", e.name));
}

std::vector<document::Grammar> grammars() {
  std::vector<document::Grammar> all;
  for (const std::string_view file : embedded::grammars_files())
    all.push_back({"", file.substr(file.rfind('/') + 1), embedded::grammars(file)});
  return all;
}

std::vector<std::string> write_grammars(const std::filesystem::path& target) {
  std::vector<File> files;
  std::string catalogue =
      "<?xml version=\"1.0\"?>\n"
      "<catalog xmlns=\"urn:oasis:names:tc:entity:xmlns:xml:catalog\" prefer=\"public\">\n";
  std::vector<std::string> names;
  for (const std::string_view file : embedded::grammars_files()) {
    const std::string name(file.substr(file.rfind('/') + 1));
    files.push_back({target / name, std::string(embedded::grammars(file))});
    catalogue += fmt::format("  <public publicId=\"{}\" uri=\"{}\"/>\n",
                             document::public_identifier(name), name);
    names.push_back(name);
  }
  files.push_back({target / "catalog.xml", catalogue + "</catalog>\n"});
  names.emplace_back("catalog.xml");
  write_all(files, "choose another folder: vernier dtd DIR");
  return names;
}

}  // namespace vernier::app
