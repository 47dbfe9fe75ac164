#include "vernier/net/web_access.hpp"

#include <gtest/gtest.h>

namespace vernier::net {
namespace {

WebAccess access(bool any_address = false, bool secure = false) {
  return WebAccess({.control_token = "aaaa",
                    .watch_token = "bbbb",
                    .cookie = "vernier_8000",
                    .hosts = {"LocalHost", "127.0.0.1"},
                    .any_address = any_address,
                    .secure = secure});
}
http::Request request(const std::string& target, std::vector<http::Field> fields) {
  http::Request r;
  r.target = target;
  r.fields = std::move(fields);
  return r;
}
Role role(const std::string& host, const std::string& cookie, const std::string& origin = "") {
  std::vector<http::Field> fields = {{"host", host}, {"cookie", cookie}};
  if (!origin.empty()) fields.push_back({"origin", origin});
  return access().admit(request("/", fields)).role;
}

TEST(WebAccess, GivesTheCookieForTheToken) {
  const auto entry = access().admit(request("/?token=aaaa", {{"host", "localhost:8000"}}));
  EXPECT_TRUE(entry.redirect);
  EXPECT_EQ(entry.status, 303);
  EXPECT_EQ(entry.cookie, "vernier_8000=aaaa; HttpOnly; SameSite=Strict; Path=/");
  EXPECT_EQ(access(false, true).admit(request("/?token=bbbb", {{"host", "localhost"}})).cookie,
            "vernier_8000=bbbb; HttpOnly; SameSite=Strict; Path=/; Secure");
}

TEST(WebAccess, AdmitsWithTheFirstTokenOnce) {
  WebAccess a(
      {.control_token = "aaaa", .first_token = "ffff", .cookie = "v", .hosts = {"localhost"}});
  const auto request_with_it = request("/?token=ffff", {{"host", "localhost"}});
  EXPECT_EQ(a.admit(request("/", {{"host", "localhost"}, {"cookie", "v=ffff"}})).role, Role::none);
  EXPECT_EQ(a.admit(request_with_it).cookie, "v=aaaa; HttpOnly; SameSite=Strict; Path=/");
  EXPECT_EQ(a.admit(request_with_it).role, Role::none);
}

TEST(WebAccess, RefusesOtherTokens) {
  for (const char* token : {"", "aaa", "aaaaa", "cccc", "aaab", "AAAA"}) {
    const auto entry =
        access().admit(request("/?token=" + std::string(token), {{"host", "localhost"}}));
    EXPECT_EQ(entry.role, Role::none) << token;
    EXPECT_EQ(entry.status, 403);
    EXPECT_FALSE(entry.redirect);
  }
  // a token opens the first page only
  EXPECT_EQ(access().admit(request("/ws?token=aaaa", {{"host", "localhost"}})).role, Role::none);
}

TEST(WebAccess, TakesTheTokenFromEachAddressWhereThereAreNoCookies) {
  WebAccess a({.watch_token = "bbbb", .hosts = {"localhost"}, .token_in_address = true});
  const auto role = [&](const std::string& target, const std::string& host) {
    // a viewer in a browser is a page from elsewhere
    return a.admit(request(target, {{"host", host}, {"origin", "https://viewer.example"}})).role;
  };
  EXPECT_EQ(role("/?token=bbbb", "localhost:8765"), Role::watch);
  EXPECT_EQ(role("/ws?token=bbbb", "localhost:8765"), Role::watch);
  EXPECT_EQ(role("/?token=bbbc", "localhost:8765"), Role::none);
  EXPECT_EQ(role("/?token=", "localhost:8765"), Role::none);
  EXPECT_EQ(role("/", "localhost:8765"), Role::none);
  EXPECT_EQ(role("/?token=bbbb", "elsewhere.example"), Role::none);
}

TEST(WebAccess, KnowsTwoRoles) {
  EXPECT_EQ(role("localhost:8000", "vernier_8000=aaaa"), Role::control);
  EXPECT_EQ(role("localhost:8000", "x=y; vernier_8000=bbbb"), Role::watch);
  EXPECT_EQ(role("localhost:8000", "vernier_8001=aaaa"), Role::none);
  EXPECT_EQ(role("localhost:8000", "vernier_8000="), Role::none);
  // one of another path must not hide the valid one
  EXPECT_EQ(role("localhost:8000", "vernier_8000=old; vernier_8000=aaaa"), Role::control);
  EXPECT_EQ(access().admit(request("/", {{"host", "localhost"}})).role, Role::none);
}

TEST(WebAccess, RefusesNamesThatOnlyLeadHere) {
  EXPECT_EQ(role("LocalHost:8000", "vernier_8000=aaaa"), Role::control);
  EXPECT_EQ(role("127.0.0.1:9000", "vernier_8000=aaaa"), Role::control) << "a tunnel";
  for (const char* host : {"evil.example:8000", "localhost.evil.example", "10.0.0.7:8000", "",
                           "localhost:80x", "[::1", "localhost@evil", "127.0.0.1.evil.example"})
    EXPECT_EQ(role(host, "vernier_8000=aaaa"), Role::none) << host;
}

TEST(WebAccess, AdmitsEveryNumericAddressOnRequest) {
  const auto admitted = [](const char* host) {
    return access(true).admit(request("/", {{"host", host}, {"cookie", "vernier_8000=aaaa"}})).role;
  };
  EXPECT_EQ(admitted("10.0.0.7:8000"), Role::control);
  EXPECT_EQ(admitted("[fe80::1]:8000"), Role::control);
  EXPECT_EQ(admitted("evil.example:8000"), Role::none);
}

TEST(WebAccess, RefusesPagesOfOtherOrigins) {
  const char* cookie = "vernier_8000=aaaa";
  EXPECT_EQ(role("localhost:8000", cookie, "http://localhost:8000"), Role::control);
  EXPECT_EQ(role("localhost:8000", cookie, "http://localhost:8001"), Role::none);
  EXPECT_EQ(role("localhost:8000", cookie, "https://localhost:8000"), Role::none);
  EXPECT_EQ(role("localhost:8000", cookie, "http://127.0.0.1:8000"), Role::none);
  EXPECT_EQ(role("localhost:8000", cookie, "null"), Role::none);
  EXPECT_EQ(role("localhost:8000", cookie, "http://evil.example"), Role::none);
}

TEST(WebAccess, MakesTokensOf256Bits) {
  EXPECT_EQ(random_token().size(), 64u);
  EXPECT_NE(random_token(), random_token());
}

TEST(HostField, HasAPortThatDoesNotCount) {
  EXPECT_EQ(host_without_port("localhost"), "localhost");
  EXPECT_EQ(host_without_port("localhost:8000"), "localhost");
  EXPECT_EQ(host_without_port("[::1]:80"), "::1");
  EXPECT_EQ(host_without_port("a:b:80"), "");
  EXPECT_EQ(host_without_port("[::1]x"), "");
}

}  // namespace
}  // namespace vernier::net
