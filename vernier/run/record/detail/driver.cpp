#include "vernier/run/record/detail/driver.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "vernier/base/digest.hpp"
#include "vernier/run/record/detail/hdf5.hpp"

namespace vernier::record::hdf5 {

namespace {

constexpr haddr_t page = 4096;  // the smallest unit in which a kernel copies
constexpr std::uint64_t most_bytes = 1u << 26, most_ahead = 1u << 30;

/// The header of a write in the journal.
struct Record {
  Digest digest{};  // of everything that follows
  std::uint64_t offset = 0, size = 0;
};

/// The digest of a record with its bytes.
Digest digest_of(const std::vector<std::byte>& whole) noexcept {
  return sha256(std::span(whole).subspan(sizeof(Digest)));
}

bool write_all(int file, const void* bytes, std::size_t size, std::uint64_t offset) noexcept {
  return ::pwrite(file, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

bool empty(int journal) noexcept {
  constexpr Record none{};
  return write_all(journal, &none, sizeof none, 0);
}

struct Settings {
  int journal = -1;
  bool locks = true;
};

struct File {
  H5FD_t shared{};  // must be first: HDF5 casts to it
  H5FD_t* inner = nullptr;
  int journal = -1;
  bool locks = true;
  std::vector<std::byte> record = {};
};

File& own(H5FD_t* f) noexcept { return *reinterpret_cast<File*>(f); }
H5FD_t* inner(const H5FD_t* f) noexcept { return reinterpret_cast<const File*>(f)->inner; }

herr_t write_whole(File& f, H5FD_mem_t type, hid_t transfer, haddr_t at, std::size_t size,
                   const void* bytes) noexcept {
  Record r{.offset = at, .size = size};
  try {
    f.record.resize(sizeof r + size);
  } catch (const std::bad_alloc&) {
    return -1;
  }
  std::memcpy(f.record.data(), &r, sizeof r);
  std::memcpy(f.record.data() + sizeof r, bytes, size);
  r.digest = digest_of(f.record);
  std::memcpy(f.record.data(), &r.digest, sizeof r.digest);
  // on a full disk HDF5's own write fails and reports why
  const bool kept = write_all(f.journal, f.record.data(), f.record.size(), 0);
  const herr_t status = H5FDwrite(f.inner, type, transfer, at, size, bytes);
  if (kept && status >= 0) empty(f.journal);
  return status;
}

// The driver, a virtual file driver (VFD) of HDF5, called from C: exceptions must not leave it.

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t most) noexcept {
  const hid_t ordinary = H5Pcreate(H5P_FILE_ACCESS);
  if (ordinary < 0) return nullptr;
  std::unique_ptr<File> f(new (std::nothrow) File);
  if (f && H5Pset_fapl_sec2(ordinary) >= 0) f->inner = H5FDopen(name, flags, ordinary, most);
  H5Pclose(ordinary);
  if (!f || f->inner == nullptr) return nullptr;
  if (const void* s = H5Pget_driver_info(access)) {
    f->journal = static_cast<const Settings*>(s)->journal;
    f->locks = static_cast<const Settings*>(s)->locks;
  }
  return &f.release()->shared;
}

/// Calls into HDF5 from the driver clear the error stack of the outer call; this keeps the reason
/// when a file is closed after a failure.
class KeptReason {
 public:
  KeptReason() = default;
  KeptReason(const KeptReason&) = delete;
  KeptReason& operator=(const KeptReason&) = delete;
  ~KeptReason() { H5Eset_current_stack(stack_); }

 private:
  hid_t stack_ = H5Eget_current_stack();
};

herr_t close_file(H5FD_t* file) noexcept {
  const std::unique_ptr<File> f(&own(file));
  const KeptReason reason;
  return H5FDclose(f->inner);
}

herr_t write_file(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t at, std::size_t size,
                  const void* bytes) noexcept {
  File& f = own(file);
  const bool cuttable = size > 0 && at / page != (at + size - 1) / page;
  if (f.journal < 0 || type == H5FD_MEM_DRAW || !cuttable) {
    return H5FDwrite(f.inner, type, transfer, at, size, bytes);
  }
  return write_whole(f, type, transfer, at, size, bytes);
}

hid_t make_driver() noexcept {
  static H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 0)
  c.version = H5FD_CLASS_VERSION;
  c.value = 300;  // in the range for private drivers
#endif
  c.name = "vernier";
  c.maxaddr = HADDR_MAX >> 1;
  c.fc_degree = H5F_CLOSE_WEAK;
  c.fapl_size = sizeof(Settings);
  c.open = open_file;
  c.close = close_file;
  c.cmp = [](const H5FD_t* a, const H5FD_t* b) { return H5FDcmp(inner(a), inner(b)); };
  c.query = [](const H5FD_t* f, unsigned long* flags) {
    *flags = 0;
    // HDF5 also queries the driver's features without a file
    if (f != nullptr) return H5FDquery(inner(f), flags) < 0 ? -1 : 0;
    *flags = H5FD_FEAT_SUPPORTS_SWMR_IO;
    return 0;
  };
  c.get_eoa = [](const H5FD_t* f, H5FD_mem_t type) { return H5FDget_eoa(inner(f), type); };
  c.set_eoa = [](H5FD_t* f, H5FD_mem_t type, haddr_t at) {
    return H5FDset_eoa(inner(f), type, at);
  };
  c.get_eof = [](const H5FD_t* f, H5FD_mem_t type) { return H5FDget_eof(inner(f), type); };
  c.get_handle = [](H5FD_t* f, hid_t access, void** handle) {
    return H5FDget_vfd_handle(inner(f), access, handle);
  };
  c.read = [](H5FD_t* f, H5FD_mem_t type, hid_t transfer, haddr_t at, std::size_t size, void* to) {
    return H5FDread(inner(f), type, transfer, at, size, to);
  };
  c.write = write_file;
  c.flush = [](H5FD_t* f, hid_t transfer, hbool_t closing) {
    return H5FDflush(inner(f), transfer, closing);
  };
  c.truncate = [](H5FD_t* f, hid_t transfer, hbool_t closing) {
    return H5FDtruncate(inner(f), transfer, closing);
  };
  c.lock = [](H5FD_t* f, hbool_t writing) {
    return own(f).locks ? H5FDlock(inner(f), writing) : 0;
  };
  c.unlock = [](H5FD_t* f) {
    const KeptReason reason;
    return own(f).locks ? H5FDunlock(inner(f)) : 0;
  };
  constexpr H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(lists), std::end(lists), c.fl_map);
  return H5FDregister(&c);
}

}  // namespace

void use_whole_writes(hid_t access, int journal, bool locks) {
  static const hid_t driver = make_driver();
  check(driver < 0 ? -1 : 0, "driver");
  const Settings settings{journal, locks};
  check(H5Pset_driver(access, driver, &settings), "driver");
}

bool finish_write(int journal, int file) noexcept {
  Record r;
  if (::pread(journal, &r, sizeof r, 0) != static_cast<ssize_t>(sizeof r)) return true;
  if (r.size == 0 || r.size > most_bytes) return true;
  // HDF5 allocates space beyond the end before it writes there; limit it
  struct stat status {};
  if (::fstat(file, &status) != 0) return false;
  if (r.offset > static_cast<std::uint64_t>(status.st_size) + most_ahead) return true;
  std::vector<std::byte> whole;
  try {
    whole.resize(sizeof r + r.size);
  } catch (const std::bad_alloc&) {
    return false;
  }
  const auto size = static_cast<ssize_t>(whole.size());
  if (::pread(journal, whole.data(), whole.size(), 0) != size) return true;
  if (r.digest != digest_of(whole)) return true;
  return write_all(file, whole.data() + sizeof r, r.size, r.offset) && empty(journal);
}

}  // namespace vernier::record::hdf5
