#include "vernier/gateway/connector/adapters.hpp"

#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/gateway/file/csv_sink.hpp"
#include "vernier/gateway/file/csv_source.hpp"
#include "vernier/gateway/lines/simulator.hpp"
#include "vernier/gateway/link/key.hpp"
#include "vernier/gateway/link/partner.hpp"
#include "vernier/gateway/plugin/device.hpp"

namespace vernier::connector {
namespace {

// -- parameters --------------------------------------------------------------------------------

ParameterSpec choice(std::string name, std::vector<std::string> choices, std::string initial,
                     std::string description) {
  return {.name = std::move(name),
          .kind = ParameterKind::choice,
          .initial = std::move(initial),
          .description = std::move(description),
          .choices = std::move(choices)};
}

ParameterSpec text(std::string name, std::optional<std::string> initial, std::string description,
                   ParameterKind kind = ParameterKind::text) {
  return {.name = std::move(name),
          .kind = kind,
          .initial = std::move(initial),
          .description = std::move(description)};
}

ParameterSpec yes_or_no(std::string name, const char* initial, std::string description) {
  return {.name = std::move(name),
          .kind = ParameterKind::boolean,
          .initial = initial,
          .description = std::move(description)};
}

ParameterSpec span_of_time(std::string name, const char* initial, std::string description) {
  return {.name = std::move(name),
          .unit = "s",
          .initial = initial,
          .description = std::move(description)};
}

const ParameterSpec separator_spec =
    choice("separator", {"comma", "semicolon", "tab"}, "comma", "between fields");

char separator(const Parameters& p) {
  const std::string& s = p.text("separator");
  return s == "tab" ? '\t' : s == "semicolon" ? ';' : ',';
}

void needs_file(const Parameters& p) {
  if (p.text("file").empty()) p.reject("file", "the file must be named");
}

// -- csv -----------------------------------------------------------------------------------------

std::string csv_misfit(const channel::Channels& c) {
  if (!c.events_in.empty() || !c.events_out.empty()) return "a csv connector has no events";
  if (!c.feedthrough.empty()) return "a csv connector has no feedthrough";
  if (!c.inputs.empty() && !c.outputs.empty()) {
    return "a csv connector has inputs, which are written, or outputs, which are read, and not "
           "both";
  }
  if (c.inputs.empty() && c.outputs.empty())
    return "a csv connector needs inputs to write, or outputs to read";
  return {};
}

file::CsvSourceSettings::Outside outside(const std::string& s) {
  using Outside = file::CsvSourceSettings::Outside;
  return s == "initial" ? Outside::initial : s == "stop" ? Outside::stop : Outside::nearest;
}

/// A file below the folder one stands in, as one would name it there: messages show it.
std::filesystem::path as_named(const std::filesystem::path& file) {
  std::error_code none;
  const auto near = file.lexically_proximate(std::filesystem::current_path(none));
  return none || near.empty() || *near.begin() == ".." ? file : near;
}

std::unique_ptr<Component> make_source(const Connector& c, const Parameters& p, const Notice&) {
  using Between = file::CsvSourceSettings::Between;
  file::CsvSourceSettings s;
  s.path = as_named(p.file("file"));
  s.time_column = p.text("time");
  s.separator = separator(p);
  s.between = p.text("interpolation") == "linear" ? Between::linear : Between::hold;
  s.before = outside(p.text("before"));
  s.after = outside(p.text("after"));
  return std::make_unique<file::CsvSource>(c.channels, s);
}

std::unique_ptr<Component> make_sink(const Connector& c, const Parameters& p, const Notice&) {
  using Existing = file::CsvSinkSettings::Existing;
  file::CsvSinkSettings s;
  s.path = p.text("file");
  s.separator = separator(p);
  s.units = p.boolean("units");
  const std::string& existing = p.text("existing");
  s.existing = existing == "replace"  ? Existing::replace
               : existing == "refuse" ? Existing::refuse
                                      : Existing::number;
  return std::make_unique<file::CsvSink>(c.channels, s);
}

// -- lines ---------------------------------------------------------------------------------------

struct Meeting {
  bool listen = true;
  lines::Address address;
};

// what the composition gives goes before what the document gives
Meeting meeting(const Parameters& p) {
  const std::string &listen = p.text("listen"), &connect = p.text("connect");
  bool listens = connect.empty();
  if (!listen.empty() && !connect.empty()) {
    if (p.given("listen") == p.given("connect"))
      p.reject("listen", "give listen or connect, not both");
    listens = p.given("listen");
  }
  const char* name = listens ? "listen" : "connect";
  if (listen.empty() && connect.empty())
    p.reject("listen", "give listen or connect, an address like 127.0.0.1:4711");
  const auto address = lines::parsed_address(p.text(name));
  if (!address) p.reject(name, "it must be an address like 127.0.0.1:4711");
  return {listens, *address};
}

std::chrono::milliseconds milliseconds(const Parameters& p, const char* name) {
  const double s = p.real(name);
  if (!(s >= 0.001 && s <= 1e6)) p.reject(name, "it must be from 1 ms to 1000000 s");
  return std::chrono::milliseconds(std::llround(s * 1000.0));
}

void check_lines(const Parameters& p) {
  meeting(p);
  milliseconds(p, "timeout");
  milliseconds(p, "patience");
}

std::unique_ptr<Component> make_lines(const Connector& c, const Parameters& p,
                                      const Notice& notice) {
  const Meeting m = meeting(p);
  lines::SimulatorSettings s;
  s.name = p.instance();
  s.address = m.address;
  s.listen = m.listen;
  s.timeout = milliseconds(p, "timeout");
  s.patience = milliseconds(p, "patience");
  s.rollback = p.boolean("rollback");
  s.early = p.boolean("early");
  s.react = p.boolean("react");
  s.notice = notice;
  return std::make_unique<lines::Simulator>(c.channels, s);
}

// -- link ----------------------------------------------------------------------------------------

std::string link_misfit(const channel::Channels& c) {
  if (!c.events_in.empty() || !c.events_out.empty()) return "a link connector has no events";
  if (!c.feedthrough.empty()) return "a link connector has no feedthrough";
  return {};
}

// the port after that of the control connection, unless one is given
channel::Address data_address(const Parameters& p, const Meeting& m) {
  const channel::Address& control = m.address;
  const std::string& given = p.text("data");
  if (!given.empty()) {
    const auto address = channel::parsed_address(given);
    if (!address) p.reject("data", "it must be an address like 127.0.0.1:42751");
    return *address;
  }
  const int port = std::stoi(control.port);
  if (port == 65535)
    p.reject(m.listen ? "listen" : "connect", "there is no port after it: give data too");
  return {control.host, port == 0 ? "0" : std::to_string(port + 1)};
}

// as a ratio of whole numbers: 250 Hz, but also 33.333333333333336 Hz, which is 100 in 3 s
Rate rate_of(const Parameters& p) {
  const double hertz = p.real("rate");
  if (!(hertz >= 1e-3 && hertz <= 1e6)) p.reject("rate", "it must be from 0.001 Hz to 1 MHz");
  for (std::int64_t seconds = 1; seconds <= 1000; ++seconds) {
    const double times = std::round(hertz * static_cast<double>(seconds));
    const double exact = times / static_cast<double>(seconds);
    if (times >= 1.0 && std::abs(exact - hertz) <= 1e-12 * hertz)
      return {static_cast<std::int64_t>(times), seconds};
  }
  p.reject("rate", "it must be so many times in up to 1000 whole seconds");
}

link::Element element(const std::string& s) {
  return s == "int8"    ? link::Element::int8
         : s == "uint8" ? link::Element::uint8
                        : link::Element::real;
}

std::chrono::milliseconds patience(const Parameters& p) {
  return p.real("patience") == 0.0 ? std::chrono::milliseconds(0) : milliseconds(p, "patience");
}

void check_link(const Parameters& p) {
  data_address(p, meeting(p));
  rate_of(p);
  patience(p);
  if (milliseconds(p, "timeout") < 2 * milliseconds(p, "ping"))
    p.reject("timeout", "it must be at least twice the interval of the pings");
  milliseconds(p, "delay");
  if (p.integer("priority") < 0 || p.integer("priority") > 99)
    p.reject("priority", "it must be from 0, which is none, to 99");
  if (!(p.real("stale") > 0.0)) p.reject("stale", "it must be positive");
}

std::unique_ptr<Component> make_link(const Connector& c, const Parameters& p,
                                     const Notice& notice) {
  const Meeting m = meeting(p);
  link::PartnerSettings s;
  s.link.name = p.instance();
  s.link.role = m.listen ? link::Role::server : link::Role::client;
  s.link.control = m.address;
  s.link.data = data_address(p, m);
  s.link.send_element = element(p.text("send"));
  s.link.receive_element = element(p.text("receive"));
  s.link.interface_hash = link::interface_hash(p.text("interface"));
  if (!p.text("key").empty()) s.link.key = link::key_in(p.file("key"), p.instance());
  s.link.ping_interval = milliseconds(p, "ping");
  s.link.ping_timeout = milliseconds(p, "timeout");
  s.link.delay_interval = milliseconds(p, "delay");
  s.link.check_payload = p.boolean("checksum");
  s.link.drop_not_finite = p.text("not_finite") == "drop";
  s.link.stale_periods = p.real("stale");
  s.link.priority = static_cast<int>(p.integer("priority"));
  s.rate = rate_of(p);
  s.patience = patience(p);
  s.stop_when_lost = p.text("loss") == "stop";
  s.notice = notice;
  return std::make_unique<link::Partner>(c.channels, s);
}

// -- plugin --------------------------------------------------------------------------------------

std::string plugin_misfit(const channel::Channels& c) {
  if (!c.events_in.empty() || !c.events_out.empty()) return "a plugin connector has no events";
  if (!c.feedthrough.empty()) return "the feedthrough of a plug-in comes from the plug-in";
  return {};
}

std::unique_ptr<Component> make_device(const Connector& c, const Parameters& p, const Notice&) {
  return std::make_unique<plugin::Device>(
      c.channels,
      plugin::DeviceSettings{
          .name = p.instance(), .path = as_named(p.file("file")), .config = p.text("config")});
}

}  // namespace

const Adapter& adapter_of(const Connector& c) {
  static const std::vector<std::string> outside_choices{"nearest", "initial", "stop"};
  static const Adapter source{{text("file", {}, "the file to read", ParameterKind::file),
                               text("time", "t", "the column with the time"), separator_spec,
                               choice("interpolation", {"hold", "linear"}, "hold", "between rows"),
                               choice("before", outside_choices, "nearest", "before the first row"),
                               choice("after", outside_choices, "nearest", "behind the last row")},
                              csv_misfit,
                              needs_file,
                              make_source};
  static const Adapter sink{{text("file", {}, "the file to write"), separator_spec,
                             yes_or_no("units", "no", "units in the header"),
                             choice("existing", {"number", "replace", "refuse"}, "number",
                                    "what to do with a file that exists")},
                            csv_misfit,
                            needs_file,
                            make_sink};
  static const Adapter other{
      {text("listen", "", "the address to wait at"), text("connect", "", "the address to go to"),
       span_of_time("timeout", "10", "for each answer"),
       span_of_time("patience", "30", "for the other side to come"),
       yes_or_no("rollback", "yes", "use SAVE and RESTORE if the peer has them"),
       yes_or_no("early", "no", "the peer may stop before the end of a step"),
       yes_or_no("react", "no", "ask the peer at every instant whether its state jumps")},
      [](const channel::Channels&) { return std::string(); },
      check_lines,
      make_lines};
  static const Adapter device{{text("file", {}, "the shared object", ParameterKind::file),
                               text("config", "", "a text for the plug-in")},
                              plugin_misfit,
                              needs_file,
                              make_device};
  static const std::vector<std::string> elements{"double", "int8", "uint8"};
  static const Adapter partner{
      {text("listen", "", "the address to wait at, as a server"),
       text("connect", "", "the address to go to, as a client"),
       text("data", "", "the address of the data connection; else the next port"),
       {.name = "rate", .unit = "1/s", .description = "steps of this side"},
       choice("send", elements, "double", "type of the elements that leave"),
       choice("receive", elements, "double", "type of the elements that come"),
       text("interface", "", "what the vectors mean; compared when both sides give it"),
       text("key", "", "a file with the key that both sides know", ParameterKind::file),
       span_of_time("ping", "0.1", "between pings"),
       span_of_time("timeout", "1", "without an answer to a ping: the link is lost"),
       span_of_time("delay", "0.1", "between exchanges that compare the clocks"),
       span_of_time("patience", "0", "for the other side to come at the start; 0: not waited for"),
       choice("not_finite", {"pass", "drop"}, "pass", "vectors with NaN or infinity"),
       choice("loss", {"hold", "stop"}, "hold", "what a lost link does to the run"),
       yes_or_no("checksum", "yes", "over every vector"),
       {.name = "stale",
        .initial = "3",
        .description = "periods of the other side without a vector that make it stale"},
       {.name = "priority",
        .kind = ParameterKind::integer,
        .initial = "0",
        .description = "of the communication thread, as SCHED_FIFO; 0: none"}},
      link_misfit,
      check_link,
      make_link};
  if (c.adapter == "csv") return c.channels.outputs.empty() ? sink : source;
  if (c.adapter == "link") return partner;
  if (c.adapter == "plugin") return device;
  require(c.adapter == "lines");
  return other;
}

}  // namespace vernier::connector
