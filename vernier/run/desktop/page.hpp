#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/net/web_server.hpp"

namespace vernier::desktop {

/// The files of the page, from its pack: the line "vernier page 1", a line "NAME TYPE BYTES" for
/// each file, an empty line, then their contents, each compressed with gzip.
class Page {
 public:
  /// Throws ConfigurationError (V8110) when the text is no such pack.
  explicit Page(std::string_view pack);

  /// The answer to a request for this path; "/" is index.html. Nothing: there is no such file.
  std::optional<net::WebAnswer> file(std::string_view path) const;
  std::size_t size() const noexcept { return files_.size(); }
  /// Of all files, in the order of the alphabet.
  std::vector<std::string> names() const;

 private:
  struct File {
    std::string type, tag;
    net::SharedBytes content;
    bool immutable = false;  // its name has the digest of its content
  };
  std::map<std::string, File, std::less<>> files_;
};

}  // namespace vernier::desktop
