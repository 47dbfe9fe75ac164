#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/net/wait.hpp"
#include "vernier/run/registry/record.hpp"

namespace vernier::registry {

using net::Clock;

/// Why a registry did not do something.
struct Trouble {
  enum class Kind {
    unreachable,  // nobody answered in time, or those who did cannot decide now
    taken,        // somebody else leads the run
    lost,         // the caller does not lead the run any more
    damaged       // what came is not an answer of a registry
  };
  Kind kind = Kind::unreachable;
  std::string why;                    // in words
  std::optional<Leader> leader = {};  // taken: who leads
};
template <class T>
using Answer = Result<T, Trouble>;
struct Done {};

/// What a leader has.
struct Term {
  std::string run;
  std::uint64_t epoch = 0;  // greater than that of all leaders before
  std::int64_t lease = 0;   // the registry's
  /// How long it lasts after each renewal; zero: until the process ends.
  Clock::duration life{};
  /// It is over then, unless renewed. Earlier than the registry believes, whatever the two clocks
  /// show: there is time left to stop before another can lead.
  Clock::time_point ends = net::forever;
};

/// The end of a term by the clock of a leader who asked at `asked` and was granted `life`.
constexpr Clock::time_point end_of_term(Clock::time_point asked, Clock::duration life) noexcept {
  return asked + life / 5 * 4;
}

/// A run that a registry knows.
struct Entry {
  std::string run;
  std::optional<Leader> leader = {};
  std::optional<Record> record = {};
  std::string damage = {};  // what is wrong with its record; empty: nothing
};

/// Who leads a run, and where its last checkpoint is. At most one leader at a time: a leader has a
/// term, which the registry ends when it is not renewed, or when the leader's process ends.
///
/// One thread at a time. Calls return by their deadline (names of computers may take longer to be
/// found).
class Registry {
 public:
  virtual ~Registry() = default;

  /// Begins a term, unless somebody leads the run.
  virtual Answer<Term> lead(const std::string& run, const Leader& who,
                            Clock::time_point deadline) = 0;
  /// When the term now ends. `lost`: somebody else may lead.
  virtual Answer<Clock::time_point> renew(const Term&, Clock::time_point deadline) = 0;
  /// Replaces the record of the run. `lost`, and nothing is written, when the term is over.
  virtual Answer<Done> publish(const Term&, const Record&, Clock::time_point deadline) = 0;
  /// Ends the term. `forget`: the registry forgets the run.
  virtual Answer<Done> resign(const Term&, bool forget, Clock::time_point deadline) = 0;

  /// What it knows of a run; an entry without leader and record if nothing.
  virtual Answer<Entry> look(const std::string& run, Clock::time_point deadline) = 0;
  /// All runs that it knows, by name.
  virtual Answer<std::vector<Entry>> list(Clock::time_point deadline) = 0;
  /// Forgets a run that nobody leads.
  virtual Answer<Done> forget(const std::string& run, Clock::time_point deadline) = 0;

  /// Waits until nobody leads the run; several may wait, and lead() decides. False: not before the
  /// deadline, or `wake` became readable. A registry that does not answer meanwhile is asked again.
  bool wait_until_free(const std::string& run, Clock::time_point deadline, int wake = -1);
};

/// "process 4711 on desk (epoch 3)"
std::string text(const Leader&);

/// This process.
Leader this_process();

}  // namespace vernier::registry
