#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::record {

/// Ports that are sampled together.
struct RecordGroup {
  executive::Sampling sampling;
  std::vector<const executive::PortView*> ports;
};

/// The ports that the records of a composition select, grouped by rate and by the cluster whose
/// instants they have; a port selected twice uses the first. A pattern selects outputs only; an
/// exact path also selects an input. No records: every output, at its instants. A record that
/// selects nothing causes a warning (V2128).
std::vector<RecordGroup> groups_of(std::span<const executive::PortView>,
                                   const std::vector<composition::Record>&, Diagnostics&);

/// An event of the run, as text.
struct Event {
  Time time;
  double remainder = 0.0;  // s; the exact time is time + remainder
  std::string component;   // full path
  std::string kind, from, to, reason;
  std::string transition = {};  // its name; empty: none, or not a transition
  bool warning = false;
};

/// The exact time of an event in seconds, all digits: "238.123456789012".
std::string exact_seconds(Time, double remainder);

/// How much the loop has passed on to the recorder.
struct PassedOn {
  std::vector<std::uint64_t> rows;  // by group
  std::uint64_t notes = 0;          // events that components have told
};

/// What the files of a run that is continued have already; the rest is cut off.
struct Earlier {
  PassedOn passed = {};
  std::uint64_t events = 0, event_bytes = 0;  // of events.csv: lines, and bytes with the head
  std::uint64_t dropped = 0;
};

struct RecorderOptions {
  std::string version;                 // of Vernier, for the file
  std::string composition;             // its name
  std::string start;                   // wall time, ISO 8601
  std::string file = "results.h5";     // its name in the folder
  bool events = true;                  // write events.csv
  bool live = false;                   // show the newest rows in `live`, if that can be written
  std::size_t queue_bytes = 4u << 20;  // between the loop and the recorder's thread
  Duration flush_every = std::chrono::milliseconds(500);  // wall time; what a crash can lose
  std::optional<Earlier> earlier = {};                    // nothing: the files do not exist
  std::vector<Event> remarks = {};                        // to be added when their times come
  /// Called by the recorder's thread for every event, in order.
  std::function<void(const Event&)> on_event = {};
  /// Called by the recorder's thread, once, when it cannot write any more; with the reason.
  std::function<void(const std::string&)> on_failure = {};
};

struct RecorderStatistics {
  std::uint64_t rows = 0;         // written, over all groups
  std::uint64_t dropped = 0;      // samples that found no room, or could not be written
  std::uint64_t events = 0;       // written
  std::uint64_t events_lost = 0;  // found no room
  std::uint64_t waits = 0;        // times the loop waited so that nothing was lost
  std::string failure = {};       // why writing ended early: the disk is full; empty: it did not
};

/// Records a run into results.h5 and events.csv, on a separate thread. The loop passes rows through
/// queues of fixed size and never waits, locks or allocates: what finds no room is dropped and
/// counted. If its pacer is given to the executive, the recorder instead holds time back until
/// there is room, so that an unpaced run loses nothing, and fails when nothing can be written any
/// more. Runs bound to the wall clock do not use the pacer.
///
///   Recorder recorder;
///   Executive executive(plan, {&recorder.pacer()});
///   const Finisher finisher{recorder};
///   recorder.begin(executive, folder, groups_of(executive.ports(), records, warnings), options);
///   executive.initialize(); executive.run_until(…);
///   recorder.finish();
///
/// A pacer must outlive the executive, but a recording must end before it: see Finisher.
class Recorder {
 public:
  Recorder();
  /// Finishes, if finish() was not called.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Pacer& pacer() noexcept;

  /// Creates the files in `folder`, starts the thread and observes `e`, which must outlive
  /// finish(). Throws ConfigurationError.
  void begin(executive::Executive& e, const std::filesystem::path& folder,
             const std::vector<RecordGroup>&, const RecorderOptions&);

  /// The same for callers that call the observers themselves; `tell` is called on the recorder's
  /// thread.
  using Tell = std::function<Telling(std::size_t part, const Entry&)>;
  struct Attachment {
    executive::Observer* observer;
    executive::Sampling sampling;
  };
  const std::vector<Attachment>& begin(const std::filesystem::path& folder,
                                       const std::vector<RecordGroup>&, const RecorderOptions&,
                                       Tell tell);

  /// Writes what is left, closes the files and stops observing. Must not be called while the run
  /// runs.
  void finish() noexcept;

  /// Records an event that no component has told, such as a remark of the user. From any thread
  /// except the loop's: it waits until the event is in the file. Nothing happens when nothing is
  /// being recorded.
  void add(Event);

  /// What was passed on so far, by the thread that runs the loop; asks for it to be written soon.
  PassedOn passed_on();

  /// At any time, from any thread.
  RecorderStatistics statistics() const;
  /// All events before this time were handed to `on_event`. From any thread.
  Time told() const noexcept;

 private:
  class Work;
  std::unique_ptr<Work> work_;
  std::function<void()> leave_;
};

/// Finishes a recording in its destructor. Declare it after the executive, so that the recording
/// ends before the executive is destroyed, even if an exception is thrown.
struct Finisher {
  Recorder& recorder;
  ~Finisher() { recorder.finish(); }
};

}  // namespace vernier::record
