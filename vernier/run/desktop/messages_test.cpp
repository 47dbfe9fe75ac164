#include "vernier/run/desktop/messages.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "vernier/run/desktop/problems.hpp"

namespace vernier::desktop {
namespace {

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list().front().code;
  }
  return "";
}

TEST(DesktopRequest, HasAnIdAndMembersOfTheirKinds) {
  const Request r(
      R"({"id":7,"do":"read","run":"runs/a","signal":3,"from":-1.5,"live":true,"set":["a=1","b=2"],)"
      R"("signals":[1,2],"columns":[[1,0],[2,5]],"none":null})");
  EXPECT_EQ(r.id(), 7u);
  EXPECT_EQ(r.what(), "read");
  EXPECT_EQ(r.text("run"), "runs/a");
  EXPECT_EQ(r.whole("signal", 10), 3u);
  EXPECT_EQ(r.number("from"), -1.5);
  EXPECT_TRUE(r.yes("live"));
  EXPECT_EQ(r.texts("set"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(r.wholes("signals", 10), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(r.pairs("columns")[1], (std::pair<std::uint32_t, std::uint32_t>{2, 5}));
  EXPECT_TRUE(r.has("run"));
  EXPECT_FALSE(r.has("none"));
  EXPECT_FALSE(r.has("other"));
  for (const auto& f : std::vector<std::function<void()>>{
           [&] { r.text("signal"); }, [&] { r.text("other"); }, [&] { r.number("run"); },
           [&] { r.whole("signal", 2); }, [&] { r.whole("from", 2); }, [&] { r.yes("run"); },
           [&] { r.texts("signals"); }, [&] { r.wholes("set", 9); },
           [&] { r.wholes("signals", 1); }, [&] { r.pairs("signals"); }})
    EXPECT_EQ(code_of(f), "V8103");
}

TEST(DesktopRequest, ThatIsNoneIsRefused) {
  const std::string deep(1'000'000, '[');
  for (const std::string& text :
       {std::string(""), std::string("7"), std::string("{"), std::string("[]"),
        std::string("{\"do\":\"hello\"}"), std::string(R"({"id":0,"do":"hello"})"),
        std::string(R"({"id":-1,"do":"hello"})"), std::string(R"({"id":1.5,"do":"hello"})"),
        std::string(R"({"id":1e300,"do":"hello"})"), std::string(R"({"id":1})"),
        std::string(R"({"id":1,"do":7})"), std::string("{\"id\":1,\"do\":\"a\\u0000b\"}"),
        std::string("\xff"), deep, "{\"id\":1,\"do\":" + deep})
    EXPECT_EQ(code_of([&] { Request r(text); }), "V8103") << text.substr(0, 80);
}

TEST(DesktopRequest, LeavesOutWhatIsNestedTooDeeply) {
  std::string deep = "1";
  for (int n = 0; n < 1000; ++n) deep = "[" + deep + "]";
  const Request r(R"({"id":1,"do":"x","set":)" + deep + "}");
  EXPECT_EQ(code_of([&] { r.texts("set"); }), "V8103");
}

TEST(DesktopRequest, KnowsTheIdOfABadOne) {
  EXPECT_EQ(Request::id_in(R"({"id":9,"do":7})"), 9u);
  EXPECT_EQ(Request::id_in("nonsense"), 0u);
}

TEST(DesktopAnswer, IsJsonWithNullForWhatIsNotFinite) {
  EXPECT_EQ(answer(3, {{"a", number(std::nan(""))}, {"b", number(0.1)}}),
            R"({"id":3,"ok":{"a":null,"b":0.1}})");
  // what a document contains need not be UTF-8
  EXPECT_EQ(answer(3, {{"a", "\xff"}}), "{\"id\":3,\"ok\":{\"a\":\"\xef\xbf\xbd\"}}");
}

TEST(DesktopAnswer, HasPointsAsNumbers) {
  const double time[] = {1.0, 2.0}, values[] = {3.0, 4.0};
  const auto message = points_message(7, time, values, true);
  ASSERT_EQ(message.size(), 16u + 32u);
  ByteReader r{Bytes(message)};
  EXPECT_EQ(r.number<std::uint32_t>(), 1u);
  EXPECT_EQ(r.number<std::uint32_t>(), 7u);
  EXPECT_EQ(r.number<std::uint32_t>(), 2u);
  EXPECT_EQ(r.number<std::uint32_t>(), 1u);
  for (const double x : {1.0, 2.0, 3.0, 4.0}) EXPECT_EQ(r.number<double>(), x);
}

TEST(Problems, OfTheMachineSayWhatFailed) {
  const std::string said = rendered(failure(std::runtime_error("no memory")));
  EXPECT_EQ(said.substr(0, said.find('\n')),
            "error[V8109]: the desktop could not do this: no memory");
}

TEST(Problems, AreTheSameAfterJson) {
  Diagnostics problems;
  Diagnostic& d =
      problems.error("V1203", "a", {.file = "f.xml", .line = 4, .column = 7, .length = 3});
  d.mark = "m";
  d.body = {"b1", "b2"};
  d.notes = {"n"};
  problems.warning("V1340", "w", {});
  const auto json = json_of(problems);
  EXPECT_FALSE(json[1].contains("file"));
  EXPECT_EQ(rendered(problems_in(json)), rendered(problems));
}

}  // namespace
}  // namespace vernier::desktop
