#include "vernier/run/exchange/framed_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;

/// Node 0 of two: the peer's frame arrives just after the exchange has looked for it, in a wait
/// that has lasted so long that it looks at all peers.
class Belated final : public FramedExchange {
 public:
  Belated() : FramedExchange(0, 2) {}
  bool waited_too_long = false;

 private:
  Moved take(std::uint32_t, std::span<std::byte> to) noexcept override {
    if (given_ || !late_ || ++looks_ < 2) return {};
    const auto head = FrameHead{FrameHead::size, 0, 0}.bytes();
    std::ranges::copy(head, to.begin());
    given_ = true;
    return {head.size(), nullptr};
  }
  Moved give(std::uint32_t, Bytes first, Bytes second) noexcept override {
    return {first.size() + second.size(), nullptr};
  }
  bool gathers(std::uint32_t) const noexcept override { return true; }
  void wait(const Waiting& w) noexcept override {
    if (given_) {
      waited_too_long = true;  // for a frame that is here: perhaps forever
      interrupt();
    }
    std::this_thread::sleep_until(std::min(w.until, Clock::now() + 2ms));
    late_ = true;
  }
  void wake() noexcept override {}
  void hang_up(std::uint32_t) noexcept override {}

  bool late_ = false, given_ = false;
  int looks_ = 0;
};

TEST(FramedExchange, DoesNotWaitForAFrameThatIsHere) {
  Belated e;
  Bytes frame;
  EXPECT_EQ(e.receive(1, frame), Received::frame);
  EXPECT_FALSE(e.waited_too_long);
}

}  // namespace
}  // namespace vernier::exchange
