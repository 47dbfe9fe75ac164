#include "vernier/gateway/lines/line_server.hpp"

#include <algorithm>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/gateway/lines/detail/memory.hpp"
#include "vernier/gateway/lines/detail/session.hpp"

namespace vernier::lines {
namespace {

[[noreturn]] void refuse_server(const char* code, const std::string& message,
                                const std::string& note) {
  Diagnostics problems;
  problems.error(code, message, {}).notes.push_back(note);
  throw ConfigurationError(std::move(problems));
}

std::string element(const char* tag, const channel::Channel& c) {
  std::string text = "    <" + std::string(tag) + " name=\"" + escaped(c.name) + "\"";
  if (c.unit != "1") text += " unit=\"" + escaped(c.unit) + "\"";
  if (c.count != 1) text += " size=\"" + std::to_string(c.count) + "\"";
  if (c.scalar == Scalar::integer) text += " kind=\"integer\"";
  if (c.scalar == Scalar::boolean) text += " kind=\"boolean\"";
  if (c.scalar == Scalar::byte) text += " kind=\"byte\"";
  if (c.initial) {
    std::string values;
    for (const double x : *c.initial) values += (values.empty() ? "" : " ") + exact(x);
    text += " default=\"" + values + "\"";
  }
  return text + "/>\n";
}

}  // namespace

channel::Channels channels_of(const Description& d) {
  channel::Channels channels;
  const auto sort = [](const Port& p, std::vector<channel::Channel>& signals,
                       std::vector<std::string>& events) {
    if (p.flow == Flow::stream) {
      refuse_server(
          "V5119",
          "the port \"" + p.name + "\" is a stream, which the line protocol does not carry",
          "host a part without streams");
    }
    if (p.flow == Flow::event) {
      events.push_back(p.name);
      return;
    }
    channel::Channel c;
    c.name = p.name;
    c.unit = p.unit;  // ports are in SI already
    c.count = p.count;
    c.scalar = p.scalar;
    c.initial = p.initial;
    c.description = p.description;
    signals.push_back(std::move(c));
  };
  for (const Port& p : d.inputs) sort(p, channels.inputs, channels.events_in);
  for (const Port& p : d.outputs) {
    if (!p.state) sort(p, channels.outputs, channels.events_out);  // states stay with the host
  }
  channels.feedthrough = d.feedthrough;
  return channels;
}

std::string connector_document(const Description& d, const std::string& name,
                               const std::string& address) {
  const channel::Channels channels = channels_of(d);
  std::string text = "<?xml version=\"1.0\"?>\n<ioconnector name=\"" + escaped(name) +
                     "\" version=\"1\" adapter=\"lines\">\n";
  if (!channels.inputs.empty()) {
    text += "  <inputs>\n";
    for (const auto& c : channels.inputs) text += element("input", c);
    text += "  </inputs>\n";
  }
  if (!channels.outputs.empty()) {
    text += "  <outputs>\n";
    for (auto c : channels.outputs) {
      c.initial.reset();
      text += element("output", c);
    }
    text += "  </outputs>\n";
  }
  if (!channels.events_in.empty() || !channels.events_out.empty()) {
    text += "  <events>\n";
    for (const auto& e : channels.events_in) {
      text += "    <event name=\"" + escaped(e) + "\" direction=\"in\"/>\n";
    }
    for (const auto& e : channels.events_out) {
      text += "    <event name=\"" + escaped(e) + "\" direction=\"out\"/>\n";
    }
    text += "  </events>\n";
  }
  for (const auto& f : channels.feedthrough) {
    text += "  <feedthrough output=\"" + escaped(f.output) + "\" input=\"" + escaped(f.input) +
            "\"/>\n";
  }
  text += "  <parameter name=\"connect\">" + escaped(address) + "</parameter>\n";
  if (d.abilities.stops_early) text += "  <parameter name=\"early\">yes</parameter>\n";
  if (d.abilities.reacts) text += "  <parameter name=\"react\">yes</parameter>\n";
  if (!d.abilities.rewinds) text += "  <parameter name=\"rollback\">no</parameter>\n";
  return text + "</ioconnector>\n";
}

LineServer::LineServer(Component& component, ServerSettings settings)
    : component_(component),
      settings_(std::move(settings)),
      channels_(channels_of(component.description())),
      memory_(std::make_unique<Memory>(component.description())) {
  component_.bind(*memory_);
  if (!wake_) refuse_server("V5102", "no event descriptor can be made", "too many files are open");
  if (!settings_.listen) return;
  auto made = net::listening(settings_.address);
  if (!made) {
    refuse_server("V5102",
                  "\"" + settings_.name + "\" cannot listen at " + text(settings_.address) + ": " +
                      made.error(),
                  "is another server using it? choose another port");
  }
  listener_ = std::move(*made);
}

LineServer::~LineServer() = default;

std::string LineServer::address() const {
  net::Address a = settings_.address;
  if (listener_) a.port = std::to_string(net::port_of(listener_));
  return text(a);
}

LineServer::Ending LineServer::serve() {
  std::optional<Descriptor> socket;
  if (settings_.listen) {
    socket = net::accepted(listener_, net::forever, wake_.descriptor());
    if (!socket) return Ending::stopped;
  } else {
    const auto deadline = net::Clock::now() + settings_.patience;
    while (!socket) {
      auto made = net::connected(settings_.address, deadline);
      if (made) {
        socket = std::move(*made);
      } else if (net::Clock::now() + std::chrono::milliseconds(100) >= deadline) {
        refuse_server("V5101", "no answer for \"" + settings_.name + "\" at " + address(),
                      made.error() + ". Is the run waiting there?");
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }
  peer_ = net::peer_name(socket->get());
  Session session(component_, *memory_, channels_, settings_,
                  net::LineStream(std::move(*socket), longest_line, wake_.descriptor()),
                  listener_.get());
  const Ending ending = session.run();
  steps_ = session.steps();
  reached_ = session.now();
  return ending;
}

void LineServer::stop() noexcept { wake_.ring(); }

std::string LineServer::summary() const {
  return std::to_string(steps_) + (steps_ == 1 ? " step" : " steps") +
         " to t = " + exact(seconds(reached_)) + " s";
}

}  // namespace vernier::lines
