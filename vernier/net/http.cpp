#include "vernier/net/http.hpp"

#include <algorithm>
#include <array>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"

namespace vernier::net::http {
namespace {

bool is_letter_or_digit(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// RFC 9110, section 5.6.2: token.
bool is_token(std::string_view text) noexcept {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter_or_digit(c) || marks.find(c) != std::string_view::npos;
  });
}

/// Origin form, in visible ASCII characters.
bool is_target(std::string_view text) noexcept {
  return text.starts_with('/') && std::all_of(text.begin(), text.end(), [](char c) {
           return c > ' ' && c < 0x7f && c != '#' && c != '"' && c != '<' && c != '>' && c != '\\';
         });
}

/// No control characters besides the tabulator; bytes above 127 are left to who uses the field.
bool is_value(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= ' ' && byte != 0x7f) || c == '\t';
  });
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// Fields that lead two readers to different requests, or one reader to a different decision, when
/// they are there twice.
constexpr std::array single{"host",
                            "origin",
                            "upgrade",
                            "cookie",
                            "connection",
                            "content-length",
                            "transfer-encoding",
                            "sec-websocket-key",
                            "sec-websocket-version",
                            "sec-websocket-protocol"};

/// Splits off the first word up to a blank.
std::string_view take_word(std::string_view& line) noexcept {
  const std::size_t blank = line.find(' ');
  const std::string_view word = line.substr(0, blank);
  line = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
  return word;
}

/// The status of a refusal; 0: it is good.
int take_request_line(std::string_view line, Request& r) {
  const std::string_view method = take_word(line), target = take_word(line);
  if (!is_token(method) || !is_target(target)) return 400;
  if (line != "HTTP/1.1") return line.starts_with("HTTP/") && line.size() == 8 ? 505 : 400;
  if (method != "GET" && method != "HEAD") return 405;
  r.head = method == "HEAD";
  r.target = target;
  return 0;
}

const std::string* value_in(const std::vector<Field>& fields, std::string_view name) noexcept {
  const auto at =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return at == fields.end() ? nullptr : &at->value;
}

int take_field(std::string_view line, std::vector<Field>& fields) {
  const std::size_t colon = line.find(':');
  // a blank before the colon, or a line that continues the one before, is no name
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return 400;
  if (fields.size() == most_fields) return 431;
  Field f{std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))};
  std::transform(f.name.begin(), f.name.end(), f.name.begin(), lower);
  if (!is_value(f.value)) return 400;
  const bool once = std::find(single.begin(), single.end(), f.name) != single.end();
  if (once && value_in(fields, f.name)) return 400;
  fields.push_back(std::move(f));
  return 0;
}

/// What the whole of it must have.
int checked(const Request& r) noexcept {
  const std::string* host = r.field("host");
  if (!host || host->empty()) return 400;
  if (r.field("transfer-encoding")) return 400;
  const std::string* length = r.field("content-length");
  if (length && *length != "0") return 413;
  return 0;
}

/// Calls `first` with the first line of a head, and takes the fields from the others.
template <class First>
int take_lines(std::string_view head, std::vector<Field>& fields, const First& first) {
  for (bool begins = true; !head.empty(); begins = false) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (line.size() > longest_line) return 431;
    if (const int status = begins ? first(line) : take_field(line, fields)) return status;
  }
  return 0;
}

int parsed(std::string_view head, Request& r) {
  const int status = take_lines(head, r.fields,
                                [&r](std::string_view line) { return take_request_line(line, r); });
  return status != 0 ? status : checked(r);
}

/// "HTTP/1.0 200 OK"; a server may answer with the version that it prefers.
int take_status_line(std::string_view line, Response& r) {
  const std::string_view version = take_word(line), status = take_word(line);
  if (version != "HTTP/1.0" && version != "HTTP/1.1") return 505;
  const auto number = status.size() == 3 ? parsed_integer(status) : std::nullopt;
  if (!number || *number < 100 || *number > 599 || !is_value(line)) return 400;
  r.status = static_cast<int>(*number);
  return 0;
}

