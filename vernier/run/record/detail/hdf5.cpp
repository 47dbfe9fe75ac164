#include "vernier/run/record/detail/hdf5.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/require.hpp"
#include "vernier/run/record/detail/driver.hpp"

namespace vernier::record::hdf5 {

static_assert(std::endian::native == std::endian::little);

namespace {

herr_t take_first(unsigned n, const H5E_error2_t* e, void* text) {
  if (n == 0 && e->desc != nullptr) *static_cast<std::string*>(text) = e->desc;
  return 0;
}

std::string library_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
  H5Eclear2(H5E_DEFAULT);
  // "file write failed: time = …, errno = 28, error message = 'No space left on device', buf = …"
  constexpr std::string_view quoted = "error message = '";
  if (const std::size_t at = reason.find(quoted); at != std::string::npos) {
    const std::size_t from = at + quoted.size();
    reason = reason.substr(from, reason.find('\'', from) - from);
  }
  return reason;
}

/// The descriptor of HDF5's driver for ordinary files; -1: none.
int descriptor_of(hid_t file) noexcept {
  void* driver = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &driver) < 0 || driver == nullptr) return -1;
  return *static_cast<const int*>(driver);
}

constexpr hsize_t reserved_at_once = 1u << 20;

}  // namespace

std::unique_lock<std::recursive_mutex> locked() {
  static std::recursive_mutex mutex;
  std::unique_lock lock(mutex);
  // files are closed explicitly; one that could not be closed, on a full disk, must not be tried
  // again at exit
  static const bool opened = [] { return H5dont_atexit() >= 0 && H5open() >= 0; }();
  // HDF5 keeps this setting per thread
  thread_local const bool silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  require(opened && silent);
  return lock;
}

Handle::Handle(hid_t id, Close close, const char* what) : id_(id), close_(close) {
  if (id < 0) check(-1, what);
}

void check(herr_t status, const char* what) {
  if (status >= 0) return;
  throw Error(what, library_reason());
}

Handle property_list(hid_t list_class) {
  return {H5Pcreate(list_class), H5Pclose, "cannot make a property list"};
}

Handle file_access(int journal, bool locks) {
  Handle list = property_list(H5P_FILE_ACCESS);
  check(H5Pset_libver_bounds(list.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "format version");
  // A SWMR reader retries when a checksum is wrong, and doubles its waiting time from 1 ns on.
  // HDF5's default of 100 attempts never ends for a block whose writer was killed in the middle of
  // it; these end within 20 ms.
  check(H5Pset_metadata_read_attempts(list.get(), 24), "attempts");
  use_whole_writes(list.get(), journal, locks);
  return list;
}

hid_t file_type(Scalar s) noexcept {
  switch (s) {
    case Scalar::real:
      return H5T_IEEE_F64LE;
    case Scalar::integer:
      return H5T_STD_I64LE;
    case Scalar::boolean:
    case Scalar::byte:
      break;
  }
  return H5T_STD_U8LE;
}

std::size_t element_bytes(Scalar s) noexcept {
  return s == Scalar::real || s == Scalar::integer ? 8 : 1;
}

void write_attribute(hid_t object, const char* name, std::string_view text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  // at least one byte: HDF5 has no empty strings of fixed length
  check(H5Tset_size(type.get(), text.empty() ? 1 : text.size()), "text size");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "text encoding");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "scalar space");
  const Handle attribute(
      H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  check(H5Awrite(attribute.get(), type.get(), text.empty() ? "" : text.data()), name);
}

std::string read_attribute(hid_t object, const char* name) {
  constexpr std::size_t most = 1u << 16;
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, name);
  const Handle type(H5Aget_type(attribute.get()), H5Tclose, name);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose, name);
  const bool text = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) <= 0;
  if (!text || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  const std::size_t size = H5Tget_size(type.get());
  if (size == 0 || size > most) return {};
  std::string value(size, '\0');
  check(H5Aread(attribute.get(), type.get(), value.data()), name);
  value.resize(std::strlen(value.c_str()));
  return value;
}

bool marked_open(const std::string& file) {
  // superblock versions 2 and 3: signature, version, sizes, then the file consistency flags
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 12> head{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(head.data(), head.size())) return false;
  return std::equal(signature.begin(), signature.end(), head.begin()) && head[8] == 3 &&
         head[11] != 0;
}

hsize_t reserve(hid_t file, hsize_t end, hsize_t bytes) {
  const auto refuse = [](int error) {
    throw Full("cannot extend", std::generic_category().message(error));
  };
  // reserved room is not subject to this limit, but writing there is
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) limit.rlim_cur = RLIM_INFINITY;
  if (end + bytes > limit.rlim_cur) refuse(EFBIG);
  const int descriptor = descriptor_of(file);
  for (const hsize_t more :
       {std::min<hsize_t>(reserved_at_once, limit.rlim_cur - end - bytes), hsize_t{0}}) {
    if (::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(end),
                    static_cast<off_t>(bytes + more)) == 0)
      return end + bytes + more;
    if (errno != ENOSPC && errno != EDQUOT) return end + bytes;
  }
  refuse(errno);
  return end;
}

void release_reserved(const char* file) noexcept {
  const Descriptor d(::open(file, O_WRONLY | O_CLOEXEC));
  struct stat status {};
  if (!d || ::fstat(d.get(), &status) != 0) return;
  // cutting a file at its own length frees what was allocated beyond it
  if (::ftruncate(d.get(), status.st_size) != 0) return;
}

void check_linked(hid_t file) {
  struct stat status {};
  if (::fstat(descriptor_of(file), &status) == 0 && status.st_nlink == 0)
    throw Full("cannot write", "it was removed during the run");
}

void detach(hid_t file) noexcept {
  const int descriptor = descriptor_of(file);
  if (descriptor < 0) return;
  const int nowhere = ::memfd_create("vernier", MFD_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, descriptor);
  ::close(nowhere);
}

}  // namespace vernier::record::hdf5
