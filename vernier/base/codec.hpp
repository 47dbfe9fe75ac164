#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Encodes and decodes numbers, texts and sequences as bytes, for protocols and files. There is no
/// padding. A text, a blob or a sequence is preceded by its 32-bit count, an optional value by a
/// byte, 0 or 1; an array of bytes or characters has no count. A struct is encoded in the order in
/// which its `fields(visitor)` lists them (`static constexpr bool visited = true`).
namespace vernier {

using Bytes = std::span<const std::byte>;

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
concept ByteLike = std::is_same_v<T, std::byte> || std::is_same_v<T, char>;

template <std::endian order = std::endian::little, Number T>
void store(std::byte* to, T value) noexcept {
  std::memcpy(to, &value, sizeof value);
  if constexpr (order != std::endian::native) std::reverse(to, to + sizeof value);
}
template <Number T, std::endian order = std::endian::little>
T load(const std::byte* from) noexcept {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if constexpr (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Reserved bytes of a format: written as zeros, skipped when read.
template <std::size_t count>
struct Reserved {};

/// Appends to a vector.
class GrowingBuffer {
 public:
  explicit GrowingBuffer(std::vector<std::byte>& to) noexcept : to_(to) {}
  std::byte* room(std::size_t bytes) {
    to_.resize(to_.size() + bytes);
    return to_.data() + (to_.size() - bytes);
  }
  void append(Bytes b) { to_.insert(to_.end(), b.begin(), b.end()); }

 private:
  std::vector<std::byte>& to_;
};

/// Fills a span and writes nothing beyond its end; allocates nothing.
class BoundedBuffer {
 public:
  explicit BoundedBuffer(std::span<std::byte> to) noexcept : to_(to) {}
  /// Null when there is not enough room, and from then on.
  std::byte* room(std::size_t bytes) noexcept {
    if (bytes > to_.size() - used_) ok_ = false;
    if (!ok_) return nullptr;
    used_ += bytes;
    return to_.data() + (used_ - bytes);
  }
  void append(Bytes b) noexcept {
    std::byte* at = room(b.size());
    if (at && !b.empty()) std::memcpy(at, b.data(), b.size());
  }
  bool ok() const noexcept { return ok_; }
  std::size_t used() const noexcept { return used_; }

 private:
  std::span<std::byte> to_;
  std::size_t used_ = 0;
  bool ok_ = true;
};

template <class Buffer, std::endian order>
class BasicWriter : public Buffer {
 public:
  using Buffer::Buffer;

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  /// Without a count.
  void raw(Bytes b) { this->append(b); }
  template <Number T>
  void numbers(std::span<const T> all) {
    if constexpr (order == std::endian::native) {
      raw(std::as_bytes(all));
    } else {
      for (const T x : all) put(x);
    }
  }

 private:
  template <Number T>
  void put(T value) {
    if (std::byte* at = this->room(sizeof value)) store<order>(at, value);
  }
  void put(bool value) { put(static_cast<std::uint8_t>(value)); }
  template <std::size_t count>
  void put(Reserved<count>) {
    if (std::byte* at = this->room(count)) std::fill_n(at, count, std::byte{});
  }
  template <ByteLike T, std::size_t count>
  void put(const std::array<T, count>& a) {
    raw(std::as_bytes(std::span(a)));
  }
  void put(Bytes b) {
    put(static_cast<std::uint32_t>(b.size()));
    raw(b);
  }
  void put(std::string_view s) { put(std::as_bytes(std::span(s))); }
  void put(const std::string& s) { put(std::string_view(s)); }
  void put(const std::vector<std::byte>& b) { put(Bytes(b)); }
  template <class T>
  void put(const std::optional<T>& o) {
    put(o.has_value());
    if (o) put(*o);
  }
  template <class T>
  void put(const std::vector<T>& all) {
    put(static_cast<std::uint32_t>(all.size()));
    for (const T& one : all) put(one);
  }
  template <class T>
  requires T::visited void put(const T& message) {
    // fields() is not const because reading uses it too
    const_cast<T&>(message).fields(*this);
  }
};

using ByteWriter = BasicWriter<GrowingBuffer, std::endian::little>;
using BigEndianWriter = BasicWriter<GrowingBuffer, std::endian::big>;
/// ok() is false once something did not fit.
using SpanWriter = BasicWriter<BoundedBuffer, std::endian::little>;

/// Decodes what a writer encoded, from an untrusted source: after the first mismatch everything
/// reads as zero or empty and ok() is false. Views (Bytes, string_view) point into the buffer.
template <std::endian order>
class BasicReader {
 public:
  explicit BasicReader(Bytes from) noexcept : rest_(from) {}

  bool ok() const noexcept { return ok_; }
  /// Everything was read and nothing is left.
  bool complete() const noexcept { return ok_ && rest_.empty(); }
  Bytes rest() const noexcept { return rest_; }
  void refuse() noexcept {
    ok_ = false;
    rest_ = {};
  }

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  template <Number T>
  T number() noexcept {
    T value{};
    get(value);
    return value;
  }
  Bytes raw(std::size_t bytes) noexcept {
    if (bytes > rest_.size()) {
      refuse();
      return {};
    }
    const Bytes found = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return found;
  }
  /// All of them, or none with ok() false.
  template <Number T>
  void numbers(std::span<T> all) noexcept {
    const Bytes b = raw(all.size_bytes());
    if (b.empty()) return;
    if constexpr (order == std::endian::native) {
      std::memcpy(all.data(), b.data(), b.size());
    } else {
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = load<T, order>(b.data() + i * sizeof(T));
    }
  }

 private:
  template <Number T>
  void get(T& value) noexcept {
    const Bytes b = raw(sizeof value);
    value = b.empty() ? T{} : load<T, order>(b.data());
  }
  void get(bool& value) noexcept {
    const auto byte = number<std::uint8_t>();
    if (byte > 1) refuse();
    value = byte == 1;
  }
  template <std::size_t count>
  void get(Reserved<count>&) noexcept {
    raw(count);
  }
  template <ByteLike T, std::size_t count>
  void get(std::array<T, count>& a) noexcept {
    const Bytes b = raw(count);
    if (b.empty())
      a = {};
    else
      std::memcpy(a.data(), b.data(), count);
  }
  void get(Bytes& b) noexcept { b = raw(number<std::uint32_t>()); }
  void get(std::string_view& s) noexcept {
    Bytes b;
    get(b);
    s = {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  void get(std::string& s) {
    std::string_view view;
    get(view);
    s = view;
  }
  void get(std::vector<std::byte>& v) {
    Bytes b;
    get(b);
    v.assign(b.begin(), b.end());
  }
  template <class T>
  void get(std::optional<T>& o) {
    bool given = false;
    get(given);
    o.reset();
    if (given) get(o.emplace());
  }
  template <class T>
  void get(std::vector<T>& all) {
    all.clear();
    const auto count = number<std::uint32_t>();
    if (count > rest_.size()) return refuse();  // each takes at least one byte
    for (std::uint32_t i = 0; i < count && ok_; ++i) get(all.emplace_back());
  }
  template <class T>
  requires T::visited void get(T& message) { message.fields(*this); }

  Bytes rest_;
  bool ok_ = true;
};

using ByteReader = BasicReader<std::endian::little>;
using BigEndianReader = BasicReader<std::endian::big>;

}  // namespace vernier
