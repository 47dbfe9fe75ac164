#include <algorithm>
#include <type_traits>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/requests.hpp"

namespace vernier::federation {

namespace {

/// Writes the fields of a message as text.
class Teller {
 public:
  explicit Teller(std::vector<std::string>& to) : to_(to) {}
  template <class... T>
  void operator()(const T&... fields) {
    (to_.push_back(told(fields)), ...);
  }

 private:
  static constexpr std::size_t longest = 4096;  // bytes of a reported list or text

  static std::string told(const std::string& s) { return s.substr(0, longest); }
  static std::string told(const Blob& b) { return std::to_string(b.size()) + " bytes"; }
  static std::string told(Bytes b) { return std::to_string(b.size()) + " bytes"; }
  static std::string told(bool b) { return b ? "true" : "false"; }
  static std::string told(const Values& v) {
    std::string all;
    for_each(v, [&](Handle h, Bytes b) {
      if (all.size() > longest) return;
      all += (all.empty() ? "" : ", ") + std::to_string(h) + ": " + told(b);
    });
    return "[" + all + "]";
  }
  static std::string told(const Document& d) { return d.name; }
  template <Number T>
  static std::string told(T n) {
    if constexpr (std::is_enum_v<T>)
      return std::to_string(static_cast<std::underlying_type_t<T>>(n));
    else
      return std::to_string(n);
  }
  template <class T>
  static std::string told(const std::optional<T>& o) {
    return o ? told(*o) : std::string();
  }
  template <class T>
  static std::string told(const std::vector<T>& all) {
    std::string s;
    for (const T& one : all) {
      s += (s.empty() ? "" : ", ") + told(one);
      if (s.size() > longest) break;
    }
    return "[" + s + "]";
  }
  template <class T>
  requires T::visited static std::string told(const T& message) {
    std::vector<std::string> fields;
    Teller t(fields);
    const_cast<T&>(message).fields(t);
    if (fields.size() == 1) return fields.front();
    return told(fields);
  }

  std::vector<std::string>& to_;
};

const char* advance_name(AdvanceKind how) {
  constexpr std::array names{"timeAdvanceRequest", "timeAdvanceRequestAvailable",
                             "nextMessageRequest", "nextMessageRequestAvailable",
                             "flushQueueRequest"};
  return how > AdvanceKind::flush ? "" : names[static_cast<std::size_t>(how)];
}

// the service that a message represents, from the lists in kinds.hpp
#define VERNIER_REQUEST(number, kind, M, invoker, name) \
  const char* service([[maybe_unused]] const M& m) { return name; }
#define VERNIER_CALLBACK(number, kind, M, name) \
  const char* service([[maybe_unused]] const M& m) { return name; }
VERNIER_FEDERATION_REQUESTS(VERNIER_REQUEST)
VERNIER_FEDERATION_CALLBACKS(VERNIER_CALLBACK)
#undef VERNIER_REQUEST
#undef VERNIER_CALLBACK

template <class M>
Invocation told(Bytes bytes) {
  M m;
  if (!read(bytes, m)) return {};
  Invocation i{service(m), {}, {}};
  if (i.service.empty()) return {};
  Teller t(i.arguments);
  m.fields(t);
  return i;
}

/// The body of the answer to a request, as text.
template <class M>
std::vector<std::string> returned(Bytes answer) {
  std::vector<std::string> fields;
  if constexpr (requires { typename AnswerTo<M>; }) {
    if constexpr (!std::is_void_v<AnswerTo<M>>) {
      AnswerTo<M> b;
      Reader r(answer);
      r(b);
      Teller t(fields);
      if (r.complete()) b.fields(t);
      // the service returns only the handle, not the name
      if (std::is_same_v<M, RegisterObject> && fields.size() > 1) fields.resize(1);
    }
  }
  return fields;
}

}  // namespace

Invocation described(Kind kind, Bytes bytes, Bytes answer) {
  Invocation i;
  with_callback(kind, [&]<class M>() { i = told<M>(bytes); });
  with_request(kind, [&]<class M>() {
    i = told<M>(bytes);
    if (!answer.empty()) i.returned = returned<M>(answer);
  });
  return i;
}

std::uint32_t service_group(std::string_view service) noexcept {
  const auto begins = [&](std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(), [&](auto s) { return service.starts_with(s); });
  };
  const auto has = [&](std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(),
                       [&](auto s) { return service.find(s) != std::string_view::npos; });
  };
  if (begins({"get", "set", "decode", "normalize"}) || has({"AdvisorySwitch"})) return 6;
  if (has({"Region"})) return 5;
  if (has({"Time", "time", "AsynchronousDelivery", "GALT", "LITS", "ookahead", "OrderType",
           "NextMessage", "nextMessage", "flushQueue", "etract"}))
    return 4;
  if (has({"Ownership", "ivestiture", "Owned"})) return 3;
  if (has({"ublish", "ubscribe", "RegistrationForObjectClass", "turnInteractions"})) return 1;
  if (has({"Object", "Attribute", "attributes", "Interaction", "Updates"})) return 2;
  return 0;
}

}  // namespace vernier::federation
