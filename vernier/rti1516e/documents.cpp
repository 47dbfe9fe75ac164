#include "vernier/rti1516e/documents.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "vernier/gateway/fom/reader.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using federation::Failure;

constexpr std::uintmax_t longest_document = 16u << 20;

int hexadecimal(char c) noexcept {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// Converts "file:///a%20b.xml", "file://localhost/a", "file:a" to paths; returns anything else as
/// it is.
std::string path_of(std::string_view designator) {
  if (!designator.starts_with("file:")) return std::string(designator);
  designator.remove_prefix(5);
  if (designator.starts_with("//")) {
    designator.remove_prefix(2);
    if (designator.starts_with("localhost/")) designator.remove_prefix(9);
  }
  std::string path;
  for (std::size_t i = 0; i < designator.size(); ++i) {
    const bool escape = designator[i] == '%' && i + 2 < designator.size();
    const int high = escape ? hexadecimal(designator[i + 1]) : -1;
    const int low = escape ? hexadecimal(designator[i + 2]) : -1;
    if (high < 0 || low < 0) {
      path.push_back(designator[i]);
    } else {
      path.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return path;
}

}  // namespace

federation::Document read_document(const std::wstring& designator, bool is_mim) {
  const std::string name = narrow(designator);
  const std::filesystem::path path = path_of(name);
  std::error_code failed;
  const bool is_file = std::filesystem::is_regular_file(path, failed);
  if (!is_file && !is_mim) {
    std::string_view bare = name;
    if (bare.ends_with(".xml")) bare.remove_suffix(4);
    const std::string_view text = fom::built_in_text(bare);
    if (!text.empty()) return {name, std::string(text)};
  }
  std::ifstream in;
  if (is_file) in.open(path, std::ios::binary);
  if (!in.is_open())
    raise(is_mim ? Failure::CouldNotOpenMIM : Failure::CouldNotOpenFDD,
          "there is no file '" + name + "' that can be read");
  const Failure unreadable = is_mim ? Failure::ErrorReadingMIM : Failure::ErrorReadingFDD;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed || size > longest_document)
    raise(unreadable, "'" + name + "' is larger than 16 MB, the most that is read");
  federation::Document d{name, std::string(static_cast<std::size_t>(size), '\0')};
  in.read(d.text.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(in.gcount()) != size)
    raise(unreadable, "'" + name + "' cannot be read to its end");
  return d;
}

}  // namespace vernier::hla
