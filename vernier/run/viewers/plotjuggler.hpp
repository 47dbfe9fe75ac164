#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/run/record/live_rows.hpp"

namespace vernier::viewers {

/// Rows of a live run as datagrams for PlotJuggler's UDP server: JSON objects
/// {"timestamp":12.5,"plant/omega":[1,2,3]}. A row with many signals is divided into several with
/// the same time. Values that are not finite are null, which PlotJuggler leaves out.
class PlotJuggler {
 public:
  static constexpr std::size_t most_bytes = 8000;  // after which a new datagram begins

  /// The signals that match one of the patterns. Throws ConfigurationError (V7102): one matches
  /// nothing.
  PlotJuggler(const record::LiveRowReader&, const std::vector<std::string>& patterns);

  /// `every` > 0: of each group, only rows at least that many seconds after the last one.
  void thin_out(double every) noexcept { every_ = every; }

  using Send = std::function<void(std::string_view)>;
  void take(const record::LiveRowReader::Row&, const Send&);

 private:
  struct Item {
    std::size_t offset;  // in the row
    std::uint32_t count;
    Scalar scalar;
    std::string key;  // with quotes and colon
  };
  struct Group {
    std::vector<Item> items;
    bool any = false;
    double last = 0.0;
  };
  void append(const std::byte* row, const Item&);

  std::vector<Group> groups_;
  double every_ = 0.0;
  std::string text_;
};

}  // namespace vernier::viewers
