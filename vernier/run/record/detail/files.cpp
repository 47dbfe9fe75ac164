#include "vernier/run/record/detail/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"

namespace vernier::record {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_file(const char* what, const fs::path& file, int error) {
  throw ConfigurationError("V7107", std::string(what) + " " + file.string() + ": " +
                                        std::generic_category().message(error));
}

}  // namespace

void replace_file(const fs::path& file, std::span<const std::byte> content) {
  const std::string draft = file.string() + ".new" + std::to_string(::getpid());
  {
    const Descriptor d(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!d) refuse_file("cannot write", file, errno);
    const auto give_up = [&] {
      const int error = errno;
      ::unlink(draft.c_str());
      refuse_file("cannot write", file, error);
    };
    while (!content.empty()) {
      const ssize_t n = ::write(d.get(), content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) give_up();
      content = content.subspan(static_cast<std::size_t>(n));
    }
    if (::fsync(d.get()) != 0) give_up();
  }
  if (::rename(draft.c_str(), file.c_str()) != 0) {
    const int error = errno;
    ::unlink(draft.c_str());
    refuse_file("cannot write", file, error);
  }
}

std::vector<std::byte> file_content(const fs::path& file, std::size_t most) {
  const Descriptor d(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!d) refuse_file("cannot read", file, errno);
  struct stat status {};
  if (::fstat(d.get(), &status) != 0) refuse_file("cannot read", file, errno);
  if (!S_ISREG(status.st_mode)) refuse_file("cannot read", file, EISDIR);
  if (static_cast<std::uint64_t>(status.st_size) > most) refuse_file("cannot read", file, EFBIG);
  std::vector<std::byte> content(static_cast<std::size_t>(status.st_size));
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t n = ::read(d.get(), content.data() + got, content.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse_file("cannot read", file, errno);
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  content.resize(got);
  return content;
}

}  // namespace vernier::record
