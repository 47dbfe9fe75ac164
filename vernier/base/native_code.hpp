#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/shared_object.hpp"
#include "vernier/base/trust.hpp"

namespace vernier {

/// Which native code documents may bring into this process, and which they brought. A document
/// never runs code by itself: either nothing that it names is loaded, or only what the user trusts.
/// Safe from several threads.
class NativeCode {
 public:
  /// Loads nothing: for commands that only read documents.
  NativeCode() = default;
  /// Loads what `trust` contains, or what `more` returns, which is called once, for the first file
  /// that `trust` lacks; it may throw.
  explicit NativeCode(Trust trust, std::function<Trust()> more = {})
      : trust_(std::move(trust)), more_(std::move(more)) {}

  bool loads() const noexcept { return trust_.has_value(); }

  /// The error is that of SharedObject. Throws ConfigurationError: V7601 not trusted, V7602 changed
  /// since it was trusted, V7604. Requires loads().
  Result<SharedObject, std::string> load(const std::filesystem::path&);

  struct Loaded {
    std::filesystem::path path;  // absolute
    Digest sha256{};
  };
  /// Everything that was loaded so far.
  std::vector<Loaded> loaded() const;

 private:
  void approve(const std::filesystem::path&, const Digest&);

  std::optional<Trust> trust_;
  std::function<Trust()> more_;
  mutable std::mutex mutex_;
  std::vector<Loaded> loaded_;
};

/// Trusts these files as they are now, in addition to those in the user's trust file. Throws
/// ConfigurationError (V7604) for a file that is not there.
std::shared_ptr<NativeCode> trusted_code(const std::vector<std::filesystem::path>& files = {});
/// Trusts these files alone.
std::shared_ptr<NativeCode> code_of(const std::vector<std::filesystem::path>& files);

/// Why something about a file is not known where nothing is loaded: "lowpass.so is native code,
/// which is not loaded here: …".
std::string not_loaded_text(const std::filesystem::path& file, const std::string& what);

}  // namespace vernier
