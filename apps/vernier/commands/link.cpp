#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/link_measurement.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/net/secret.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::app {
namespace {

struct LinkRequest {
  std::string action, host, data, key, impair, seconds = "60s", patience;
  std::string send_type = "double", receive_type = "double";
  std::optional<double> rate;
  std::uint32_t send = 1, receive = 1;
  bool serve = false, network = false, json = false;
};

net::Address address_in(const std::string& text) {
  const auto whole = net::parsed_address(text);
  if (whole) return *whole;
  if (const auto host = net::parsed_address(text + ":42750")) return *host;
  throw ConfigurationError(
      "V7505",
      fmt::format("\"{}\" is not an address; write HOST:PORT, for example 127.0.0.1:42750", text));
}

net::Address next_port(const net::Address& a, const std::string& given) {
  if (!given.empty()) return {a.host, given};
  const int port = std::stoi(a.port);
  return {a.host, port == 0 ? "0" : std::to_string(port % 65535 + 1)};
}

double seconds_in(const char* option, const std::string& text) {
  const auto t = composition::parsed_time(text);
  if (t && *t > Duration{}) return std::chrono::duration<double>(*t).count();
  throw ConfigurationError(
      "V2005", fmt::format("{} must be a time such as 60s or 5min, not \"{}\"", option, text));
}

link::Element element(const std::string& s) {
  return s == "int8"    ? link::Element::int8
         : s == "uint8" ? link::Element::uint8
                        : link::Element::real;
}

link::Period period(double hertz) {
  return {static_cast<std::uint64_t>(std::llround(1e9 / hertz)), 1};
}

LinkTest what_to_test(const LinkRequest& a) {
  LinkTest t;
  link::Settings& s = t.home;
  s.name = "test";
  s.role = a.serve ? link::Role::server : link::Role::client;
  if (!a.host.empty()) s.control = address_in(a.host);
  s.data = next_port(s.control, a.data);
  s.period = period(a.rate.value_or(a.serve ? 250.0 : 10.0));
  s.send = a.send;
  s.receive = a.receive;
  s.send_element = element(a.send_type);
  s.receive_element = element(a.receive_type);
  if (!a.key.empty()) s.key = net::key_in(a.key, "V5143", "the link \"" + s.name + "\"");
  if (a.serve && s.key.empty() && net::beyond_this_machine(s.control)) {
    Diagnostics open;
    open.warning("V5144",
                 fmt::format("any process that can reach {} can be the peer of this link",
                             net::text(s.control)),
                 {})
        .notes.emplace_back("give both sides the same file: --key FILE");
    print_problems(open);
  }
  t.seconds = seconds_in("--seconds", a.seconds);
  t.patience = a.patience.empty() ? (a.serve ? 60.0 : 5.0) : seconds_in("--patience", a.patience);
  t.packets = a.network;
  if (!a.impair.empty() || a.network) {
    const auto plan = link::parsed_impairment(a.impair);
    if (!plan) {
      throw ConfigurationError("V5180", fmt::format("--impair \"{}\": {}", a.impair, plan.error()));
    }
    t.impairment = *plan;
  }
  if (a.host.empty() && !a.serve) {
    // no peer is given: simulate the facility's side here as well
    t.other = s;
    t.other->name = "facility";
    t.other->role = link::Role::server;
    t.other->control = t.other->data = {"127.0.0.1", "0"};
    t.other->period = period(250.0);
    std::swap(t.other->send, t.other->receive);
    std::swap(t.other->send_element, t.other->receive_element);
  }
  return t;
}

class Watcher final : public LinkWatcher {
 public:
  Watcher(bool quiet, double seconds) : quiet_(quiet), seconds_(seconds) {}
  ~Watcher() override { clear(); }

  void up(const link::Status& s) override {
    if (quiet_) return;
    fmt::print("  up        {}; {} Hz there\n\n", s.peer.empty() ? "peer" : s.peer,
               short_number(1.0 / link::seconds(s.quality.peer_period)));
    std::fflush(stdout);
  }
  void goes(double measured, const link::Quality& q) override {
    if (quiet_ || !output_is_terminal()) return;
    fmt::print(
        "\r  {:3.0f} %   {}   send → receive {:.3f} ms   dead time {:.2f} ms   lost {} \033[K",
        100.0 * measured / seconds_, link::name(q.state), q.send_to_receive.recent_mean * 1e3,
        q.dead_time.recent_mean * 1e3, q.counters.losses);
    std::fflush(stdout);
    drawn_ = true;
  }
  void clear() {
    if (drawn_) fmt::print("\r\033[K");
    drawn_ = false;
  }

