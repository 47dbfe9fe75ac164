#include "vernier/base/shared_object.hpp"

#include <dlfcn.h>

#include <cstring>

namespace vernier {

Result<SharedObject, std::string> SharedObject::loaded(const std::filesystem::path& path) {
  // an absolute path, so that no search path is used
  const std::string file = std::filesystem::absolute(path).string();
  SharedObject object;
  object.handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object.handle_) return object;
  std::string why = shown(dlerror());
  if (why.starts_with(file + ": ")) why.erase(0, file.size() + 2);
  return Failure{std::move(why)};
}

SharedObject::~SharedObject() {
  if (handle_) dlclose(handle_);
}

void* SharedObject::symbol(const char* name) const noexcept {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

std::string shown(const char* text, std::size_t most) {
  std::string s(text ? text : "", text ? strnlen(text, most) : 0);
  for (char& c : s) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return s;
}

}  // namespace vernier
