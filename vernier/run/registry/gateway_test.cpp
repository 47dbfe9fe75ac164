#include "vernier/run/registry/gateway.hpp"

#include <gtest/gtest.h>

namespace vernier::registry::gateway {
namespace {

Result<Reply, std::string> reply(const std::string& body, const char* status = "200 OK") {
  const std::string text = std::string("HTTP/1.0 ") + status + "\r\n\r\n" + body;
  return reply_of(std::as_bytes(std::span(text)));
}
const std::string header = R"("header":{"cluster_id":"14841639068965178418","revision":"3"})";

// what etcd 3.4.23 says
TEST(EtcdGateway, AnswersAreRead) {
  const auto granted = reply("{" + header + R"(,"ID":"7587","TTL":"2"})");
  ASSERT_TRUE(granted) << granted.error();
  EXPECT_TRUE(granted->good());
  EXPECT_EQ(granted->lease, 7587);
  EXPECT_EQ(granted->life, 2);
  EXPECT_EQ(granted->revision, 3u);
  const auto kept = reply("{\"result\":{" + header + R"(,"ID":"77","TTL":"2"}})" + "\n");
  ASSERT_TRUE(kept) << kept.error();
  EXPECT_EQ(kept->life, 2);
  const auto gone = reply("{\"result\":{" + header + R"(,"ID":"78"}})");
  ASSERT_TRUE(gone) << gone.error();
  EXPECT_EQ(gone->life, 0);
  const auto made =
      reply("{" + header + R"(,"succeeded":true,"responses":[{"response_put":{"header":{}}}]})");
  ASSERT_TRUE(made) << made.error();
  EXPECT_TRUE(made->succeeded);
  const auto there =
      reply("{" + header +
            R"(,"responses":[{"response_range":{"header":{"revision":"2"},"kvs":[)"
            R"({"key":"YS9s","create_revision":"2","value":"YQ==","lease":"77"}],"count":"1"}}]})");
  ASSERT_TRUE(there) << there.error();
  EXPECT_FALSE(there->succeeded);
  ASSERT_EQ(there->found.size(), 1u);
  EXPECT_EQ(there->found[0].key, "a/l");
  EXPECT_EQ(there->found[0].value, "a");
  EXPECT_EQ(there->found[0].created, 2u);
  EXPECT_EQ(there->found[0].lease, 77);
}

TEST(EtcdGateway, RefusalsSayWhetherToAskElsewhere) {
  const auto none = reply(R"({"error":"etcdserver: no leader","code":14})", "503 Unavailable");
  ASSERT_TRUE(none) << none.error();
  EXPECT_EQ(none->error, "etcdserver: no leader");
  EXPECT_TRUE(none->elsewhere());
  const auto late = reply(R"({"error":"deadline exceeded","code":4})", "408 Request Timeout");
  EXPECT_TRUE(late && late->elsewhere());
  const auto gone =
      reply(R"({"error":"etcdserver: requested lease not found","code":5})", "404 Not Found");
  ASSERT_TRUE(gone) << gone.error();
  EXPECT_FALSE(gone->elsewhere());
}

TEST(EtcdGateway, OtherAnswersAreRefused) {
  for (const std::string& body :
       {std::string(), std::string("{}"), std::string("[]"), std::string("<html>"), "{" + header,
        "{" + header + R"(,"ID":7.5})", "{" + header + R"(,"ID":"x"})",
        "{" + header + R"(,"ID":18446744073709551615})", "{" + header + R"(,"succeeded":"yes"})",
        "{" + header + R"(,"kvs":{}})", "{" + header + R"(,"kvs":[7]})",
        "{" + header + R"(,"kvs":[{"key":"!"}]})",
        "{" + header + R"(,"kvs":[{"key":"YQ==","create_revision":"-1"}]})",
        "{" + header + R"(,"responses":[[]]})", std::string(R"({"header":7})"),
        std::string(100'000, '[')})
    EXPECT_FALSE(reply(body)) << body.substr(0, 100);
  EXPECT_FALSE(reply("{}", "500 Oh"));
  EXPECT_FALSE(reply(R"({"error":7,"code":5})", "404 Not Found"));
  const std::string text = "HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n{" + header + "}";
  EXPECT_FALSE(reply_of(std::as_bytes(std::span(text))));
}

TEST(EtcdGateway, QuestionsAreThoseOfItsApi) {
  EXPECT_EQ(grant(std::chrono::seconds(5)).body, R"({"TTL":"5"})");
  EXPECT_EQ(all("a/").body, R"({"key":"YS8=","range_end":"YTA="})");  // "a/" to "a0"
  EXPECT_EQ(hold("a/l", 7).body,
            R"({"compare":[{"create_revision":"7","key":"YS9s","result":"EQUAL",)"
            R"("target":"CREATE"}],"failure":[],"success":[]})");
}

}  // namespace
}  // namespace vernier::registry::gateway
