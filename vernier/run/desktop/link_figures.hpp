#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vernier/run/realtime/histogram.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::desktop {

/// What a run has recorded of its links, facilities, shared memory and federations: signals such as
/// arm.link.state. New rows are read once.
class LinkFigures {
 public:
  explicit LinkFigures(const record::ResultReader&);

  /// Reads what was added. The same file as before, after its refresh().
  void refresh(const record::ResultReader&);

  /// [{"link","values":[…],"delays":[…]}], see formats/desktop.
  nlohmann::ordered_json links() const;
  /// {"component","logical_time","mode"}, or null.
  nlohmann::ordered_json federation() const;

 private:
  struct Watched {
    std::string instance, name, path, unit;
    bool delay = false;  // a time that has a distribution
    std::uint64_t rows = 0;
    std::optional<double> now, begin, peak;
    double peak_at = 0.0, sum = 0.0;
    std::uint64_t count = 0;
    realtime::Histogram spread;
  };
  std::vector<Watched> watched_;
};

}  // namespace vernier::desktop
