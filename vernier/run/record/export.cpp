#include "vernier/run/record/export.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "vernier/base/text.hpp"
#include "vernier/run/record/detail/event_file.hpp"

namespace vernier::record {

namespace {

constexpr std::uint64_t block_rows = 4096;

/// Selects rows: all, or the first at or after each multiple of a step.
class Sieve {
 public:
  explicit Sieve(double every) : every_(every) {}

  bool keeps(double t) noexcept {
    if (every_ <= 0.0) return true;
    // a time that is below a multiple only by rounding counts as reaching it
    const double n = std::floor(t / every_ * (1.0 + 1e-12) + 1e-9);
    if (any_ && n <= last_) return false;
    any_ = true;
    last_ = n;
    return true;
  }

 private:
  double every_, last_ = 0.0;
  bool any_ = false;
};

struct Chosen {
  const Signal* signal;
  std::uint32_t first, last;  // elements
  std::size_t column;         // of the first in the table
};

/// Iterates over signals that share their times, row by row.
class Cursor {
 public:
  explicit Cursor(const ResultReader& r) : reader_(r) {}

  void add(const Chosen& c) { chosen_.push_back(c); }
  /// False at the end.
  bool next() {
    if (++row_ < block_.size() && !block_.empty()) return true;
    first_ += block_.size();
    row_ = 0;
    values_.clear();
    for (const Chosen& c : chosen_) {
      Series s = reader_.read(*c.signal, first_, block_rows);
      block_ = std::move(s.time);
      values_.push_back(std::move(s.values));
    }
    return !block_.empty();
  }
  double time() const { return block_[row_]; }
  void put(std::vector<std::string>& cells) const {
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const Chosen& c = chosen_[i];
      for (std::uint32_t e = c.first; e < c.last; ++e) {
        cells[c.column + e - c.first] = exact(values_[i][row_ * c.signal->spec.count + e]);
      }
    }
  }

 private:
  const ResultReader& reader_;
  std::vector<Chosen> chosen_;
  std::vector<double> block_;
  std::vector<std::vector<double>> values_;
  std::uint64_t first_ = 0;
  std::size_t row_ = 0;
};

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
  for (std::uint64_t first = 0; first < s.rows; first += block_rows) {
    const Series block = r.read(s, first, block_rows);
    for (std::size_t k = 0; k < block.time.size(); ++k) {
      if (sieve.keeps(block.time[k])) row(block.time[k], &block.values[k * s.spec.count]);
    }
  }
}

}  // namespace

void export_csv(const ResultReader& r, const ExportOptions& o, std::ostream& out) {
  std::map<std::uint64_t, Cursor> cursors;
  std::string line = "time [s]";
  std::size_t columns = 0;
  for (const Selected& s : r.select(o.signals)) {
    const SignalSpec& spec = s.signal->spec;
    const std::uint32_t first = s.element.value_or(0);
    const std::uint32_t last = s.element ? *s.element + 1 : spec.count;
    cursors.try_emplace(s.signal->group, r).first->second.add({s.signal, first, last, columns});
    for (std::uint32_t e = first; e < last; ++e, ++columns) {
      const std::string index = spec.count > 1 ? "[" + std::to_string(e) + "]" : "";
      line += ',';
      append_csv_field(line, spec.path + index + " [" + spec.unit + "]");
    }
  }
  out << line << '\n';

  std::vector<Cursor*> open;
  for (auto& [group, cursor] : cursors) {
    if (cursor.next()) open.push_back(&cursor);
  }
  Sieve sieve(o.every);
  std::vector<std::string> cells(columns);
  while (!open.empty()) {
    double t = open.front()->time();
    for (const Cursor* c : open) t = std::min(t, c->time());
    const bool kept = sieve.keeps(t);
    for (std::size_t i = 0; i < open.size();) {
      Cursor& c = *open[i];
      const bool here = !(c.time() > t);
      if (here && kept) c.put(cells);
      if (here && !c.next()) {
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (!kept) continue;
    out << exact(t);
    for (std::string& cell : cells) {
      out << ',' << cell;
      cell.clear();
    }
    out << '\n';
  }
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