 private:
  bool quiet_, drawn_ = false;
  double seconds_;
};

int test(const LinkRequest& a) {
  const LinkTest t = what_to_test(a);
  const auto vector = [](std::uint32_t n, const std::string& type) {
    return fmt::format("{} {}", n, type);
  };
  if (!a.json) {
    fmt::print("link test · {} {} · {} Hz · sends {}, takes {} · {} s\n",
               a.serve   ? "server at"
               : t.other ? "both sides,"
                         : "client of",
               t.other ? "on this machine" : net::text(t.home.control),
               short_number(1.0 / link::seconds(t.home.period)), vector(a.send, a.send_type),
               vector(a.receive, a.receive_type), exact(t.seconds));
    std::fflush(stdout);
  }
  std::atomic<bool> stop{false};
  const Interruptible guard(
      [](void* whom) noexcept { static_cast<std::atomic<bool>*>(whom)->store(true); }, &stop);
  Watcher watcher(a.json, t.seconds);
  LinkFindings f;
  try {
    f = measure_link(t, stop, watcher);
  } catch (const ConfigurationError& e) {
    print_problems(e.diagnostics());
    const bool absent = e.diagnostics().list().front().category == Category::peer;
    return absent ? status::peer_lost : status::bad_input;
  }
  watcher.clear();
  Diagnostic d;
  if (f.fallback) {
    d.severity = Severity::warning;
    d.code = "V5181";
    d.message = fmt::format(
        "no network of packets can be made here ({}); the impairment is made inside this process",
        *f.fallback);
    fmt::print(stderr, "{}", rendered(d, {.color = color_on_errors()}));
  }
  const link::Quality& q = f.status.quality;
  const bool up = q.state == link::LinkState::up || q.state == link::LinkState::degraded;
  const bool lost = (q.counters.losses > 0 && !f.expected_losses) || !(up || f.farewell);
  const int result = Interruptible::interrupted() ? status::interrupted
                     : lost                       ? status::peer_lost
                                                  : status::good;
  fmt::print("{}", a.json ? findings_json(f, result) : findings_text(f));
  std::fflush(stdout);
  if (result == status::peer_lost) {
    d = {};
    d.code = "V5182";
    d.message =
        fmt::format("the link was lost {}{}",
                    q.counters.losses == 1 ? "once" : fmt::format("{} times", q.counters.losses),
                    up ? "" : " and is not up at the end");
    if (!f.status.last_error.empty()) d.notes.push_back(f.status.last_error);
    fmt::print(stderr, "{}", rendered(d, {.color = color_on_errors()}));
  }
  return result;
}

}  // namespace

Action declare_link(CLI::App& app) {
  auto asked = std::make_shared<LinkRequest>();
  app.add_option("action", asked->action, "test: speak SCP to the other side and measure the link")
      ->required()
      ->check(CLI::IsMember({"test"}).description(""))
      ->type_name("");
  auto* host = app.add_option("host", asked->host,
                              "the peer, HOST[:PORT]; with --serve, the address to listen on; "
                              "without an address, both sides run here")
                   ->type_name("");
  app.add_flag("--serve", asked->serve, "play the facility's side and wait for a client");
  app.add_option("--seconds", asked->seconds, "how long to measure (60s)")->type_name("TIME");
  app.add_option("--rate", asked->rate, "steps of this side in a second (10; with --serve 250)")
      ->check(CLI::Range(0.001, 10000.0).description(""))
      ->type_name("HZ");
  app.add_option("--send", asked->send, "elements of the vector that goes out (1)")
      ->check(CLI::Range(0u, 1u << 17).description(""))
      ->type_name("N");
  app.add_option("--receive", asked->receive, "elements of the vector that comes in (1)")
      ->check(CLI::Range(0u, 1u << 17).description(""))
      ->type_name("N");
  const auto types = CLI::IsMember({"double", "int8", "uint8"}).description("");
  app.add_option("--send-type", asked->send_type, "double, int8 or uint8")
      ->check(types)
      ->type_name("TYPE");
  app.add_option("--receive-type", asked->receive_type, "double, int8 or uint8")
      ->check(types)
      ->type_name("TYPE");
  app.add_option("--data", asked->data, "port of the data connection; else the next one")
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("PORT");
  app.add_option("--key", asked->key, "a file with the key that both sides know")
      ->type_name("FILE");
  app.add_option("--patience", asked->patience,
                 "how long to wait for the other side (5s; with --serve 60s)")
      ->type_name("TIME");
  app.add_option("--impair", asked->impair,
                 "make the network worse: \"delay 5ms jitter 1ms loss 1% reorder bytes stall 2s "
                 "cut\"")
      ->type_name("WORDS");
  app.add_flag("--network", asked->network,
               "run both sides here in separate network stacks; --impair drops packets between "
               "them; needs privileges")
      ->excludes(host);
  app.add_flag("--json", asked->json, "one JSON object");
  return [asked](const Invocation&) { return test(*asked); };
}

}  // namespace vernier::app
