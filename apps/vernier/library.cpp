#include "apps/vernier/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "apps/vernier/console.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::embedded {
std::string_view messages(std::string_view file) noexcept;
std::span<const std::string_view> messages_files() noexcept;
std::string_view examples(std::string_view file) noexcept;
std::span<const std::string_view> examples_files() noexcept;
}  // namespace vernier::embedded

namespace vernier::app {
namespace {

constexpr std::string_view message_folder = "docs/messages/";

/// The first sentence of the description of a document.
std::string summary_of(std::string_view document) {
  constexpr std::string_view open = "<description>";
  const std::size_t start = document.find(open);
  if (start == std::string_view::npos) return {};
  std::string_view text = document.substr(start + open.size());
  text = text.substr(0, text.find('<'));
  std::vector<std::string> list;
  for (const std::string_view w : words(text)) list.emplace_back(w);
  const std::string all = joined(list, " ");
  const std::size_t stop = all.find(". ");
  std::string first = all.substr(0, stop);
  if (!first.empty() && first.back() == '.') first.pop_back();
  return first;
}

/// "missions/aausat2/models/x.xml": the folder is "missions/aausat2".
std::string folder_of(std::string_view file) {
  const std::size_t first = file.find('/');
  const std::size_t second = file.find('/', first + 1);
  return second == std::string_view::npos ? std::string() : std::string(file.substr(0, second));
}

bool is_interconnection(std::string_view file) {
  return file.ends_with(".xml") &&
         embedded::examples(file).find("<interconnection") != std::string_view::npos;
}

/// The main document of a folder: the interconnection named as the folder is, else the first one.
std::string main_of(const std::string& folder, const std::vector<std::string_view>& files) {
  const std::string own = folder + "/" + folder.substr(folder.rfind('/') + 1) + ".xml";
  std::string_view found;
  for (const std::string_view f : files) {
    if (is_interconnection(f) && (found.empty() || f == own)) found = f;
  }
  return found.empty() ? std::string() : std::string(found.substr(folder.size() + 1));
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
  std::map<std::string, std::vector<std::string_view>> folders;
  for (const std::string_view file : embedded::examples_files()) {
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
    e.summary = summary_of(embedded::examples(folder + "/" + e.main));
    list.push_back(std::move(e));
  }
  // missions first: they are what people come for
  std::stable_sort(list.begin(), list.end(), [](const Example& a, const Example& b) {
    return a.folder.starts_with("missions/") > b.folder.starts_with("missions/");
  });
  return list;
}

void copy_example(const Example& e, const std::filesystem::path& target) {
  std::vector<std::pair<std::filesystem::path, std::string_view>> files;
  for (const std::string_view file : embedded::examples_files()) {
    if (folder_of(file) != e.folder) continue;
    files.emplace_back(target / file.substr(e.folder.size() + 1), embedded::examples(file));
    if (std::filesystem::exists(files.back().first)) {
      Diagnostics problems;
      problems
          .error("V7501",
                 fmt::format("\"{}\" is there already; nothing was copied",
                             files.back().first.string()),
                 {})
          .notes.push_back(
              fmt::format("choose another folder: vernier examples copy {} DIR", e.name));
      throw ConfigurationError(problems);
    }
  }
  for (const auto& [path, content] : files) {
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    std::ofstream out(path, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    if (!out) cannot_write(path.string());
  }
}

}  // namespace vernier::app
