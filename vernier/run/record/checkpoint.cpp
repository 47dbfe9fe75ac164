#include "vernier/run/record/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "vernier/run/record/detail/files.hpp"

namespace vernier::record {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr char magic[8] = {'V', 'C', 'H', 'K', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t format_version = 1;
constexpr std::size_t head_bytes = 72;
constexpr std::size_t digest_bytes = sizeof(Digest);
constexpr std::size_t most_bytes = std::size_t{1} << 32;
constexpr std::uint32_t longest_text = 4096;
constexpr std::uint32_t most_sections = 1'000'000;

class Encoder {
 public:
  template <class T>
  void number(T v) {
    raw(std::as_bytes(std::span(&v, 1)));
  }
  void raw(std::span<const std::byte> b) { bytes.insert(bytes.end(), b.begin(), b.end()); }
  void text(std::string_view s) {
    number(static_cast<std::uint32_t>(s.size()));
    raw(std::as_bytes(std::span(s)));
  }
  std::vector<std::byte> bytes;
};

[[noreturn]] void refuse(const char* code, const fs::path& name, const std::string& why) {
  throw ConfigurationError(code, name.string() + " " + why);
}

class Decoder {
 public:
  Decoder(std::span<const std::byte> b, const fs::path& name) : left_(b), name_(name) {}

