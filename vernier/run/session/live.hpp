#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "vernier/base/time.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::session {

/// The control functions of a run, besides access to its ports. Called from the thread that serves
/// the control socket; all return a line and throw ConfigurationError.
class Steerable {
 public:
  virtual ~Steerable() = default;
  virtual std::string status() = 0;
  /// The same for programs, as one JSON object.
  virtual std::string state_text() = 0;
  virtual std::string freeze() = 0;
  virtual std::string resume() = 0;
  virtual std::string stop() = 0;
  /// Advances a frozen run by some ticks.
  virtual std::string step(int ticks) = 0;
  virtual std::string set_rate(double) = 0;
  virtual std::string checkpoint() = 0;
  /// Writes a remark of the user into the list of events.
  virtual std::string mark(std::string_view text) = 0;
  /// How the run keeps time, as one JSON object.
  virtual std::string real_time() = 0;
  /// Moves a part to another node.
  virtual std::string move(std::string_view part, std::string_view node) = 0;
  /// Ends this run; its caller continues from the last checkpoint at or before `t`.
  virtual std::string rewind(Time t) = 0;
  /// Whether it executes no more ticks.
  virtual bool over() = 0;
};

/// Executes request lines (docs/reference/live-access.md):
///
///   status · state · freeze · resume · stop · step [N] · rate X · checkpoint · rewind TIME
///   nodes                 the nodes of the run and the parts that each runs
///   move PART NODE        a part continues on another node
///   mark TEXT             a remark in the list of events
///   real-time             one JSON object: policy, machine, federates that held back
///   get PATTERN…          one JSON object: the time, and the values by path
///   set PATH VALUES       from the next tick on, all readers see these values
///   release PATH          undoes set
///   send PATH             an event, once
class Live {
 public:
  /// `patience`: for a run whose ticks are far apart, or that waits for a peer.
  Live(executive::Executive& e, Steerable& run,
       std::chrono::nanoseconds patience = std::chrono::seconds(30))
      : executive_(e), run_(run), patience_(patience) {}

  /// The answer, or a refusal (control.hpp). Never throws.
  std::string answer(std::string_view line);
  /// Ports that were set and not released, by this means; for who answers `state`.
  const std::set<std::string>& set_now() const noexcept { return set_; }
  /// The same for those that were released, after an override by other means.
  const std::set<std::string>& released() const noexcept { return released_; }

 private:
  std::string carried_out(std::string_view line);
  std::string nodes() const;
  std::string get(std::string_view patterns);
  std::string change(executive::OrderKind, std::string_view path, std::string_view values);
  executive::OrderAnswer wait_for(std::uint64_t order);

  executive::Executive& executive_;
  Steerable& run_;
  std::chrono::nanoseconds patience_;
  std::set<std::string> set_, released_;
};

}  // namespace vernier::session
