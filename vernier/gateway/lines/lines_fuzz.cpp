// The decoders of the line protocol on arbitrary input: no crash, and a message that was decoded
// encodes to the same.
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "vernier/gateway/lines/protocol.hpp"
#include "vernier/net/socket.hpp"

using namespace vernier;
using namespace vernier::lines;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void take(std::string_view line) {
  const auto opened_line = opened(line);
  if (!opened_line) return;
  static const std::vector<std::string> labels{"low", "high"};
  std::array<double, 3> values{};
  std::array<std::int64_t, 2> happened{};
  const Moment moment = read_moment(opened_line->rest, values, labels, happened);
  if (moment.flaw == Flaw::none) {
    // written and read again, it is the same to the bit
    static Composer composer(4096);
    composer.clear().verb(opened_line->verb).time(moment.time);
    for (const double x : values) composer.real(x);
    const auto again = opened(composer.text());
    check(again.has_value());
    std::array<double, 3> read{};
    const Moment second = read_moment(again->rest, read, labels, happened);
    check(second.flaw == Flaw::none && second.time == moment.time);
    for (std::size_t i = 0; i < read.size(); ++i) {
      check(std::bit_cast<std::uint64_t>(read[i]) == std::bit_cast<std::uint64_t>(values[i]));
    }
  }
  if (const auto offer = parsed_channels(opened_line->rest)) {
    channel::Channels agreed;
    for (const auto& s : offer->inputs) {
      agreed.inputs.push_back({.name = s.name, .count = s.count});
    }
    for (const auto& s : offer->outputs) {
      agreed.outputs.push_back({.name = s.name, .count = s.count});
    }
    agreed.events_in = offer->events_in;
    agreed.events_out = offer->events_out;
    static_cast<void>(difference(*offer, agreed));
    const auto back = parsed_channels(channels_text(agreed));
    check(back.has_value() && back->inputs.size() == offer->inputs.size());
  }
  static_cast<void>(net::parsed_address(opened_line->rest));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  }
  return 0;
}
