#include "vernier/gateway/file/csv_source.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::file {
namespace {

Place at(const std::filesystem::path& path, std::uint64_t line) {
  return {path.string(), static_cast<int>(line), line == 0 ? 0 : 1, 1};
}

// the factor to SI for a column whose header may give its own unit
double factor_of(const Column& column, const std::string& wanted, double otherwise,
                 const Place& place, Diagnostics& problems) {
  if (column.unit.empty()) return otherwise;
  const auto has = parsed_unit(column.unit);
  if (has && interchangeable(column.unit, wanted)) return has->factor;
  auto& d =
      problems.error("V7303",
                     "column \"" + column.name + "\" is in \"" + column.unit + "\", which is " +
                         (has ? "not of the kind of \"" + wanted + "\"" : "not a unit"),
                     place);
  if (has) d.notes.push_back(unit_mismatch(column.unit, wanted));
  d.notes.push_back("the unit in the header counts; leave it out to use that of the connector");
  return otherwise;
}

}  // namespace

CsvSource::CsvSource(channel::Channels channels, CsvSourceSettings settings)
    : channels_(std::move(channels)),
      settings_(std::move(settings)),
      description_(channel::described(channels_)) {
  const auto& path = settings_.path;
  LineFile file;
  if (const auto why = file.open(path)) {
    throw ConfigurationError("V7301", path.string() + " cannot be read: " + *why);
  }
  // the header is the first line that is not empty
  std::string_view line;
  LineFile::Step step;
  do {
    step = file.next(line);
  } while (step == LineFile::Step::line && (trimmed(line).empty() || line.front() == '#'));
  if (step == LineFile::Step::end) {
    throw ConfigurationError("V7302",
                             path.string() + " is empty; its first line must name the columns");
  }
  const Place header_place = at(path, file.line_number());
  if (step != LineFile::Step::line) {
    throw ConfigurationError(
        "V7307", "the header is longer than " + std::to_string(longest_csv_line) + " bytes",
        header_place);
  }
  const auto columns = parsed_header(line, settings_.separator);
  if (!columns) {
    throw ConfigurationError(
        "V7302", "the header has more than " + std::to_string(most_columns) + " columns",
        header_place);
  }

  Diagnostics problems;
  std::vector<std::string> names;
  for (const auto& c : *columns) names.push_back(c.name);
  layout_.separator = settings_.separator;
  layout_.slots.assign(columns->size(), -1);
  layout_.names = names;
  const auto find = [&](const std::string& name, std::int32_t slot) -> const Column* {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      auto& d = problems.error("V7303", "there is no column \"" + name + "\"", header_place);
      if (const auto meant = closest(name, names)) d.mark = "did you mean " + *meant + "?";
      std::vector<std::string> some(
          names.begin(), names.begin() + std::min<std::ptrdiff_t>(20, std::ssize(names)));
      d.notes.push_back("columns: " + joined(some, ", ") + (names.size() > 20 ? ", …" : ""));
      return nullptr;
    }
    if (std::find(found + 1, names.end(), name) != names.end()) {
      problems.error("V7303", "column \"" + name + "\" is there twice", header_place);
    }
    const auto i = static_cast<std::size_t>(found - names.begin());
    if (layout_.slots[i] >= 0) {
      problems.error("V7303", "column \"" + name + "\" is asked for twice", header_place);
    }
    layout_.slots[i] = slot;
    return &(*columns)[i];
  };
  if (const Column* c = find(settings_.time_column, 0)) {
    layout_.time_factor = factor_of(*c, "s", 1.0, header_place, problems);
  }
  std::int32_t slot = 1;
  for (const auto& c : channels_.outputs) {
    const std::string base = c.column.empty() ? c.name : c.column;
    for (std::uint32_t i = 0; i < c.count; ++i, ++slot) {
      const std::string name = c.count == 1 ? base : base + "[" + std::to_string(i) + "]";
      const Column* column = find(name, slot);
      // to the unit of the connector, from which the ports convert to SI
      layout_.factors.push_back(
          column ? factor_of(*column, c.unit, c.factor, header_place, problems) / c.factor : 1.0);
    }
  }
  problems.throw_if_errors();

  // read the first row, so that an unusable file is refused before the run
  std::vector<double> record(layout_.factors.size() + 1);
  do {
    step = file.next(line);
  } while (step == LineFile::Step::line && (trimmed(line).empty() || line.front() == '#'));
  if (step == LineFile::Step::end) {
    throw ConfigurationError("V7308", path.string() + " has a header and no rows");
  }
  const Place row_place = at(path, file.line_number());
  if (step != LineFile::Step::line) {
    throw ConfigurationError(
        "V7307", "the line is longer than " + std::to_string(longest_csv_line) + " bytes",
        row_place);
  }
  const RowReading reading = read_row(line, settings_.separator, layout_.slots, record);
  if (reading.flaw == RowFlaw::fields) {
    throw ConfigurationError(
        "V7304",
        std::to_string(reading.column) + " fields, the header has " + std::to_string(names.size()),
        row_place);
  }
  if (reading.flaw != RowFlaw::none) {
    throw ConfigurationError("V7305",
                             "\"" + std::string(reading.text.substr(0, 60)) + "\" in column \"" +
                                 names[reading.column] + "\" is not a finite number",
                             row_place);
  }
  first_ = {-1, file.line_offset(), file.line_number()};

  values_ = initial_ = channel::initial_values(channels_.outputs);
  description_.rate = settings_.rate;
  description_.state_bytes = sizeof(Window::Position);
}

