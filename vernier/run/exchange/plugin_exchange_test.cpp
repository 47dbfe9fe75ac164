// What every exchange must do is in exchange_test.cpp.
#include "vernier/run/exchange/plugin_exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/exchange/test_nodes.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;
using net::Clock;
using testing::content;
using testing::example_network;
using ::testing::HasSubstr;
using testing::received;
using testing::same;

const std::vector<std::byte> the_key(32, std::byte{7});

/// A plug-in made of a few lines of C; `table` are members of its table.
class Made {
 public:
  explicit Made(const std::string& code) {
    std::ofstream(folder_ / "made.c") << "#include \"vernier_network.h\"\n" << code;
    const std::string command = "cd '" + folder_.path().string() +
                                "' && cc -std=c11 -fPIC -shared -I'" VERNIER_SOURCE_DIR
                                "/vernier/run/exchange' -o made.so made.c";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  std::filesystem::path file() const { return folder_ / "made.so"; }

 private:
  TemporaryFolder folder_;
};

const std::string entry = "const vernier_network* vernier_network_entry(uint32_t v) ";

std::unique_ptr<NetworkPlugin> opened(const std::filesystem::path& file,
                                      const std::string& config = "") {
  return std::make_unique<NetworkPlugin>(file, config, "127.0.0.1", *code_of({file}));
}

std::string refusal(const std::filesystem::path& file, const std::string& config = "") {
  try {
    opened(file, config);
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().code, "V5609");
    return e.diagnostics().list().front().message;
  }
  return "it was opened";
}

TEST(NetworkPlugins, AreLoadedOnlyIfTheyAreTrusted) {
  NativeCode none{Trust()};
  try {
    NetworkPlugin(example_network(), "", "127.0.0.1", none);
    FAIL() << "it was loaded";
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().code, "V7601");
  }
}

TEST(NetworkPlugins, AreRefusedWhenTheyCannotBeUsed) {
  EXPECT_THAT(refusal(Made("int nothing;").file()),
              HasSubstr("has no function vernier_network_entry"));
  EXPECT_THAT(refusal(Made(entry + "{ return 0; }").file()), HasSubstr("does not serve version 1"));
  EXPECT_THAT(refusal(Made("static vernier_network n = {.size = 16, .version = 1};" + entry +
                           "{ return &n; }")
                          .file()),
              HasSubstr("has a table of 16 bytes"));
  EXPECT_THAT(refusal(Made("static vernier_network n = {.size = sizeof n, .version = 1};" + entry +
                           "{ return &n; }")
                          .file()),
              HasSubstr("leaves out a function"));
  EXPECT_THAT(refusal(example_network(), "everywhere"), HasSubstr("config is \"everywhere\""));
}

Meeting::With together(const std::vector<const NetworkPlugin*>& all, std::uint32_t self,
                       std::uint32_t epoch) {
  Meeting::With w{.epoch = epoch, .self = self, .addresses = {}, .key = the_key};
  for (const NetworkPlugin* p : all) w.addresses.push_back(p->address());
  return w;
}

TEST(NetworkPlugins, NameANodeThatDoesNotCome) {
  const auto a = opened(example_network()), b = opened(example_network());
  const auto made = a->meet(together({a.get(), b.get()}, 0, 1), Clock::now() + 20ms);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().node, 1u);
  EXPECT_EQ(made.error().why, "it did not connect in time");
}

TEST(NetworkPlugins, GiveUpWhenTheyAreInterrupted) {
  const auto a = opened(example_network()), b = opened(example_network());
  const net::Wake wake;
  wake.ring();
  for (const std::uint32_t self : {0u, 1u}) {
    const auto made =
        a->meet(together({a.get(), b.get()}, self, 1), net::forever, wake.descriptor());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().node, Meeting::Trouble::nobody);
  }
}

TEST(NetworkPlugins, MeetAgainInEachEpochWhileTheExchangeBeforeIsThere) {
  std::vector<std::unique_ptr<NetworkPlugin>> all;
  std::vector<const NetworkPlugin*> those;
  for (int i = 0; i < 3; ++i) those.push_back(all.emplace_back(opened(example_network())).get());
  std::vector<std::unique_ptr<Exchange>> exchanges(3);
  for (std::uint32_t epoch = 2; epoch < 10; epoch += 2) {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        auto made = all[i]->meet(together(those, i, epoch), net::forever);
        ASSERT_TRUE(made) << made.error().why;
        exchanges[i] = std::move(*made);
        testing::keep_in_step(*exchanges[i], 20);
      });
    for (std::thread& t : threads) t.join();
    for (const auto& e : exchanges) EXPECT_EQ(e->epoch(), epoch);
  }
}

TEST(NetworkPlugins, LoseAPeerWhenMoreWasMovedThanAsked) {
  const Made made(R"(
static int some;
static void* open_it(const char* c, const char* h, char* a, size_t n, char* e, size_t m) { a[0] = 'x'; a[1] = 0; return &some; }
static void* join(void* s, const vernier_network_meeting* w, uint32_t* i, char* e, size_t n) { return s; }
static int64_t take(void* s, uint32_t p, void* to, size_t n) { return (int64_t)n + 1; }
static int64_t give(void* s, uint32_t p, const void* b, size_t n) { return INT64_MAX; }
static void nothing(void* s) {}
static void wait_for(void* s, const uint8_t* w, int64_t t) {}
static vernier_network n = {.size = sizeof n, .version = 1, .open = open_it, .close = nothing, .join = join, .leave = nothing,
  .take = take, .give = give, .wait = wait_for, .wake = nothing};
)" + entry + "{ return &n; }");
  const auto node = opened(made.file());
  auto e =
      node->meet({.epoch = 1, .self = 0, .addresses = {"x", "x"}, .key = the_key}, net::forever);
  ASSERT_TRUE(e);
  Bytes frame;
  EXPECT_EQ((*e)->receive(1, frame), Received::lost);
  EXPECT_THAT((*e)->why(1), HasSubstr("more bytes than it was asked to"));
  EXPECT_FALSE((*e)->send(1, {}) && (*e)->send(1, {}));
}

}  // namespace
}  // namespace vernier::exchange
