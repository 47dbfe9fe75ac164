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

/// The values of a federation's objects and the interactions sent, with their logical times
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
  std::string fom;  // the federation's FOM as a document; empty: the SpaceFOM
  double epoch = 0.0;
  Ticks least_common = 1'000'000;
  std::vector<Object> objects;
  std::vector<Update> updates;  // in order of arrival
  std::vector<Interaction> interactions;
  std::vector<Sent> sent;  // likewise
};

/// Reads a recording; the error is a sentence with the line.
Result<Recording, std::string> read_recording(std::istream&);

/// Records what its federate receives, as it arrives; listens to it.
class FederationRecorder final : public Listener {
 public:
  FederationRecorder(Federate&, std::ostream&);
  /// Subscribes to every class of a FOM and keeps its document, for replaying; call it before the
  /// federate joins.
  void keep_all(const fom::Fom&, const std::string& document);

  void discovered(const Remote&) override;
  void reflected(const Remote&, std::span<const std::size_t>) override;
  void received(std::size_t interaction, std::span<const Octets>, Ticks stamp) override;
  void sending(Ticks) override {}

  std::uint64_t updates() const noexcept { return updates_; }
  std::uint64_t interactions() const noexcept { return received_; }
  std::size_t objects() const noexcept { return names_.size(); }

 private:
  /// The time of a line; events without a stamp get the current time.
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

/// Publishes a recording again, each value at its time relative to the first; listens to its
/// federate.
class Replayer final : public Listener {
 public:
  /// Publishes all objects; construct it before the federate joins.
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
/// The FOM of a running federation, as a document, from its Management Object Model; empty when the
/// RTI does not provide it.
std::string current_fom(const Settings& visitor);
/// Creates a federation with the modules of the settings, without joining it.
void create_federation(const Settings&);
/// Asks the RTI to resign another federate, through the Management Object Model.
void expel(const Settings& visitor, const std::string& federate);

}  // namespace vernier::spacefom
