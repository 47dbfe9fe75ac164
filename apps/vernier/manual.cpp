#include <fmt/format.h>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

// escapes text so that man(1) prints it literally
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  // a line that begins with one of these would be a request
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string item(const Taken& t) {
  std::string names = "\\fB" + roff(joined(t.names, ", ")) + "\\fR";
  if (!t.value.empty()) names += " \\fI" + roff(t.value) + "\\fR";
  return fmt::format(".TP\n{}\n{}\n", names, roff(t.description));
}

std::string section(const Command& c) {
  const Usage u = usage(c);
  std::string out = fmt::format(".SS \"vernier {}", c.name);
  for (const Taken& w : u.words) out += " " + roff(w.names[0]);
  out += fmt::format("\"\n{}\n.PP\n.EX\n", roff(as_sentence(c)));
  for (const std::string& line : example_lines(c)) out += fmt::format("$ {}\n", roff(line));
  out += ".EE\n";
  for (const Taken& w : u.words) out += item(w);
  for (const Taken& a : u.actions) out += item(a);
  for (const Taken& o : u.options) {
    if (o.names[0] != "--help" && o.names[0] != "--color") out += item(o);
  }
  return out;
}

}  // namespace

std::string manual_page() {
  std::string out = fmt::format(R"(.TH VERNIER 1 "" "vernier {0}" "User Commands"
.SH NAME
vernier \- run simulations of spacecraft from human\-readable documents
.SH SYNOPSIS
.B vernier
.I command
[\fIoptions\fR] [\fIwords\fR]
.SH DESCRIPTION
.B vernier
reads documents in XML, checks them, runs what they describe, and draws, exports and compares the results.
.B vernier demo
shows it at work;
.B vernier help
.I command
says what follows here of each command.
.SH COMMANDS
Every command takes \fB\-h, \-\-help\fR and \fB\-\-color\fR \fIWHEN\fR (auto, always or never).
)",
                                roff(version()));
  for (const Command& c : commands()) out += section(c);
  return out + R"(.SH EXIT STATUS
.TP
0
success
.TP
1
the run failed
.TP
2
bad input; nothing was run
.TP
3
finished, but a check failed; or
.B compare
found a difference
.TP
4
the real\-time contract was broken
.TP
5
a peer was lost
.TP
130
interrupted
)";
}

}  // namespace vernier::app
