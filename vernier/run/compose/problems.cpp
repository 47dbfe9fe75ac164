#include "vernier/run/compose/problems.hpp"

#include <nlohmann/json.hpp>

namespace vernier::compose {

using nlohmann::ordered_json;

ordered_json problem_json(const Diagnostic& d) {
  ordered_json one;
  one["severity"] = d.severity == Severity::error ? "error" : "warning";
  one["code"] = d.code;
  one["message"] = d.message;
  if (!d.place.file.empty()) {
    one["file"] = d.place.file;
    one["line"] = d.place.line;
    one["column"] = d.place.column;
    one["length"] = d.place.length;
  }
  if (!d.mark.empty()) one["mark"] = d.mark;
  if (!d.body.empty()) one["body"] = d.body;
  if (!d.notes.empty()) one["notes"] = d.notes;
  for (const Change& c : d.fix) {
    one["fix"].push_back({{"file", c.place.file},
                          {"line", c.place.line},
                          {"column", c.place.column},
                          {"length", c.place.length},
                          {"text", c.text}});
  }
  return one;
}

ordered_json problems_json(const Diagnostics& problems) {
  ordered_json all = ordered_json::array();
  for (const Diagnostic& d : problems.list()) all.push_back(problem_json(d));
  return all;
}

}  // namespace vernier::compose
