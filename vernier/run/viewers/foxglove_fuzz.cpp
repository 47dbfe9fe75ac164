// What a Foxglove client may send, line by line: answered by nothing or by a valid message, and
// afterwards each subscription gets its rows.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/viewers/foxglove.hpp"

using namespace vernier;

namespace {

/// A run with one row of two signals.
struct OneRow {
  TemporaryFolder folder;
  record::LiveRowWriter writer{
      folder.path(), {"1", "fuzz", "now", {{{}, {{.path = "a.b", .count = 2}, {.path = "a.c"}}}}}};
  record::LiveRowReader reader{folder.path()};
  OneRow() {
    writer.append(0, std::vector<std::byte>(reader.row(0).bytes));
    writer.publish({});
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const OneRow run;
  viewers::Foxglove protocol(run.reader, "fuzz");
  protocol.opened(1);
  protocol.opened(2);
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string answer = protocol.received(1, text.substr(0, end));
    if (!answer.empty()) require(nlohmann::json::parse(answer)["op"] == "status");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  record::LiveRowReader reader(run.folder.path());
  reader.poll([&](const record::LiveRowReader::Row& row) {
    protocol.take(row, [](viewers::Foxglove::Client c, Bytes message) {
      require(c == 1 && (message.size() == 13 + 4 + 16 || message.size() == 13 + 4 + 8));
    });
  });
  protocol.closed(1);
  reader = record::LiveRowReader(run.folder.path());
  reader.poll([&](const auto& row) { protocol.take(row, [](auto, Bytes) { require(false); }); });
  return 0;
}
