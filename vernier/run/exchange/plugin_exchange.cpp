#include "vernier/run/exchange/plugin_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/run/exchange/framed_exchange.hpp"
#include "vernier/run/exchange/vernier_network.h"

namespace vernier::exchange {
namespace {

constexpr const char* gone = "the network has lost it";
constexpr const char* wrong = "the network plug-in moved more bytes than it was asked to";

using Text = std::array<char, 512>;

[[noreturn]] void refuse(std::string what, std::string note = {}) {
  Diagnostics problems;
  Diagnostic& d = problems.error("V5609", std::move(what), {});
  if (!note.empty()) d.notes.push_back(std::move(note));
  throw ConfigurationError(std::move(problems));
}

/// What the other side wrote into a text; it need not have ended it.
std::string text(Text& t) {
  t.back() = '\0';
  return shown(t.data());
}

std::int64_t nanoseconds(net::Clock::time_point t) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
}

}  // namespace

struct NetworkPlugin::Library {
  SharedObject object;
  vernier_network functions{};
  std::string who, address;
  void* node = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (node) functions.close(node);
  }

  void look_up() {
    const auto entry =
        object.function<const vernier_network*(std::uint32_t)>("vernier_network_entry");
    if (!entry)
      refuse(who + " has no function vernier_network_entry",
             "it must be compiled with vernier_network.h, and as C (or extern \"C\")");
    const vernier_network* given = entry(VERNIER_NETWORK_VERSION);
    if (!given || given->version != VERNIER_NETWORK_VERSION)
      refuse(fmt::format("{} {}, this program needs version {}", who,
                         given ? fmt::format("has version {}", given->version)
                               : fmt::format("does not serve version {}", VERNIER_NETWORK_VERSION),
                         VERNIER_NETWORK_VERSION));
    if (given->size < sizeof functions)
      refuse(fmt::format("{} has a table of {} bytes, version {} has {}", who, given->size,
                         VERNIER_NETWORK_VERSION, sizeof functions));
    std::memcpy(&functions, given, sizeof functions);
    const vernier_network& f = functions;
    if (!f.open || !f.close || !f.join || !f.leave || !f.take || !f.give || !f.wait || !f.wake)
      refuse(who + " leaves out a function that is needed",
             "needed: open, close, join, leave, take, give, wait, wake");
  }
};

namespace {

/// Over what a plug-in has joined.
class PluginExchange final : public FramedExchange {
 public:
  PluginExchange(std::shared_ptr<const void> library, const vernier_network& functions,
                 void* joined, const Meeting::With& with)
      : FramedExchange(with.self, static_cast<std::uint32_t>(with.addresses.size())),
        library_(std::move(library)),
        functions_(functions),
        joined_(joined),
        wanted_(with.addresses.size()) {
    if (with.epoch > 0) begin(with.epoch);
  }
  ~PluginExchange() override { functions_.leave(joined_); }

 private:
  static Moved outcome(std::int64_t moved, std::size_t most) noexcept {
    if (moved < 0) return {0, gone};
    if (static_cast<std::uint64_t>(moved) > most) return {0, wrong};
    return {static_cast<std::size_t>(moved), nullptr};
  }
  Moved take(std::uint32_t peer, std::span<std::byte> to) noexcept override {
    return outcome(functions_.take(joined_, peer, to.data(), to.size()), to.size());
  }
  Moved give(std::uint32_t peer, Bytes first, Bytes second) noexcept override {
    Moved m = outcome(functions_.give(joined_, peer, first.data(), first.size()), first.size());
    if (m.ended || m.bytes < first.size() || second.empty()) return m;
    const Moved more =
        outcome(functions_.give(joined_, peer, second.data(), second.size()), second.size());
    return {m.bytes + more.bytes, more.ended};
  }
  bool gathers(std::uint32_t) const noexcept override { return false; }
  void wait(const Waiting& w) noexcept override {
    if (yields(w)) return;
    for (std::uint32_t peer = 0; peer < nodes(); ++peer)
      wanted_[peer] = static_cast<std::uint8_t>((listens(peer, w) ? VERNIER_NETWORK_TAKE : 0u) |
                                                (has_more(peer) ? VERNIER_NETWORK_GIVE : 0u));
    functions_.wait(joined_, wanted_.data(), nanoseconds(w.until));
  }
  void wake() noexcept override { functions_.wake(joined_); }
  void hang_up(std::uint32_t) noexcept override {}  // it is lost for this node alone

  std::shared_ptr<const void> library_;
  const vernier_network& functions_;
  void* joined_;
  std::vector<std::uint8_t> wanted_;
};

}  // namespace

NetworkPlugin::NetworkPlugin(const std::filesystem::path& path, const std::string& config,
                             const std::string& host, NativeCode& code)
    : library_(std::make_shared<Library>()) {
  Library& lib = *library_;
  lib.who = "the network plug-in " + path.string();
  auto object = code.load(path);
  if (!object) refuse(lib.who + " cannot be loaded: " + object.error());
  lib.object = std::move(*object);
  lib.look_up();
  Text address{}, error{};
  lib.node = lib.functions.open(config.c_str(), host.c_str(), address.data(), address.size(),
                                error.data(), error.size());
  if (!lib.node) refuse(lib.who + " cannot be used: " + text(error));
  lib.address = text(address);
  if (lib.address.empty()) refuse(lib.who + " does not say how other nodes reach this one");
}

NetworkPlugin::~NetworkPlugin() = default;

const std::string& NetworkPlugin::address() const noexcept { return library_->address; }

Result<std::unique_ptr<Exchange>, Meeting::Trouble> NetworkPlugin::meet(
    const Meeting::With& with, net::Clock::time_point deadline, int wake) {
  require(with.self < with.addresses.size() && with.key.size() == VERNIER_NETWORK_KEY);
  std::vector<const char*> addresses;
  for (const std::string& a : with.addresses) addresses.push_back(a.c_str());
  const vernier_network_meeting meeting{
      .size = sizeof(vernier_network_meeting),
      .epoch = with.epoch,
      .self = with.self,
      .nodes = static_cast<std::uint32_t>(addresses.size()),
      .addresses = addresses.data(),
      .key = reinterpret_cast<const unsigned char*>(with.key.data()),
      .until = nanoseconds(deadline),
      .wake = wake};
  std::uint32_t missing = VERNIER_NETWORK_NOBODY;
  Text error{};
  const vernier_network& f = library_->functions;
  void* joined = f.join(library_->node, &meeting, &missing, error.data(), error.size());
  if (!joined)
    return Failure{Meeting::Trouble{missing < meeting.nodes ? missing : Meeting::Trouble::nobody,
                                    text(error)}};
  return std::unique_ptr<Exchange>(std::make_unique<PluginExchange>(library_, f, joined, with));
}

}  // namespace vernier::exchange
