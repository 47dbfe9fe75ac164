#include "vernier/base/shared_object.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/library_search.hpp"

namespace vernier {
namespace {

constexpr std::uint64_t largest_object = std::uint64_t{1} << 30;

std::string system_text(int error) { return std::generic_category().message(error); }

/// Memory that holds a file and can no longer change.
struct Held {
  Descriptor memory;
  Digest digest{};
};

Descriptor anonymous_memory(const std::string& name) {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  constexpr unsigned executable = 0x10;  // MFD_EXEC, since Linux 6.3: others refuse it
  const int fd = memfd_create(name.c_str(), flags | executable);
  return Descriptor(fd >= 0 ? fd : memfd_create(name.c_str(), flags));
}

bool written(int fd, const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// Why it must not be loaded although its own content is trusted; empty: it may.
std::string untrusted_search(int memory) {
  struct stat about {};
  if (fstat(memory, &about) != 0 || about.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(about.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, memory, 0);
  if (mapped == MAP_FAILED) return "it cannot be read: " + system_text(errno);
  std::string found = relative_search({static_cast<const std::byte*>(mapped), size});
  munmap(mapped, size);
  if (found.empty()) return {};
  return found + " depends on the current directory, where anyone may put a library";
}

Result<Held, std::string> held(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file || fstat(file.get(), &about) != 0)
    return Failure{"cannot open shared object file: " + system_text(errno)};
  if (!S_ISREG(about.st_mode)) return Failure{std::string("it is not a file")};
  Held h{anonymous_memory(path.filename().string().substr(0, 200)), {}};
  if (!h.memory) return Failure{"there is no memory for it: " + system_text(errno)};
  Sha256 sum;
  std::array<char, 65'536> block;
  std::uint64_t bytes = 0;
  while (true) {
    const ssize_t n = read(file.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failure{"it cannot be read: " + system_text(errno)};
    if (n == 0) break;
    const auto size = static_cast<std::size_t>(n);
    if ((bytes += size) > largest_object) return Failure{std::string("it is larger than 1 GiB")};
    sum.add(std::string_view(block.data(), size));
    if (!written(h.memory.get(), block.data(), size))
      return Failure{"there is no memory for it: " + system_text(errno)};
  }
  if (fcntl(h.memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    return Failure{"its copy cannot be protected: " + system_text(errno)};
  h.digest = sum.finish();
  return h;
}

}  // namespace

/// A loaded object. The name by which the loader knows it contains the number of the descriptor,
/// which therefore stays open as long as the object is loaded: the loader would return this object
/// for a later one of the same name.
struct SharedObject::Image {
  Digest digest{};
  Descriptor memory;
  std::string name;
  void* handle = nullptr;

  Image(Held h, std::string n)
      : digest(h.digest), memory(std::move(h.memory)), name(std::move(n)) {}
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();

  /// Objects of this process, as the dynamic loader itself has them.
  struct Known {
    std::mutex mutex;
    std::map<Digest, std::weak_ptr<const Image>> loaded;
    std::map<Digest, std::string> resident;  // those that the loader keeps, by name
  };
  static Known& known() {
    static Known& k = *new Known;  // objects may be unloaded while static variables are destroyed
    return k;
  }
};

SharedObject::Image::~Image() {
  if (!handle) return;
  dlclose(handle);
  // an object with unique C++ symbols stays, whatever is asked
  void* still = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!still) return;
  dlclose(still);
  memory.release();
  const std::lock_guard lock(known().mutex);
  known().resident[digest] = name;
}

Result<SharedObject, std::string> SharedObject::loaded(const std::filesystem::path& path,
                                                       const Approval& approved) {
  auto copy = held(path);
  if (!copy) return Failure{copy.error()};
  approved(copy->digest);
  if (std::string why = untrusted_search(copy->memory.get()); !why.empty())
    return Failure{shown(why.c_str())};

  Image::Known& known = Image::known();
  const std::lock_guard lock(known.mutex);
  SharedObject object;
  auto& entry = known.loaded[copy->digest];
  if ((object.image_ = entry.lock())) return object;
  // with the number of the process, debuggers find it too
  std::string name =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(copy->memory.get());
  if (const auto found = known.resident.find(copy->digest); found != known.resident.end())
    name = found->second;
  const auto image = std::make_shared<Image>(std::move(*copy), std::move(name));
  image->handle = dlopen(image->name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image->handle) {
    entry = image;
    object.image_ = image;
    return object;
  }
  std::string why = shown(dlerror());
  if (why.starts_with(image->name + ": ")) why.erase(0, image->name.size() + 2);
  return Failure{std::move(why)};
}

void* SharedObject::symbol(const char* name) const noexcept {
  return image_ ? dlsym(image_->handle, name) : nullptr;
}

std::string shown(const char* text, std::size_t most) {
  std::string s(text ? text : "", text ? strnlen(text, most) : 0);
  for (char& c : s) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return s;
}

}  // namespace vernier