  std::span<const std::byte> raw(std::uint64_t n) {
    if (n > left_.size()) refuse("V7112", name_, "is cut off: a part of it is missing");
    const auto taken = left_.first(n);
    left_ = left_.subspan(n);
    return taken;
  }
  template <class T>
  T number() {
    T v;
    std::memcpy(&v, raw(sizeof v).data(), sizeof v);
    return v;
  }
  std::string text() {
    const auto n = number<std::uint32_t>();
    if (n > longest_text)
      refuse("V7113", name_, "is damaged: a name has " + std::to_string(n) + " characters");
    const auto b = raw(n);
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  bool empty() const noexcept { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  const fs::path& name_;
};

/// Checks what comes before the sections: kind of file, version, length.
void check_head(std::span<const std::byte> bytes, const fs::path& name) {
  if (bytes.size() < sizeof magic || std::memcmp(bytes.data(), magic, sizeof magic) != 0) {
    refuse("V7110", name, "is not a checkpoint; those of a run lie in its folder checkpoints");
  }
  if (bytes.size() < head_bytes + digest_bytes) refuse("V7112", name, "is cut off within its head");
  std::uint32_t version = 0;
  std::memcpy(&version, bytes.data() + 8, sizeof version);
  if (version != format_version) {
    refuse("V7111", name,
           "is a checkpoint of format " + std::to_string(version) + ", this program reads format " +
               std::to_string(format_version));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data() + 16, sizeof length);
  if (length > bytes.size()) {
    refuse("V7112", name,
           "is cut off: " + std::to_string(bytes.size()) + " of " + std::to_string(length) +
               " bytes are there");
  }
  if (length < bytes.size()) {
    refuse("V7113", name,
           "is damaged: " + std::to_string(bytes.size() - length) + " bytes follow its end");
  }
}

}  // namespace

Digest digest_of(std::span<const Digest> documents) noexcept {
  Sha256 sum;
  for (const Digest& d : documents) sum.add(d);
  return sum.finish();
}

std::string checkpoint_name(Time t) {
  const std::int64_t ns = t.time_since_epoch().count();
  const std::int64_t size = ns < 0 ? -ns : ns;
  char text[64];
  std::snprintf(text, sizeof text, "t=%s%04lld.%09lld", ns < 0 ? "-" : "",
                static_cast<long long>(size / 1'000'000'000),
                static_cast<long long>(size % 1'000'000'000));
  std::string name = text;
  const std::size_t least = name.find('.') + 4;
  while (name.size() > least && name.back() == '0') name.pop_back();
  return name + ".vchk";
}

std::vector<std::byte> encoded(const Checkpoint& c) {
  Encoder e;
  e.raw(std::as_bytes(std::span(magic)));
  e.number(format_version);
  e.number(static_cast<std::uint32_t>(c.snapshot.sections.size()));
  e.number(std::uint64_t{0});  // the length; set below
  e.number(static_cast<std::int64_t>(c.snapshot.time.time_since_epoch().count()));
  e.number(std::uint64_t{0});  // for later
  e.raw(c.documents);
  e.text(c.version);
  e.text(c.composition);
  for (const executive::Section& s : c.snapshot.sections) {
    e.text(s.path);
    e.number(static_cast<std::uint64_t>(s.bytes.size()));
    e.raw(s.bytes);
  }
  const std::uint64_t length = e.bytes.size() + digest_bytes;
  std::memcpy(e.bytes.data() + 16, &length, sizeof length);
  e.raw(sha256(e.bytes));
  return std::move(e.bytes);
}

void write_checkpoint(const fs::path& file, const Checkpoint& c) { replace_file(file, encoded(c)); }

Checkpoint decoded_unchecked(std::span<const std::byte> bytes, const fs::path& name) {
  check_head(bytes, name);
  Decoder d(bytes.first(bytes.size() - digest_bytes), name);
  d.raw(12);
  const auto sections = d.number<std::uint32_t>();
  d.raw(8);
  Checkpoint c;
  c.snapshot.time = Time(Duration(d.number<std::int64_t>()));
  d.raw(8);
  std::memcpy(c.documents.data(), d.raw(digest_bytes).data(), digest_bytes);
  c.version = d.text();
  c.composition = d.text();
  if (sections > most_sections) refuse("V7113", name, "is damaged: it claims too many sections");
  for (std::uint32_t i = 0; i < sections; ++i) {
    executive::Section& s = c.snapshot.sections.emplace_back();
    s.path = d.text();
    const auto content = d.raw(d.number<std::uint64_t>());
    s.bytes.assign(content.begin(), content.end());
  }
  if (!d.empty()) refuse("V7113", name, "is damaged: something follows its last section");
  return c;
}

Checkpoint decoded(std::span<const std::byte> bytes, const fs::path& name) {
  check_head(bytes, name);
  const Digest sum = sha256(bytes.first(bytes.size() - digest_bytes));
  if (std::memcmp(sum.data(), bytes.last(digest_bytes).data(), digest_bytes) != 0) {
    refuse("V7113", name, "is damaged: its checksum does not agree");
  }
  return decoded_unchecked(bytes, name);
}

Checkpoint read_checkpoint(const fs::path& file) {
  return decoded(file_content(file, most_bytes), file);
}

void compare_shape(const Checkpoint& c, const executive::Snapshot& here, const Digest& documents,
                   const fs::path& name, Diagnostics& problems) {
  std::map<std::string_view, std::size_t> mine;
  for (const executive::Section& s : here.sections) mine[s.path] = s.bytes.size();
  std::vector<std::string> differences;
  bool others = false;  // rates or connections
  for (const executive::Section& s : c.snapshot.sections) {
    const auto at = mine.find(s.path);
    if (at == mine.end()) {
      differences.push_back(s.path + ": in the checkpoint only");
      continue;
    }
    if (at->second != s.bytes.size() && s.path == "run") {
      others = true;
    } else if (at->second != s.bytes.size()) {
      differences.push_back(s.path + ": " + std::to_string(s.bytes.size()) +
                            " bytes in the checkpoint, " + std::to_string(at->second) + " here");
    }
    mine.erase(at);
  }
  for (const auto& [path, size] : mine) {
    differences.push_back(std::string(path) + ": not in the checkpoint");
  }
  if (others && differences.empty())
    differences.emplace_back("rates or connections: others in the checkpoint");
  if (!differences.empty()) {
    constexpr std::size_t shown = 10;
    Diagnostic& d =
        problems.error("V7114",
                       name.string() + " does not fit: it was taken of another composition (" +
                           c.composition + ")",
                       {});
    const std::size_t count = differences.size();
    differences.resize(std::min(count, shown));
    d.body = std::move(differences);
    if (count > shown) d.body.push_back("and " + std::to_string(count - shown) + " more");
  } else if (documents != c.documents) {
    problems.warning("V7115",
                     name.string() +
                         " was taken with other documents: the run goes on, "
                         "but not to the bit as that one would have",
                     {});
  }
}

}  // namespace vernier::record
