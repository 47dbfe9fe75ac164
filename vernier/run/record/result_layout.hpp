#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/component/description.hpp"

namespace vernier::record {

/// A recorded signal: a port of a component, with the path that users type.
struct SignalSpec {
  std::string path;  // "bus.wheel1.speed": component path, then the port
  std::string unit = "1";
  std::string frame = {};
  std::string description = {};
  std::uint32_t count = 1;
  Scalar scalar = Scalar::real;
  bool held = false;  // a value stays until the next row; else it goes on continuously
};

/// Signals that are sampled together and share one time column.
struct GroupSpec {
  Rate rate;  // not periodic: at every instant of the run
  std::vector<SignalSpec> signals;
};

/// The content of a results file. Fixed before the run: only rows are added later.
struct ResultLayout {
  std::string version;      // of Vernier
  std::string composition;  // its name
  std::string start;        // wall time, ISO 8601
  std::vector<GroupSpec> groups;
};

/// The layout of a group's row in memory: the time in seconds, then each signal's elements; every
/// signal begins at a multiple of eight bytes.
struct RowLayout {
  explicit RowLayout(const GroupSpec&);

  struct Column {
    std::size_t offset;  // of the first element in the row
    std::size_t bytes;   // of all elements
  };
  std::vector<Column> columns;
  std::size_t bytes = sizeof(double);  // of a row
};

}  // namespace vernier::record
