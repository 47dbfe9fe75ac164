#pragma once

#include <map>
#include <string>

namespace vernier::spacefom {

/// The labels of synchronization points in SISO-STD-018-2020.
namespace label {
inline constexpr const char* initialization_started = "initialization_started";
inline constexpr const char* objects_discovered = "objects_discovered";
inline constexpr const char* root_frame_discovered = "root_frame_discovered";
inline constexpr const char* initialization_completed = "initialization_completed";
inline constexpr const char* mtr_run = "mtr_run";
inline constexpr const char* mtr_freeze = "mtr_freeze";
inline constexpr const char* mtr_shutdown = "mtr_shutdown";
}  // namespace label

namespace detail {

/// The progress of synchronization points (IEEE 1516.1-2010, 4.11 to 4.15), as the RTI reported it.
///
///   unknown ── announced ── achieved (by us) ── synchronized (by all) ── unknown, when passed
class Points {
 public:
  enum class Registration { none, succeeded, failed };
  enum class Progress { unknown, announced, achieved, synchronized };

  /// A registration of ours begins, and ends.
  void begin_registration(const std::string& name) { of(name).registration = Registration::none; }
  void end_registration(const std::string& name, bool good) {
    of(name).registration = good ? Registration::succeeded : Registration::failed;
  }
  void announce(const std::string& name) { of(name).progress = Progress::announced; }
  /// Whether we must achieve it now; marks it as achieved.
  bool achieve(const std::string& name) {
    if (of(name).progress != Progress::announced) return false;
    of(name).progress = Progress::achieved;
    return true;
  }
  void synchronize(const std::string& name) { of(name).progress = Progress::synchronized; }
  /// We have passed it: it may be announced again.
  void pass(const std::string& name) { of(name).progress = Progress::unknown; }

  bool decided(const std::string& name) const {
    return find(name).registration != Registration::none;
  }
  bool refused(const std::string& name) const {
    return find(name).registration == Registration::failed;
  }
  bool announced(const std::string& name) const { return find(name).progress != Progress::unknown; }
  bool synchronized(const std::string& name) const {
    return find(name).progress == Progress::synchronized;
  }

 private:
  struct Point {
    Registration registration = Registration::none;
    Progress progress = Progress::unknown;
  };
  Point& of(const std::string& name) { return points_[name]; }
  Point find(const std::string& name) const {
    const auto p = points_.find(name);
    return p == points_.end() ? Point{} : p->second;
  }

  std::map<std::string, Point> points_;
};

}  // namespace detail
}  // namespace vernier::spacefom
