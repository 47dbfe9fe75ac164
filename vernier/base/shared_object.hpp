#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "vernier/base/result.hpp"

namespace vernier {

/// A shared object of somebody else's in this process; unloaded when this goes.
class SharedObject {
 public:
  SharedObject() = default;
  /// No search path takes part: the file is where `path` says. Otherwise why not, in the loader's
  /// words.
  static Result<SharedObject, std::string> loaded(const std::filesystem::path&);
  ~SharedObject();
  SharedObject(SharedObject&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  SharedObject& operator=(SharedObject&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }

  /// A function by its C name; nothing: it is not there.
  template <class Function>
  Function* function(const char* name) const noexcept {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const noexcept;

  void* handle_ = nullptr;
};

/// Text that a shared object gave, fit to be shown: at most so many bytes, without control
/// characters; nothing for a null pointer.
std::string shown(const char* text, std::size_t most = 300);

}  // namespace vernier
