#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/library.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

/// "v2007", "2007" and "error[V2007]" are all V2007.
std::string code_in(const std::string& word) {
  std::string digits;
  for (const char c : word) {
    if (std::isdigit(static_cast<unsigned char>(c))) digits += c;
  }
  return "V" + digits;
}

std::string title(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(std::min(text.size(), text.find(' ') + 1)));
}

int explain(const std::string& word) {
  if (word.empty()) {
    for (const std::string& code : message_codes()) fmt::print("{}\n", title(message_text(code)));
    return status::good;
  }
  const std::string_view text = message_text(code_in(word));
  if (!text.empty()) {
    fmt::print("{}", text);
    return status::good;
  }
  const auto near = closest(code_in(word), message_codes());
  fmt::print(stderr, "vernier: there is no message {}\n", word);
  fmt::print(
      stderr, "  {}\n",
      near ? "did you mean: vernier explain " + *near : "vernier explain   lists all of them");
  return status::bad_input;
}

}  // namespace

Action declare_explain(CLI::App& app) {
  auto word = std::make_shared<std::string>();
  app.add_option("code", *word, "as shown in the message: V2007; without it, all are listed")
      ->type_name("");
  return [word](const Invocation&) { return explain(*word); };
}

}  // namespace vernier::app
