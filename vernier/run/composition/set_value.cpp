#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
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

/// Notes: why, where there is something to say, and what to write.
std::vector<std::string> with_reason(std::string why, std::string advice) {
  if (why.empty()) return {std::move(advice)};
  return {std::move(why), std::move(advice)};
}

Duration as_duration(std::string_view name, std::string_view value) {
  const auto d = detail::parsed_duration(value);
  if (!d) {
    refuse("V2005", fmt::format("run.{} must be a time, not \"{}\"", name, value),
           with_reason(quantity_problem(value, "s"), "for example 600 s, 10 ms, 5 min or 2 h"));
  }
  return *d;
}

detail::Period as_period(std::string_view name, std::string_view value) {
  const auto p = detail::parsed_period(value);
  if (!p)
    refuse("V2005", detail::period_problem(fmt::format("run.{}", name), value),
           detail::period_advice(value));
  return *p;
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

const std::vector<std::string>& settings() {
  static const std::vector<std::string> all{"stop", "step", "seed",       "arithmetic",
                                            "rtol", "atol", "integrator", "inputs"};
  return all;
}

/// The setting of the run that a word probably means, by its spelling or by what others call it.
std::string setting_like(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"tolerance", "run.rtol or run.atol"},
      {"tol", "run.rtol or run.atol"},
      {"accuracy", "run.rtol or run.atol"},
      {"dt", "run.step"},
      {"timestep", "run.step"},
      {"until", "run.stop"},
      {"end", "run.stop"},
      {"duration", "run.stop"},
      {"solver", "run.integrator"},
      {"method", "run.integrator"}};
  if (const auto near = closest(word, settings())) return "run." + *near;
  for (const auto& [name, meant] : others)
    if (name == word) return std::string(meant);
  return {};
}

/// What a path that names nothing probably means.
std::string path_like(const Composition& c, std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) {
    if (std::string meant = setting_like(path); !meant.empty()) return meant;
    std::vector<std::string> names, parameters;  // inputs; parameters that the document gives
    for (const ExternalInput& i : c.inputs) names.push_back(i.name);
    if (const auto near = closest(path, names)) return *near;
    for (const Instance& i : c.instances)
      for (const auto& [name, value] : i.parameters)
        if (closest(path, {name})) parameters.push_back(fmt::format("{}.{}", i.name, name));
    if (parameters.size() > 3) parameters.resize(3);
    return joined(parameters, " or ");
  }
  std::vector<std::string> owners{"run"};
  for (const Instance& i : c.instances) owners.push_back(i.name);
  const auto near = closest(path.substr(0, dot), owners);
  return near ? fmt::format("{}{}", *near, path.substr(dot)) : "";
}

void set_run(Composition& c, std::string_view name, std::string_view value) {
  if (name == "stop") {
    c.run.stop = as_duration(name, value);
  } else if (name == "step") {
    const detail::Period step = as_period(name, value);
    if (step.time <= Duration{}) refuse("V2013", "run.step must be longer than zero", {});
    c.run.step = step.time;
    c.run.step_rate = step.rate;
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
    const std::string meant = setting_like(name);
    refuse("V2022", fmt::format("the run has no setting \"{}\"", name),
           {meant.empty() ? "settings: " + joined(settings(), ", ")
                          : fmt::format("did you mean {}?", meant)});
  }
}

void set_input(ExternalInput& input, std::string_view value) {
  const auto numbers = detail::parsed_numbers(value, {}, input.unit);
  if (!numbers || numbers->size() != input.value.size()) {
    refuse("V2005", fmt::format("the input \"{}\" cannot be \"{}\"", input.name, value),
           with_reason(quantity_problem(value, input.unit, input.value.size()),
                       fmt::format("it has {} element{} in {}", input.value.size(),
                                   input.value.size() == 1 ? "" : "s", input.unit)));
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
  std::vector<std::string> notes;
  if (const std::string meant = path_like(c, path); !meant.empty()) {
    notes.push_back(fmt::format("did you mean {}?", meant));
  } else {
    std::vector<std::string> instances;
    for (const Instance& i : c.instances) instances.push_back(i.name);
    if (instances.size() <= 12) notes.push_back("instances: " + joined(instances, ", "));
    notes.push_back("settings: run." + joined(settings(), ", run."));
  }
  refuse("V2022", fmt::format("\"{}\" is neither a parameter nor a setting of the run", path),
         std::move(notes));
}

}  // namespace vernier::composition
