#include <algorithm>
#include <type_traits>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/requests.hpp"

namespace vernier::federation {

namespace {

constexpr std::size_t longest = 4096;  // bytes of a reported list or text

// There are hundreds of callers. Inlining these functions in all of them would take a fifth of the
// time to compile the module.
#define VERNIER_APART [[gnu::noinline]]

VERNIER_APART std::string of_number(std::int64_t n) { return std::to_string(n); }
VERNIER_APART std::string of_number(std::uint64_t n) { return std::to_string(n); }
VERNIER_APART std::string of_number(double x) { return std::to_string(x); }
VERNIER_APART std::string of_size(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }
VERNIER_APART std::string of_values(const Values& v) {
  std::string all;
  for_each(v, [&](Handle h, Bytes b) {
    if (all.size() > longest) return;
    all += (all.empty() ? "" : ", ") + std::to_string(h) + ": " + of_size(b.size());
  });
  return "[" + all + "]";
}

/// Writes the fields of a message as text.
class Teller {
 public:
  explicit Teller(std::vector<std::string>& to) : to_(to) {}
  template <class... T>
  void operator()(const T&... fields) {
    (add(told(fields)), ...);
  }

 private:
  VERNIER_APART void add(std::string&& field) { to_.push_back(std::move(field)); }

  VERNIER_APART static std::string told(const std::string& s) { return s.substr(0, longest); }
  static std::string told(const Blob& b) { return of_size(b.size()); }
  static std::string told(Bytes b) { return of_size(b.size()); }
  VERNIER_APART static std::string told(bool b) { return b ? "true" : "false"; }
  static std::string told(const Values& v) { return of_values(v); }
  VERNIER_APART static std::string told(const Document& d) { return d.name; }
  template <Number T>
  static std::string told(T n) {
    if constexpr (std::is_enum_v<T>)
      return told(static_cast<std::underlying_type_t<T>>(n));
    else if constexpr (std::is_floating_point_v<T>)
      return of_number(static_cast<double>(n));
    else if constexpr (std::is_signed_v<T>)
      return of_number(static_cast<std::int64_t>(n));
    else
      return of_number(static_cast<std::uint64_t>(n));
  }
  template <class T>
  static std::string told(const std::optional<T>& o) {
    return o ? told(*o) : std::string();
  }
  template <class T>
  VERNIER_APART static std::string told(const std::vector<T>& all) {
    std::string s;
    for (const T& one : all) {
      s += (s.empty() ? "" : ", ") + told(one);
      if (s.size() > longest) break;
    }
    return "[" + s + "]";
  }
  template <class T>
  requires T::visited VERNIER_APART static std::string told(const T& message) {
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
VERNIER_APART void tell(Bytes bytes, Invocation& i) {
  M m;
  if (!read(bytes, m)) return;
  i.service = service(m);
  if (i.service.empty()) return;
  Teller t(i.arguments);
  m.fields(t);
}

/// The body of the answer to a request, as text.
template <class M>
VERNIER_APART void tell_answer(Bytes answer, std::vector<std::string>& fields) {
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
}

}  // namespace

Invocation described(Kind kind, Bytes bytes, Bytes answer) {
  Invocation i;
  with_callback(kind, [&]<class M>() { tell<M>(bytes, i); });
  with_request(kind, [&]<class M>() {
    tell<M>(bytes, i);
    if (!answer.empty()) tell_answer<M>(answer, i.returned);
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
