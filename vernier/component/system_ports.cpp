#include "vernier/component/system_ports.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace vernier {

Port input_port(const hybrid::Signal& s) {
  Port p = output_port(s);
  p.initial = s.initial;
  return p;
}

Port output_port(const hybrid::Signal& s) {
  Port p;
  p.name = s.name;
  p.unit = s.unit;
  p.frame = s.frame;
  p.count = s.count;
  p.description = s.description;
  return p;
}

Port input_port(const hybrid::Event& e) {
  Port p = output_port(e);
  p.initial = std::vector<double>{0.0};
  return p;
}

Port output_port(const hybrid::Event& e) {
  Port p;
  p.name = e.name;
  p.scalar = Scalar::integer;
  p.flow = Flow::event;
  p.description = "event";
  return p;
}

std::vector<Port> mode_ports(const hybrid::SystemSpec& spec) {
  std::vector<Port> ports;
  for (const hybrid::Automaton& a : spec.automata) {
    const std::string prefix = a.name.empty() ? "" : a.name + ".";
    const bool taken =
        std::any_of(spec.outputs.begin(), spec.outputs.end(),
                    [&](const hybrid::Signal& s) { return s.name == prefix + "mode"; });
    Port p;
    p.name = prefix + (taken ? "location" : "mode");
    p.scalar = Scalar::integer;
    for (std::size_t k = 0; k < a.locations.size(); ++k) {
      p.description += (k == 0 ? "" : ", ") + std::to_string(k) + " " + a.locations[k];
    }
    ports.push_back(std::move(p));
  }
  return ports;
}

std::vector<StatePort> state_ports(const hybrid::SystemSpec& spec) {
  std::set<std::string> taken;
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const hybrid::Signal& s : *list) taken.insert(s.name);
  for (const hybrid::Event& e : spec.events) taken.insert(e.name);
  for (const Port& p : mode_ports(spec)) taken.insert(p.name);
  std::vector<StatePort> ports;
  std::size_t first = 0;
  for (const hybrid::Signal& s : spec.states) {
    if (taken.insert(s.name).second) {
      ports.push_back({output_port(s), first});
      ports.back().port.state = true;
    }
    first += s.count;
  }
  return ports;
}

}  // namespace vernier