void CsvSource::bind(const Bindings& bindings) { ports_.bind(channels_, bindings); }

bool CsvSource::initialize(Time start, int) {
  broken_ = behind_ = false;
  if (!window_) {
    window_ = std::make_unique<Window>(settings_.path, layout_, first_, settings_.memory);
  } else {
    window_->go_to(first_);
  }
  if (!accept(window_->wait_for(start))) throw ConfigurationError(fault_.code, fault_.text);
  return true;
}

bool CsvSource::accept(Window::Reach reach) noexcept {
  behind_ = reach == Window::Reach::behind;
  if (reach != Window::Reach::broken) return true;
  fault_ = window_->fault();
  broken_ = true;
  return false;
}

Outcome CsvSource::fail(const char* code, const char* text) noexcept {
  fault_.set(Category::input, code, "%s: %s", settings_.path.c_str(), text);
  return Outcome::failed;
}

Outcome CsvSource::output(Instant at) noexcept {
  using Outside = CsvSourceSettings::Outside;
  if (broken_ || !window_) return window_ ? Outcome::failed : Outcome::ok;
  if (behind_ && !accept(window_->move_to(at.time))) return Outcome::failed;
  char text[120];
  const bool before = window_->position().row < 0;
  const std::int64_t here = before ? 1 : 0;
  if (!window_->has(here)) return fail("V7301", "the file has changed while it was being read");
  const Window::Row row = window_->row(here);
  const bool last = !behind_ && window_->at_last();
  const Outside outside = before ? settings_.before : settings_.after;
  if ((before || (last && at.time > row.time)) && outside != Outside::nearest) {
    if (outside == Outside::stop) {
      std::snprintf(text, sizeof text, "t = %.9g s is %s row, at %.9g s", seconds(at.time),
                    before ? "before the first" : "after the last", seconds(row.time));
      return fail("V7309", text);
    }
    ports_.give_outputs(initial_);
    return Outcome::ok;
  }
  std::copy(row.values.begin(), row.values.end(), values_.begin());
  if (settings_.between == CsvSourceSettings::Between::linear && !before && window_->has(1)) {
    const Window::Row next = window_->row(1);
    const double part = static_cast<double>((at.time - row.time).count()) /
                        static_cast<double>((next.time - row.time).count());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] += part * (next.values[i] - values_[i]);
    }
  }
  ports_.give_outputs(values_);
  return behind_ ? Outcome::held : Outcome::ok;
}

Advance CsvSource::advance(Time from, Time to) noexcept {
  if (broken_) return {from, Outcome::failed};
  if (!accept(window_->move_to(to))) return {from, Outcome::failed};
  return {to};
}

Outcome CsvSource::Waiting::wait_for(Time t) noexcept {
  if (!source.window_ || source.broken_) return Outcome::ok;
  source.accept(source.window_->wait_for(t));
  return Outcome::ok;
}

void CsvSource::save(std::span<std::byte> to) const noexcept {
  const Window::Position p = window_ ? window_->position() : first_;
  std::memcpy(to.data(), &p, sizeof p);
}

void CsvSource::load(std::span<const std::byte> from) noexcept {
  Window::Position p;
  std::memcpy(&p, from.data(), sizeof p);
  if (!window_) return;
  window_->go_to(p);
  broken_ = behind_ = false;
}

}  // namespace vernier::file
