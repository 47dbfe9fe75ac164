#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rig.hpp"

/// A federation with one that looks at the management object model, and one that is looked at.
namespace vernier::federation_tests {

// ---- values of the MIM's data types, as bytes

inline std::string big_endian(std::uint64_t n, int bytes) {
  std::string s;
  for (int i = bytes - 1; i >= 0; --i) s.push_back(static_cast<char>(n >> (8 * i)));
  return s;
}
inline std::string number(std::uint32_t n) { return big_endian(n, 4); }
inline std::string time_bytes(std::uint64_t t) { return number(8) + big_endian(t, 8); }
inline std::string unicode(const std::string& ascii) {
  std::string s = number(static_cast<std::uint32_t>(ascii.size()));
  for (const char c : ascii) s += {'\0', c};
  return s;
}
template <class H>
std::string of(const H& handle) {
  const VariableLengthData d = handle.encode();
  return {static_cast<const char*>(d.data()), d.size()};
}
template <class H>
std::string list(std::initializer_list<H> all) {
  std::string s = number(static_cast<std::uint32_t>(all.size()));
  for (const H& h : all) s += of(h);
  return s;
}
/// Each begins at a multiple of four.
std::string texts(const std::vector<std::string>& all);

inline const std::string on = number(1), off = number(0);

using Bytes = std::map<std::string, std::string>;  // by name

class Managed : public Federation {
 public:
  /// Creates the federation. The subject publishes Ball and Kick and owns `object`; the manager
  /// subscribes to them and to all reports.
  void begin();
  /// Both resign, and the federation is destroyed.
  void end();
  Member& manager() { return (*this)[0]; }
  Member& subject() { return (*this)[1]; }
  /// An interaction below HLAmanager, about the subject unless about the federation. It has its
  /// effect, and all callbacks were made.
  void send(const std::string& path, Bytes parameters = {}) {
    send_about(subject(), path, std::move(parameters));
  }
  void send_about(Member& whom, const std::string& path, Bytes parameters = {});
  /// The first report of this name since begin(), which is taken; empty when there is none.
  Bytes report(const std::string& name);
  bool reported(const std::string& name);
  /// How many of each came, ever.
  std::map<std::string, int> heard();
  void forget_reports();
  /// Its callbacks since the last time.
  Lines told(Member&);

  ObjectInstanceHandle object;

 protected:
  void listen();

  std::mutex mutex_;                                    // of what callbacks write
  std::vector<std::pair<std::string, Bytes>> reports_;  // by the path below HLAmanager
  std::map<std::string, int> heard_;
  std::map<InteractionClassHandle, std::string> report_names_;
  std::map<ParameterHandle, std::string> parameter_names_;
};

/// What an interaction is for, by its path below HLAmanager; services by their names.
using Case = void (*)(Managed&);
const std::map<std::string, Case>& adjustment_cases();
const std::map<std::string, Case>& request_cases();
const std::map<std::string, Case>& service_cases();

}  // namespace vernier::federation_tests
