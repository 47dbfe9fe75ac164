#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vernier/run/record/detail/hdf5.hpp"
#include "vernier/run/record/result_layout.hpp"

namespace vernier::record {

/// A signal found in an open results file.
struct IndexedSignal {
  SignalSpec spec;
  std::string place;          // of its group: "/signals/plant/omega"
  std::string rate;           // as text
  std::uint64_t time_id = 0;  // the same for signals that share their time
  std::uint64_t rows = 0;     // complete ones
};

/// All signals of a file, in the order of their paths. With `cautious`, counts only rows that are
/// completely in the file: for files whose writer runs or died. Throws hdf5::Error.
std::vector<IndexedSignal> index_signals(hid_t file, bool cautious);

}  // namespace vernier::record
