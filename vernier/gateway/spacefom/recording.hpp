#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <unordered_map>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/gateway/fom/model.hpp"
#include "vernier/gateway/spacefom/federate.hpp"

namespace vernier::spacefom {

/// What the objects of a federation said and which interactions were sent, with the logical times
/// (formats/recording).
struct Recording {
  struct Object {
    std::string object_class, name;
    std::vector<std::string> attributes;
  };
  struct Update {
    Ticks stamp = 0;
    std::size_t object = 0, attribute = 0;
    Octets bytes;
  };
  struct Interaction {
    std::string interaction_class;
    std::vector<std::string> parameters;
  };
  struct Sent {
    Ticks stamp = 0;
    std::size_t interaction = 0;
    std::vector<std::pair<std::size_t, Octets>> values;  // by parameter
  };
  std::string federation;
  std::string fom;  // the document of the federation's FOM; empty: that of the SpaceFOM
  double epoch = 0.0;
  Ticks least_common = 1'000'000;
  std::vector<Object> objects;
  std::vector<Update> updates;  // in the order in which they came
  std::vector<Interaction> interactions;
  std::vector<Sent> sent;  // the same
};

/// Reads a recording; a sentence with the line when it cannot be.
Result<Recording, std::string> read_recording(std::istream&);

/// Writes what its federate hears of, as it comes; listens to it.
class FederationRecorder final : public Listener {
 public:
  FederationRecorder(Federate&, std::ostream&);
  /// Subscribes every class of a FOM and keeps its document, for replaying; before the federate
  /// joins.
  void keep_all(const fom::Fom&, const std::string& document);

  void discovered(const Remote&) override;
  void reflected(const Remote&, std::span<const std::size_t>) override;
  void received(std::size_t interaction, std::span<const Octets>, Ticks stamp) override;
  void sending(Ticks) override {}

  std::uint64_t updates() const noexcept { return updates_; }
  std::uint64_t interactions() const noexcept { return received_; }
  std::size_t objects() const noexcept { return names_.size(); }

 private:
  /// The time of a line; what has no stamp counts from now on.
  Ticks time(Ticks stamp);
  Federate& federate_;
  std::ostream& out_;
  std::unordered_map<std::string, std::size_t> names_;  // with their numbers in the recording
  std::vector<std::size_t> numbers_;                    // the same, by Remote::number
  bool begun_ = false;
  std::vector<Recording::Interaction> heard_;
  std::vector<std::size_t> heard_numbers_;  // in the recording; `unsaid`: not in it yet
  std::size_t said_ = 0;
  std::uint64_t updates_ = 0, received_ = 0;
  Ticks last_ = 0;
};

/// Publishes what was recorded again, each value at its time; listens to its federate. Times are
/// counted from the first one.
class Replayer final : public Listener {
 public:
  /// Publishes all objects; before the federate joins.
  Replayer(Federate&, const Recording&);

  void reflected(const Remote&, std::span<const std::size_t>) override {}
  void sending(Ticks) override;
  bool finished() const noexcept {
    return next_ == recording_.updates.size() && next_sent_ == recording_.sent.size();
  }

 private:
  Federate& federate_;
  const Recording& recording_;
  std::vector<std::size_t> objects_;
  std::size_t next_ = 0, next_sent_ = 0;
  Ticks first_ = 0;
};

/// The names of all federations of an RTI.
std::vector<std::string> federations(const std::string& designator,
                                     std::chrono::milliseconds wait = {},
                                     std::function<void(const std::string&)> notice = {});
/// The FOM of a federation that runs, as a document, by its management model; empty when the RTI
/// does not give it.
std::string current_fom(const Settings& visitor);
/// Makes a federation with the modules of the settings and leaves it to others.
void create_federation(const Settings&);
/// Asks the RTI to resign another federate, by its management model.
void expel(const Settings& visitor, const std::string& federate);

}  // namespace vernier::spacefom
