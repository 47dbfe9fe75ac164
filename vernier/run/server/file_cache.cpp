#include "vernier/run/server/file_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::server {

namespace fs = std::filesystem;

FileCache::FileCache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  struct stat about {};
  if (lstat(folder_.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
      chmod(folder_.c_str(), S_IRWXU) != 0)
    throw ConfigurationError(
        "V5641", "the server cannot keep files in " + folder_.string() +
                     (failed ? ": " + failed.message() : ": it is not a folder of this user"));
}

fs::path FileCache::place(const FileId& f) const {
  // readers of some files look at the ending
  std::string ending = fs::path(f.path).extension().string();
  const bool plain = ending.size() > 1 && ending.size() <= 9 &&
                     std::all_of(ending.begin() + 1, ending.end(),
                                 [](unsigned char c) { return c < 128 && std::isalnum(c) != 0; });
  return folder_ / (text(f.sha256) + (plain ? ending : std::string()));
}

FileCache::Check::Check(const FileCache& c, const FileId& f)
    : file_(f),
      place_(c.place(f)),
      from_(open(place_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
  struct stat about {};
  if (from_ && (fstat(from_.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
                static_cast<std::uint64_t>(about.st_size) != f.size))
    from_.reset();
}

std::optional<bool> FileCache::Check::step() {
  if (!from_) return false;
  std::array<std::byte, 64u << 10> piece;
  for (int i = 0; i < 8; ++i) {
    const ssize_t n = ::read(from_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n > 0) {
      read_ += static_cast<std::uint64_t>(n);
      sha_.add(std::span(piece).first(static_cast<std::size_t>(n)));
      if (read_ <= file_.size) continue;
    }
    const bool good = n == 0 && read_ == file_.size && sha_.finish() == file_.sha256;
    if (good) futimens(from_.get(), nullptr);  // used now
    if (!good) unlink(place_.c_str());
    return good;
  }
  return {};
}

FileCache::Arrival::Arrival(FileCache& c, const FileId& f, const fs::path& scratch)
    : cache_(c), file_(f), temporary_((scratch / "arriving-XXXXXX").string()) {
  to_ = Descriptor(mkostemp(temporary_.data(), O_CLOEXEC));
  if (!to_) temporary_.clear();
}

FileCache::Arrival::~Arrival() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<bool, std::string> FileCache::Arrival::add(Bytes piece) {
  const std::string name = "\"" + file_.path + "\" ";
  if (piece.size() > file_.size - written_)
    return Failure{name + "has more bytes than were announced"};
  sha_.add(piece);
  written_ += piece.size();
  while (!piece.empty()) {
    const ssize_t n = write(to_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Failure{name + "cannot be kept: " + net::system_error()};
    piece = piece.subspan(static_cast<std::size_t>(n));
  }
  if (written_ < file_.size) return false;
  if (sha_.finish() != file_.sha256)
    return Failure{name + "does not have the content that was announced; it has changed"};
  const fs::path place = cache_.place(file_);
  if (!to_ || fchmod(to_.get(), S_IRUSR) != 0 || rename(temporary_.c_str(), place.c_str()) != 0)
    return Failure{name + "cannot be kept: " + net::system_error()};
  temporary_.clear();
  return true;
}

bool FileCache::make_room(std::uint64_t bytes, const std::set<fs::path>& keep) {
  if (bytes > most_bytes_) return false;
  struct Found {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<Found> all;
  std::uint64_t sum = 0;
  std::error_code failed;
  for (const fs::directory_entry& e : fs::directory_iterator(folder_, failed)) {
    std::error_code gone;  // another process may remove files, too
    Found f{e.last_write_time(gone), 0, e.path()};
    if (!gone) f.size = e.file_size(gone);
    if (gone) continue;
    sum += f.size;
    if (!keep.contains(f.path)) all.push_back(std::move(f));
  }
  std::ranges::sort(all, {}, &Found::used);
  for (const Found& f : all) {
    if (sum + bytes <= most_bytes_) break;
    if (fs::remove(f.path, failed)) sum -= f.size;
  }
  return sum + bytes <= most_bytes_;
}

}  // namespace vernier::server
