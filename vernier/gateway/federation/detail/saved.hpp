#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

/// Saved states of the RTI, by federation and label: in a directory, or in memory.
class SaveStore {
 public:
  static constexpr std::size_t most_in_memory = 64, most_bytes = 1u << 30;
  static constexpr std::size_t most_in_folder = 1024;
  static constexpr std::uintmax_t most_folder_bytes = std::uintmax_t{64} << 30;

  explicit SaveStore(std::string folder) : folder_(std::move(folder)) {}

  /// Whether there is room for another. In a directory all saves count, including those of other
  /// RTIs; a save with the same label is replaced.
  bool has_room(const std::string& federation, const std::string& label) const;
  /// False when there is no room or writing fails; nothing of it is then left.
  bool put(const std::string& federation, const std::string& label, Blob state);
  /// Nothing when it does not exist or is damaged.
  std::optional<Blob> get(const std::string& federation, const std::string& label) const;

 private:
  std::string file(const std::string& federation, const std::string& label) const;

  std::string folder_;
  std::map<std::pair<std::string, std::string>, Blob> kept_;
};

struct NamedPoint {
  std::string label;
  Federation::Point point;
  VERNIER_FIELDS(label, point)
};
struct ReservedName {
  std::string name;
  Handle by = 0;
  VERNIER_FIELDS(name, by)
};

struct WaitingMessage {
  Handle to = 0;
  Blob frame;
  VERNIER_FIELDS(to, frame)
};

/// A federation as it was saved.
struct Federation::SavedState {
  std::string name;
  TimeKind kind{};
  std::string own_time;
  std::vector<Document> documents;
  bool auto_provide = false;
  Handle federates_end = 0;  // the next handle
  std::vector<Federate> federates;
  Handle next_instance = 0;
  std::vector<Instance> instances;
  std::vector<ReservedName> reserved;
  std::vector<NamedPoint> points;
  std::vector<WaitingMessage> waiting;  // sent during the save
  Blob time, regions;
  VERNIER_FIELDS(name, kind, own_time, documents, auto_provide, federates_end, federates,
                 next_instance, instances, reserved, points, waiting, time, regions)
};

}  // namespace vernier::federation
