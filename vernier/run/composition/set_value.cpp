#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/detail/page.hpp"
#include "vernier/run/composition/detail/values.hpp"

namespace vernier::composition {
namespace {

[[noreturn]] void refuse(std::string code, std::string message, std::vector<std::string> notes) {
  Diagnostics problems;
  problems.error(std::move(code), std::move(message), {}).notes = std::move(notes);
  throw ConfigurationError(problems);
}

Duration as_duration(std::string_view name, std::string_view value) {
  const auto d = detail::parsed_duration(value);
  if (!d) {
    refuse("V2005", fmt::format("run.{} must be a time, not \"{}\"", name, value),
           {"for example 600 s, 10 ms, 5 min or 2 h"});
  }
  return *d;
}

double as_positive(std::string_view name, std::string_view value) {
  const auto v = parsed_real(value);
  if (!v || !std::isfinite(*v) || *v <= 0.0) {
    refuse("V2013", fmt::format("run.{} must be a positive number, not \"{}\"", name, value), {});
  }
  return *v;
}

/// Sets a value of the run, and of every island that inherited it.
template <class T>
void set_for_islands(Composition& c, T IslandSettings::*setting, T value) {
  const T before = c.run.island.*setting;
  for (Island& i : c.islands) {
    if (i.settings.*setting == before) i.settings.*setting = value;
  }
  c.run.island.*setting = std::move(value);
}

void set_run(Composition& c, std::string_view name, std::string_view value) {
  if (name == "stop") {
    c.run.stop = as_duration(name, value);
  } else if (name == "step") {
    const Duration step = as_duration(name, value);
    if (step <= Duration{}) refuse("V2013", "run.step must be longer than zero", {});
    c.run.step = step;
  } else if (name == "seed") {
    const auto seed = parsed_integer(value);
    if (!seed || *seed < 0)
      refuse("V2013", fmt::format("run.seed must be a whole number, not \"{}\"", value), {});
    c.run.seed = static_cast<std::uint64_t>(*seed);
  } else if (name == "arithmetic") {
    const bool fastest = value == vernier::name(Arithmetic::fastest);
    if (!fastest && value != vernier::name(Arithmetic::reproducible))
      refuse("V2013", fmt::format("run.arithmetic is reproducible or fastest, not \"{}\"", value),
             {});
    c.run.arithmetic = fastest ? Arithmetic::fastest : Arithmetic::reproducible;
  } else if (name == "rtol") {
    set_for_islands(c, &IslandSettings::rtol, as_positive(name, value));
  } else if (name == "atol") {
    set_for_islands(c, &IslandSettings::atol, as_positive(name, value));
  } else if (name == "integrator") {
    set_for_islands(c, &IslandSettings::integrator, std::string(value));
  } else if (name == "inputs") {
    set_for_islands(c, &IslandSettings::inputs, std::string(value));
  } else {
    const std::vector<std::string> known{"stop", "step", "seed",       "arithmetic",
                                         "rtol", "atol", "integrator", "inputs"};
    const auto near = closest(name, known);
    refuse(
        "V2022", fmt::format("the run has no setting \"{}\"", name),
        {near ? fmt::format("did you mean run.{}?", *near) : "settings: " + joined(known, ", ")});
  }
}

void set_input(ExternalInput& input, std::string_view value) {
  const auto numbers = detail::parsed_numbers(value, {}, input.unit);
  if (!numbers || numbers->size() != input.value.size()) {
    refuse("V2005", fmt::format("the input \"{}\" cannot be \"{}\"", input.name, value),
           {fmt::format("it has {} element{} in {}", input.value.size(),
                        input.value.size() == 1 ? "" : "s", input.unit)});
  }
  input.value = *numbers;
}

}  // namespace

std::optional<std::vector<double>> parsed_values(std::string_view text, std::string_view unit) {
  return detail::parsed_numbers(text, {}, unit);
}

std::optional<Duration> parsed_time(std::string_view text) { return detail::parsed_duration(text); }
std::optional<Rate> parsed_rate(std::string_view text) { return detail::parsed_rate(text); }

void set_value(Composition& c, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view path = trimmed(assignment.substr(0, equals));
  if (equals == std::string_view::npos || path.empty()) {
    refuse("V2021", fmt::format("\"{}\" does not set anything", assignment),
           {"write path=value, for example --set plant.mass=4.1kg"});
  }
  const std::string_view value = trimmed(assignment.substr(equals + 1));
  if (path.substr(0, 4) == "run.") return set_run(c, path.substr(4), value);
  const std::string_view input_name = path.substr(0, 4) == "ext." ? path.substr(4) : path;
  for (ExternalInput& i : c.inputs) {
    if (i.name == input_name) return set_input(i, value);
  }
  std::unordered_map<std::string, std::size_t> names;
  for (std::size_t i = 0; i < c.instances.size(); ++i) names.emplace(c.instances[i].name, i);
  std::string_view parameter;
  const std::size_t* instance = detail::longest_prefix(names, path, parameter);
  if (instance) {
    c.instances[*instance].parameters.insert_or_assign(std::string(parameter),
                                                       ParameterValue{.text = std::string(value)});
    return;
  }
  std::vector<std::string> candidates{"run"};
  for (const Instance& i : c.instances) candidates.push_back(i.name);
  const std::string_view owner = path.substr(0, path.rfind('.'));
  const auto near = closest(owner, candidates);
  std::vector<std::string> notes;
  if (near && owner.size() < path.size()) {
    notes.push_back(fmt::format("did you mean {}{}?", *near, path.substr(owner.size())));
  } else if (candidates.size() <= 13) {
    notes.push_back("instances: " + joined(candidates, ", "));
  }
  refuse("V2022", fmt::format("\"{}\" is neither a parameter nor a setting of the run", path),
         std::move(notes));
}

}  // namespace vernier::composition
