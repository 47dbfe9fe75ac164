#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "vernier/net/wait.hpp"
#include "vernier/run/registry/registry.hpp"

namespace vernier::registry {

/// A term that is kept as long as this object lives: renewed after each third of its life, and the
/// record of the run published whenever it has changed. Has two threads: one asks the registry, and
/// one watches the clock, so that a registry that does not answer cannot prolong a term.
class Leadership {
 public:
  /// The record of the run as it is now; called by a thread of the leadership, once a second and
  /// after refresh(). Its run and leader are those of the term.
  using MakeRecord = std::function<Record()>;
  /// The term has ended, and the run must not continue: called once, by a thread of the leadership.
  using Lost = std::function<void(const Trouble&)>;

  Leadership(std::unique_ptr<Registry>, Term, Leader who, MakeRecord, Lost);
  /// Resigns, unless resign() was called or the term was lost.
  ~Leadership();
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  /// The record has changed. From any thread; never blocks.
  void refresh() noexcept { wake_.ring(); }
  /// By the clock; from any thread.
  bool held() const noexcept;
  /// Publishes the record a last time and ends the term, within a few seconds; once. `forget`: the
  /// registry forgets the run. The callbacks are not called any more. Nothing is written to the
  /// registry when the term is over.
  void resign(bool forget);

 private:
  void work();
  void watch();
  void lose(const Trouble&);
  /// When the record must be looked at again.
  Clock::time_point show(Clock::time_point deadline);
  Clock::time_point ends() const noexcept;
  void set_end(Clock::time_point) noexcept;

  std::unique_ptr<Registry> registry_;
  Term term_;
  Leader who_;
  MakeRecord make_record_;
  Lost tell_;
  std::optional<Record> shown_;  // that was published last
  std::mutex why_mutex_;
  std::string why_;  // the last renewal failed; empty: it did not
  std::atomic<Clock::rep> ends_;
  std::atomic<bool> over_{false}, lost_{false};
  net::Wake wake_, watch_wake_;
  std::thread asks_, watches_;
};

}  // namespace vernier::registry
