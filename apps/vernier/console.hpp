#pragma once

#include <string>
#include <string_view>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"

/// What the program shows, and how: the same words everywhere, colours only on a terminal.
namespace vernier::app {

/// auto, always or never.
void set_color(const std::string& when);
bool color_on_output();
bool color_on_errors();

bool output_is_terminal();
/// Columns of the terminal; 80 when it is none.
int terminal_width();

/// To the error stream, as `vernier check` shows them.
void print_problems(const Diagnostics&);

/// Throws ConfigurationError, with the system's reason for what failed last.
[[noreturn]] void cannot_write(const std::string& file);

/// The same as one JSON object: {"errors": 1, "warnings": 0, "problems": [{…}]}.
std::string problems_json(const Diagnostics&);

/// What others have named, for a terminal: characters that it would act upon become "?", except
/// line breaks where `lines` says so.
std::string harmless(std::string text, bool lines = false);

/// Bytes as people write them: "4.1 MB".
std::string byte_text(double bytes);
/// A number with its digits in groups of three: "1 240".
std::string grouped(double);
/// Three or four digits that matter: "0.21", "3e-12", "1 233".
std::string short_number(double);
/// Seconds as a duration: "0.73 s", "5 min 12 s".
std::string elapsed_text(double seconds);

std::string_view version() noexcept;

/// The standard catalogue; what connections report goes to the error stream, so that --json and
/// --quiet stay what they are.
const Catalogue& catalogue();

}  // namespace vernier::app
