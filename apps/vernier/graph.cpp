#include <fmt/format.h>

#include <map>

#include "apps/vernier/describe.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

using composition::Composition;

std::string dot_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

const char* dashed(const composition::Connection& k) {
  return k.delay_ticks > 0 || k.delay.count() > 0 ? ", style=dashed" : "";
}

/// " 2 ticks later"; empty without a delay.
std::string lateness(const composition::Connection& k) {
  std::string text;
  if (k.delay_ticks > 0)
    text += fmt::format(" {} tick{} later", k.delay_ticks, k.delay_ticks == 1 ? "" : "s");
  if (k.delay.count() > 0) text += fmt::format(" {} s later", exact(seconds(k.delay)));
  return text;
}

}  // namespace

std::string composition_dot(const session::Prepared& p) {
  const Composition& c = p.composition;
  std::string out =
      fmt::format("digraph {} {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n",
                  dot_string(c.name));
  std::map<std::string, std::vector<std::string>> islands;
  for (const composition::Instance& i : c.instances) islands[i.island].push_back(i.name);
  for (const auto& [island, names] : islands) {
    if (!island.empty()) {
      out += fmt::format("  subgraph {} {{\n    label={};\n", dot_string("cluster_" + island),
                         dot_string("island " + island));
    }
    for (const std::string& name : names) out += fmt::format("    {};\n", dot_string(name));
    if (!island.empty()) out += "  }\n";
  }
  if (!c.inputs.empty()) out += "  \"ext\" [shape=plain];\n";
  for (const composition::Connection& k : c.connections) {
    std::string label = k.from.port == k.to.port ? k.from.port : k.from.port + " → " + k.to.port;
    if (k.gain != 1.0) label += " × " + exact(k.gain);
    out += fmt::format("  {} -> {} [label={}{}];\n", dot_string(k.from.instance),
                       dot_string(k.to.instance), dot_string(label), dashed(k));
  }
  for (const composition::Connection& m : c.event_maps) {
    out += fmt::format("  {} -> {} [label={}, color=gray{}];\n", dot_string(m.from.instance),
                       dot_string(m.to.instance), dot_string(m.from.port), dashed(m));
  }
  return out + "}\n";
}

std::string composition_arrows(const session::Prepared& p) {
  Table t;
  for (const composition::Connection& k : p.composition.connections) {
    t.row({k.from.text, "→", k.to.text, (k.gain != 1.0 ? "× " + exact(k.gain) : "") + lateness(k)});
  }
  for (const composition::Connection& m : p.composition.event_maps)
    t.row({m.from.text, "⇢", m.to.text, "event" + lateness(m)});
  return t.text("  ");
}

}  // namespace vernier::app
