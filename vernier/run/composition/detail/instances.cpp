#include <fmt/format.h>

#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/detail/page.hpp"
#include "vernier/run/composition/detail/values.hpp"

namespace vernier::composition::detail {

using document::Element;

std::string name_of(Page& page, const Element& e, std::string_view attribute) {
  std::string name(trimmed(e.value(attribute)));
  if (!is_name(name)) {
    page.error("V2017", fmt::format("\"{}\" cannot be a name", name),
               page.value_place(e, attribute))
        .notes.push_back("names are letters, digits, _ and -, and begin with a letter or _");
  } else if (name == "ext" || name == "run") {
    page.error("V2017", fmt::format("\"{}\" has a meaning of its own and cannot be a name", name),
               page.value_place(e, attribute))
        .notes.push_back(name == "ext" ? "ext.NAME are the inputs of the composition"
                                       : "run.NAME are the settings of the run");
  }
  return name;
}

std::filesystem::path file_of(Page& page, const Element& e) {
  const std::filesystem::path written(std::string(trimmed(e.value("file"))));
  const std::filesystem::path folder = page.document.file().parent_path();
  std::filesystem::path file = (folder / written).lexically_normal();
  if (page.moved) file = found_at(file, *page.moved);
  std::error_code failed;
  if (std::filesystem::is_regular_file(file, failed)) return file;
  Diagnostic& d =
      page.error("V2004", fmt::format("the file \"{}\" does not exist", written.string()),
                 page.value_place(e, "file"));
  std::vector<std::string> near;
  const std::filesystem::path place = file.parent_path().empty() ? "." : file.parent_path();
  for (std::filesystem::directory_iterator i(place, failed), end;
       !failed && i != end && near.size() < 500; i.increment(failed)) {
    near.push_back(i->path().filename().string());
  }
  std::sort(near.begin(), near.end());
  if (const auto name = closest(written.filename().string(), near)) {
    did_you_mean(d, (written.parent_path() / *name).string());
  }
  d.notes.push_back("file names are relative to the folder of the document that contains them");
  return {};
}

std::string node_of(Page& page, const Element& e) {
  if (e.attribute("node") && e.attribute("host")) {
    page.error("V2020", "node and host say the same; give one of them",
               page.value_place(e, "host"));
  }
  return std::string(trimmed(e.attribute("node") ? e.value("node") : e.value("host")));
}

namespace {

void read_parameters(Page& page, const Element& e, ParameterValues& values) {
  for (const Element& p : e.children) {
    if (p.name != "parameter") continue;
    const std::string name(trimmed(p.value("name")));
    const bool text = !trimmed(p.text).empty();
    if (text == (p.attribute("value") != nullptr)) {
      page.error("V2019",
                 fmt::format("parameter \"{}\" needs one value: an attribute or a text", name),
                 page.value_place(p, "name"));
      continue;
    }
    ParameterValue value{
        .text = std::string(trimmed(text ? std::string_view(p.text) : p.value("value"))),
        .unit = std::string(trimmed(p.value("unit"))),
        .place = page.value_place(p, text ? "name" : "value"),
        .name_place = page.value_place(p, "name"),
        .exact = !text};
    value.place.file = value.name_place.file = page.document.file().string();
    if (!values.try_emplace(name, std::move(value)).second) {
      page.error("V2019", fmt::format("parameter \"{}\" is given twice", name),
                 page.value_place(p, "name"));
    }
  }
}

std::uint32_t replicas_of(Page& page, const Element& e) {
  const auto n = parsed_integer(trimmed(e.value("replicas", "1")));
  if (n && *n >= 1 && *n <= most_replicas) return static_cast<std::uint32_t>(*n);
  page.error("V2013",
             fmt::format("replicas must be a whole number from 1 to {}, not \"{}\"", most_replicas,
                         e.value("replicas")),
             page.value_place(e, "replicas"));
  return 1;
}

void read_instance(Page& page, const Element& e, Instance::Kind kind) {
  Instance instance;
  instance.kind = kind;
  instance.name = name_of(page, e, "id");
  instance.place = page.value_place(e, "id");
  instance.place.file = page.document.file().string();
  const bool file = e.attribute("file") != nullptr;
  if (file == (e.attribute("type") != nullptr)) {
    page.error("V2003",
               fmt::format("<{}> \"{}\" needs {}", e.name, instance.name,
                           file ? "either a file or a type, not both" : "a file or a type"),
               page.value_place(e, "id"))
        .notes.push_back(file
                             ? "file: a document · type: one of `vernier info`"
                             : "file=\"….xml\" names a document, type=\"…\" one of `vernier info`");
  }
  instance.type_place = page.value_place(e, file ? "file" : "type");
  instance.type_place.file = instance.place.file;
  if (file) {
    instance.file = file_of(page, e);
  } else {
    instance.type = trimmed(e.value("type"));
  }
  instance.island = trimmed(e.value("island"));
  instance.node = node_of(page, e);
  instance.replicas = replicas_of(page, e);
  instance.rate = rate(page, e, "rate");
  instance.offset = duration(page, e, "offset", {});
  read_parameters(page, e, instance.parameters);
  page.add_instance(std::move(instance));
}

void read_island(Page& page, const Element& e) {
  Island island;
  island.name = name_of(page, e, "id");
  island.place = page.value_place(e, e.attribute("integrator") ? "integrator" : "id");
  IslandSettings& s = island.settings;
  const IslandSettings& usual = page.composition.run.island;
  s.integrator = e.attribute("integrator") ? trimmed(e.value("integrator")) : usual.integrator;
  s.rtol = positive(page, e, "rtol", usual.rtol);
  s.atol = positive(page, e, "atol", usual.atol);
  s.step = period(page, e, "step", {}).length();
  s.zeno = e.attribute("zeno") ? e.value("zeno") : usual.zeno;
  s.inputs = e.attribute("inputs") ? e.value("inputs") : usual.inputs;
  if (island.name == own_island) {
    page.error("V2017", "\"own\" has a meaning of its own and cannot be a name",
               page.value_place(e, "id"))
        .notes.push_back("island=\"own\" integrates a system apart from all others");
  }
  for (const Island& other : page.composition.islands) {
    if (other.name != island.name) continue;
    page.error("V2002", fmt::format("there are two islands named \"{}\"", island.name),
               page.value_place(e, "id"));
    return;
  }
  page.composition.islands.push_back(std::move(island));
}

void read_input(Page& page, const Element& e) {
  ExternalInput input;
  input.name = name_of(page, e, "name");
  input.unit = trimmed(e.value("unit", "1"));
  input.place = page.value_place(e, "name");
  for (const ExternalInput& other : page.composition.inputs) {
    if (other.name != input.name) continue;
    page.error("V2002", fmt::format("there are two inputs named \"{}\"", input.name), input.place);
    return;
  }
  if (!parsed_unit(input.unit)) {
    page.error("V2005", fmt::format("\"{}\" is not a unit", input.unit),
               page.value_place(e, "unit"))
        .notes.push_back("for example kg*m^2, rad/s, N m, mT or 1");
  } else if (const auto value = parsed_numbers(e.value("value", "0"), {}, input.unit)) {
    input.value = *value;
  } else {
    add_reason(page.error("V2005",
                          fmt::format("the value \"{}\" is not a number in {}", e.value("value"),
                                      input.unit),
                          page.value_place(e, "value")),
               quantity_problem(e.value("value"), input.unit, 0));
  }
  page.composition.inputs.push_back(std::move(input));
}

/// Every island that a system names must be declared: a misspelt name would silently split a model.
void check_islands(Page& page, const Element& root) {
  std::vector<std::string> names;
  for (const Island& i : page.composition.islands) names.push_back(i.name);
  for (const Element& e : root.children) {
    if (e.name != "system" || !e.attribute("island")) continue;
    const std::string name(trimmed(e.value("island")));
    if (name == own_island || std::find(names.begin(), names.end(), name) != names.end()) continue;
    Diagnostic& d = page.error("V2015", fmt::format("there is no island \"{}\"", name),
                               page.value_place(e, "island"));
    if (const auto near = closest(name, names)) {
      did_you_mean(d, *near);
    } else {
      d.notes.push_back(fmt::format("declare it: <island id=\"{}\"/>", name));
    }
  }
}

}  // namespace

void read_instances(Page& page, const Element& root) {
  for (const Element& e : root.children) {
    if (e.name == "system") {
      read_instance(page, e, Instance::Kind::system);
    } else if (e.name == "component") {
      read_instance(page, e, Instance::Kind::component);
    } else if (e.name == "connector") {
      read_instance(page, e, Instance::Kind::connector);
    } else if (e.name == "island") {
      read_island(page, e);
    } else if (e.name == "input") {
      read_input(page, e);
    }
  }
  check_islands(page, root);
}

}  // namespace vernier::composition::detail
