#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "vernier/component/description.hpp"

/// The parts of the HDF5 library that results need, with owners for its handles.
namespace vernier::record::hdf5 {

/// Debian's HDF5 library is not thread-safe: every caller holds this lock. Also suppresses its
/// messages to stderr; ours are in the user's terms.
std::unique_lock<std::recursive_mutex> locked();

/// A call of HDF5 failed. `reason` is the system's, if there is one: "No space left on device";
/// what() also names the operation.
struct Error : std::runtime_error {
  explicit Error(const std::string& what, const std::string& why = {})
      : std::runtime_error(why.empty() ? what : what + ": " + why),
        reason(why.empty() ? what : why) {}
  std::string reason;
};

/// A file has no room to grow, or is not there any more; nothing was written in vain. `reason` says
/// which.
struct Full : Error {
  using Error::Error;
};

/// Owns one handle. Closing requires the lock, so a handle must not outlive it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Throws Error naming `what` when `id` indicates a failure.
  Handle(hid_t id, Close close, const char* what);
  Handle(Handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Handle& operator=(Handle&& o) noexcept {
    if (this != &o) {
      reset();
      id_ = std::exchange(o.id_, -1);
      close_ = o.close_;
    }
    return *this;
  }
  ~Handle() { reset(); }

  void reset() noexcept {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }
  hid_t get() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws Error when `status` indicates a failure.
void check(herr_t status, const char* what);

Handle property_list(hid_t list_class);
/// The newest file format, which SWMR (single writer, multiple readers) requires. A writer passes
/// the journal that makes its writes atomic. Without `locks`, HDF5 opens a file for writing that
/// others read.
Handle file_access(int journal = -1, bool locks = true);

/// The types in the file, and the size of one element in memory (identical on little-endian
/// machines).
hid_t file_type(Scalar) noexcept;
std::size_t element_bytes(Scalar) noexcept;

void write_attribute(hid_t object, const char* name, std::string_view text);
/// Empty when there is none or it is not a text.
std::string read_attribute(hid_t object, const char* name);

/// Whether the superblock's consistency flags say that a writer has the file open (or died with it
/// open). False also for a file that is not HDF5.
bool marked_open(const std::string& file);

/// Reserves room for a file to grow from `end` by `bytes`, and by some more where there is some;
/// its length stays. Returns the end of the reserved room. Where a file system cannot reserve, a
/// full disk is found later, by a write that fails. Throws Full.
hsize_t reserve(hid_t file, hsize_t end, hsize_t bytes);
/// Gives back what was reserved beyond the end of a closed file.
void release_reserved(const char* file) noexcept;
/// Throws Full when the file was removed from its folder.
void check_linked(hid_t file);

/// Disconnects HDF5 from an open file: whatever it writes or closes from now on does not reach the
/// file.
void detach(hid_t file) noexcept;

}  // namespace vernier::record::hdf5
