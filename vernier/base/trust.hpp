#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/digest.hpp"

namespace vernier {

/// A file of native code that the user trusts: these bytes, wherever they are.
struct TrustedFile {
  Digest sha256{};
  std::string since = {};           // wall time, ISO 8601, UTC
  std::filesystem::path path = {};  // where it was then; absolute
};

/// Which files of native code the user trusts (formats/trust).
class Trust {
 public:
  /// Trusts the current content of a file. What was trusted at the same path before, remains so.
  /// Throws ConfigurationError (V7604) when it cannot be read, or has a name that cannot be kept.
  const TrustedFile& add(const std::filesystem::path&);
  void add(TrustedFile);
  /// Removes what was trusted under a path or a digest in hexadecimal; returns the number.
  std::size_t remove(std::string_view path_or_digest);

  bool contains(const Digest&) const noexcept;
  /// The last one that was trusted at this place; null: none.
  const TrustedFile* at(const std::filesystem::path&) const;
  const std::vector<TrustedFile>& list() const noexcept { return list_; }

 private:
  std::vector<TrustedFile> list_;  // each digest once
};

/// The text of the trust file, and back. Throws ConfigurationError (V7604) with the line; `name`
/// stands for the file.
std::string text(const Trust&);
Trust parsed_trust(std::string_view content, const std::filesystem::path& name);

/// $XDG_CONFIG_HOME/vernier/trusted, or ~/.config/vernier/trusted; empty: the user has no such
/// folder.
std::filesystem::path trust_file();

/// Nothing is trusted when there is no file. Throws ConfigurationError (V7604) for a file that
/// others own or can change, or that is none.
Trust read_trust(const std::filesystem::path& file);
/// Reads the trust file, calls `change` and replaces the file; no other process changes it in
/// between. Throws ConfigurationError (V7604).
template <class Change>
void change_trust(const std::filesystem::path& file, Change change);

/// Holds the trust file for a change: other processes that want to change it wait.
class TrustFileLock {
 public:
  explicit TrustFileLock(const std::filesystem::path& file);
  ~TrustFileLock();
  TrustFileLock(const TrustFileLock&) = delete;
  TrustFileLock& operator=(const TrustFileLock&) = delete;

  void write(const Trust&) const;

 private:
  std::filesystem::path file_;
  int folder_ = -1;
};

template <class Change>
void change_trust(const std::filesystem::path& file, Change change) {
  const TrustFileLock lock(file);
  Trust trust = read_trust(file);
  change(trust);
  lock.write(trust);
}

/// Absolute, with links resolved as far as it exists: one name for one file.
std::filesystem::path trusted_name(const std::filesystem::path&);

/// A digest in hexadecimal; nothing if it is none.
std::optional<Digest> parsed_digest(std::string_view) noexcept;

}  // namespace vernier
