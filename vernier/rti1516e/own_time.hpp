#pragma once

#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeFactory.h>
#include <RTI/LogicalTimeInterval.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::hla {

/// A logical time that the federates define themselves, represented by an integer: the number of
/// epsilons after the initial time. The RTI sees only these integers, so it does not need the
/// federates' library. Any thread may call every function; user code is called by one thread at a
/// time.
class OwnTime {
 public:
  /// Uses the factory that the program or its libfedtime1516e provides. Throws
  /// CouldNotCreateLogicalTimeFactory when there is none of the name, or when the final time is not
  /// a whole number of epsilons below 2^63.
  explicit OwnTime(const std::wstring& name);

  const std::wstring& name() const noexcept { return name_; }
  /// Nothing if it is of another implementation, before the initial time, or not a whole number of
  /// epsilons.
  std::optional<std::int64_t> count(const ::rti1516e::LogicalTime&);
  std::optional<std::int64_t> count(const ::rti1516e::LogicalTimeInterval&);
  /// Numbers beyond the final time give the final time. Exceptions of user code propagate.
  void set(::rti1516e::LogicalTime&, std::int64_t count);
  void set(::rti1516e::LogicalTimeInterval&, std::int64_t count);
  std::unique_ptr<::rti1516e::LogicalTime> make_time();

 private:
  std::wstring name_;
  std::mutex one_at_a_time_;
  std::unique_ptr<::rti1516e::LogicalTimeFactory> factory_;
  std::vector<std::unique_ptr<::rti1516e::LogicalTimeInterval>> powers_;  // 1, 2, 4, … epsilons
  std::int64_t last_ = 0;                                                 // the final time
};

/// The kind of time of a federation. `own` is shared because a callback may outlast the membership.
struct TimeClass {
  federation::TimeKind kind{};
  std::shared_ptr<OwnTime> own{};
};

}  // namespace vernier::hla
