#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/fault.hpp"
#include "vernier/base/finding.hpp"

namespace vernier {

/// A place in a document; line and column count from 1, columns in characters. Line 0: the whole
/// file.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;  // of the marked text on that line, in characters
};

/// A line of a document, for display.
struct SourceLine {
  int number = 0;
  std::string text;
};

/// A change of a document: the text at a place is replaced. A length of 0 inserts.
struct Change {
  Place place;
  std::string text;
};

/// One problem in the user's terms: with the user's input, unless the category says otherwise.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;                // "V1203"; `vernier explain V1203` has the long text
  std::string message;             // one sentence, no full stop
  Place place;                     // file empty: no place
  std::vector<SourceLine> source;  // the last one is the marked line
  std::string mark;                // shown beside the ^^^^ mark: "did you mean <diffequation>?"
  std::vector<std::string> body;   // lines shown under the place unchanged: a chain of ports
  std::vector<std::string> notes;  // what was expected, what to do
  Category category = Category::input;
  bool shown = false;            // by who found it: where `source` is empty, no line is to be shown
  std::vector<Change> fix = {};  // changes that mend it, for editors; empty: none is known
};

/// Marks a problem with a suggestion, "did you mean WORD?". `fix` is then to write `word` in place
/// of what is marked, which must be exactly the mistaken text.
void did_you_mean(Diagnostic&, const std::string& word);
/// Adds to `fix` that `text`, as it is to be read, is written at a place of a document; nothing
/// without a place.
void add_change(Diagnostic&, const Place&, std::string_view text);

/// The problems found so far, in order. A reader continues after a problem, so that the user sees
/// all of them at once.
class Diagnostics {
 public:
  /// Returns the stored one, for adding notes.
  Diagnostic& add(Diagnostic);
  Diagnostic& error(std::string code, std::string message, Place);
  Diagnostic& warning(std::string code, std::string message, Place);

  const std::vector<Diagnostic>& list() const noexcept { return list_; }
  std::size_t errors() const noexcept;
  std::size_t warnings() const noexcept;

  void append(const Diagnostics&);

  /// Throws ConfigurationError with all of them when at least one is an error.
  void throw_if_errors() const;

 private:
  std::vector<Diagnostic> list_;
};

/// The user's input cannot be used, or something it needs is missing (see the category). Carries
/// all problems that were found.
class ConfigurationError : public std::runtime_error {
 public:
  explicit ConfigurationError(Diagnostics);
  ConfigurationError(std::string code, std::string message, Place = {}, Category = Category::input);

  const Diagnostics& diagnostics() const noexcept { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// How text is shown: `color` adds terminal colours; `no_run` says after the count of errors that
/// nothing was run, where something would have been.
struct Rendering {
  bool color = false;
  bool no_run = false;
};

/// The text of one problem, as in
///
///   error[V1203]: <diffequaton> is not an element of <location>
///     --> battery.xml:14:6
///      |
///   14 |     <diffequaton state="C">…</diffequaton>
///      |      ^^^^^^^^^^^ did you mean <diffequation>?
///      = here may come: diffequation*, outputmap*, transitions?
///      = see: vernier explain V1203
///
/// The line `see:` is added when the code is not empty. Ends with a line break.
std::string rendered(const Diagnostic&, Rendering = {});

/// All of them, at most `most`, then a count of the rest; a blank line between two. The last line
/// counts ("6 errors in battery.xml") when there is an error.
std::string rendered(const Diagnostics&, std::size_t most = 20, Rendering = {});

}  // namespace vernier
