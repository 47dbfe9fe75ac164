#include "vernier/run/record/progress.hpp"

#include <algorithm>
#include <array>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/record/detail/files.hpp"

namespace vernier::record {

namespace fs = std::filesystem;

namespace {

constexpr std::array<char, 8> progress_magic{'V', 'P', 'R', 'G', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t progress_version = 1;
constexpr std::size_t sum_bytes = sizeof(Digest);
constexpr std::size_t most_progress = 64u << 20;

[[noreturn]] void refuse_progress(const fs::path& name) {
  throw ConfigurationError("V7113", name.string() + " is damaged, or of another version");
}

}  // namespace

fs::path progress_file(fs::path checkpoint) {
  return checkpoint.replace_extension(progress_extension);
}

fs::path checkpoint_of(fs::path progress) { return progress.replace_extension(".vchk"); }

std::vector<std::byte> encoded(const Progress& p) {
  std::vector<std::byte> bytes;
  ByteWriter w(bytes);
  w(progress_magic, progress_version, p);
  w.raw(sha256(bytes));
  return bytes;
}

void write_progress(const fs::path& file, const Progress& p) { replace_file(file, encoded(p)); }

Progress decoded_progress_unchecked(std::span<const std::byte> bytes, const fs::path& name) {
  if (bytes.size() < sum_bytes) refuse_progress(name);
  ByteReader r(bytes.first(bytes.size() - sum_bytes));
  std::array<char, 8> type{};
  std::uint32_t version = 0;
  Progress p;
  r(type, version);
  if (type != progress_magic || version != progress_version) refuse_progress(name);
  r(p);
  if (!r.complete()) refuse_progress(name);
  return p;
}

Progress decoded_progress(std::span<const std::byte> bytes, const fs::path& name) {
  if (bytes.size() < sum_bytes) refuse_progress(name);
  const Digest sum = sha256(bytes.first(bytes.size() - sum_bytes));
  if (!std::equal(sum.begin(), sum.end(), bytes.last(sum_bytes).begin())) refuse_progress(name);
  return decoded_progress_unchecked(bytes, name);
}

Progress read_progress(const fs::path& file) {
  return decoded_progress(file_content(file, most_progress), file);
}

}  // namespace vernier::record
