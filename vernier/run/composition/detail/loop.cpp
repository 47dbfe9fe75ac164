#include "vernier/run/composition/detail/loop.hpp"

#include <algorithm>

#include "vernier/base/text.hpp"

namespace vernier::composition::detail {
namespace {

/// Adds to the fix of a problem that the connection at this place gets a delay of one tick.
void add_delay(Diagnostic& d, const Place& connection) {
  constexpr std::string_view element = "connect";
  Place after = connection;
  after.column += static_cast<int>(element.size());
  after.length = 0;
  if (connection.line > 0 && connection.length == static_cast<int>(element.size()))
    d.fix.push_back({after, " delay=\"1 tick\""});
}

}  // namespace

std::vector<std::string> chain(const std::vector<Hop>& hops) {
  std::size_t left = 0, right = 0;
  for (const Hop& h : hops) {
    left = std::max(left, width(h.from));
    right = std::max(right, width(h.to));
  }
  std::vector<std::string> lines;
  for (const Hop& h : hops) {
    std::string line = h.from + std::string(left - width(h.from), ' ') + "  → " + h.to;
    if (h.place.line > 0)
      line +=
          std::string(right - width(h.to), ' ') + "   (line " + std::to_string(h.place.line) + ")";
    lines.push_back(std::move(line));
  }
  return lines;
}

void report_loop(const std::vector<Hop>& hops, Diagnostics& problems) {
  const Place& last = hops.back().place;
  Place whole;
  whole.file = last.file;
  Diagnostic& d = problems.error(
      "V2110", "an algebraic loop: every output needs the next one at the same instant", whole);
  d.body = chain(hops);
  const std::string where =
      last.line > 0 ? ", for example on line " + std::to_string(last.line) : std::string();
  d.notes.push_back("break it where the real system has a delay" + where + ": delay=\"1 tick\"");
  add_delay(d, last);
}

}  // namespace vernier::composition::detail
