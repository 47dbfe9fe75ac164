// Two federates that send arbitrary messages in any order, joined or not: the RTI refuses or serves
// them, and everything it sends is well-formed. Also restores saved states from a file.
//
// A record is a sender (1 byte: bit 0, which of the two; bit 1, its connection is lost instead), a
// kind (2 bytes), a length (2 bytes) and a body. The first byte of the input: bit 0, both have
// joined; bit 1, a saved state to restore follows (its length in 4 bytes), then records.
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/federation/core.hpp"
#include "vernier/gateway/federation/core_fom_test.hpp"
#include "vernier/gateway/federation/detail/fom_store.hpp"
#include "vernier/gateway/federation/detail/saved.hpp"
#include "vernier/gateway/federation/requests.hpp"

using namespace vernier;
using namespace vernier::federation;

namespace {

class Ear final : public Peer {
 public:
  void put(const Frame& f) override {
    require(header(*f) && with_callback(header(*f)->kind, []<class>() {}));
    said += f->size();
  }
  std::size_t backlog() const noexcept override { return 0; }
  std::size_t said = 0;
};

const TemporaryFolder& folder() {
  static const TemporaryFolder one;
  return one;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader r(std::as_bytes(std::span(data, size)));
  std::uint8_t how = 0;
  r(how);
  static const auto foms = std::make_shared<FomStore>();
  CoreSettings settings{.most_waiting = 100000, .patience = {}, .foms = foms};
  if (how & 2u) settings.save_folder = folder().path().string();
  Core core(settings);
  std::array<Ear, 2> ears;
  std::array<Connection, 2> lines{core.open(ears[0]), core.open(ears[1])};
  if (how & 3u) {
    core.take(lines[0], *frame(CreateFederation{"F", {{"f", rig::small_fom}}, {}, {}}, 1));
    for (std::size_t i = 0; i < 2; ++i)
      require(core.take(lines[i], *frame(Join{i == 0 ? "A" : "B", "type", "F", {}}, 2)));
  }
  if (how & 2u) {
    std::uint32_t length = 0;
    r(length);
    const Bytes state = r.raw(length);
    SaveStore(settings.save_folder).put("F", "s", Blob(state.begin(), state.end()));
    core.take(lines[0], *frame(RequestRestore{"s"}, 3));
    for (const Connection c : lines) core.take(c, *frame(RestoreDone{true}, 4));
  }
  std::uint32_t sequence = 10;
  while (!r.rest().empty()) {
    std::uint8_t who = 0;
    std::uint16_t kind = 0, length = 0;
    r(who, kind, length);
    const Bytes body = r.raw(length);
    if (!r.ok()) break;
    Connection& line = lines[who & 1u];
    bool alive = (who & 2u) == 0;
    if (alive) {
      std::vector<std::byte> whole;
      Writer w(whole);
      w(Header{static_cast<std::uint32_t>(sizeof(Header) + body.size()), static_cast<Kind>(kind), 0,
               ++sequence});
      w.raw(body);
      alive = core.take(line, whole);
    }
    if (!alive) {
      core.close(line, "cut");
      line = core.open(ears[who & 1u]);
    }
    require(ears[0].said + ears[1].said < (std::size_t{1} << 30));
  }
  for (const Connection c : lines) core.close(c, "end");
  return 0;
}
