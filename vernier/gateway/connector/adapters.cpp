#include "vernier/gateway/connector/adapters.hpp"

#include "vernier/base/require.hpp"
#include "vernier/component/not_loaded.hpp"
#include "vernier/gateway/connector/detail/parameters.hpp"
#include "vernier/gateway/file/csv_sink.hpp"
#include "vernier/gateway/file/csv_source.hpp"
#include "vernier/gateway/lines/simulator.hpp"
#include "vernier/gateway/plugin/device.hpp"

namespace vernier::connector {
namespace {

const ParameterSpec separator_spec =
    choice("separator", {"comma", "semicolon", "tab"}, "comma", "between fields");

char separator(const Parameters& p) {
  const std::string& s = p.text("separator");
  return s == "tab" ? '\t' : s == "semicolon" ? ';' : ',';
}

void needs_file(const Connector&, const Parameters& p) {
  if (p.text("file").empty()) p.reject("file", "the file must be named");
}

// -- csv -----------------------------------------------------------------------------------------

// A CSV file has one direction, so a connector either reads it or writes it.
std::string csv_misfit(const Connector& connector) {
  const channel::Channels& c = connector.channels;
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

/// The path relative to the current directory if the file is below it: messages show it that way.
std::filesystem::path as_named(const std::filesystem::path& file) {
  std::error_code none;
  const auto near = file.lexically_proximate(std::filesystem::current_path(none));
  return none || near.empty() || *near.begin() == ".." ? file : near;
}

std::unique_ptr<Component> make_source(const Connector& c, const Parameters& p,
                                       const Surroundings&) {
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

std::unique_ptr<Component> make_sink(const Connector& c, const Parameters& p,
                                     const Surroundings& around) {
  using Existing = file::CsvSinkSettings::Existing;
  file::CsvSinkSettings s;
  s.path = p.text("file");
  s.confined = true;
  s.writable = around.writable.value_or(std::vector<std::filesystem::path>{"/"});
  s.separator = separator(p);
  s.units = p.boolean("units");
  const std::string& existing = p.text("existing");
  s.existing = existing == "replace"  ? Existing::replace
               : existing == "refuse" ? Existing::refuse
                                      : Existing::number;
  return std::make_unique<file::CsvSink>(c.channels, s);
}

// -- lines ---------------------------------------------------------------------------------------

void check_lines(const Connector&, const Parameters& p) {
  meeting(p);
  milliseconds(p, "timeout");
  milliseconds(p, "patience");
}

std::unique_ptr<Component> make_lines(const Connector& c, const Parameters& p,
                                      const Surroundings& around) {
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
  s.notice = around.notice;
  return std::make_unique<lines::Simulator>(c.channels, s);
}

// -- plugin --------------------------------------------------------------------------------------

std::string plugin_misfit(const Connector& connector) {
  const channel::Channels& c = connector.channels;
  if (!c.events_in.empty() || !c.events_out.empty()) return "a plugin connector has no events";
  if (!c.feedthrough.empty()) return "the feedthrough of a plug-in comes from the plug-in";
  return {};
}

std::unique_ptr<Component> make_device(const Connector& c, const Parameters& p,
                                       const Surroundings& around) {
  const std::filesystem::path file = as_named(p.file("file"));
  if (!around.code || !around.code->loads()) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none))
      throw ConfigurationError("V5201", "the plug-in " + file.string() +
                                            " cannot be loaded: cannot open shared object file: "
                                            "No such file or directory");
    return std::make_unique<NotLoaded>(
        channel::described(c.channels),
        not_loaded_text(file, "its configuration, its own ports, and what its outputs follow"));
  }
  return std::make_unique<plugin::Device>(
      c.channels,
      plugin::DeviceSettings{.name = p.instance(), .path = file, .config = p.text("config")},
      *around.code);
}

}  // namespace

Adapter adapter_of(const Connector& c) {
  static const std::vector<std::string> outside_choices{"nearest", "initial", "stop"};
  static const Adapter source{{text("file", {}, "the file to read", ParameterKind::file),
                               text("time", "t", "the column with the time"), separator_spec,
                               choice("interpolation", {"hold", "linear"}, "hold", "between rows"),
                               choice("before", outside_choices, "nearest", "before the first row"),
                               choice("after", outside_choices, "nearest", "after the last row")},
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
      [](const Connector&) { return std::string(); },
      check_lines,
      make_lines};
  static const Adapter device{{text("file", {}, "the shared object", ParameterKind::file),
                               text("config", "", "a text for the plug-in")},
                              plugin_misfit,
                              needs_file,
                              make_device};
  if (c.adapter == "csv") return c.channels.outputs.empty() ? sink : source;
  if (c.adapter == "link") return link_adapter();
  if (c.adapter == "rsp-server") return rsp_server_adapter(c);
  if (c.adapter == "rsp-client") return rsp_client_adapter(c);
  if (c.adapter == "shared") return shared_adapter();
  if (c.adapter == "heartbeat") return heartbeat_adapter();
  if (c.adapter == "plugin") return device;
  require(c.adapter == "lines");
  return other;
}

}  // namespace vernier::connector
