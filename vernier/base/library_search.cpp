#include "vernier/base/library_search.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "vernier/base/text.hpp"

namespace vernier {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Dynamic = ElfW(Dyn);

/// Reads structures of an object; whatever is beyond its end is not there.
class Object {
 public:
  explicit Object(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return {};
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::string_view text_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const char* begin = reinterpret_cast<const char*>(bytes_.data() + offset);
    return {begin, strnlen(begin, bytes_.size() - static_cast<std::size_t>(offset))};
  }

 private:
  std::span<const std::byte> bytes_;
};

std::vector<Segment> segments_of(const Object& o) {
  std::vector<Segment> all;
  const auto h = o.at<Header>(0);
  const unsigned char kind = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (!h || std::memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != kind)
    return all;
  for (unsigned i = 0; i < h->e_phnum; ++i) {
    const auto s = o.at<Segment>(h->e_phoff + std::uint64_t{i} * sizeof(Segment));
    if (!s) break;
    all.push_back(*s);
  }
  return all;
}

/// Entries of the dynamic section, which the loader reads where it is mapped.
std::vector<Dynamic> dynamic_of(const Object& o, const std::vector<Segment>& segments) {
  std::vector<Dynamic> all;
  for (const Segment& s : segments) {
    if (s.p_type != PT_DYNAMIC) continue;
    all.clear();  // of several, the loader takes the last
    for (std::uint64_t at = s.p_offset;; at += sizeof(Dynamic)) {
      const auto d = o.at<Dynamic>(at);
      if (!d || d->d_tag == DT_NULL) break;
      all.push_back(*d);
    }
  }
  return all;
}

std::optional<std::uint64_t> offset_of(std::uint64_t address,
                                       const std::vector<Segment>& segments) {
  for (const Segment& s : segments)
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
      return s.p_offset + (address - s.p_vaddr);
  return {};
}

/// $ORIGIN is the folder of the object, which is no folder of the current directory.
bool leads_from_here(std::string_view path) {
  return !path.starts_with('/') && !path.starts_with("$ORIGIN") && !path.starts_with("${ORIGIN}");
}

}  // namespace

std::string relative_search(std::span<const std::byte> object) {
  const Object o(object);
  const std::vector<Segment> segments = segments_of(o);
  const std::vector<Dynamic> entries = dynamic_of(o, segments);
  std::optional<std::uint64_t> texts;
  for (const Dynamic& d : entries)
    if (d.d_tag == DT_STRTAB) texts = offset_of(d.d_un.d_ptr, segments);
  if (!texts) return {};
  for (const Dynamic& d : entries) {
    const std::string_view text = o.text_at(*texts + d.d_un.d_val);
    if (text.empty()) continue;
    if (d.d_tag == DT_RPATH || d.d_tag == DT_RUNPATH) {
      for (const std::string_view folder : split(text, ':'))
        if (leads_from_here(folder)) return "the run path \"" + std::string(folder) + "\"";
    }
    const bool library = d.d_tag == DT_NEEDED || d.d_tag == DT_AUXILIARY || d.d_tag == DT_FILTER;
    if (library && text.find('/') != text.npos && leads_from_here(text))
      return "the library \"" + std::string(text) + "\"";
  }
  return {};
}

}  // namespace vernier
