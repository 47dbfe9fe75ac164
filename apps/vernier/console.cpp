#include "apps/vernier/console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "apps/vernier/command.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/standard/catalogue.hpp"

namespace vernier::app {
namespace {

enum class When { automatic, always, never };
When color_when = When::automatic;

bool color_on(int descriptor) {
  if (color_when != When::automatic) return color_when == When::always;
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) && !std::getenv("NO_COLOR") && terminal &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

void set_color(const std::string& when) {
  color_when = when == "always" ? When::always : when == "never" ? When::never : When::automatic;
}

bool color_on_output() { return color_on(STDOUT_FILENO); }
bool color_on_errors() { return color_on(STDERR_FILENO); }
bool output_is_terminal() { return isatty(STDOUT_FILENO); }

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void print_problems(const Diagnostics& problems, bool no_run) {
  std::fflush(stdout);
  fmt::print(stderr, "{}", rendered(problems, 20, {.color = color_on_errors(), .no_run = no_run}));
}

int run_or_explain(bool json, const std::function<int()>& run) {
  try {
    return run();
  } catch (const ConfigurationError& e) {
    if (json)
      fmt::print("{}", problems_json(e.diagnostics()));
    else
      print_problems(e.diagnostics(), true);
    return status::bad_input;
  }
}

void cannot_write(const std::string& file) {
  const int why = errno;
  throw ConfigurationError("V7502", why == 0 ? fmt::format("\"{}\" cannot be written", file)
                                             : fmt::format("\"{}\" cannot be written: {}", file,
                                                           std::generic_category().message(why)));
}

std::string problems_json(const Diagnostics& problems) {
  nlohmann::ordered_json all;
  all["errors"] = problems.errors();
  all["warnings"] = problems.warnings();
  all["problems"] = desktop::json_of(problems);
  return desktop::dumped(all, 2) + "\n";
}

std::string harmless(std::string text, bool lines) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 || byte == 0x7f) && !(lines && byte == '\n')) text[i] = '?';
    // C1 control characters are two bytes in UTF-8
    const bool wide = i > 0 && text[i - 1] == '\xc2' && byte >= 0x80 && byte < 0xa0;
    if (wide) text[i - 1] = text[i] = '?';
  }
  return text;
}

std::string byte_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit < 4) {
    bytes /= 1000.0;
    ++unit;
  }
  return unit == 0 || bytes >= 99.5 ? fmt::format("{:.0f} {}", bytes, units[unit])
                                    : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, " ");
  }
  return (value < 0 ? "-" : "") + digits;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (std::isfinite(value) && size >= 1000.0 && size < 1e7) return grouped(value);
  return fmt::format("{:.4g}", value);
}

std::string elapsed_text(double s) {
  if (s < 60.0) return fmt::format("{:.2f} s", s);
  const auto whole = std::llround(s);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string_view version() noexcept { return VERNIER_VERSION; }

const Catalogue& catalogue() {
  static const Catalogue standard = standard_catalogue();
  return standard;
}

}  // namespace vernier::app
