#include "vernier/run/desktop/page.hpp"

#include <algorithm>
#include <vector>

#include "vernier/base/digest.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/desktop/problems.hpp"

namespace vernier::desktop {
namespace {

constexpr std::string_view first_line = "vernier page 1";
constexpr std::size_t most_files = 1000;

[[noreturn]] void refuse_pack(const std::string& why) {
  refuse("V8110", "the page in this program is damaged: " + why, "build the program again");
}

/// Takes a line without its end.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) refuse_pack("it ends in its list of files");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

bool is_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '/';
  };
  return !name.empty() && name.front() != '/' && std::all_of(name.begin(), name.end(), good);
}

bool is_type(std::string_view type) {
  return !type.empty() &&
         std::all_of(type.begin(), type.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

/// "assets/index-B3kq91xz.js": the eight characters after the hyphen are made from the content.
bool has_digest(std::string_view name) {
  constexpr std::size_t length = 9;
  const std::size_t dot = name.rfind('.');
  return name.starts_with("assets/") && dot != std::string_view::npos && dot >= length &&
         name[dot - length] == '-';
}

/// Text has a character set; the pack's types have no blanks.
std::string full_type(std::string_view type) {
  std::string full(type);
  const bool text = type.starts_with("text/") && type.find(';') == std::string_view::npos;
  return text ? full + "; charset=utf-8" : full;
}

}  // namespace

Page::Page(std::string_view pack) {
  std::string_view rest = pack;
  if (take_line(rest) != first_line) refuse_pack("it does not begin with \"vernier page 1\"");
  struct Entry {
    std::string name, type;
    std::size_t bytes;
  };
  std::vector<Entry> entries;
  for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
    const std::vector<std::string_view> parts = split(line, ' ');
    const auto bytes = parts.size() == 3 ? parsed_integer(parts[2]) : std::nullopt;
    if (!bytes || *bytes <= 0 || !is_name(parts[0]) || !is_type(parts[1]) ||
        entries.size() == most_files)
      refuse_pack("its list of files has the line \"" + std::string(line.substr(0, 80)) + "\"");
    entries.push_back(
        {std::string(parts[0]), std::string(parts[1]), static_cast<std::size_t>(*bytes)});
  }
  for (const Entry& e : entries) {
    if (e.bytes > rest.size()) refuse_pack(e.name + " is cut off");
    const auto content = std::as_bytes(std::span(rest.substr(0, e.bytes)));
    rest.remove_prefix(e.bytes);
    constexpr std::size_t magic = 2;
    if (content.size() < magic || content[0] != std::byte{0x1f} || content[1] != std::byte{0x8b})
      refuse_pack(e.name + " is not compressed with gzip");
    files_[e.name] = {
        .type = full_type(e.type),
        .tag = "\"" + text(sha256(content)).substr(0, 32) + "\"",
        .content = std::make_shared<const std::vector<std::byte>>(content.begin(), content.end()),
        .immutable = has_digest(e.name)};
  }
  if (!rest.empty()) refuse_pack("there is more in it than its list of files says");
  if (!files_.contains("index.html")) refuse_pack("it has no index.html");
}

std::vector<std::string> Page::names() const {
  std::vector<std::string> all;
  for (const auto& [name, file] : files_) all.push_back(name);
  return all;
}

std::optional<net::WebAnswer> Page::file(std::string_view path) const {
  const auto at = path == "/"             ? files_.find(std::string_view("index.html"))
                  : path.starts_with('/') ? files_.find(path.substr(1))
                                          : files_.end();
  if (at == files_.end()) return {};
  const File& f = at->second;
  return net::WebAnswer{
      .type = f.type,
      .fields = {{"Content-Encoding", "gzip"},
                 {"Cache-Control",
                  f.immutable ? "private, max-age=31536000, immutable" : "no-cache"}},
      .tag = f.tag,
      .body = f.content};
}

}  // namespace vernier::desktop
