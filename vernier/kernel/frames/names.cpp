#include "vernier/kernel/frames/names.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace vernier::frames {
namespace {

using std::string_view;

constexpr std::array<string_view, 4> motions = {"Fixed", "Inertial", "Rotational", "Rotating"};
constexpr std::array<string_view, 21> known_axes = {
    "MJ2000Eq",    "MJ2000Ec",  "ICRF",       "ITRF",      "MODEq",        "MODEc",
    "TODEq",       "TODEc",     "MOEEq",      "MOEEc",     "TOEEq",        "TOEEc",
    "GSE",         "GSM",       "Equator",    "BodyFixed", "BodyInertial", "ObjectReferenced",
    "Topocentric", "Topodetic", "BodySpinSun"};
constexpr std::array<string_view, 30> bodies = {
    "Sun",     "Mercury", "Venus",  "Earth",    "Moon",     "Mars",   "Phobos",  "Deimos",
    "Jupiter", "Io",      "Europa", "Ganymede", "Callisto", "Saturn", "Mimas",   "Enceladus",
    "Tethys",  "Dione",   "Rhea",   "Titan",    "Iapetus",  "Uranus", "Miranda", "Ariel",
    "Umbriel", "Titania", "Oberon", "Neptune",  "Triton",   "Pluto"};

bool is_letter(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '$' || c == '_';
}

// The first character and its length in bytes; nothing if it is not valid UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};
std::optional<Character> front(string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return Character{first, 1};
  const std::size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < n) return {};
  char32_t code = first & (0xFFu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((at(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (at(i) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return Character{code, n};
}

std::optional<NameProblem> bad_character(string_view name) {
  std::size_t position = 0;
  for (string_view rest = name; !rest.empty(); ++position) {
    const auto c = front(rest);
    if (!c) return NameProblem{position, "this is not UTF-8"};
    const string_view shown = rest.substr(0, c->bytes);
    rest.remove_prefix(c->bytes);
    if (c->code > 0xC0 || (c->code < 0x80 && is_letter(shown[0]))) continue;
    const bool digit = c->code >= '0' && c->code <= '9';
    if (digit && position > 0) continue;
    if (digit) return NameProblem{position, "a frame's name begins with a letter, $ or _"};
    const bool visible = c->code > ' ' && c->code != 0x7F && (c->code < 0x80 || c->code > 0xA0);
    return NameProblem{position, visible
                                     ? "\"" + std::string(shown) + "\" cannot be in a frame's name"
                                     : "a frame's name has no blanks or control characters"};
  }
  return {};
}

bool lagrange(string_view text) noexcept {
  return text.size() == 2 && text[0] == 'L' && text[1] >= '1' && text[1] <= '5';
}

// Whether a text consists only of names of celestial bodies.
bool only_bodies(string_view text) noexcept {
  while (!text.empty()) {
    const auto* b = std::find_if(bodies.begin(), bodies.end(), [&](string_view body) {
      // The longest match: no name is a prefix of another, except Titan of Titania.
      return text.starts_with(body) && !(body == "Titan" && text.starts_with("Titania"));
    });
    if (b == bodies.end()) return false;
    text.remove_prefix(b->size());
  }
  return true;
}

// Splits the text before the last words of the orientation: an origin, its point, and what the
// orientation refers to.
void divide_origin(string_view text, FrameName& n) {
  for (const string_view word : {"Barycentric", "Centric", "Centered"}) {
    const std::size_t at = text.find(word);
    if (at == string_view::npos || at == 0) continue;
    n.origin = text.substr(0, at);
    n.point = word;
    n.about = text.substr(at + word.size());
    return;
  }
  if (text.size() > 2 && lagrange(text.substr(text.size() - 2))) {
    n.point = text.substr(text.size() - 2);
    text.remove_suffix(2);
  }
  n.origin = text;
}

}  // namespace

Result<FrameName, NameProblem> parsed_frame_name(string_view name) {
  if (name.empty()) return Failure{NameProblem{0, "a frame needs a name"}};
  if (name.size() > 255) return Failure{NameProblem{255, "a frame's name has at most 255 bytes"}};
  if (auto problem = bad_character(name)) return Failure{std::move(*problem)};
  FrameName n;
  if (name == "ITRF") {  // a name of its own, well known before the rules: the Earth's
    n.origin = "Earth";
    n.axes = name;
    return n;
  }
  string_view rest = name;
  for (const string_view axes : known_axes) {
    if (rest.ends_with(axes) && axes.size() > n.axes.size()) n.axes = axes;
  }
  rest.remove_suffix(n.axes.size());
  // The word of motion is at the end, or before user-defined axes.
  std::size_t at = string_view::npos;
  for (const string_view motion : motions) {
    const std::size_t here = rest.rfind(motion);
    if (here == string_view::npos || (at != string_view::npos && here <= at)) continue;
    if (!n.axes.empty() && here + motion.size() != rest.size()) continue;
    at = here;
    n.motion = motion;
  }
  if (!n.motion.empty()) {
    if (n.axes.empty()) n.axes = rest.substr(at + n.motion.size());
    rest = rest.substr(0, at);
  }
  if (rest.empty()) {
    return Failure{NameProblem{
        0, "the name begins with its orientation: \"" + std::string(name) + "\" of what?"}};
  }
  divide_origin(rest, n);
  const bool oriented = !n.motion.empty() || !n.axes.empty() || !n.about.empty();
  if (!oriented && (!n.point.empty() || only_bodies(n.origin) || lagrange(n.origin))) {
    return Failure{NameProblem{
        name.size(),
        "the name says no orientation: Inertial, Fixed, Rotating or axes such as ICRF"}};
  }
  if (n.motion.empty() && n.axes.empty()) std::swap(n.axes, n.about);  // user-defined axes
  if (n.point == "Barycentric" && n.origin != "SolarSystem" && !only_bodies(n.origin)) {
    return Failure{NameProblem{
        0, "only bodies have a barycentre, and \"" + n.origin + "\" is not made of their names"}};
  }
  return n;
}

}  // namespace vernier::frames
