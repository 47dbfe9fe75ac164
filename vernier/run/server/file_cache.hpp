#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "vernier/base/codec.hpp"
#include "vernier/base/descriptor.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/base/result.hpp"

namespace vernier::server {

/// A file by its content. `path` is its name elsewhere; only its ending is used here.
struct FileId {
  static constexpr bool visited = true;
  std::string path;
  std::uint64_t size = 0;
  Digest sha256{};

  template <class Visitor>
  void fields(Visitor& v) {
    v(path, size, sha256);
  }
};

/// Files of others in a folder, by digest. None is executable, none is outside, and all together
/// have a bounded size: those used least recently make room. Several processes may use one folder.
class FileCache {
 public:
  /// Throws ConfigurationError (V5641).
  FileCache(std::filesystem::path folder, std::uint64_t most_bytes);

  /// Where the file is, or would be: a name made of its digest and, if it is short and plain, the
  /// ending of its name.
  std::filesystem::path place(const FileId&) const;

  /// Looks whether a file is there with the right content, piece by piece.
  class Check {
   public:
    Check(const FileCache&, const FileId&);
    /// Reads some more. Nothing: not finished.
    std::optional<bool> step();

   private:
    FileId file_;
    std::filesystem::path place_;
    Descriptor from_;
    Sha256 sha_;
    std::uint64_t read_ = 0;
  };

  /// A file that arrives in pieces.
  class Arrival {
   public:
    /// In a temporary file of `scratch`, which is on the same file system.
    Arrival(FileCache&, const FileId&, const std::filesystem::path& scratch);
    ~Arrival();
    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;
    /// True: it is complete and in its place. The error is a sentence.
    Result<bool, std::string> add(Bytes);

   private:
    FileCache& cache_;
    FileId file_;
    std::string temporary_;
    Descriptor to_;
    Sha256 sha_;
    std::uint64_t written_ = 0;
  };

  /// Removes files until so many bytes can be added, but none of those kept. False: there is not
  /// enough room.
  bool make_room(std::uint64_t bytes, const std::set<std::filesystem::path>& keep);

 private:
  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

}  // namespace vernier::server
