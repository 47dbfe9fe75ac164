#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "vernier/base/result.hpp"

namespace vernier {

/// A third-party shared object in this process; unloaded by the destructor.
class SharedObject {
 public:
  SharedObject() = default;
  /// Uses no search path: loads exactly `path`. The error is the loader's text.
  static Result<SharedObject, std::string> loaded(const std::filesystem::path&);
  ~SharedObject();
  SharedObject(SharedObject&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  SharedObject& operator=(SharedObject&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }

  /// A function by its C name; null: not found.
  template <class Function>
  Function* function(const char* name) const noexcept {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const noexcept;

  void* handle_ = nullptr;
};

/// Text from a shared object made safe to display: at most this many bytes, without control
/// characters; empty for a null pointer.
std::string shown(const char* text, std::size_t most = 300);

}  // namespace vernier
