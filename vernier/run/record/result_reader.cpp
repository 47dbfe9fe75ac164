#include "vernier/run/record/result_reader.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/record/detail/hdf5.hpp"
#include "vernier/run/record/detail/result_index.hpp"
#include "vernier/run/record/detail/thinning.hpp"
#include "vernier/run/record/detail/writer_lock.hpp"

namespace vernier::record {

namespace fs = std::filesystem;
using hdf5::Handle;

namespace {

constexpr std::uint64_t rows_read = 1u << 16;

/// "plant.omega[2]" into name and element; no element when there is no index.
std::pair<std::string_view, std::optional<std::uint32_t>> split_index(std::string_view text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos || !text.ends_with(']')) return {text, {}};
  const auto n = parsed_integer(text.substr(open + 1, text.size() - open - 2));
  if (!n || *n < 0 || *n > std::numeric_limits<std::uint32_t>::max()) return {text, {}};
  return {text.substr(0, open), static_cast<std::uint32_t>(*n)};
}

void read_rows(hid_t dataset, std::uint64_t first, std::uint64_t count, std::uint32_t element,
               std::uint32_t elements, double* to) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "dataspace");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  const hsize_t start[2] = {first, element};
  const hsize_t size[2] = {count, elements};
  hdf5::check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, size, nullptr),
              "cannot select rows");
  const Handle memory(H5Screate_simple(rank, size, nullptr), H5Sclose, "dataspace");
  hdf5::check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, to),
              "cannot read");
}

}  // namespace

std::string Selected::name() const {
  return element ? signal->spec.path + "[" + std::to_string(*element) + "]" : signal->spec.path;
}

struct ResultReader::State {
  fs::path path;
  std::string version, composition, start;
  bool running = false;
  Handle file;
  std::vector<IndexedSignal> index;
  std::vector<Signal> signals;

  ~State() {
    const auto lock = hdf5::locked();
    file.reset();
  }

  [[noreturn]] void fail(const hdf5::Error& e) const {
    throw ConfigurationError("V7101",
                             "cannot read the results in " + path.string() + ": " + e.what());
  }

  void open() {
    const auto lock = hdf5::locked();
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) throw hdf5::Error("there is no such file");
    bool marked = hdf5::marked_open(path);
    running = marked && being_written(path);
    if (marked && !running && repair(path)) marked = false;
    const Handle access = hdf5::file_access();
    const unsigned mode = marked ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY;
    // HDF5 shows a file that is open already as it was
    file.reset();
    hid_t id = H5Fopen(path.c_str(), mode, access.get());
    // the writer may have closed the file between the check and opening it
    if (id < 0 && marked) id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
    file = Handle(id, H5Fclose, "not a results file");
    version = hdf5::read_attribute(file.get(), "vernier");
    composition = hdf5::read_attribute(file.get(), "composition");
    start = hdf5::read_attribute(file.get(), "start");
    index = index_signals(file.get(), marked);
    signals.clear();
    for (const IndexedSignal& s : index) signals.push_back({s.spec, s.rate, s.time_id, s.rows});
  }

  /// A part of the dataset `name` of a signal; rows that are there.
  void read(const Signal& s, const char* name, std::uint64_t first, std::uint64_t count,
            std::uint32_t element, std::uint32_t elements, double* to) const {
    const IndexedSignal& i = indexed(s);
    require(first <= i.rows && count <= i.rows - first);
    if (count == 0) return;
    const auto lock = hdf5::locked();
    try {
      const Handle dataset(H5Dopen2(file.get(), (i.place + name).c_str(), H5P_DEFAULT), H5Dclose,
                           name);
      read_rows(dataset.get(), first, count, element, elements, to);
    } catch (const hdf5::Error& e) {
      fail(e);
    }
  }

  const IndexedSignal& indexed(const Signal& s) const {
    require(&s >= signals.data() && &s < signals.data() + signals.size());
    return index[static_cast<std::size_t>(&s - signals.data())];
  }
};

ResultReader::ResultReader(const fs::path& path) : state_(std::make_unique<State>()) {
  state_->path = results_file(path);
  refresh();
}

namespace {

/// What a name that nothing has may mean: a signal that is spelt nearly so, or that begins so; else
/// what was recorded of the same instance.
std::vector<std::string> advice(const std::string& name, const std::vector<Signal>& signals) {
  std::vector<std::string> names, siblings, beginnings;
  const std::string instance = name.substr(0, name.rfind('.') + 1);
  for (const Signal& s : signals) {
    names.push_back(s.spec.path);
    if (!instance.empty() && s.spec.path.starts_with(instance)) siblings.push_back(s.spec.path);
  }
  if (const auto meant = closest(name, names)) return {"did you mean " + *meant + "?"};
  for (const std::string& s : siblings) {
    const std::string port = s.substr(instance.size());
    // "eror" for "error_angle": one letter more or less than the beginning has
    for (std::size_t n = name.size() - instance.size(); const std::size_t length : {n, n + 1})
      if (closest(name.substr(instance.size()), {port.substr(0, length)})) {
        beginnings.push_back(s);
        break;
      }
  }
  constexpr std::size_t most = 8;
  const bool near = !beginnings.empty();
  std::vector<std::string>& shown = near ? beginnings : siblings;
  if (shown.empty()) return {};
  const bool cut = shown.size() > most;
  if (cut) shown.resize(most);
  const std::string list = joined(shown, near ? " or " : ", ");
  return {near ? "did you mean " + list + "?" : "recorded: " + list + (cut ? ", …" : "")};
}

}  // namespace

