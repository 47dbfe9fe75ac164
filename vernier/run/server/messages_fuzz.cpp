// Every message between a composer and an executor: what was read is written as the same bytes.
// Results of any content reach the merger or are refused.
#include "vernier/run/server/messages.hpp"

#include <cstdlib>

#include "vernier/run/server/merger.hpp"

using namespace vernier;
using namespace vernier::server;

namespace {

template <class T>
void check(Bytes content) {
  const auto message = decode<T>(content);
  if (message && encode(*message) != std::vector<std::byte>(content.begin(), content.end()))
    std::abort();
}

struct Eye final : executive::Observer {
  void sample(Instant, bool) noexcept override {}
};
struct Reader final : Merger::Reader {
  bool reach(Time) override { return true; }
  void note(std::uint32_t, std::span<const Entry>) override {}
  void executed(const Executed&) override {}
};

struct Taker {
  Merger& merger;
  Time end = Time::min();
  bool take(const Row& r) { return merger.take(0, r); }
  bool take(const Noted& n) {
    merger.take(n);
    return true;
  }
  bool take(Executed& e) {
    merger.take(std::move(e));
    return true;
  }
  bool take(const Share&) { return true; }
  bool take(const MeasuredFrame&) { return true; }
  bool take(Time t) {
    end = t;
    return true;
  }
};

void merge(Bytes content) {
  double value = 0.0;
  Port port;
  port.count = 1;
  const executive::PortView view{.path = "y", .port = &port, .data = &value};
  Eye eye;
  Reader reader;
  Merger merger;
  merger.watch(0, eye, {{&view}});
  merger.rewind(Time{});
  Taker taker{merger};
  if (read_results(content, taker) && taker.end < Time::max()) merger.show(taker.end, reader);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes content = std::as_bytes(std::span(data, size));
  check<Begin>(content);
  check<Meet>(content);
  check<Arrange>(content);
  check<Tap>(content);
  check<std::vector<TimedOrder>>(content);
  check<NumberedOrder>(content);
  check<Answered>(content);
  check<Go>(content);
  check<Problems>(content);
  check<Probe>(content);
  if (const auto halted = decode<Halted>(content)) {
    executive::Statistics s;
    add(*halted, s);
  }
  if (const auto s = decoded_snapshot(content); s && encoded(*s).size() != size) std::abort();
  if (const auto p = decode<Problems>(content)) static_cast<void>(decoded(*p));
  merge(content);
  return 0;
}
