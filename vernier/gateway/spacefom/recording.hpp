#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <unordered_map>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/gateway/spacefom/federate.hpp"

namespace vernier::spacefom {

/// What the objects of a federation said, with the logical times (formats/recording).
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
  std::string federation;
  double epoch = 0.0;
  Ticks least_common = 1'000'000;
  std::vector<Object> objects;
  std::vector<Update> updates;  // in the order in which they came
};

/// Reads a recording; a sentence with the line when it cannot be.
Result<Recording, std::string> read_recording(std::istream&);

/// Writes what its federate hears of, as it comes; the federate's listener.
class Recorder final : public Listener {
 public:
  Recorder(Federate&, std::ostream&);

  void discovered(const Remote&) override;
  void reflected(const Remote&, std::span<const std::size_t>) override;
  void sending(Ticks) override {}

  std::uint64_t updates() const noexcept { return updates_; }
  std::size_t objects() const noexcept { return names_.size(); }

 private:
  std::size_t number(const Remote&);
  Federate& federate_;
  std::ostream& out_;
  std::unordered_map<std::string, std::size_t> names_;  // with their numbers
  bool begun_ = false;
  std::uint64_t updates_ = 0;
  Ticks last_ = 0;
};

/// Publishes what was recorded again, each value at its time; the federate's listener. Times are
/// counted from the first one.
class Replayer final : public Listener {
 public:
  /// Publishes all objects; before the federate joins.
  Replayer(Federate&, const Recording&);

  void reflected(const Remote&, std::span<const std::size_t>) override {}
  void sending(Ticks) override;
  bool finished() const noexcept { return next_ == recording_.updates.size(); }

 private:
  Federate& federate_;
  const Recording& recording_;
  std::vector<std::size_t> objects_;
  std::size_t next_ = 0;
  Ticks first_ = 0;
};

/// The names of all federations of an RTI.
std::vector<std::string> federations(const std::string& designator,
                                     std::chrono::milliseconds wait = {},
                                     std::function<void(const std::string&)> notice = {});
/// Makes a federation with the modules of the settings and leaves it to others.
void create_federation(const Settings&);
/// Asks the RTI to resign another federate, by its management model.
void expel(const Settings& visitor, const std::string& federate);

}  // namespace vernier::spacefom