ResultReader::~ResultReader() = default;
ResultReader::ResultReader(ResultReader&&) noexcept = default;

void ResultReader::refresh() {
  // a writer that waits for the disk in the middle of a block makes it unreadable for that time
  for (int tries = 5;; --tries) {
    try {
      state_->open();
      return;
    } catch (const hdf5::Error& e) {
      if (!state_->running || tries == 1) state_->fail(e);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

const fs::path& ResultReader::file() const noexcept { return state_->path; }
const std::string& ResultReader::version() const noexcept { return state_->version; }
const std::string& ResultReader::composition() const noexcept { return state_->composition; }
const std::string& ResultReader::start() const noexcept { return state_->start; }
bool ResultReader::running() const noexcept { return state_->running; }
const std::vector<Signal>& ResultReader::signals() const noexcept { return state_->signals; }

const Signal* ResultReader::find(std::string_view path) const noexcept {
  const auto& all = state_->signals;
  const auto at = std::lower_bound(all.begin(), all.end(), path,
                                   [](const Signal& s, auto p) { return s.spec.path < p; });
  return at != all.end() && at->spec.path == path ? &*at : nullptr;
}

std::vector<Selected> ResultReader::select(const std::vector<std::string>& patterns) const {
  std::vector<Selected> chosen;
  std::set<std::string> seen;
  for (const std::string& pattern : patterns) {
    const auto [name, element] = split_index(pattern);
    bool any = false;
    for (const Signal& s : signals()) {
      if (!matches(name, s.spec.path)) continue;
      if (element && *element >= s.spec.count) {
        throw ConfigurationError(
            "V7102", pattern + ": " + s.spec.path + " has " + std::to_string(s.spec.count) +
                         (s.spec.count == 1 ? " element" : " elements") + ", numbered from 0");
      }
      any = true;
      const Selected found{&s, element};
      if (seen.insert(found.name()).second) chosen.push_back(found);
    }
    if (any) continue;
    Diagnostics problems;
    Diagnostic& d = problems.error("V7102", "no recorded signal is named " + pattern, {});
    d.notes = advice(std::string(name), signals());
    d.notes.push_back("vernier info " + state_->path.parent_path().string() + "   lists them all");
    problems.throw_if_errors();
  }
  return chosen;
}

void ResultReader::times(const Signal& s, std::uint64_t first, std::span<double> to) const {
  state_->read(s, "/time", first, to.size(), 0, 1, to.data());
}

void ResultReader::values(const Signal& s, std::uint64_t first, std::uint32_t element,
                          std::uint32_t elements, std::span<double> to) const {
  require(elements > 0 && element < s.spec.count && elements <= s.spec.count - element);
  state_->read(s, "/value", first, to.size() / elements, element, elements, to.data());
}

Series ResultReader::read(const Signal& s, std::uint64_t first, std::uint64_t count) const {
  Series series;
  if (first >= s.rows) return series;
  count = std::min(count, s.rows - first);
  series.time.resize(count);
  series.values.resize(count * s.spec.count);
  times(s, first, series.time);
  values(s, first, 0, s.spec.count, series.values);
  return series;
}

Series ResultReader::read(const Signal& s) const { return read(s, 0, s.rows); }

Trace ResultReader::trace(const Signal& s, std::uint32_t element, std::size_t most_points) const {
  require(element < s.spec.count);
  const bool all = most_points == 0 || s.rows <= most_points;
  Trace trace;
  trace.time.reserve(all ? s.rows : most_points + 2);
  trace.values.reserve(all ? s.rows : most_points + 2);
  if (s.rows == 0) return trace;
  double ends[2];
  times(s, 0, std::span(ends).first(1));
  times(s, s.rows - 1, std::span(ends).last(1));
  Thinning thinning(trace, ends[0], ends[1], most_points);
  for (std::uint64_t first = 0; first < s.rows; first += rows_read) {
    const Series block = read(s, first, rows_read);
    for (std::size_t k = 0; k < block.time.size(); ++k) {
      const Point p{first + k, block.time[k], block.values[k * s.spec.count + element]};
      if (all || p.row == 0 || p.row + 1 == s.rows) {
        thinning.keep(p);
      } else {
        thinning.take(p);
      }
    }
  }
  return trace;
}

fs::path results_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? path / "results.h5" : path;
}

}  // namespace vernier::record
