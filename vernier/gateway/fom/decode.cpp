#include "vernier/gateway/fom/decode.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "vernier/base/text.hpp"

namespace vernier::fom {
namespace {

constexpr std::size_t most_visits = 1u << 20;
constexpr int deepest_value = 64;

/// Decodes a value from front to back, with the alignment rules of IEEE 1516.2-2010, section 4.13.
/// The bytes come from another federate, so every function checks the bounds and returns false when
/// the bytes cannot be a value of the type.
class Decoder {
 public:
  Decoder(const Fom& f, std::span<const std::byte> bytes) : fom_(f), bytes_(bytes) {}

  bool whole(const std::string& type) { return value(type, 0) && at_ == bytes_.size(); }
  std::string take() { return std::move(out_); }

 private:
  bool value(const std::string& name, int depth) {
    const auto index = fom_.data_type(name);
    if (!index || depth > deepest_value || ++visits_ > most_visits) return false;
    const Layout& layout = fom_.layouts[static_cast<std::size_t>(*index)];
    if (!layout.known || !align(layout.boundary)) return false;
    const auto& type = fom_.data_types[static_cast<std::size_t>(*index)].definition;
    if (const auto* b = std::get_if<Basic>(&type)) return number(name, *b);
    if (const auto* s = std::get_if<Simple>(&type)) return value(s->representation.name, depth + 1);
    if (const auto* e = std::get_if<Enumerated>(&type)) {
      const auto n = enumerator(*e);
      if (n) out_ += n->second.empty() ? std::to_string(n->first) : quoted(n->second);
      return n.has_value();
    }
    if (const auto* a = std::get_if<Array>(&type)) return array(*a, depth);
    if (const auto* r = std::get_if<FixedRecord>(&type)) {
      out_ += '{';
      for (const Field& f : r->fields) {
        out_ += (&f == &r->fields.front() ? "" : ", ") + quoted(f.name) + ": ";
        if (!value(f.data_type.name, depth + 1)) return false;
      }
      out_ += '}';
      return true;
    }
    return variant(std::get<VariantRecord>(type), layout.boundary, depth);
  }

  /// Skips padding; false when it would end beyond the buffer.
  bool align(std::size_t boundary) noexcept {
    const std::size_t next = aligned(at_, boundary);
    if (next > bytes_.size()) return false;
    at_ = next;
    return true;
  }

  std::optional<std::uint64_t> bits(int count, bool little) noexcept {
    const auto size = static_cast<std::size_t>(count / 8);
    if (count % 8 != 0 || size < 1 || size > 8 || bytes_.size() - at_ < size) return {};
    std::uint64_t n = 0;
    for (std::size_t k = 0; k < size; ++k)
      n = n << 8 | std::to_integer<std::uint64_t>(bytes_[at_ + (little ? size - 1 - k : k)]);
    at_ += size;
    return n;
  }
  static std::int64_t with_sign(std::uint64_t n, int size) noexcept {
    return static_cast<std::int64_t>(n << (64 - size)) >> (64 - size);
  }

  bool number(const std::string& name, const Basic& b) {
    const auto n = bits(b.bits, b.little);
    if (!n) return false;
    if (name.find("float") != std::string::npos && (b.bits == 32 || b.bits == 64)) {
      const double x =
          b.bits == 32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(*n)))
                       : std::bit_cast<double>(*n);
      out_ += std::isfinite(x) ? exact(x)
              : std::isnan(x)  ? "\"nan\""
              : x > 0          ? "\"inf\""
                               : "\"-inf\"";
    } else if (name.find("integer") != std::string::npos &&
               name.find("unsigned") == std::string::npos) {
      out_ += std::to_string(with_sign(*n, b.bits));
    } else {
      out_ += std::to_string(*n);
    }
    return true;
  }

  /// The encoded number, and the enumerator's name if one has this value. Follows simple types down
  /// to the basic one that gives size and byte order.
  std::optional<std::pair<std::int64_t, std::string>> enumerator(const Enumerated& e) {
    std::string name = e.representation.name;
    for (int depth = 0; depth < deepest_value; ++depth) {
      const auto index = fom_.data_type(name);
      if (!index) return {};
      const auto& type = fom_.data_types[static_cast<std::size_t>(*index)].definition;
      if (const auto* s = std::get_if<Simple>(&type)) {
        name = s->representation.name;
        continue;
      }
      const auto* b = std::get_if<Basic>(&type);
      const auto n = b ? bits(b->bits, b->little) : std::nullopt;
      if (!n) return {};
      const bool octets = name.find("octet") != std::string::npos;
      const std::int64_t x = octets ? static_cast<std::int64_t>(*n) : with_sign(*n, b->bits);
      for (const Enumerator& one : e.enumerators)
        if (std::find(one.values.begin(), one.values.end(), x) != one.values.end())
          return std::pair(x, one.name);
      return std::pair(x, std::string());
    }
    return {};
  }

