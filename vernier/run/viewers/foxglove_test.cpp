#include "vernier/run/viewers/foxglove.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/viewers/foxglove_site.hpp"

namespace vernier::viewers {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// A live run of two groups: a vector with a mode, and a flag. In row n all elements are n.
struct ShownRun {
  TemporaryFolder folder;
  std::optional<record::LiveRowWriter> writer;
  record::LiveRowReader reader;
  std::uint64_t rows = 0;

  ShownRun() : writer(std::in_place, folder.path(), layout()), reader(folder.path()) {}

  static record::ResultLayout layout() {
    return {"1.2",
            "tumble",
            "now",
            {{{},
              {{.path = "plant.omega", .unit = "rad/s", .frame = "B", .count = 3},
               {.path = "plant.mode", .scalar = Scalar::integer}}},
             {{}, {{.path = "bus.on", .scalar = Scalar::boolean}}}}};
  }
  void add() {
    const auto n = static_cast<double>(rows++);
    std::vector<std::byte> row(reader.row(0).bytes);
    for (std::size_t i = 0; i < 4; ++i) store(row.data() + 8 * i, n);
    store(row.data() + 32, static_cast<std::int64_t>(n));
    writer->append(0, row);
    std::vector<std::byte> flag(reader.row(1).bytes);
    store(flag.data(), n);
    store(flag.data() + 8, static_cast<std::uint8_t>(rows % 2));
    writer->append(1, flag);
    writer->publish({});
  }
};

/// A message with data, as the protocol's text says.
struct Data {
  Foxglove::Client client;
  std::uint32_t subscription;
  std::uint64_t time;
  std::vector<std::byte> content;  // after the head of CDR
};

std::vector<Data> data_of(ShownRun& run, Foxglove& protocol) {
  std::vector<Data> all;
  run.reader.poll([&](const record::LiveRowReader::Row& row) {
    protocol.take(row, [&](Foxglove::Client c, Bytes m) {
      ByteReader r(m);
      EXPECT_EQ(r.number<std::uint8_t>(), 1);
      Data d{c, r.number<std::uint32_t>(), r.number<std::uint64_t>(), {}};
      EXPECT_EQ(r.number<std::uint32_t>(), 0x00000100u);
      d.content.assign(r.rest().begin(), r.rest().end());
      all.push_back(std::move(d));
    });
  });
  return all;
}

TEST(Foxglove, AdvertisesEachSignalAsAChannel) {
  ShownRun run;
  Foxglove protocol(run.reader, "runs/tumble-0001");
  const auto& first = protocol.opened(1);
  ASSERT_EQ(first.size(), 2u);
  const json info = json::parse(first[0]), channels = json::parse(first[1]);
  EXPECT_EQ(info["op"], "serverInfo");
  EXPECT_EQ(info["name"], "runs/tumble-0001");
  EXPECT_EQ(info["capabilities"], json::array({"time"}));
  EXPECT_EQ(channels["op"], "advertise");
  ASSERT_EQ(channels["channels"].size(), 3u);
  const json& omega = channels["channels"][0];
  EXPECT_EQ(omega["topic"], "/plant/omega");
  EXPECT_EQ(omega["encoding"], "cdr");
  EXPECT_EQ(omega["schemaEncoding"], "ros2msg");
  EXPECT_EQ(omega["schema"], "# plant.omega\nfloat64[3] value  # rad/s, axes B\n");
  EXPECT_EQ(channels["channels"][1]["schema"], "# plant.mode\nint64 value  # 1\n");
  EXPECT_EQ(channels["channels"][2]["schema"], "# bus.on\nuint8 value  # 1\n");
}

TEST(Foxglove, SendsRowsToThoseWhoSubscribedToThem) {
  ShownRun run;
  Foxglove protocol(run.reader, "x");
  protocol.opened(1);
  protocol.opened(2);
  run.add();
  EXPECT_THAT(data_of(run, protocol), IsEmpty());
  EXPECT_EQ(protocol.received(1, R"({"op":"subscribe","subscriptions":[{"id":7,"channelId":0},
                                    {"id":8,"channelId":2}]})"),
            "");
  EXPECT_EQ(protocol.received(2, R"({"op":"subscribe","subscriptions":[{"id":7,"channelId":1}]})"),
            "");
  run.add();
  const auto all = data_of(run, protocol);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].client, 1u);
  EXPECT_EQ(all[0].subscription, 7u);
  EXPECT_EQ(all[0].time, 1'000'000'000u);
  ASSERT_EQ(all[0].content.size(), 24u);
  EXPECT_EQ(load<double>(all[0].content.data() + 16), 1.0);
  EXPECT_EQ(all[1].client, 2u);
  ASSERT_EQ(all[1].content.size(), 8u);
  EXPECT_EQ(load<std::int64_t>(all[1].content.data()), 1);
  EXPECT_EQ(all[2].subscription, 8u);
  EXPECT_EQ(all[2].content.size(), 1u);
  EXPECT_EQ(protocol.received(1, R"({"op":"unsubscribe","subscriptionIds":[7]})"), "");
  protocol.closed(2);
  run.add();
  const auto rest = data_of(run, protocol);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].subscription, 8u);
}

TEST(Foxglove, RefusesWhatItDoesNotOffer) {
  ShownRun run;
  Foxglove protocol(run.reader, "x");
  protocol.opened(1);
  EXPECT_EQ(protocol.received(1, R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]})"),
            "");
  for (const char* bad :
       {"", "[", "7", "{}", R"({"op":7})", R"({"op":"subscribe"})", R"({"op":"unsubscribe"})",
        R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":0}]})",
        R"({"op":"subscribe","subscriptions":[{"id":2,"channelId":3}]})",
        R"({"op":"subscribe","subscriptions":[{"id":-2,"channelId":0}]})",
        R"({"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":0}]})",
        R"({"op":"subscribe","subscriptions":[3,null,"x"]})",
        R"({"op":"setParameters","parameters":[]})"}) {
    const json answer = json::parse(protocol.received(1, bad), nullptr, false);
    EXPECT_EQ(answer.value("op", ""), "status") << bad;
    EXPECT_EQ(answer.value("level", -1), 2) << bad;
  }
  EXPECT_EQ(protocol.received(9, "["), "");  // one that is gone
  run.add();
  EXPECT_EQ(data_of(run, protocol).size(), 1u);
}

TEST(FoxgloveSite, ServesUntilTheRunIsOver) {
  ShownRun run;
  FoxgloveSite site(run.folder.path(), "x", {"127.0.0.1", "0"});
  EXPECT_THAT(site.address(), StartsWith("ws://127.0.0.1:"));
  EXPECT_THAT(site.address(), HasSubstr("/?token="));
  std::thread serving([&] { site.serve(); });
  run.writer.reset();
  serving.join();
  EXPECT_THROW(FoxgloveSite(run.folder.path(), "x", {"127.0.0.1", "0"}), ConfigurationError);
}

}  // namespace
}  // namespace vernier::viewers
