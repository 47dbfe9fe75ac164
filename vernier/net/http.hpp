#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/codec.hpp"

/// The part of HTTP/1.1 (RFC 9112) that a server needs which serves files to one page: requests
/// without a body; and the part of HTTP/1.0 that a client needs which asks for one answer at a
/// time. Stricter than the standard: whatever two readers could understand differently is refused.
namespace vernier::net::http {

inline constexpr std::size_t longest_head = 16u << 10;  // request line and fields
inline constexpr std::size_t longest_line = 8u << 10;
inline constexpr std::size_t most_fields = 64;

struct Field {
  std::string name;  // in lower case
  std::string value;
};

/// A request. Fields of which there may be one are never there twice.
struct Request {
  bool head = false;   // HEAD, else GET
  std::string target;  // as sent: "/file/7?large"
  std::vector<Field> fields;

  /// The target before the question mark.
  std::string_view path() const noexcept;
  /// A parameter after the question mark, not decoded; nothing when it is missing or given twice.
  std::optional<std::string_view> parameter(std::string_view name) const noexcept;
  /// The value of a field; null: none.
  const std::string* field(std::string_view name) const noexcept;
  /// Whether a field that is a list has this word, in any case.
  bool lists(std::string_view field_name, std::string_view word) const noexcept;
  /// The connection is to be kept for the next request.
  bool keeps_alive() const noexcept { return !lists("connection", "close"); }
};

enum class Read { request, more, refused };

/// Takes one request from the beginning of `bytes`. `refused`: `status` says why (400, 405, 413,
/// 431, 505), and nothing that follows can be trusted.
Read take_request(Bytes& bytes, Request&, int& status);

/// "Not Found"
std::string_view reason(int status) noexcept;

/// Status line, fields and the empty line. Throws nothing; a field's value must not contain line
/// breaks.
std::string response_head(int status, std::span<const Field>);

/// Whether the value of If-None-Match names this entity tag.
bool names_tag(std::string_view if_none_match, std::string_view tag) noexcept;

/// The values of a cookie; a browser may send several of one name.
std::vector<std::string_view> cookies(std::string_view cookie_field, std::string_view name);

// -- the client ---------------------------------------------------------------------------------

/// A request that posts `body`. The connection ends with the answer, which comes in one piece.
std::string post(std::string_view host, std::string_view target, std::string_view content_type,
                 std::string_view body);

struct Response {
  int status = 0;
  std::vector<Field> fields;
  std::string_view body;  // in the bytes that were read

  /// As of a request.
  const std::string* field(std::string_view name) const noexcept;
};

/// The answer to such a request: everything that came before the connection ended. Nothing: it is
/// none, or was cut off.
std::optional<Response> response_of(Bytes);

}  // namespace vernier::net::http