/// The length of the first bytes that are a whole head with its empty line; 0: not yet; nothing: it
/// never will be, because a line ends otherwise than it must.
std::optional<std::size_t> head_length(std::string_view text) noexcept {
  text = text.substr(0, longest_head);
  for (std::size_t line = 0;;) {
    const std::size_t at = text.find_first_of("\r\n", line);
    if (at == std::string_view::npos || at + 1 == text.size()) {
      if (at != std::string_view::npos && text[at] != '\r') return {};
      return 0;
    }
    if (text[at] != '\r' || text[at + 1] != '\n') return {};
    if (at == line) return line == 0 ? std::optional<std::size_t>() : at + 2;
    line = at + 2;
  }
}

}  // namespace

std::string_view Request::path() const noexcept {
  return std::string_view(target).substr(0, target.find('?'));
}

std::optional<std::string_view> Request::parameter(std::string_view name) const noexcept {
  const std::size_t mark = target.find('?');
  if (mark == std::string::npos) return {};
  std::optional<std::string_view> found;
  std::string_view rest = std::string_view(target).substr(mark + 1);
  while (true) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view one = rest.substr(0, end);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=') {
      if (found) return {};
      found = one.substr(name.size() + 1);
    }
    if (end == rest.size()) return found;
    rest.remove_prefix(end + 1);
  }
}

const std::string* Request::field(std::string_view name) const noexcept {
  return value_in(fields, name);
}

bool Request::lists(std::string_view field_name, std::string_view word) const noexcept {
  const std::string* value = field(field_name);
  if (!value) return false;
  std::string_view rest = *value;
  while (true) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (same_word(trimmed(rest.substr(0, end)), word)) return true;
    if (end == rest.size()) return false;
    rest.remove_prefix(end + 1);
  }
}

Read take_request(Bytes& bytes, Request& r, int& status) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto length = head_length(text);
  status = 400;
  if (!length) return Read::refused;
  if (*length == 0) {
    status = 431;
    return text.size() >= longest_head ? Read::refused : Read::more;
  }
  r = {};
  status = parsed(text.substr(0, *length - 2), r);
  if (status != 0) return Read::refused;
  bytes = bytes.subspan(*length);
  return Read::request;
}

std::string_view reason(int status) noexcept {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 426:
      return "Upgrade Required";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

std::string response_head(int status, std::span<const Field> fields) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " ";
  head += reason(status);
  head += "\r\n";
  for (const Field& f : fields) {
    require(is_token(f.name) && is_value(f.value));
    head += f.name + ": " + f.value + "\r\n";
  }
  return head + "\r\n";
}

bool names_tag(std::string_view if_none_match, std::string_view tag) noexcept {
  while (true) {
    const std::size_t end = std::min(if_none_match.find(','), if_none_match.size());
    std::string_view one = trimmed(if_none_match.substr(0, end));
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
    if (end == if_none_match.size()) return false;
    if_none_match.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> cookies(std::string_view field, std::string_view name) {
  std::vector<std::string_view> found;
  for (const std::string_view part : split(field, ';')) {
    const std::string_view one = trimmed(part);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      found.push_back(one.substr(name.size() + 1));
  }
  return found;
}

const std::string* Response::field(std::string_view name) const noexcept {
  return value_in(fields, name);
}

std::string post(std::string_view host, std::string_view target, std::string_view content_type,
                 std::string_view body) {
  require(is_target(target) && !host.empty() && is_value(host) && is_value(content_type));
  std::string text = "POST ";
  text.append(target).append(" HTTP/1.0\r\nHost: ").append(host).append("\r\nContent-Type: ");
  text.append(content_type).append("\r\nContent-Length: ").append(std::to_string(body.size()));
  return text.append("\r\n\r\n").append(body);
}

std::optional<Response> response_of(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto length = head_length(text);
  if (!length || *length == 0) return {};
  Response r;
  const int status = take_lines(text.substr(0, *length - 2), r.fields,
                                [&r](std::string_view line) { return take_status_line(line, r); });
  // without a length, the end of the connection ends the body; only HTTP/1.1 has pieces
  if (status != 0 || r.field("transfer-encoding")) return {};
  r.body = text.substr(*length);
  const std::string* announced = r.field("content-length");
  if (announced && *announced != std::to_string(r.body.size())) return {};
  return r;
}

}  // namespace vernier::net::http
