#include "vernier/run/compose/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/compose/catalogue.hpp"
#include "vernier/run/compose/describe.hpp"
#include "vernier/run/compose/fields.hpp"
#include "vernier/run/compose/files.hpp"
#include "vernier/run/compose/grammar.hpp"
#include "vernier/run/compose/problems.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::compose {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t most_instances = 10'000, most_unsaved = 100;

/// The documents that an editor has open and not saved, the main one among them.
Unsaved unsaved_in(const Fields& request) {
  Unsaved all;
  for (const Fields& one : request.objects("others", most_unsaved))
    all[one.text("file")] = one.text("text");
  if (request.has("text")) all[request.text("document")] = request.text("text");
  return all;
}

json answer_check(const Fields& request, const Workplace& place) {
  const std::string document = request.text("document");
  const session::Changes changes{.texts = unsaved_in(request)};
  Diagnostics problems;
  try {
    session::prepare(document, changes, *place.catalogue, problems, false);
  } catch (const ConfigurationError& e) {
    problems = e.diagnostics();
  }
  return {{"problems", json(problems_json(problems))}};
}

json answer_describe(const Fields& request, const Workplace& place) {
  std::vector<Sketch> sketches;
  for (const Fields& i : request.objects("instances", most_instances)) {
    sketches.push_back({i.text("kind"), i.text("name"), i.optional_text("type"),
                        i.optional_text("file"), i.texts("parameters")});
  }
  return describe(request.text("document"), sketches, unsaved_in(request), *place.catalogue);
}

json starters_json(const Workplace& place) {
  json all = json::array();
  for (const Starter& s : place.starters)
    all.push_back({{"name", s.name}, {"summary", s.summary}, {"document", s.document}});
  return all;
}

json answer_new(const Fields& request, const Workplace& place) {
  const std::string name = request.text("template");
  const auto found = std::find_if(place.starters.begin(), place.starters.end(),
                                  [&name](const Starter& s) { return s.name == name; });
  if (found == place.starters.end()) {
    std::vector<std::string> names;
    for (const Starter& s : place.starters) names.push_back(s.name);
    Diagnostics problems;
    Diagnostic& d = problems.error("V8123", fmt::format("there is no template \"{}\"", name), {});
    const auto near = closest(name, names);
    d.notes.push_back(near ? fmt::format("did you mean {}?", *near)
                           : "templates: " + joined(names, ", "));
    throw ConfigurationError(std::move(problems));
  }
  const std::string folder = request.text("folder");
  place.start(*found, writable(place.folder, folder));
  return {{"document", (fs::path(folder) / found->document).lexically_normal().string()}};
}

json answer_save(const Fields& request, const Workplace& place) {
  const fs::path file = writable(place.folder, request.text("document"));
  const std::string text = request.text("text");
  return {{"digest", save(file, text, request.text("digest"))}};
}

json answer_catalogue(const Fields& request, const Workplace& place) {
  json all = catalogue(request.optional_text("document"), *place.catalogue);
  all["templates"] = starters_json(place);
  return all;
}

struct Request {
  std::string_view name;
  bool writes;
  json (*answer)(const Fields&, const Workplace&);
};

constexpr std::array<Request, 6> requests{{
    {"check", false, answer_check},
    {"describe", false, answer_describe},
    {"catalogue", false, answer_catalogue},
    {"grammar", false, [](const Fields&, const Workplace& w) { return grammar(w.grammars); }},
    {"save", true, answer_save},
    {"new", true, answer_new},
}};

const Request* find(std::string_view name) noexcept {
  for (const Request& r : requests)
    if (r.name == name) return &r;
  return nullptr;
}

}  // namespace

bool knows(std::string_view request) noexcept { return find(request) != nullptr; }

bool writes(std::string_view request) noexcept {
  const Request* r = find(request);
  return r && r->writes;
}

json answer(const json& request, const Workplace& place) {
  const Fields fields(request);
  const std::string name = fields.text("do");
  const Request* known = find(name);
  require(known);
  return known->answer(fields, place);
}

}  // namespace vernier::compose
