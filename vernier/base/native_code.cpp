#include "vernier/base/native_code.hpp"

#include <algorithm>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/shell_word.hpp"

namespace vernier {

void NativeCode::approve(const std::filesystem::path& path, const Digest& digest) {
  if (trust_->contains(digest)) return;
  if (const auto more = std::exchange(more_, {})) {
    try {
      const Trust found = more();
      for (const TrustedFile& f : found.list()) trust_->add(f);
    } catch (const ConfigurationError&) {
      more_ = more;  // the next file meets the same problem
      throw;
    }
    if (trust_->contains(digest)) return;
  }
  Diagnostics problems;
  const std::string file = path.string();
  if (const TrustedFile* before = trust_->at(path)) {
    Diagnostic& d =
        problems.error("V7602", file + " was changed after you trusted it on " + before->since, {});
    d.notes.push_back("trusted: SHA-256 " + text(before->sha256));
    d.notes.push_back("now:     SHA-256 " + text(digest));
    d.notes.push_back("if you built it again: vernier trust " + shell_word(file));
  } else {
    Diagnostic& d = problems.error(
        "V7601", file + " is native code that you have not trusted; it was not loaded", {});
    d.notes.push_back("it would run with all your rights, outside of the simulation");
    d.notes.push_back("if you know where it comes from: vernier trust " + shell_word(file));
    d.notes.push_back("or for one run: --trust " + shell_word(file));
  }
  throw ConfigurationError(std::move(problems));
}

Result<SharedObject, std::string> NativeCode::load(const std::filesystem::path& path) {
  require(loads());
  Digest digest{};
  auto object = SharedObject::loaded(path, [&](const Digest& d) {
    const std::lock_guard lock(mutex_);
    approve(path, d);
    digest = d;
  });
  if (!object) return object;
  const std::lock_guard lock(mutex_);
  std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  const bool noted = std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& l) {
    return l.path == whole && l.sha256 == digest;
  });
  if (!noted) loaded_.push_back({std::move(whole), digest});
  return object;
}

std::vector<NativeCode::Loaded> NativeCode::loaded() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

std::shared_ptr<NativeCode> trusted_code(const std::vector<std::filesystem::path>& files) {
  Trust now;
  for (const std::filesystem::path& f : files) now.add(f);
  return std::make_shared<NativeCode>(std::move(now), [] { return read_trust(trust_file()); });
}

std::shared_ptr<NativeCode> code_of(const std::vector<std::filesystem::path>& files) {
  Trust now;
  for (const std::filesystem::path& f : files) now.add(f);
  return std::make_shared<NativeCode>(std::move(now));
}

std::string not_loaded_text(const std::filesystem::path& file, const std::string& what) {
  return file.string() +
         " is native code and is not loaded where nothing is run; not checked: " + what;
}

}  // namespace vernier
