// The tables of docs/reference/models.md are those of the catalogue: ports, units, frames,
// parameters.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/model/environment/types.hpp"
#include "vernier/model/spacecraft/types.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier {
namespace {

using Texts = std::map<std::string, std::string>;

// what must be given to make one
const std::map<std::string, Texts> needed{
    {"kepler_orbit", {{"altitude", "600 km"}}},
    {"j2_orbit", {{"altitude", "600 km"}}},
    {"igrf_field", {{"epoch", "2026-01-01"}}},
    {"sun", {{"epoch", "2026-01-01"}}},
    {"rigid_body", {{"inertia", "1 1 1"}}},
    {"magnetorquers", {{"gain", "1"}}},
    {"reaction_wheel", {{"axis", "1 0 0"}}},
    {"reference_frame", {{"frame", "EarthFixed"}, {"epoch", "2026-01-01"}}}};

template <class Port>
std::string row(const char* way, const Port& p) {
  std::ostringstream s;
  s << "| " << way << " | `" << p.name << "` | " << p.unit << " | " << p.frame << " | " << p.count
    << " | " << p.description << " |\n";
  return s.str();
}

std::string table(const Type& type) {
  std::ostringstream s;
  const auto found = needed.find(type.name);
  const Texts texts = found == needed.end() ? Texts{} : found->second;
  s << "| | port | unit | axes | elements | |\n| --- | --- | --- | --- | --- | --- |\n";
  if (type.system) {
    const auto system = testing::made_system(type, texts);
    for (const auto& p : system->spec().inputs) s << row("in", p);
    for (const auto& p : system->spec().outputs) s << row("out", p);
    for (const auto& p : system->spec().states) s << row("state", p);
  } else {
    const auto component = testing::made_component(type, texts);
    for (const auto& p : component->description().inputs) s << row("in", p);
    for (const auto& p : component->description().outputs) s << row("out", p);
  }
  s << "\n| parameter | unit | default | |\n| --- | --- | --- | --- |\n";
  for (const auto& p : type.parameters) {
    s << "| `" << p.name << "` | " << (p.kind == ParameterKind::real ? p.unit : "") << " | "
      << (!p.initial           ? "must be given"
          : p.initial->empty() ? "none"
                               : *p.initial)
      << " | " << p.description;
    for (std::size_t i = 0; i < p.choices.size(); ++i) s << (i ? ", " : ": `") << p.choices[i];
    s << (p.choices.empty() ? "" : "`") << " |\n";
  }
  return s.str();
}

TEST(ModelReference, HasTheTablesOfTheCatalogue) {
  Catalogue catalogue;
  environment::register_types(catalogue);
  spacecraft::register_types(catalogue);
  std::ifstream file(VERNIER_SOURCE_DIR "/docs/reference/models.md");
  ASSERT_TRUE(file);
  std::ostringstream written, expected;
  written << file.rdbuf();
  std::istringstream lines(written.str());
  std::map<std::string, int> seen;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "<!-- end of tables -->") inside = false;
    if (!inside) expected << line << "\n";
    const std::string mark = "<!-- tables of ";
    if (line.starts_with(mark)) {
      const std::string name = line.substr(mark.size(), line.find(" -->") - mark.size());
      const Type* type = catalogue.find(name);
      ASSERT_TRUE(type) << name;
      ++seen[name];
      expected << "\n" << table(*type) << "\n";
      inside = true;
    }
  }
  for (const auto& [name, type] : catalogue.types()) EXPECT_EQ(seen[name], 1) << name;
  if (written.str() == expected.str()) return;
  std::ofstream(VERNIER_BINARY_DIR "/models.md") << expected.str();
  FAIL() << "docs/reference/models.md is out of date: replace it by " VERNIER_BINARY_DIR
            "/models.md";
}

}  // namespace
}  // namespace vernier
