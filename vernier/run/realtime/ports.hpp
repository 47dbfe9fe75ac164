#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/component/component.hpp"
#include "vernier/run/realtime/frames.hpp"

namespace vernier::realtime {

constexpr std::string_view frame_instance = "frame";  // the component's name in a run
constexpr std::string_view frame_type = "frames";

/// The frames of a run as signals, to be recorded, observed and checked like any other. At every
/// instant they show the last completed frame. In a run that does not keep time all are 0, and the
/// margin is infinite.
///
/// out  number       of the frame
/// out  wake_up  s   actual minus intended start
/// out  cost     s   from its start to the end of its work
/// out  margin   s   from the end of its work to its deadline
/// out  lag      s   how far the run is behind the clock
/// out  late         its margin is negative
/// out  late_frames  the number of late frames so far
/// out  cause        of a late one: 1 work, 2 wake-up, 3 wait, 4 federation, 5 pacing,
///                   6 another node of the run
/// out  held     s   time spent waiting for others with which it shares time
/// out  cost_of.NAME  s   cost of each component; of an island, all its systems together
///
/// Late frames are in the journal, with their causes; at most kept_late of them.
class FramePorts final : public Component {
 public:
  /// `names`: components whose costs are requested.
  explicit FramePorts(std::vector<std::string> names);

  /// The pacer, and the parts that contain the named components. Before the run starts; `p` must
  /// outlive it.
  void attach(const FramePacer& p, const std::vector<composition::Part>&);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  Outcome output(Instant) noexcept override;
  Advance advance(Time, Time to) noexcept override;
  Telling tell(const Entry&) const override;
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  std::vector<std::string> names_;
  std::vector<std::uint32_t> parts_;  // by name
  std::vector<std::string> part_names_;
  const FramePacer* pacer_ = nullptr;
  Journal* journal_ = nullptr;
  std::uint64_t noted_ = 0;  // late frames
  Description description_;
  std::span<std::int64_t> number_, late_frames_, cause_;
  std::span<double> wake_up_, cost_, margin_, lag_, held_;
  std::span<std::uint8_t> late_;
  std::vector<std::span<double>> costs_;
};

/// The type "frames", for the catalogue: parameter `components`, their names.
void add_to(Catalogue&);

}  // namespace vernier::realtime
