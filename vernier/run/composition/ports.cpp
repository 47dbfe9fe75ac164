#include "vernier/run/composition/ports.hpp"

#include <utility>

#include "vernier/component/system_ports.hpp"

namespace vernier::composition {

Ports ports_of(const hybrid::System* system, const Component* component) {
  Ports ports;
  if (component) {
    const Description& d = component->description();
    ports.inputs = d.inputs;
    ports.outputs = d.outputs;
    ports.feedthrough = d.feedthrough;
    return ports;
  }
  const hybrid::SystemSpec& spec = system->spec();
  for (const hybrid::Signal& s : spec.inputs) ports.inputs.push_back(input_port(s));
  for (const hybrid::Signal& s : spec.outputs) ports.outputs.push_back(output_port(s));
  for (const hybrid::Dependence& d : spec.feedthrough)
    ports.feedthrough.push_back({spec.outputs[d.output].name, spec.inputs[d.input].name});
  for (Port& p : mode_ports(spec)) ports.outputs.push_back(std::move(p));
  for (const hybrid::Event& e : spec.events) {
    if (e.in) ports.inputs.push_back(input_port(e));
    if (e.out) ports.outputs.push_back(output_port(e));
  }
  for (StatePort& p : state_ports(spec)) ports.states.push_back(std::move(p.port));
  return ports;
}

}  // namespace vernier::composition
