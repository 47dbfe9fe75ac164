#pragma once

#include <utility>
#include <variant>

namespace vernier {

/// Wraps the error of a Result: `return Failure{LinkError::closed};`
template <class E>
struct Failure {
  E error;
};
template <class E>
Failure(E) -> Failure<E>;

/// A value, or the reason there is none. Same member names as std::expected (C++23), which will
/// replace it.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure<E> f) : content_(std::in_place_index<1>, std::move(f.error)) {}

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  const T& operator*() const noexcept { return *std::get_if<0>(&content_); }
  T& operator*() noexcept { return *std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const E& error() const noexcept { return *std::get_if<1>(&content_); }
  T value_or(T other) const { return has_value() ? **this : std::move(other); }

 private:
  std::variant<T, E> content_;
};

}  // namespace vernier
