#pragma once

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
#include <utility>
#include <vector>

namespace vernier::federation {

using Bytes = std::span<const std::byte>;

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends to a buffer, little endian, without padding. Sequences are preceded by a 32-bit count.
class Writer {
 public:
  explicit Writer(std::vector<std::byte>& to) noexcept : to_(to) {}

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  void raw(Bytes b) { to_.insert(to_.end(), b.begin(), b.end()); }

 private:
  static_assert(std::endian::native == std::endian::little);

  template <Number T>
  void put(T value) {
    const std::size_t at = to_.size();
    to_.resize(at + sizeof value);
    std::memcpy(to_.data() + at, &value, sizeof value);
  }
  void put(bool value) { put(static_cast<std::uint8_t>(value)); }
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

  std::vector<std::byte>& to_;
};

/// Reads what a Writer wrote, from a stranger: once something does not fit, everything reads as
/// nothing and ok() is false. Views (Bytes, string_view) point into the buffer.
class Reader {
 public:
  explicit Reader(Bytes from) noexcept : rest_(from) {}

  bool ok() const noexcept { return ok_; }
  /// All was read and nothing is left.
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
  Bytes raw(std::size_t bytes) noexcept {
    if (bytes > rest_.size()) {
      refuse();
      return {};
    }
    const Bytes found = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return found;
  }

 private:
  template <Number T>
  void get(T& value) noexcept {
    value = T{};
    const Bytes b = raw(sizeof value);
    if (!b.empty()) std::memcpy(&value, b.data(), sizeof value);
  }
  void get(bool& value) noexcept {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) refuse();
    value = byte == 1;
  }
  void get(Bytes& b) noexcept {
    std::uint32_t size = 0;
    get(size);
    b = raw(size);
  }
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
    std::uint32_t count = 0;
    get(count);
    if (count > rest_.size()) return refuse();  // each takes one byte at least
    for (std::uint32_t i = 0; i < count && ok_; ++i) get(all.emplace_back());
  }
  template <class T>
  requires T::visited void get(T& message) { message.fields(*this); }

  Bytes rest_;
  bool ok_ = true;
};

}  // namespace vernier::federation
