#pragma once

#include "vernier/component/pacer.hpp"
#include "vernier/gateway/link/grid.hpp"
#include "vernier/gateway/link/link.hpp"

namespace vernier::link {

/// The clock of a link's server as the time base of the client's run: its steps follow the server's
/// clock (StepGrid). Without a server, or before its clock is known, it is this machine's clock.
class ServerTime final : public TimeBase {
 public:
  /// `period` of the client's steps.
  ServerTime(Link&, const Period& period) noexcept;

  void start(Time, std::int64_t now) noexcept override;
  std::int64_t due(Time, std::int64_t now) noexcept override;

  const StepGrid& grid() const noexcept { return grid_; }
  /// When the step that begins at `now` was due; 0 when no run uses this time base.
  std::int64_t planned(std::int64_t now) const noexcept;

 private:
  Link& link_;
  Period period_;
  StepGrid grid_;
  Time origin_{};
  std::int64_t before_ = 0;  // when the step before the grid's was due
  bool followed_ = false;
};

}  // namespace vernier::link
