#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "vernier/base/digest.hpp"
#include "vernier/base/result.hpp"

namespace vernier {

/// A third-party shared object in this process; unloaded when the last copy goes.
///
/// Loading runs code of the file, so the bytes that are approved are those that are loaded: the
/// file is read once, into memory that cannot change any more, and loaded from there. Its own
/// directory ($ORIGIN) is therefore not searched for the libraries that it needs.
class SharedObject {
 public:
  /// Called with the digest of the file before any of its code runs; throws to refuse it.
  using Approval = std::function<void(const Digest&)>;

  SharedObject() = default;
  /// Uses no search path: loads exactly `path`. The error is the system's or the loader's text. A
  /// file with the same content as one that is loaded is the same object, with the same variables.
  static Result<SharedObject, std::string> loaded(const std::filesystem::path&, const Approval&);

  /// A function by its C name; null: not found.
  template <class Function>
  Function* function(const char* name) const noexcept {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  struct Image;
  void* symbol(const char* name) const noexcept;

  std::shared_ptr<const Image> image_;
};

/// Text from a shared object made safe to display: at most this many bytes, without control
/// characters; empty for a null pointer.
std::string shown(const char* text, std::size_t most = 300);

}  // namespace vernier
