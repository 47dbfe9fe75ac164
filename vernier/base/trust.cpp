#include "vernier/base/trust.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/shell_word.hpp"
#include "vernier/base/text.hpp"

namespace vernier {
namespace {

constexpr std::size_t largest_trust_file = 1u << 20;
constexpr std::string_view trust_heading =
    "# Native code that Vernier may load: SHA-256, when it was trusted, where it was then\n";

[[noreturn]] void refuse_trust(const std::string& message, const std::string& note,
                               Place place = {}) {
  Diagnostics problems;
  problems.error("V7604", message, std::move(place)).notes.push_back(note);
  throw ConfigurationError(std::move(problems));
}

bool has_control(std::string_view s) {
  return std::any_of(s.begin(), s.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// "2026-06-01T12:00:00Z"
std::string wall_time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> buffer;
  return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string error_text() { return std::generic_category().message(errno); }

}  // namespace

std::filesystem::path trusted_name(const std::filesystem::path& path) {
  std::error_code failed;
  auto name = std::filesystem::weakly_canonical(path, failed);
  return failed ? std::filesystem::absolute(path).lexically_normal() : name;
}

std::optional<Digest> parsed_digest(std::string_view hex) noexcept {
  Digest d{};
  if (hex.size() != 2 * d.size()) return {};
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const char c = hex[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return {};
    d[i / 2] = d[i / 2] << 4 | static_cast<std::byte>(digit);
  }
  return d;
}

const TrustedFile& Trust::add(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed))
    refuse_trust("\"" + path.string() + "\" cannot be trusted: there is no such file",
                 "a path is relative to the current directory");
  std::filesystem::path name = trusted_name(path);
  if (has_control(name.string()))
    refuse_trust("a file with a control character in its name cannot be trusted",
                 "rename the file or its folder");
  add({sha256_of_file(path), wall_time_now(), std::move(name)});
  return list_.back();
}

void Trust::add(TrustedFile file) {
  std::erase_if(list_, [&](const TrustedFile& f) { return f.sha256 == file.sha256; });
  list_.push_back(std::move(file));
}

std::size_t Trust::remove(std::string_view path_or_digest) {
  const auto digest = parsed_digest(path_or_digest);
  const std::filesystem::path name = trusted_name(path_or_digest);
  return std::erase_if(list_, [&](const TrustedFile& f) {
    return (digest && f.sha256 == *digest) || f.path == name;
  });
}

bool Trust::contains(const Digest& d) const noexcept {
  return std::any_of(list_.begin(), list_.end(),
                     [&](const TrustedFile& f) { return f.sha256 == d; });
}

const TrustedFile* Trust::at(const std::filesystem::path& path) const {
  const std::filesystem::path name = trusted_name(path);
  const auto found = std::find_if(list_.rbegin(), list_.rend(),
                                  [&](const TrustedFile& f) { return f.path == name; });
  return found == list_.rend() ? nullptr : &*found;
}

std::string text(const Trust& trust) {
  std::string all(trust_heading);
  for (const TrustedFile& f : trust.list())
    all += text(f.sha256) + " " + f.since + " " + f.path.string() + "\n";
  return all;
}

Trust parsed_trust(std::string_view content, const std::filesystem::path& name) {
  Trust trust;
  int number = 0;
  for (std::string_view line : split(content, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::size_t first = line.find(' ');
    const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
    const auto digest = parsed_digest(line.substr(0, first));
    const bool whole = digest && second != line.npos && second > first + 1 &&
                       second + 1 < line.size() && line[second + 1] == '/' && !has_control(line);
    if (!whole)
      refuse_trust("the trust file cannot be read: this line is no trusted file",
                   "a line has a SHA-256, a time and an absolute path, separated by blanks; remove "
                   "the line, and trust the file again with: vernier trust FILE",
                   {.file = name.string(), .line = number, .column = 1});
    trust.add({*digest, std::string(line.substr(first + 1, second - first - 1)),
               std::filesystem::path(line.substr(second + 1))});
  }
  return trust;
}

std::filesystem::path trust_file() {
  // as the XDG Base Directory Specification has it: a relative path is ignored
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && config[0] == '/')
    return std::filesystem::path(config) / "vernier/trusted";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::filesystem::path(home) / ".config/vernier/trusted";
  return {};
}

Trust read_trust(const std::filesystem::path& path) {
  if (path.empty()) return {};
  // what is read is what was looked at: the open file
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string who = "the trust file " + path.string() + " is not used: ";
  const std::string again = "remove it, and trust your files again with: vernier trust FILE";
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return {};
  struct stat about {};
  if (!file || fstat(file.get(), &about) != 0) refuse_trust(who + error_text(), again);
  if (!S_ISREG(about.st_mode)) refuse_trust(who + "it is not a file", again);
  if (about.st_uid != geteuid()) refuse_trust(who + "it belongs to another user", again);
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    refuse_trust(who + "others can change it",
                 "check what it lists, then: chmod 600 " + shell_word(path.string()));
  std::string content;
  std::array<char, 16'384> block;
  for (ssize_t n = 1; n != 0;) {
    n = read(file.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse_trust(who + error_text(), again);
    content.append(block.data(), static_cast<std::size_t>(n));
    if (content.size() > largest_trust_file) refuse_trust(who + "it is larger than 1 MiB", again);
  }
  return parsed_trust(content, path);
}

TrustFileLock::TrustFileLock(const std::filesystem::path& file) : file_(file) {
  if (file.empty())
    refuse_trust("there is no place for the list of trusted files",
                 "set HOME or XDG_CONFIG_HOME to a folder of your own");
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  folder_ = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0)
    refuse_trust("the folder " + file.parent_path().string() + " cannot be used: " + error_text(),
                 "the list of trusted files is kept there");
  while (flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

TrustFileLock::~TrustFileLock() { ::close(folder_); }

void TrustFileLock::write(const Trust& trust) const {
  const std::string content = text(trust);
  const std::string draft = file_.string() + ".new";
  const auto failed = [&] {
    const std::string why = error_text();
    ::unlink(draft.c_str());
    refuse_trust("the trust file " + file_.string() + " cannot be written: " + why,
                 "make room, or make its folder your own");
  };
  ::unlink(draft.c_str());
  Descriptor out(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) failed();
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t n = ::write(out.get(), content.data() + done, content.size() - done);
    if (n < 0 && errno != EINTR) failed();
    done += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
  if (fsync(out.get()) != 0 || ::rename(draft.c_str(), file_.c_str()) != 0) failed();
}

}  // namespace vernier
