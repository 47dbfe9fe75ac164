#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {

struct ExportOptions {
  std::vector<std::string> signals = {"*"};  // patterns, as ResultReader::select
  double every = 0.0;                        // s; > 0: only the first row at or after each multiple
};

/// One table: the time, then a column per element, its unit in the header ("plant.omega[0]
/// [rad/s]"). Signals sampled at other times have empty cells where they have no value. Memory does
/// not grow with the results. Throws ConfigurationError (V7101, V7102).
void export_csv(const ResultReader&, const ExportOptions&, std::ostream&);

/// {"composition", "vernier", "start", "signals": [{"path", "unit", "frame", "description", "time":
/// […], "values": […]}]}; vector values are arrays; values that are not finite are null.
void export_json(const ResultReader&, const ExportOptions&, std::ostream&);

/// MCAP (mcap.dev), for Foxglove, Lichtblick and PlotJuggler: a channel for each
/// signal, "/plant/omega", encoding cdr, schema ros2msg with the unit in a comment. The time is
/// simulated time; rows before 0 s are left out, as the format has no such times. In chunks of 1
/// MB, with index and statistics; the same bytes on every machine. Throws also V7118: too many
/// signals for the format.
void export_mcap(const ResultReader&, const ExportOptions&, std::ostream&);

}  // namespace vernier::record
