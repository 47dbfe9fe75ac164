#include "vernier/run/record/export.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "vernier/base/text.hpp"
#include "vernier/run/record/detail/event_file.hpp"
#include "vernier/run/record/detail/row_cursor.hpp"

namespace vernier::record {

namespace {

std::string quoted(const std::string& s) {
  return nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void put_number(std::ostream& out, double v) {
  if (std::isfinite(v)) {
    out << exact(v);
  } else {
    out << "null";
  }
}

/// Calls `row(time, values)` for the selected rows of a signal.
template <class F>
void for_rows(const ResultReader& r, const Signal& s, double every, F&& row) {
  Sieve sieve(every);
  for (std::uint64_t first = 0; first < s.rows; first += rows_in_block) {
    const Series block = r.read(s, first, rows_in_block);
    for (std::size_t k = 0; k < block.time.size(); ++k) {
      if (sieve.keeps(block.time[k])) row(block.time[k], &block.values[k * s.spec.count]);
    }
  }
}

}  // namespace

void export_csv(const ResultReader& r, const ExportOptions& o, std::ostream& out) {
  struct Cells {
    std::size_t signal, column;  // number in the cursor; of the first in the table
    std::uint32_t first, last;   // elements
  };
  struct Group {
    RowCursor cursor;
    std::vector<Cells> columns = {};
  };
  std::map<std::uint64_t, Group> groups;
  std::string line = "time [s]";
  std::size_t columns = 0;
  for (const Selected& s : r.select(o.signals)) {
    const SignalSpec& spec = s.signal->spec;
    const std::uint32_t first = s.element.value_or(0);
    const std::uint32_t last = s.element ? *s.element + 1 : spec.count;
    Group& g = groups.try_emplace(s.signal->group, Group{RowCursor(r)}).first->second;
    g.cursor.add(*s.signal);
    g.columns.push_back({g.columns.size(), columns, first, last});
    for (std::uint32_t e = first; e < last; ++e, ++columns) {
      const std::string index = spec.count > 1 ? "[" + std::to_string(e) + "]" : "";
      line += ',';
      append_csv_field(line, spec.path + index + " [" + spec.unit + "]");
    }
  }
  out << line << '\n';

  std::vector<RowCursor*> cursors;
  std::map<const RowCursor*, const Group*> group_of;
  for (auto& [id, g] : groups) {
    cursors.push_back(&g.cursor);
    group_of[&g.cursor] = &g;
  }
  std::vector<std::string> cells(columns);
  in_order(std::move(cursors), o.every, [&](double t, std::span<RowCursor* const> here) {
    for (const RowCursor* c : here)
      for (const Cells& k : group_of[c]->columns)
        for (std::uint32_t e = k.first; e < k.last; ++e)
          cells[k.column + e - k.first] = exact(c->values(k.signal)[e]);
    out << exact(t);
    for (std::string& cell : cells) {
      out << ',' << cell;
      cell.clear();
    }
    out << '\n';
  });
}

void export_json(const ResultReader& r, const ExportOptions& o, std::ostream& out) {
  out << "{\"composition\": " << quoted(r.composition()) << ", \"vernier\": " << quoted(r.version())
      << ", \"start\": " << quoted(r.start()) << ",\n \"signals\": [";
  const char* separator = "\n";
  for (const Selected& s : r.select(o.signals)) {
    const SignalSpec& spec = s.signal->spec;
    out << separator << "  {\"path\": " << quoted(s.name()) << ", \"unit\": " << quoted(spec.unit)
        << ", \"frame\": " << quoted(spec.frame)
        << ", \"description\": " << quoted(spec.description) << ",\n   \"time\": [";
    separator = ",\n";
    const char* comma = "";
    for_rows(r, *s.signal, o.every, [&](double t, const double*) {
      out << comma;
      put_number(out, t);
      comma = ",";
    });
    out << "],\n   \"values\": [";
    comma = "";
    const bool vector = spec.count > 1 && !s.element;
    for_rows(r, *s.signal, o.every, [&](double, const double* v) {
      out << comma << (vector ? "[" : "");
      const char* inner = "";
      for (std::uint32_t e = s.element.value_or(0), n = vector ? spec.count : 1; n > 0; --n, ++e) {
        out << inner;
        put_number(out, v[e]);
        inner = ",";
      }
      out << (vector ? "]" : "");
      comma = ",";
    });
    out << "]}";
  }
  out << "\n ]}\n";
}

}  // namespace vernier::record
