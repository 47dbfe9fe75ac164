// What another node says in a run, changed at will: the run ends, and can begin again as if nothing
// had happened.
#include <algorithm>
#include <cstdint>

#include "vernier/base/require.hpp"
#include "vernier/run/executive/test_peer.hpp"

namespace {

using namespace vernier;
using exchange::Received;

/// Two bytes for each frame: what becomes of it, and a number. Then what was recorded.
class Changes {
 public:
  Changes(const std::vector<std::vector<std::byte>>& frames, Bytes input)
      : frames_(frames), input_(input) {}

  Received operator()(Bytes& out) {
    if (at_ >= frames_.size()) return Received::lost;
    frame_ = frames_[at_++];
    const auto what = input_.number<std::uint8_t>();
    const auto number = input_.number<std::uint8_t>();
    const std::size_t place = frame_.empty() ? 0 : number % frame_.size();
    switch (what % 10) {
      case 1:
        frame_.resize(place);
        break;
      case 2:
        frame_ = frames_[at_ < 2 ? 0 : at_ - 2];
        break;
      case 3:
        frame_ = frames_[std::min(at_, frames_.size() - 1)];
        break;
      case 4:
        frame_[place] ^= static_cast<std::byte>(input_.number<std::uint8_t>());
        break;
      case 5:
        replace(0, number);
        break;
      case 6:  // a correct head
        replace(16, number);
        break;
      case 7:  // a number of eight bytes
        replace(std::min(place, frame_.size() - 8), 8);
        break;
      case 8:
        return Received::lost;
      case 9:
        return Received::interrupted;
      default:
        break;
    }
    out = frame_;
    return Received::frame;
  }

 private:
  void replace(std::size_t from, std::size_t count) {
    const Bytes all = input_.rest();
    const Bytes some = input_.raw(std::min(count, all.size()));
    if (count != 8 || some.size() < 8) frame_.resize(from);
    frame_.resize(std::max(frame_.size(), from + some.size()));
    std::copy(some.begin(), some.end(), frame_.begin() + static_cast<std::ptrdiff_t>(from));
  }

  const std::vector<std::vector<std::byte>>& frames_;
  ByteReader input_;
  std::vector<std::byte> frame_;
  std::size_t at_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static executive::test::Lone lone(Time{Duration(400'000'000)});
  static const std::vector<std::byte> undisturbed = lone.undisturbed();
  require(!undisturbed.empty());
  lone.outcome(Changes(lone.frames(), std::as_bytes(std::span(data, size))));
  require(lone.undisturbed() == undisturbed);
  return 0;
}