  bool array(const Array& a, int depth) {
    std::uint64_t count = 1;
    if (a.encoding.name == "HLAvariableArray") {
      const auto n = bits(32, false);
      if (!n || a.extents.size() != 1) return false;
      count = *n;
    } else {
      for (const Extent& x : a.extents)
        count = std::min<std::uint64_t>(count * x.least, most_visits);
    }
    const std::string& element = a.element.name;
    if (element == "HLAunicodeChar" || element == "HLAASCIIchar" || element == "HLAbyte" ||
        element == "HLAoctet")
      return octets(count, element);
    out_ += '[';
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ", ";
      if (!value(element, depth + 1)) return false;
    }
    out_ += ']';
    return true;
  }

  bool octets(std::uint64_t count, const std::string& element) {
    const std::size_t size = element == "HLAunicodeChar" ? 2 : 1;
    if (count > (bytes_.size() - at_) / size) return false;
    const auto bytes = bytes_.subspan(at_, static_cast<std::size_t>(count) * size);
    at_ += bytes.size();
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      auto c = std::to_integer<std::uint32_t>(bytes[i]);
      if (size == 1 && element != "HLAASCIIchar") {
        text += {"0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};
        continue;
      }
      if (size == 2) c = c << 8 | std::to_integer<std::uint32_t>(bytes[i + 1]);
      const bool pair = c >= 0xd800 && c < 0xdc00 && i + 3 < bytes.size();
      if (pair) {
        const auto low = std::to_integer<std::uint32_t>(bytes[i + 2]) << 8 |
                         std::to_integer<std::uint32_t>(bytes[i + 3]);
        if (low >= 0xdc00 && low < 0xe000) {
          c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
          i += 2;
        }
      }
      append_utf8(text, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    }
    out_ += quoted(text);
    return true;
  }

  static void append_utf8(std::string& to, std::uint32_t c) {
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr unsigned first[]{0x00, 0xc0, 0xe0, 0xf0};
    to += static_cast<char>(first[more] | (c >> (6 * more)));
    for (int k = more; k-- > 0;) to += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
  }

  bool variant(const VariantRecord& r, std::size_t boundary, int depth) {
    const auto index = fom_.data_type(r.discriminant_type.name);
    const auto* e =
        index
            ? std::get_if<Enumerated>(&fom_.data_types[static_cast<std::size_t>(*index)].definition)
            : nullptr;
    const auto n = e ? enumerator(*e) : std::nullopt;
    if (!n) return false;
    out_ += '{' + quoted(r.discriminant) + ": " +
            (n->second.empty() ? std::to_string(n->first) : quoted(n->second));
    const Alternative* chosen = nullptr;
    const auto place = [&](const std::string& name) {
      return std::find_if(e->enumerators.begin(), e->enumerators.end(),
                          [&](const Enumerator& x) { return x.name == name; });
    };
    for (const Alternative& a : r.alternatives)
      for (const Range& x : a.enumerators) {
        const bool named = !n->second.empty() && place(x.first) <= place(n->second) &&
                           place(n->second) <= place(x.last.empty() ? x.first : x.last);
        if (named || (x.first == "HLAother" && !chosen)) chosen = &a;
      }
    if (chosen && chosen->data_type.given()) {
      out_ += ", " + quoted(chosen->name) + ": ";
      if (!align(boundary) || !value(chosen->data_type.name, depth + 1)) return false;
    }
    out_ += '}';
    return true;
  }

  static std::string quoted(std::string_view text) {
    std::string q = "\"";
    for (const char c : text) {
      const auto u = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        q += {'\\', c};
      } else if (u < 0x20 || u == 0x7f) {
        q += "\\u00";
        q += {"0123456789abcdef"[u >> 4], "0123456789abcdef"[u & 15]};
      } else {
        q += c;
      }
    }
    return q + '"';
  }

  const Fom& fom_;
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0, visits_ = 0;
  std::string out_;
};

}  // namespace

std::optional<std::string> decoded(const Fom& f, const std::string& type,
                                   std::span<const std::byte> bytes) {
  Decoder d(f, bytes);
  if (!d.whole(type)) return {};
  return d.take();
}

}  // namespace vernier::fom
