#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"

/// Output of the program: the same style everywhere, colours only on a terminal.
namespace vernier::app {

/// auto, always or never.
void set_color(const std::string& when);
bool color_on_output();
bool color_on_errors();

bool output_is_terminal();
/// Columns of the terminal; 80 when the output is not a terminal.
int terminal_width();

/// To the error stream, as `vernier check` shows them. `no_run`: says of errors that nothing was
/// run.
void print_problems(const Diagnostics&, bool no_run = false);

/// The status of `run`, or, where what the user gave cannot be run, bad_input: then prints the
/// problems and that nothing was run, or all of them as JSON to the output.
int run_or_explain(bool json, const std::function<int()>& run);

/// Throws ConfigurationError with the system's reason of the last failure.
[[noreturn]] void cannot_write(const std::string& file);

/// The same as one JSON object: {"errors": 1, "warnings": 0, "problems": [{…}]}.
std::string problems_json(const Diagnostics&);

/// External names made safe for a terminal: control characters become "?", except line breaks if
/// `lines`.
std::string harmless(std::string text, bool lines = false);

/// Bytes for display: "4.1 MB".
std::string byte_text(double bytes);
/// A number with its digits in groups of three: "1 240".
std::string grouped(double);
/// Three or four significant digits: "0.21", "3e-12", "1 233".
std::string short_number(double);
/// Seconds as a duration: "0.73 s", "5 min 12 s".
std::string elapsed_text(double seconds);

std::string_view version() noexcept;

/// The standard catalogue, for reading documents. It loads no native code: documents that need some
/// cannot be run with it (see running_catalogue()).
const Catalogue& catalogue();

}  // namespace vernier::app
