#include "vernier/run/desktop/problems.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "vernier/run/compose/problems.hpp"

namespace vernier::desktop {

using nlohmann::ordered_json;

namespace {

std::string text_in(const ordered_json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
int number_in(const ordered_json& object, const char* name, int otherwise) {
  const auto at = object.find(name);
  return at != object.end() && at->is_number_integer() ? at->get<int>() : otherwise;
}
std::vector<std::string> texts_in(const ordered_json& object, const char* name) {
  std::vector<std::string> texts;
  const auto at = object.find(name);
  if (at == object.end() || !at->is_array()) return texts;
  for (const ordered_json& one : *at) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

}  // namespace

ordered_json json_of(const Diagnostics& problems) { return compose::problems_json(problems); }

Diagnostics problems_in(const ordered_json& list) {
  Diagnostics problems;
  if (!list.is_array()) return problems;
  for (const ordered_json& one : list) {
    if (!one.is_object()) continue;
    Diagnostic d;
    d.severity = text_in(one, "severity") == "warning" ? Severity::warning : Severity::error;
    d.code = text_in(one, "code");
    d.message = text_in(one, "message");
    d.place = {.file = text_in(one, "file"),
               .line = number_in(one, "line", 0),
               .column = number_in(one, "column", 0),
               .length = number_in(one, "length", 1)};
    d.mark = text_in(one, "mark");
    d.body = texts_in(one, "body");
    d.notes = texts_in(one, "notes");
    problems.add(std::move(d));
  }
  return problems;
}

std::string dumped(const ordered_json& j, int indent) {
  return j.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

Diagnostics failure(const std::exception& e) {
  Diagnostics problems;
  problems.error("V8109", std::string("the desktop could not do this: ") + e.what(), {});
  return problems;
}

void refuse(const char* code, std::string message, std::string note) {
  Diagnostics problems;
  Diagnostic& d = problems.error(code, std::move(message), {});
  if (!note.empty()) d.notes.push_back(std::move(note));
  throw ConfigurationError(std::move(problems));
}

}  // namespace vernier::desktop
