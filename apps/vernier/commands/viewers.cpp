#include <fmt/format.h>
#include <sys/socket.h>

#include <thread>

#include "apps/vernier/command.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/run_argument.hpp"
#include "apps/vernier/watch_in_viewer.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/viewers/foxglove_site.hpp"
#include "vernier/run/viewers/plotjuggler.hpp"

namespace vernier::app {
namespace {

constexpr std::chrono::milliseconds look_every{10};  // for new rows

net::Address viewer_address(const std::string& text, const char* usual) {
  if (text.empty()) return {"127.0.0.1", usual};
  if (const auto address = net::parsed_address(text)) return *address;
  throw ConfigurationError(
      "V7505", fmt::format("\"{}\" is not an address; write HOST:PORT, for example 127.0.0.1:{}",
                           text, usual));
}

}  // namespace

int watch_in_plotjuggler(const std::string& run, const std::string& where,
                         const std::vector<std::string>& patterns, double every) {
  const net::Address address = viewer_address(where, "9870");
  const std::filesystem::path folder = run_argument(run);
  auto socket = net::datagrams_to(address);
  if (!socket)
    throw ConfigurationError(
        "V8120", fmt::format("cannot send to {}: {}", net::text(address), socket.error()));
  record::LiveRowReader rows(folder);
  viewers::PlotJuggler datagrams(rows, patterns.empty() ? std::vector<std::string>{"*"} : patterns);
  datagrams.thin_out(every);
  fmt::print("sending to {}; in PlotJuggler start the streaming \"UDP Server\", protocol json\n",
             net::text(address));
  std::fflush(stdout);
  const Interruptible guard([](void*) noexcept {}, nullptr);
  std::uint64_t lost = 0;
  for (bool over = false; !over && !Interruptible::interrupted();) {
    // asked before the rows are: what is written until the end is then read
    over = rows.over();
    lost += rows.poll([&](const record::LiveRowReader::Row& row) {
      datagrams.take(row, [&](std::string_view text) {
        // nobody may listen yet, or the system's queue may be full: then it is missing, as UDP has
        // it
        static_cast<void>(::send(socket->get(), text.data(), text.size(), MSG_NOSIGNAL));
      });
    });
    if (!over) std::this_thread::sleep_for(look_every);
  }
  if (lost > 0) fmt::print("{} rows were overwritten before they could be sent\n", lost);
  return status::good;
}

int watch_in_foxglove(const std::string& run, const std::string& where) {
  const std::filesystem::path folder = run_argument(run);
  viewers::FoxgloveSite site(folder, folder.generic_string(), viewer_address(where, "8765"));
  fmt::print("open this connection (Foxglove WebSocket) in Foxglove or Lichtblick:\n  {}\n",
             site.address());
  std::fflush(stdout);
  const Interruptible guard(
      [](void* whom) noexcept { static_cast<viewers::FoxgloveSite*>(whom)->stop(); }, &site);
  site.serve();
  return status::good;
}

}  // namespace vernier::app
