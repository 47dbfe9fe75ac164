#include "vernier/run/compose/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/document/document.hpp"

namespace vernier::compose {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const char* code, const std::string& what, std::string advice = {},
                              Category category = Category::input) {
  Diagnostics problems;
  Diagnostic& d = problems.error(code, what, {});
  if (!advice.empty()) d.notes.push_back(std::move(advice));
  d.category = category;
  throw ConfigurationError(std::move(problems));
}

/// A new file beside another one, removed unless it takes the other's place.
class Draft {
 public:
  explicit Draft(const fs::path& file)
      : file_(file), draft_(file.string() + fmt::format(".new{}", ::getpid())) {
    ::unlink(draft_.c_str());
    out_ = Descriptor(::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!out_) fail();
  }
  ~Draft() {
    if (!draft_.empty()) ::unlink(draft_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(out_.get(), text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    if (::fsync(out_.get()) != 0) fail();
  }
  void replace(const std::optional<mode_t>& permissions) {
    if (permissions && ::fchmod(out_.get(), *permissions) != 0) fail();
    if (::rename(draft_.c_str(), file_.c_str()) != 0) fail();
    draft_.clear();
  }

 private:
  [[noreturn]] void fail() const {
    refuse_file("V7502",
                fmt::format("\"{}\" cannot be written: {}", file_.string(),
                            std::generic_category().message(errno)),
                {}, Category::machine);
  }

  fs::path file_;
  std::string draft_;
  Descriptor out_;
};

bool hidden(const fs::path& relative) {
  return std::any_of(relative.begin(), relative.end(), [](const fs::path& part) {
    return part.string().starts_with(".") && part != ".";
  });
}

}  // namespace

std::string digest_of(std::string_view content) {
  return text(sha256(std::as_bytes(std::span(content))));
}

fs::path writable(const fs::path& folder, const std::string& file) {
  std::error_code failed;
  const fs::path root = fs::weakly_canonical(folder, failed);
  fs::path whole = fs::weakly_canonical(root / file, failed);
  const fs::path relative = whole.lexically_relative(root);
  const bool inside = !failed && !file.empty() && file.find('\0') == std::string::npos &&
                      !relative.empty() && relative != "." && !hidden(relative);
  if (!inside)
    refuse_file(
        "V8121", fmt::format("\"{}\" is not below the folder of this desktop", file),
        fmt::format("files are written below {}, and not into hidden folders", root.string()));
  return whole;
}

std::string save(const fs::path& file, std::string_view text, const std::string& digest) {
  struct stat status {};
  const bool there = ::stat(file.c_str(), &status) == 0;
  if (there && digest.empty())
    refuse_file("V8122", fmt::format("\"{}\" is there already", file.string()),
                "open it, or choose another name");
  if (!there && !digest.empty())
    refuse_file("V8122", fmt::format("\"{}\" was removed since it was opened", file.string()),
                "save it as a new file, or close it");
  if (there) {
    Diagnostics problems;
    const auto now = document::content_of(file, problems);
    problems.throw_if_errors();
    if (digest_of(*now) != digest)
      refuse_file("V8122", fmt::format("\"{}\" was changed since it was opened", file.string()),
                  "compare both, then load it again or write over it");
  }
  Draft draft(file);
  draft.write(text);
  draft.replace(there ? std::optional<mode_t>(status.st_mode & 07777) : std::nullopt);
  return digest_of(text);
}

}  // namespace vernier::compose
