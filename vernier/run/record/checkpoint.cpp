#include "vernier/run/record/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "vernier/base/codec.hpp"
#include "vernier/run/record/detail/files.hpp"

namespace vernier::record {

namespace fs = std::filesystem;

namespace {

constexpr std::array<char, 8> magic{'V', 'C', 'H', 'K', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t format_version = 1;
constexpr std::size_t digest_bytes = sizeof(Digest);
constexpr std::size_t most_bytes = std::size_t{1} << 32;
constexpr std::uint32_t longest_text = 4096;
constexpr std::uint32_t most_sections = 1'000'000;

[[noreturn]] void refuse_checkpoint(const char* code, const fs::path& name,
                                    const std::string& why) {
  throw ConfigurationError(code, name.string() + " " + why);
}

/// The header before the texts and sections.
struct Head {
  static constexpr bool visited = true;
  static constexpr std::size_t bytes = 72;
  std::array<char, 8> magic{};
  std::uint32_t version = 0, sections = 0;
  std::uint64_t length = 0;  // of the whole file
  std::int64_t time = 0;     // ns
  std::uint8_t arithmetic = 0, instructions = 0;
  Digest documents{};
  template <class V>
  void fields(V& v) {
    Reserved<6> later;
    v(magic, version, sections, length, time, arithmetic, instructions, later, documents);
  }
};

/// Checks file type, version and length.
Head checked_head(Bytes bytes, const fs::path& name) {
  Head h;
  ByteReader{bytes.first(std::min(bytes.size(), Head::bytes))}(h);
  if (h.magic != magic) {
    refuse_checkpoint("V7110", name,
                      "is not a checkpoint; those of a run lie in its folder checkpoints");
  }
  if (bytes.size() < Head::bytes + digest_bytes)
    refuse_checkpoint("V7112", name, "is cut off within its head");
  if (h.version != format_version) {
    refuse_checkpoint("V7111", name,
                      "is a checkpoint of format " + std::to_string(h.version) +
                          ", this program reads format " + std::to_string(format_version));
  }
  if (h.length > bytes.size()) {
    refuse_checkpoint("V7112", name,
                      "is cut off: " + std::to_string(bytes.size()) + " of " +
                          std::to_string(h.length) + " bytes are there");
  }
  if (h.length < bytes.size()) {
    refuse_checkpoint(
        "V7113", name,
        "is damaged: " + std::to_string(bytes.size() - h.length) + " bytes follow its end");
  }
  return h;
}

std::string_view read_text(ByteReader& r, const fs::path& name) {
  const auto size = r.number<std::uint32_t>();
  if (size > longest_text)
    refuse_checkpoint("V7113", name,
                      "is damaged: a name has " + std::to_string(size) + " characters");
  const Bytes b = r.raw(size);
  return {reinterpret_cast<const char*>(b.data()), b.size()};
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
  std::vector<std::byte> bytes;
  ByteWriter w(bytes);
  // equal runs have equal files: record the instruction set only where results depend on it
  const auto how = c.computing.value_or(Computing{});
  const bool fastest = how.arithmetic == Arithmetic::fastest;
  Head h{.magic = magic,
         .version = format_version,
         .sections = static_cast<std::uint32_t>(c.snapshot.sections.size()),
         .time = c.snapshot.time.time_since_epoch().count(),
         .arithmetic = static_cast<std::uint8_t>(!c.computing ? 0
                                                 : fastest    ? 2
                                                              : 1),
         .instructions = static_cast<std::uint8_t>(fastest ? how.instructions : Instructions::sse2),
         .documents = c.documents};
  w(h, c.version, c.composition);
  for (const executive::Section& s : c.snapshot.sections) {
    w(s.path, static_cast<std::uint64_t>(s.bytes.size()));
    w.raw(s.bytes);
  }
  h.length = bytes.size() + digest_bytes;
  SpanWriter{bytes}(h);
  w.raw(sha256(bytes));
  return bytes;
}

void write_checkpoint(const fs::path& file, const Checkpoint& c) {
  write_checkpoint(file, encoded(c));
}

void write_checkpoint(const fs::path& file, std::span<const std::byte> content) {
  replace_file(file, content);
}

Checkpoint decoded_unchecked(std::span<const std::byte> bytes, const fs::path& name) {
  const Head h = checked_head(bytes, name);
  ByteReader r(bytes.subspan(Head::bytes, bytes.size() - Head::bytes - digest_bytes));
  const auto whole = [&] {
    if (!r.ok()) refuse_checkpoint("V7112", name, "is cut off: a part of it is missing");
  };
  Checkpoint c;
  c.snapshot.time = Time(Duration(h.time));
  if (h.arithmetic > 2 || h.instructions > static_cast<std::uint8_t>(Instructions::avx512))
    refuse_checkpoint("V7113", name, "is damaged: it claims an arithmetic that does not exist");
  if (h.arithmetic > 0) c.computing = {Arithmetic(h.arithmetic - 1), Instructions(h.instructions)};
  c.documents = h.documents;
  c.version = read_text(r, name);
  c.composition = read_text(r, name);
  whole();
  if (h.sections > most_sections)
    refuse_checkpoint("V7113", name, "is damaged: it claims too many sections");
  for (std::uint32_t i = 0; i < h.sections; ++i) {
    executive::Section& s = c.snapshot.sections.emplace_back();
    s.path = read_text(r, name);
    const Bytes content = r.raw(r.number<std::uint64_t>());
    whole();
    s.bytes.assign(content.begin(), content.end());
  }
  if (!r.complete())
    refuse_checkpoint("V7113", name, "is damaged: something follows its last section");
  return c;
}

Checkpoint decoded(std::span<const std::byte> bytes, const fs::path& name) {
  checked_head(bytes, name);
  const Digest sum = sha256(bytes.first(bytes.size() - digest_bytes));
  if (std::memcmp(sum.data(), bytes.last(digest_bytes).data(), digest_bytes) != 0) {
    refuse_checkpoint("V7113", name, "is damaged: its checksum does not agree");
  }
  return decoded_unchecked(bytes, name);
}

Checkpoint read_checkpoint(const fs::path& file) {
  return decoded(file_content(file, most_bytes), file);
}

void compare_shape(const Checkpoint& c, const executive::Snapshot& here, const Digest& documents,
                   const fs::path& name, Diagnostics& problems) {
  // overrides may change during a run: they are not part of the shape
  const auto overrides = [](std::string_view path) { return path.starts_with("shadow "); };
  std::map<std::string_view, std::size_t> mine;
  for (const executive::Section& s : here.sections)
    if (!overrides(s.path)) mine[s.path] = s.bytes.size();
  std::vector<std::string> differences;
  bool others = false;  // rates or connections
  for (const executive::Section& s : c.snapshot.sections) {
    if (overrides(s.path)) continue;
    const auto at = mine.find(s.path);
    if (at == mine.end()) {
      differences.push_back(s.path + ": in the checkpoint only");
      continue;
    }
    if (s.path.starts_with("delay ")) {
      // as long as what is under way; Executive::restore() checks its content
    } else if (at->second != s.bytes.size() && s.path == "run") {
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
                         " was taken with other documents: the run continues, but its results may "
                         "differ from the original run",
                     {});
  }
}

namespace {

std::string text_of(const Computing& c) {
  std::string arithmetic = std::string("arithmetic \"") + vernier::name(c.arithmetic) + '"';
  if (c.arithmetic == Arithmetic::reproducible) return arithmetic;
  return arithmetic + " on " + vernier::name(c.instructions);
}

}  // namespace

void compare_arithmetic(const Checkpoint& c, const Computing& here, const fs::path& name,
                        Diagnostics& problems) {
  if (c.computing && alike(*c.computing, here)) return;
  Diagnostic& d = problems.warning(
      "V7116",
      name.string() + " was taken with " +
          (c.computing ? text_of(*c.computing)
                       : "vernier " + c.version + ", of unknown arithmetic") +
          ", this run has " + text_of(here) +
          ": it continues, but its results may differ from the original run by rounding errors",
      {});
  if (!c.computing) return;
  if (c.computing->arithmetic != here.arithmetic) {
    d.notes.push_back(std::string("to continue in the same way: <run arithmetic=\"") +
                      vernier::name(c.computing->arithmetic) +
                      "\">, or --set run.arithmetic=" + vernier::name(c.computing->arithmetic));
  }
  if (c.computing->arithmetic == Arithmetic::fastest) {
    d.notes.push_back(std::string("bits of \"fastest\" depend on the processor: continue on one "
                                  "whose best instruction set is ") +
                      vernier::name(c.computing->instructions));
  }
}

}  // namespace vernier::record
