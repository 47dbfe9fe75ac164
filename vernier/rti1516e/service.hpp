#pragma once

#include <RTI/RangeBounds.h>
#include <RTI/VariableLengthData.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/failure.hpp"
#include "vernier/rti1516e/text.hpp"

/// Service invocations as text, for the reports of the Management Object Model.
namespace vernier::hla {

/// An argument of a service, which must outlive this. Text is made only when told() is called.
class Argument {
 public:
  template <class T>
  Argument(const T& value)  // any argument; implicit
      : value_(&value), told_([](const void* v) { return text(*static_cast<const T*>(v)); }) {}
  std::string told() const { return told_(value_); }

  static std::string text(const std::wstring& s) { return narrow(s); }
  static std::string text(const ::rti1516e::VariableLengthData& d) {
    return std::to_string(d.size()) + " bytes";
  }
  static std::string text(const ::rti1516e::RangeBounds& r) {
    return "[" + std::to_string(r.getLowerBound()) + ", " + std::to_string(r.getUpperBound()) + ")";
  }
  /// Handles and times.
  template <class T>
  requires requires(const T& t) { t.toString(); }
  static std::string text(const T& t) { return narrow(t.toString()); }
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) static std::string text(T n) {
    if constexpr (std::is_same_v<T, bool>)
      return n ? "true" : "false";
    else if constexpr (std::is_enum_v<T>)
      return std::to_string(static_cast<std::underlying_type_t<T>>(n));
    else
      return std::to_string(n);
  }
  /// An optional argument.
  template <class T>
  static std::string text(T* p) {
    return p ? text(*p) : std::string();
  }
  template <class A, class B>
  static std::string text(const std::pair<A, B>& p) {
    return text(p.first) + ": " + text(p.second);
  }
  template <class T>
  static std::string text(const std::set<T>& all) {
    return list(all);
  }
  template <class T>
  static std::string text(const std::vector<T>& all) {
    return list(all);
  }
  template <class K, class V>
  static std::string text(const std::map<K, V>& all) {
    return list(all);
  }

 private:
  template <class All>
  static std::string list(const All& all) {
    std::string s;
    for (const auto& one : all) s += (s.empty() ? "" : ", ") + text(one);
    return "[" + s + "]";
  }

  const void* value_;
  std::string (*told_)(const void*);
};

/// The last exception raised in this thread, noted only if reports are requested.
struct Raised {
  federation::Failure failure{};
  std::string text;
};
inline thread_local Raised* noted = nullptr;

}  // namespace vernier::hla
