#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/detail/page.hpp"
#include "vernier/run/composition/detail/values.hpp"

namespace vernier::composition::detail {
namespace {

using document::Element;

/// Suggests names that could have been meant: instances, nested compositions, ext.
/// `elements`: what is written after the path.
void suggest_instance(Page& page, Diagnostic& d, std::string_view path,
                      std::string_view elements = {}) {
  std::vector<std::string> names;
  for (const Instance& i : page.composition.instances) names.push_back(i.name);
  for (const Nested& n : page.nested) names.push_back(n.id);
  if (!page.composition.inputs.empty()) names.emplace_back("ext");
  // an instance's name may be the path without its last word, or its first word
  const std::size_t last = path.rfind('.'), first = path.find('.');
  std::size_t end = last;
  auto near = closest(path.substr(0, end), names);
  if (!near && first != last) {
    end = first;
    near = closest(path.substr(0, end), names);
  }
  if (near) {
    const std::string meant = *near + std::string(end < path.size() ? path.substr(end) : "");
    d.mark = fmt::format("did you mean {}?", meant);
    add_change(d, d.place, meant + std::string(elements));
  } else if (names.size() <= 12) {
    d.notes.push_back(fmt::format("instances: {}", joined(names, ", ")));
  }
}

/// The elements that `inner` selects within those of `outer`; nothing when it exceeds them.
std::optional<std::pair<std::uint32_t, std::uint32_t>> elements_within(const Endpoint& outer,
                                                                       const PathText& inner) {
  constexpr std::uint32_t open = UINT32_MAX;
  const std::uint32_t first = outer.first + inner.first;
  const std::uint32_t last = inner.last == open ? outer.last : outer.first + inner.last;
  if (first < outer.first || first >= last || (outer.last != open && last > outer.last)) return {};
  return std::pair{first, last};
}

template <class List>
auto named_port(const List& list, std::string_view name) {
  return std::find_if(list.begin(), list.end(),
                      [&](const auto& item) { return item.name == name; });
}

/// The endpoint that an export stands for, narrowed to the requested elements.
std::optional<Found> through(Page& page, const Export& e, const PathText& asked, Endpoint end,
                             const Place& place) {
  const auto range = elements_within(e.from, asked);
  if (!range) {
    page.error("V2006",
               fmt::format("\"{}\" asks for elements that {} does not have", end.text, e.name),
               place)
        .notes.push_back(fmt::format("{} is {}", e.name, e.from.text));
    return {};
  }
  end.instance = e.from.instance;
  end.port = e.from.port;
  end.first = range->first;
  end.last = range->second;
  return Found{end};
}

/// An endpoint in a nested composition: an export to read, or an input to drive.
std::optional<Found> in_nested(Page& page, std::size_t index, std::string_view rest,
                               const PathText& path, Endpoint end, Side side, const Place& place) {
  const Nested& nested = page.nested[index];
  if (side != Side::sink) {
    const auto e = named_port(nested.exports, rest);
    if (e != nested.exports.end()) return through(page, *e, path, end, place);
  }
  if (side != Side::source) {
    const auto i = named_port(nested.inputs, rest);
    if (i != nested.inputs.end()) {
      end.instance = side == Side::sink ? nested.id : "ext";
      end.port = side == Side::sink ? std::string(rest) : fmt::format("{}.{}", nested.id, rest);
      const auto size = static_cast<std::uint32_t>(i->value.size());
      if (end.last == UINT32_MAX) end.last = size;
      if (end.first < end.last && end.last <= size) {
        const auto number = static_cast<std::size_t>(i - nested.inputs.begin());
        return Found{end, std::pair{index, number}};
      }
      page.error("V2006",
                 fmt::format("\"{}\" asks for elements that {} does not have", end.text, rest),
                 place)
          .notes.push_back(fmt::format("{} has {} element{}", rest, size, size == 1 ? "" : "s"));
      return {};
    }
  }
  std::vector<std::string> known;
  if (side != Side::sink) {
    for (const Export& e : nested.exports) known.push_back(e.name);
  } else {
    for (const ExternalInput& i : nested.inputs) known.push_back(i.name);
  }
  const char* kind = side == Side::sink ? "input" : "export";
  Diagnostic& d = page.error(
      "V2023", fmt::format("the composition \"{}\" has no {} \"{}\"", nested.id, kind, rest),
      place);
  if (const auto near = closest(rest, known)) {
    const std::string meant = nested.id + "." + *near;
    d.mark = fmt::format("did you mean {}?", meant);
    add_change(d, d.place, meant + elements_in(end.text));
  } else {
    d.notes.push_back(known.empty() ? fmt::format("it has no {}s", kind)
                                    : fmt::format("its {}s: {}", kind, joined(known, ", ")));
  }
  return {};
}

std::optional<Found> external(Page& page, std::string_view name, Endpoint end, const Place& place) {
  const auto input = named_port(page.composition.inputs, name);
  if (input != page.composition.inputs.end()) {
    end.instance = "ext";
    end.port = name;
    return Found{end};
  }
  std::vector<std::string> known;
  for (const ExternalInput& i : page.composition.inputs) known.push_back(i.name);
  Diagnostic& d =
      page.error("V2007", fmt::format("the composition has no input \"{}\"", name), place);
  if (const auto near = closest(name, known)) {
    d.mark = fmt::format("did you mean ext.{}?", *near);
    add_change(d, d.place, "ext." + *near + elements_in(end.text));
  } else {
    d.notes.push_back(fmt::format("declare it: <input name=\"{}\" unit=\"1\"/>", name));
  }
  return {};
}

void read_delay(Page& page, const Element& e, Connection& c) {
  if (!e.attribute("delay")) return;
  if (const auto delay = parsed_delay(e.value("delay"))) {
    c.delay = delay->time;
    c.delay_ticks = delay->ticks;
    return;
  }
  page.error("V2010", fmt::format("delay must be ticks or a time, not \"{}\"", e.value("delay")),
             page.value_place(e, "delay"))
      .notes.push_back("for example 1 tick, 3 ticks or 5 ms");
}

void read_connect(Page& page, const Element& e) {
  const auto from = find_end(page, e, "from", Side::source);
  const auto to = find_end(page, e, "to", Side::sink);
  Connection c;
  const auto gain = parsed_real(trimmed(e.value("gain", "1")));
  if (gain && std::isfinite(*gain)) {
    c.gain = *gain;
  } else {
    add_reason(
        page.error("V2013", fmt::format("gain must be a number, not \"{}\"", e.value("gain")),
                   page.value_place(e, "gain")),
        quantity_problem(e.value("gain"), "1"));
  }
  read_delay(page, e, c);
  if (!from || !to) return;
  c.from = from->end;
  c.to = to->end;
  c.place = e.place;
  c.place.file = page.document.file().string();
  if (to->input) {
    page.drives.push_back({to->input->first, to->input->second, std::move(c)});
  } else {
    page.composition.connections.push_back(std::move(c));
  }
}

void read_eventmap(Page& page, const Element& e) {
  const auto from = find_end(page, e, "from", Side::source);
  const auto to = find_end(page, e, "to", Side::sink);
  Connection map;
  read_delay(page, e, map);
  if (!from || !to) return;
  map.from = from->end;
  map.to = to->end;
  map.place = e.place;
  map.place.file = page.document.file().string();
  if (to->input) {
    page.error(
        "V2007",
        fmt::format("\"{}\" is no event: it is an input of a nested composition", to->end.text),
        page.value_place(e, "to"));
    return;
  }
  page.composition.event_maps.push_back(std::move(map));
}

void read_export(Page& page, const Element& e) {
  const std::string name = name_of(page, e, "name");
  const auto from = find_end(page, e, "from", Side::source);
  if (named_port(page.composition.exports, name) != page.composition.exports.end()) {
    page.error("V2002", fmt::format("there are two exports named \"{}\"", name),
               page.value_place(e, "name"));
    return;
  }
  if (!from) return;
  if (from->end.instance == "ext") {
    page.error("V2006",
               fmt::format("\"{}\" is an input; only what an instance puts out can be exported",
                           from->end.text),
               page.value_place(e, "from"));
    return;
  }
  page.composition.exports.push_back({name, from->end});
}

void read_set(Page& page, const Element& e) {
  const bool path = e.attribute("path") != nullptr;
  const bool pair = e.attribute("system") && e.attribute("constant");
  if (path == pair || (path && (e.attribute("system") || e.attribute("constant")))) {
    page.error("V2011", "<set> needs either path, or system and constant", page.value_place(e, ""))
        .notes.push_back("for example path=\"body.mass\", or system=\"body\" constant=\"mass\"");
    return;
  }
  const std::string written =
      path ? std::string(trimmed(e.value("path")))
           : fmt::format("{}.{}", trimmed(e.value("system")), trimmed(e.value("constant")));
  std::string_view parameter;
  const std::size_t* instance = longest_prefix(page.instances, written, parameter);
  if (!instance) {
    Diagnostic& d =
        page.error("V2011", fmt::format("\"{}\" is no parameter of an instance", written),
                   page.value_place(e, path ? "path" : "system"));
    suggest_instance(page, d, written);
    if (!path) d.fix.clear();  // the name is in two attributes
    return;
  }
  ParameterValue value{.text = std::string(trimmed(e.value("value"))),
                       .unit = std::string(trimmed(e.value("unit"))),
                       .place = page.value_place(e, "value"),
                       .exact = true};
  value.place.file = page.document.file().string();
  page.composition.instances[*instance].parameters.insert_or_assign(std::string(parameter),
                                                                    std::move(value));
}

}  // namespace

std::optional<Found> find_end(Page& page, const Element& e, std::string_view attribute, Side side) {
  const Place place = page.value_place(e, attribute);
  Endpoint end;
  end.text = trimmed(e.value(attribute));
  end.place = place;
  end.place.file = page.document.file().string();
  const auto path = parsed_path(end.text);
  if (!path) {
    page.error("V2006", fmt::format("\"{}\" does not name a port", end.text), place)
        .notes.push_back(
            "write instance.port, or elements of it: body.omega[1], body.q[0:3] (from 0, end "
            "excluded)");
    return {};
  }
  end.first = path->first;
  end.last = path->last;

  const std::string_view name = path->path;
  if (name.substr(0, 4) == "ext." && side != Side::sink)
    return external(page, name.substr(4), end, place);
  if (name.find('.') == std::string_view::npos) {
    if (side == Side::signal) {
      const auto exported = named_port(page.composition.exports, name);
      if (exported != page.composition.exports.end())
        return through(page, *exported, *path, end, place);
      if (named_port(page.composition.inputs, name) != page.composition.inputs.end()) {
        return external(page, name, end, place);
      }
    }
    Diagnostic& d =
        page.error("V2006", fmt::format("\"{}\" does not name a port", end.text), place);
    d.notes.push_back(page.instances.contains(std::string(name))
                          ? fmt::format("write {}.PORT; `vernier info` lists its ports", name)
                          : "write instance.port");
    return {};
  }
  std::string_view in_instance, in_composition;
  const std::size_t* instance = longest_prefix(page.instances, name, in_instance);
  const std::size_t* nested = longest_prefix(page.nested_by_id, name, in_composition);
  // a shorter rest means a longer match of the owner's name
  if (instance && (!nested || in_instance.size() <= in_composition.size())) {
    end.instance = page.composition.instances[*instance].name;
    end.port = in_instance;
    return Found{end};
  }
  if (nested) return in_nested(page, *nested, in_composition, *path, end, side, place);
  // of two instances that share a name, one was meant to have another: V2002 was reported
  if (page.ambiguous) return {};
  Diagnostic& d = page.error(
      "V2007", fmt::format("\"{}\" names no instance of this composition", end.text), place);
  suggest_instance(page, d, name, elements_in(end.text));
  return {};
}

void read_wiring(Page& page, const Element& root) {
  for (const Element& e : root.children) {
    if (e.name == "connect") {
      read_connect(page, e);
    } else if (e.name == "eventmap") {
      read_eventmap(page, e);
    } else if (e.name == "export") {
      read_export(page, e);
    } else if (e.name == "set") {
      read_set(page, e);
    }
  }
}

}  // namespace vernier::composition::detail
