// Requests from bytes: what is taken has the promised form, and the same bytes in two pieces give
// the same request.
#include <cstdlib>

#include "vernier/net/http.hpp"
#include "vernier/net/web_access.hpp"

using namespace vernier;
using namespace vernier::net;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes all = std::as_bytes(std::span(data, size));
  WebAccess access({.control_token = "token",
                    .watch_token = "other",
                    .cookie = "vernier_1",
                    .hosts = {"localhost"}});
  Bytes rest = all;
  for (int n = 0; n < 20; ++n) {
    const Bytes before = rest;
    http::Request r;
    int status = 0;
    const http::Read read = http::take_request(rest, r, status);
    if (read != http::Read::request) {
      if (rest.size() != before.size()) std::abort();
      if (read == http::Read::refused && http::reason(status) == http::reason(-1)) std::abort();
      if (read == http::Read::more && before.size() >= http::longest_head) std::abort();
      return 0;
    }
    const std::size_t taken = before.size() - rest.size();
    if (taken == 0 || taken > http::longest_head || r.fields.size() > http::most_fields)
      std::abort();
    if (!r.field("host") || !r.target.starts_with('/')) std::abort();
    for (const http::Field& f : r.fields) {
      if (f.value.find_first_of("\r\n") != std::string::npos) std::abort();
    }
    // one byte less is not enough
    Bytes part = before.first(taken - 1);
    http::Request again;
    if (http::take_request(part, again, status) != http::Read::more) std::abort();
    const WebAccess::Entry entry = access.admit(r);
    if (entry.role != Role::none) {
      if (host_without_port(*r.field("host")).size() != 9) std::abort();
    }
    static_cast<void>(http::response_head(200, r.fields));
  }
  return 0;
}
