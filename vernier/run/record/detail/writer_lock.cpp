#include "vernier/run/record/detail/writer_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/run/record/detail/driver.hpp"
#include "vernier/run/record/detail/hdf5.hpp"
#include "vernier/run/record/detail/result_index.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {

namespace fs = std::filesystem;

namespace {

fs::path lock_file(const fs::path& file) { return file.string() + ".lock"; }

/// Bob Jenkins' lookup3 hash, which the HDF5 file format uses as the checksum of the superblock.
std::uint32_t lookup3(const unsigned char* key, std::size_t length) noexcept {
  std::uint32_t a = 0xdeadbeefu + static_cast<std::uint32_t>(length), b = a, c = a;
  const auto word = [&](std::size_t at) {
    std::uint32_t w = 0;
    std::memcpy(&w, key + at, sizeof w);
    return w;
  };
  for (; length > 12; length -= 12, key += 12) {
    a += word(0), b += word(4), c += word(8);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  a += word(0);
  if (length > 4) b += word(4);
  if (length > 8) c += word(8);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

/// Rewrites the superblock (version 3) as a properly closed file has it. False when there is
/// nothing to repair, or it is not one of ours.
bool mend_superblock(int descriptor) {
  constexpr std::size_t flags = 11, end_of_file = 28, checksum = 44, size = 48;
  std::array<unsigned char, size> block{};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return false;
  if (::pread(descriptor, block.data(), size, 0) != static_cast<ssize_t>(size)) return false;
  std::uint32_t sum = 0;
  std::memcpy(&sum, block.data() + checksum, sizeof sum);
  if (sum != lookup3(block.data(), checksum)) return false;
  block[flags] = 0;
  // include what the writer had written beyond the end it last recorded
  const auto length = static_cast<std::uint64_t>(status.st_size);
  std::memcpy(block.data() + end_of_file, &length, sizeof length);
  sum = lookup3(block.data(), checksum);
  std::memcpy(block.data() + checksum, &sum, sizeof sum);
  return ::pwrite(descriptor, block.data(), size, 0) == static_cast<ssize_t>(size);
}

void trim(const fs::path& file) {
  const auto lock = hdf5::locked();
  const hdf5::Handle access = hdf5::file_access();
  const hdf5::Handle h(H5Fopen(file.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose, "cannot open");
  for (const IndexedSignal& s : index_signals(h.get(), true)) {
    for (const char* name : {"/value", "/time"}) {
      const hdf5::Handle d(H5Dopen2(h.get(), (s.place + name).c_str(), H5P_DEFAULT), H5Dclose,
                           name);
      const hdf5::Handle space(H5Dget_space(d.get()), H5Sclose, "dataspace");
      hsize_t size[2] = {0, 1};
      H5Sget_simple_extent_dims(space.get(), size, nullptr);
      if (size[0] == s.rows) continue;
      size[0] = s.rows;
      hdf5::check(H5Dset_extent(d.get(), size), "cannot shorten");
    }
  }
}

}  // namespace

WriterLock::WriterLock(const fs::path& file, bool patient) : path_(lock_file(file)) {
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) {
      throw ConfigurationError(
          "V7104", "cannot write " + file.string() + ": " + std::generic_category().message(errno));
    }
    // a file system without locks returns other errors; readers then treat the file as being
    // written
    if (::flock(descriptor_, patient ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      throw ConfigurationError("V7104", file.string() + " is being written by another program");
    }
    // who has repaired the file has removed the lock
  } while (patient && !in_folder());
}

bool WriterLock::in_folder() const noexcept {
  struct stat mine {
  }, there{};
  return ::fstat(descriptor_, &mine) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

WriterLock::~WriterLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WriterLock::release() noexcept {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
  descriptor_ = -1;
}

bool being_written(const fs::path& file) {
  const int descriptor = ::open(lock_file(file).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno != ENOENT;
  const bool taken = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  ::close(descriptor);
  return taken;
}

bool mend(const fs::path& file, int lock) {
  const Descriptor d(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!d || (lock >= 0 && !hdf5::finish_write(lock, d.get())) || !mend_superblock(d.get()))
    return false;
  try {
    trim(file);
  } catch (const hdf5::Error&) {
    return false;
  }
  return true;
}

bool repair(const fs::path& file) {
  if (!hdf5::marked_open(file)) return true;
  const fs::path lock_path = lock_file(file);
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0 && errno != ENOENT) return false;
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return false;
  }
  const bool done = mend(file, lock);
  if (lock >= 0) {
    if (done) ::unlink(lock_path.c_str());
    ::close(lock);
  }
  return done;
}

}  // namespace vernier::record
