#include <fmt/format.h>

#include <algorithm>

#include "vernier/run/composition/detail/page.hpp"
#include "vernier/run/composition/detail/values.hpp"

namespace vernier::composition::detail {
namespace {

std::string below(const std::string& id, const std::string& name) { return id + "." + name; }

void prefix(const std::string& id, Endpoint& end) {
  if (end.instance == "ext") return;
  end.instance = below(id, end.instance);
  end.text = below(end.instance, end.port) + slice_text(end.first, end.last);
}

/// `end` narrowed to its elements from `first` to `last`, counted from its own first.
Endpoint part(Endpoint end, std::uint32_t first, std::uint32_t last) {
  end.last = end.first + last;
  end.first += first;
  end.text = below(end.instance, end.port) + slice_text(end.first, end.last);
  return end;
}

/// Joins a connection to elements [a, b) of a nested input with `inner`, which continues from
/// there; nothing when the two do not overlap.
std::optional<Connection> joined_through(const Connection& outer, const Connection& inner,
                                         std::uint32_t size) {
  const std::uint32_t a = outer.to.first, b = outer.to.last;
  const std::uint32_t c = inner.from.first, d = std::min(inner.from.last, size);
  const std::uint32_t s = std::max(a, c), t = std::min(b, d);
  if (s >= t) return {};
  Connection whole;
  // an end of unknown size that is used completely stays open
  whole.from = s == a && t == b ? outer.from : part(outer.from, s - a, t - a);
  whole.to = s == c && t == d ? inner.to : part(inner.to, s - c, t - c);
  whole.gain = outer.gain * inner.gain;
  whole.delay = outer.delay + inner.delay;
  whole.delay_ticks = outer.delay_ticks + inner.delay_ticks;
  whole.place = outer.place.line > 0 ? outer.place : inner.place;
  return whole;
}

/// Connections for the elements of an input that no connection reaches, from an input of the outer
/// composition with its path as the name.
std::vector<Connection> undriven(const Nested& nested, const ExternalInput& input,
                                 const std::vector<const Connection*>& drives) {
  const auto size = static_cast<std::uint32_t>(input.value.size());
  std::vector<bool> driven(size);
  for (const Connection* c : drives) {
    for (std::uint32_t i = c->to.first; i < std::min(c->to.last, size); ++i) driven[i] = true;
  }
  std::vector<Connection> rest;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (driven[i]) continue;
    std::uint32_t end = i;
    while (end < size && !driven[end]) ++end;
    Connection c;
    c.from.instance = "ext";
    c.from.port = below(nested.id, input.name);
    c.from.first = i;
    c.from.last = end;
    c.from.text = below("ext", c.from.port) + (end - i == size ? "" : slice_text(i, end));
    c.from.place = input.place;
    c.to.first = i;
    c.to.last = end;
    rest.push_back(std::move(c));
    i = end;
  }
  return rest;
}

}  // namespace

void take_in(Page& page, const std::string& id, const std::string& node, Composition inner,
             std::vector<Export> inner_exports) {
  Nested nested;
  nested.id = id;
  page.nested_by_id.emplace(id, page.nested.size());
  for (Instance& i : inner.instances) {
    i.name = below(id, i.name);
    if (!i.island.empty() && i.island != own_island) i.island = below(id, i.island);
    if (i.node.empty()) i.node = node;
    page.add_instance(std::move(i));
  }
  for (Island& i : inner.islands) {
    i.name = below(id, i.name);
    page.composition.islands.push_back(std::move(i));
  }
  for (Connection& c : inner.connections) {
    const bool from_input = c.from.instance == "ext";
    prefix(id, c.from);
    prefix(id, c.to);
    (from_input ? nested.from_inputs : page.composition.connections).push_back(std::move(c));
  }
  for (Connection& m : inner.event_maps) {
    prefix(id, m.from);
    prefix(id, m.to);
    page.composition.event_maps.push_back(std::move(m));
  }
  nested.inputs = std::move(inner.inputs);
  for (std::vector<Export>* list : {&inner.exports, &inner_exports}) {
    for (Export& e : *list) {
      prefix(id, e.from);
      page.inner_exports.push_back({below(id, e.name), e.from});
      nested.exports.push_back(std::move(e));
    }
  }
  page.nested.push_back(std::move(nested));
}

void join_nested(Page& page) {
  for (std::size_t n = 0; n < page.nested.size(); ++n) {
    const Nested& nested = page.nested[n];
    for (std::size_t k = 0; k < nested.inputs.size(); ++k) {
      const ExternalInput& input = nested.inputs[k];
      const auto size = static_cast<std::uint32_t>(input.value.size());
      std::vector<const Connection*> outer;
      for (const Drive& d : page.drives) {
        if (d.nested == n && d.input == k) outer.push_back(&d.connection);
      }
      const std::vector<Connection> rest = undriven(nested, input, outer);
      if (!rest.empty()) {
        ExternalInput lifted = input;
        lifted.name = below(nested.id, input.name);
        page.composition.inputs.push_back(std::move(lifted));
      }
      for (const Connection& c : rest) outer.push_back(&c);
      for (const Connection& inner : nested.from_inputs) {
        if (inner.from.port != input.name) continue;
        for (const Connection* c : outer) {
          if (auto whole = joined_through(*c, inner, size)) {
            page.composition.connections.push_back(std::move(*whole));
          }
        }
      }
    }
  }
}

}  // namespace vernier::composition::detail
