#include "vernier/net/http.hpp"

#include <gtest/gtest.h>

namespace vernier::net::http {
namespace {

struct Parsed {
  Read read = Read::more;
  int status = 0;
  Request request;
  std::size_t rest = 0;
};
Parsed parse(std::string_view text) {
  Parsed p;
  Bytes bytes = std::as_bytes(std::span(text));
  p.read = take_request(bytes, p.request, p.status);
  p.rest = bytes.size();
  return p;
}
int status_of(const std::string& text) {
  const Parsed p = parse(text);
  return p.read == Read::refused ? p.status : p.read == Read::more ? -1 : 200;
}
const std::string good = "GET / HTTP/1.1\r\nHost: localhost:8000\r\n";

TEST(HttpRequest, IsReadWithItsFields) {
  const Parsed p = parse(
      "GET /file/7?large=1&token=ab HTTP/1.1\r\nHost: localhost:8000\r\nCOOKIE:a=b; c=d \r\n"
      "Connection: keep-alive, Upgrade\r\n\r\nGET");
  ASSERT_EQ(p.read, Read::request);
  EXPECT_EQ(p.rest, 3u);
  EXPECT_FALSE(p.request.head);
  EXPECT_EQ(p.request.path(), "/file/7");
  EXPECT_EQ(p.request.parameter("token"), "ab");
  EXPECT_EQ(p.request.parameter("large"), "1");
  EXPECT_EQ(p.request.parameter("arge"), std::nullopt);
  ASSERT_TRUE(p.request.field("cookie"));
  EXPECT_EQ(*p.request.field("cookie"), "a=b; c=d");
  EXPECT_TRUE(p.request.lists("connection", "upgrade"));
  EXPECT_TRUE(p.request.keeps_alive());
  EXPECT_FALSE(p.request.field("origin"));
}

TEST(HttpRequest, AsksForTheHeadOnly) {
  EXPECT_TRUE(parse("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").request.head);
}

TEST(HttpRequest, GivesNoParameterThatIsThereTwice) {
  EXPECT_EQ(parse("GET /?token=a&token=b HTTP/1.1\r\nHost: a\r\n\r\n").request.parameter("token"),
            std::nullopt);
}

TEST(HttpRequest, NeedsAllItsBytes) {
  const std::string whole = good + "\r\n";
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_EQ(status_of(whole.substr(0, n)), -1) << n;
  EXPECT_EQ(status_of(whole), 200);
}

// RFC 9112, sections 2.2, 3, 5 and 11.2: what servers and proxies are known to read differently
TEST(HttpRequest, ThatTwoReadersCouldReadDifferentlyIsRefused) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: a\n\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\rX: b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"), 400);
  EXPECT_EQ(status_of(good + "X: a\r\n continued\r\n\r\n"), 400);
  EXPECT_EQ(status_of(good + "X : a\r\n\r\n"), 400);
  EXPECT_EQ(status_of(good + ": a\r\n\r\n"), 400);
  EXPECT_EQ(status_of(good + "no colon\r\n\r\n"), 400);
  EXPECT_EQ(status_of(good + "Host: b\r\n\r\n"), 400);
  EXPECT_EQ(status_of(good + std::string("X: a\0b\r\n\r\n", 10)), 400);
  EXPECT_EQ(status_of("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1 \r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /\tb HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  for (const char* name : {"Origin", "Upgrade", "Cookie", "Connection", "Sec-WebSocket-Key"})
    EXPECT_EQ(status_of(good + name + ": a\r\n" + name + ": a\r\n\r\n"), 400) << name;
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nX: a\r\n\r\n"), 400) << "no Host";
}

TEST(HttpRequest, HasNoBody) {
  EXPECT_EQ(status_of(good + "Content-Length: 0\r\n\r\n"), 200);
  EXPECT_EQ(status_of(good + "Content-Length: 1\r\n\r\na"), 413);
  EXPECT_EQ(status_of(good + "Content-Length: +0\r\n\r\n"), 413);
  EXPECT_EQ(status_of(good + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
}

TEST(HttpRequest, OfOtherKindsIsRefused) {
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: a\r\n\r\n"), 405);
  EXPECT_EQ(status_of("get / HTTP/1.1\r\nHost: a\r\n\r\n"), 405);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET /\r\n\r\n"), 400);
  EXPECT_EQ(status_of("\x16\x03\x01\r\n\r\n"), 400) << "TLS";
}

TEST(HttpRequest, IsBounded) {
  EXPECT_EQ(status_of(std::string(longest_head - 1, 'a')), -1);
  EXPECT_EQ(status_of(std::string(longest_head, 'a')), 431);
  EXPECT_EQ(status_of(good + "X: " + std::string(longest_line, 'a') + "\r\n\r\n"), 431);
  std::string many = good;
  for (std::size_t n = 1; n < most_fields; ++n) many += "X: a\r\n";
  EXPECT_EQ(status_of(many + "\r\n"), 200);
  EXPECT_EQ(status_of(many + "X: a\r\n\r\n"), 431);
}

TEST(HttpResponse, BeginsWithItsHead) {
  const Field fields[] = {{"Content-Length", "0"}};
  EXPECT_EQ(response_head(404, fields), "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
}

TEST(HttpResponse, MatchesAnEntityTagInAList) {
  EXPECT_TRUE(names_tag("\"a\", W/\"b\"", "\"b\""));
  EXPECT_TRUE(names_tag("*", "\"b\""));
  EXPECT_FALSE(names_tag("\"ab\"", "\"b\""));
}

TEST(Cookies, AreAllOfTheName) {
  const auto found = cookies("a=1; ba=2; a=3;a=", "a");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], "1");
  EXPECT_EQ(found[1], "3");
  EXPECT_EQ(found[2], "");
}

std::optional<Response> answer(std::string_view text) {
  return response_of(std::as_bytes(std::span(text)));
}

TEST(HttpResponse, IsEverythingBeforeTheEndOfTheConnection) {
  const std::string_view text = "HTTP/1.0 404 Not Found\r\nX-A: b\r\n\r\nnone\r\n";
  const auto r = answer(text);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->status, 404);
  EXPECT_EQ(r->body, "none\r\n");
  ASSERT_TRUE(r->field("x-a"));
  EXPECT_EQ(*r->field("x-a"), "b");
  EXPECT_FALSE(r->field("content-length"));
  EXPECT_EQ(answer("HTTP/1.1 200 OK\r\n\r\n")->body, "");
}

TEST(HttpResponse, ThatWasCutOffIsNone) {
  const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{  }";
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(answer(whole.substr(0, n))) << n;
  ASSERT_TRUE(answer(whole));
  EXPECT_EQ(answer(whole)->body, "{  }");
  EXPECT_FALSE(answer(whole + " "));
}

TEST(HttpResponse, ThatIsNotOfTheProtocolIsNone) {
  for (const char* text :
       {"", "\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.0 20 OK\r\n\r\n", "HTTP/1.0 999 OK\r\n\r\n", "HTTP/1.0 +20 OK\r\n\r\n",
        "HTTP/1.0 200 OK\n\n", "HTTP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"})
    EXPECT_FALSE(answer(text)) << text;
  EXPECT_FALSE(answer("HTTP/1.0 200 OK\r\n" + std::string(longest_head, 'x') + ": y\r\n\r\n"));
}

TEST(HttpRequest, ThatIsPostedSaysHowLongItIs) {
  EXPECT_EQ(post("a:1", "/v3/kv/range", "application/json", "{}"),
            "POST /v3/kv/range HTTP/1.0\r\nHost: a:1\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\n\r\n{}");
}

}  // namespace
}  // namespace vernier::net::http
