#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/run/executive/executive.hpp"
#include "vernier/run/record/progress.hpp"
#include "vernier/run/session/archive.hpp"
#include "vernier/run/session/continuation.hpp"
#include "vernier/run/session/control.hpp"
#include "vernier/run/session/live.hpp"
#include "vernier/run/session/order_log.hpp"
#include "vernier/run/session/requests.hpp"
#include "vernier/run/session/saved_states.hpp"
#include "vernier/run/session/session.hpp"
#include "vernier/run/session/state.hpp"

namespace vernier::session {

/// A session: session.cpp has its life, work_saving.cpp what it saves and continues from, and
/// work_requests.cpp what other programs request.
class Session::Work final : public Steerable {
 public:
  Work(Prepared prepared, Options options, Diagnostics& problems);

  ~Work() override;

  Summary run();

  executive::Ending run_until(Time until);

  const std::optional<Diagnostic>& fault() const noexcept { return fault_; }

  executive::OrderAnswer carry_out(const executive::Order& order);

  record::Checkpoint state() const;

  void restore(const record::Checkpoint& c, Diagnostics& problems);

  void request_return() noexcept;

  Summary finish();

  /// Ends the run, whatever it is doing.
  void fail(Diagnostic why);

  void request_stop() noexcept;
  void request_freeze() noexcept;
  void request_resume() noexcept;
  bool frozen() const noexcept { return frozen_.load() != 0; }
  Pulse pulse() const { return timing_ ? timing_->pulse() : Pulse{}; }

  const composition::Composition& composition() const noexcept { return composition_; }
  const executive::Executive& executive() const noexcept { return *executive_; }
  executive::Executive& orders() noexcept { return *executive_; }
  Time now() const noexcept { return watch_->now(); }
  Time told() const noexcept { return recorder_.told(); }
  Time begins() const noexcept { return begins_; }
  Time ends() const noexcept { return stop_; }
  const std::filesystem::path& folder() const noexcept { return archive_->kept(); }

 private:
  bool failed_by_companion();

  const std::filesystem::path& save_state();

  /// Throws when a checkpoint does not belong to this run; `here` is a state of it.
  void check_fit(const record::Checkpoint& c, const executive::Snapshot& here,
                 const std::filesystem::path& name, Diagnostics& problems) const;

  /// Continues a run that was killed.
  void take_up(Continuation& c, Diagnostics& problems);

  /// Sets up recorder and watch, and initializes the components.
  void start(Diagnostics& problems);

  /// Nothing was run: leaves nothing behind.
  void discard();

  /// A run by the clock continues when its disk is full. Says so when it happens, on the recorder's
  /// thread.
  void recording_failed(const std::string& why);

  void add_advice_on_room(Diagnostic& d) const;

  /// Right before the loop. Throws when it must not begin.
  void take_privileges();

  /// Once, before time advances: priority, and a rehearsal.
  void begin();

  /// Whether the run makes checkpoints by itself.
  bool keeps_state() const;

  void keep_state();

  /// What a run needs that continues from here in the same folder.
  record::Progress progress();

  /// Of the whole run.
  executive::Statistics statistics() const;
  double wall() const;

  Duration every() const;

  /// After a freeze: the pacers restart.
  void continue_from_here();

  executive::Ending run_to(Time until);

  executive::Ending run_until_asked(Time freeze);

  /// Time is about to stand still, because the run ends or freezes: what moves comes to rest first.
  /// False: something moves still, and fault_ says what.
  bool come_to_rest();

  /// For a run that its owner leaves between two pieces.
  void come_to_rest_unless_ended();

  /// A failure while coming to rest does not change how the run ended.
  void warn_of_failure_at_rest();

  /// Until the run resumes: executes orders and serves requests. Returns how the run ended, when a
  /// step reached the end.
  std::optional<executive::Ending> stand_still();

  // -- requests of other programs (live.hpp) -----------------------------------------------------

  std::string in_between(const Requests::What& what);

  bool over() override { return requests_.closed(); }
  RunState run_state() const;
  std::string status() override;
  std::string state_text() override { return to_json(run_state()); }
  std::string freeze() override;
  std::string resume() override;
  std::string stop() override;
  std::string step(int ticks) override;
  std::string set_rate(double rate) override;
  std::string mark(std::string_view text) override;
  std::string real_time() override;
  std::string checkpoint() override;
  std::string move(std::string_view part, std::string_view node) override;
  std::string rewind(Time t) override;

  /// The latest checkpoint in the directory at or before `t`; empty: the start.
  std::filesystem::path last_checkpoint(Time t) const;

  /// Adds advice that the run itself cannot give.
  void advise(Diagnostic& fault, const Summary& s) const;

  static Result result_of(executive::Ending ending, const Summary& s);

  composition::Composition composition_;
  Options options_;
  std::optional<Archive> archive_;  // must outlive the recorder
  record::Recorder recorder_;
  std::vector<FileWriter*> writers_;
  std::unique_ptr<Timing> timing_;
  std::unique_ptr<executive::Executive> executive_;
  std::unique_ptr<Watch> watch_;
  std::optional<record::Checkpoint> checkpoint_;
  std::filesystem::path checkpoint_file_;
  std::optional<record::Progress> continued_;  // where a run continues that was killed
  executive::Statistics counted_before_;       // by this process, before it continued
  std::optional<SavedStates> saved_;
  std::unique_ptr<Regularly> keeper_;
  Time begins_{}, stop_{};
  std::atomic<int> frozen_{0};  // requested externally; waiting threads sleep on it
  std::atomic<bool> stopping_{false};
  std::atomic<bool> recording_failed_{false};
  std::atomic<bool> resting_{false};
  std::atomic<double> rate_{0.0};    // × real time, of a run by the clock
  std::vector<Pacer*> rest_pacers_;  // those that hold time back while it comes to rest
  Duration longest_rest_{};
  std::optional<Duration> rest_;
  Requests requests_;
  bool begun_ = false, stood_still_ = false, finished_ = false;
  std::chrono::steady_clock::duration wall_{};                  // time spent running
  std::optional<std::chrono::steady_clock::time_point> began_;  // running since
  Time next_checkpoint_ = Time::max();
  std::atomic<bool> returning_{false};  // run_until() must return early
  std::optional<Diagnostic> fault_;     // of a run that failed
  std::optional<executive::Ending> ended_;
  std::optional<std::filesystem::path> rewind_;  // where it is to begin again, if requested
  std::unique_ptr<OrderLog> orders_;
  std::unique_ptr<Live> live_;
  std::mutex answering_;
  std::unique_ptr<Control> control_;
  std::shared_ptr<void> access_;
  std::mutex companion_mutex_;
  std::optional<Diagnostic> companion_fault_;  // why it ends the run
  std::unique_ptr<Companion> companion_;
};

}  // namespace vernier::session
