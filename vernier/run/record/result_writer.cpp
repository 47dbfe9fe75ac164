#include "vernier/run/record/result_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/run/record/detail/hdf5.hpp"
#include "vernier/run/record/detail/writer_lock.hpp"

namespace vernier::record {

namespace fs = std::filesystem;
using hdf5::check;
using hdf5::Handle;

namespace {

constexpr std::size_t buffer_budget = 8u << 20;  // bytes, all chunk buffers together
constexpr std::size_t most_rows = 1024;          // per chunk
constexpr std::size_t least_rows = 16;

constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) / 8 * 8; }

/// One dataset that grows by rows, with the rows of its last chunk in memory. Whole chunks bypass
/// the library's chunk cache: they are in the file at once, and a chunk that is written again later
/// begins with the same bytes.
struct Column {
  Handle dataset;
  int rank = 1;
  hsize_t elements = 1;
  std::size_t row_bytes = sizeof(double);
  std::vector<std::byte> chunk;

  /// Reads the chunk that begins with this row.
  void load(hsize_t first) {
    const hsize_t offset[2] = {first, 0};
    std::uint32_t filters = 0;
    check(H5Dread_chunk(dataset.get(), H5P_DEFAULT, offset, &filters, chunk.data()), "cannot read");
  }

  void store(hsize_t first, hsize_t rows, bool fresh) {
    const hsize_t offset[2] = {first, 0};
    const hsize_t size[2] = {first + rows, elements};
    // an existing chunk first gets its rows, then the extent that shows them; a new one cannot be
    // written outside the extent
    if (fresh) check(H5Dset_extent(dataset.get(), size), "cannot extend");
    check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, offset, chunk.size(), chunk.data()),
          "cannot write");
    if (!fresh) check(H5Dset_extent(dataset.get(), size), "cannot extend");
  }
};

struct Group {
  RowLayout row;
  Column time;
  std::vector<Column> values;
  hsize_t chunk_rows;
  hsize_t first = 0;   // row number of the first row in the chunk in memory
  hsize_t held = 0;    // rows in it
  hsize_t stored = 0;  // of these, in the file

  bool fresh() const noexcept { return stored == 0; }
  hsize_t chunk_bytes() const noexcept {
    hsize_t sum = time.chunk.size();
    for (const Column& c : values) sum += c.chunk.size();
    return sum;
  }

  void store() {
    const bool fresh = this->fresh();
    // the time comes last: a row is complete when its time is present
    for (Column& c : values) c.store(first, held, fresh);
    time.store(first, held, fresh);
    stored = held;
    if (held == chunk_rows) {
      first += held;
      held = stored = 0;
    }
  }
};

std::string group_path(const std::string& signal) {
  std::string path = "/signals/" + signal;
  // a slash in a name would create a level
  std::replace(path.begin() + 9, path.end(), '/', '_');
  std::replace(path.begin() + 9, path.end(), '.', '/');
  return path;
}

std::string rate_text(Rate r) {
  if (!r.periodic()) return "every instant";
  return std::to_string(r.times) + " every " + std::to_string(r.seconds) + " s";
}

std::string path_of_time(std::size_t group) { return "/groups/" + std::to_string(group) + "/time"; }

hsize_t rows_in(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "dataspace");
  hsize_t size[2] = {0, 1};
  H5Sget_simple_extent_dims(space.get(), size, nullptr);
  return size[0];
}

/// A column that make_column() has made.
Column open_column(hid_t file, const std::string& path, Scalar scalar, std::uint32_t count,
                   bool vector) {
  Column c;
  c.rank = vector ? 2 : 1;
  c.elements = count;
  c.row_bytes = count * hdf5::element_bytes(scalar);
  const Handle access = hdf5::property_list(H5P_DATASET_ACCESS);
  check(H5Pset_chunk_cache(access.get(), 1, 0, 1.0), "chunk cache");
  c.dataset = Handle(H5Dopen2(file, path.c_str(), access.get()), H5Dclose, "cannot find a signal");
  const Handle space(H5Dget_space(c.dataset.get()), H5Sclose, "dataspace");
  const Handle type(H5Dget_type(c.dataset.get()), H5Tclose, "type");
  const Handle create(H5Dget_create_plist(c.dataset.get()), H5Pclose, "properties");
  hsize_t size[2] = {0, 1}, chunk[2] = {0, 1};
  const bool same = H5Sget_simple_extent_ndims(space.get()) == c.rank &&
                    H5Sget_simple_extent_dims(space.get(), size, nullptr) == c.rank &&
                    size[1] == count && H5Tequal(type.get(), hdf5::file_type(scalar)) > 0 &&
                    H5Pget_layout(create.get()) == H5D_CHUNKED &&
                    H5Pget_chunk(create.get(), 2, chunk) == c.rank && chunk[0] > 0 &&
                    chunk[0] <= most_rows && chunk[1] == count;
  if (!same) throw hdf5::Error(path + " is another signal than this run records");
  c.chunk.resize(c.row_bytes * chunk[0]);
  return c;
}

void shorten(const Column& c, hsize_t rows) {
  const hsize_t there = rows_in(c.dataset.get());
  if (there < rows) throw hdf5::Error("it lacks rows");
  const hsize_t size[2] = {rows, c.elements};
  if (there > rows) check(H5Dset_extent(c.dataset.get(), size), "cannot shorten");
}

Column make_column(hid_t file, const std::string& path, Scalar scalar, std::uint32_t count,
                   bool vector, hsize_t chunk_rows, hid_t link_list) {
  Column c;
  c.rank = vector ? 2 : 1;
  c.elements = count;
  c.row_bytes = count * hdf5::element_bytes(scalar);
  c.chunk.resize(c.row_bytes * chunk_rows);

  const hsize_t size[2] = {0, count};
  const hsize_t most[2] = {H5S_UNLIMITED, count};
  const hsize_t chunk[2] = {chunk_rows, count};
  const Handle space(H5Screate_simple(c.rank, size, most), H5Sclose, "dataspace");
  const Handle create = hdf5::property_list(H5P_DATASET_CREATE);
  check(H5Pset_chunk(create.get(), c.rank, chunk), "chunks");
  if (scalar == Scalar::real) {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    check(H5Pset_fill_value(create.get(), H5T_NATIVE_DOUBLE, &missing), "fill value");
  }
  const Handle access = hdf5::property_list(H5P_DATASET_ACCESS);
  check(H5Pset_chunk_cache(access.get(), 1, 0, 1.0), "chunk cache");
  c.dataset = Handle(H5Dcreate2(file, path.c_str(), hdf5::file_type(scalar), space.get(), link_list,
                                create.get(), access.get()),
                     H5Dclose, "cannot make a dataset");
  return c;
}

}  // namespace

RowLayout::RowLayout(const GroupSpec& g) {
  for (const SignalSpec& s : g.signals) {
    const std::size_t size = s.count * hdf5::element_bytes(s.scalar);
    columns.push_back({bytes, size});
    bytes += padded(size);
  }
}

struct ResultWriter::State {
  fs::path path;
  WriterLock lock;
  Handle file;
  std::vector<Group> groups;
  hsize_t reserved = 0;  // up to here the file can grow without failing
  std::uint64_t lost = 0;
  hsize_t margin = 0;  // for HDF5's own tables, so that the file can be closed on a full disk

  explicit State(const fs::path& p, bool again = false) : path(p), lock(p, again) {}

  /// Throws Full before anything is written that would not fit.
  void make_room(hsize_t bytes) {
    hsize_t end = 0;
    check(H5Fget_filesize(file.get(), &end), "cannot extend");
    if (end + bytes + margin > reserved) reserved = hdf5::reserve(file.get(), end, bytes + margin);
  }

  void store(Group& g) {
    if (g.held == g.stored) return;
    if (g.fresh()) make_room(g.chunk_bytes());
    g.store();
  }

  void close() {
    for (Group& g : groups) {
      g.time.dataset.reset();
      for (Column& c : g.values) c.dataset.reset();
    }
    check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "cannot flush");
    file.reset();
    lock.release();
    hdf5::release_reserved(path.c_str());
  }

  /// The disk is full. Keeps all rows that need no more room, and closes the file.
  [[noreturn]] void finish_early(const hdf5::Full& e) {
    const std::string why = e.reason;
    try {
      for (Group& g : groups)
        if (!g.fresh() && g.held > g.stored) g.store();
      count_lost();
      close();
    } catch (const hdf5::Error& worse) {
      fail(worse);
    }
    refuse(why);
  }

  void count_lost() noexcept {
    lost = 0;
    for (const Group& g : groups) lost += g.held - g.stored;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw ConfigurationError("V7104", "cannot write " + path.string() + ": " + why);
  }

  /// Does what may find the disk full.
  template <class Writing>
  void guarded(const Writing& write) {
    const auto library = hdf5::locked();
    try {
      write();
    } catch (const hdf5::Full& e) {
      finish_early(e);
    } catch (const hdf5::Error& e) {
      fail(e);
    }
  }

  /// The file cannot be extended. Leaves it as if this process had been killed: closing would write
  /// data that does not fit.
  [[noreturn]] void fail(const hdf5::Error& e) {
    const std::string why = e.reason;
    count_lost();
    hdf5::detach(file.get());
    groups.clear();
    file.reset();
    refuse(why);
  }

  void make(const fs::path& draft, const ResultLayout& layout) {
    const Handle access = hdf5::file_access(lock.descriptor());
    file = Handle(H5Fcreate(draft.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()), H5Fclose,
                  "cannot make the file");
    hdf5::write_attribute(file.get(), "vernier", layout.version);
    hdf5::write_attribute(file.get(), "composition", layout.composition);
    hdf5::write_attribute(file.get(), "start", layout.start);
    hdf5::write_attribute(file.get(), "layout", "1");

    std::size_t row_bytes = 0;
    for (const GroupSpec& g : layout.groups) row_bytes += RowLayout(g).bytes;
    const std::size_t fitting = std::bit_floor(buffer_budget / std::max<std::size_t>(row_bytes, 8));
    const hsize_t chunk_rows = std::clamp(fitting, least_rows, most_rows);

    const Handle links = hdf5::property_list(H5P_LINK_CREATE);
    check(H5Pset_create_intermediate_group(links.get(), 1), "groups");
    const Handle signals(H5Gcreate2(file.get(), "/signals", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Gclose, "group");
    for (std::size_t n = 0; n < layout.groups.size(); ++n) {
      const GroupSpec& spec = layout.groups[n];
      Group g{
          RowLayout(spec),
          make_column(file.get(), path_of_time(n), Scalar::real, 1, false, chunk_rows, links.get()),
          {},
          chunk_rows};
      hdf5::write_attribute(g.time.dataset.get(), "unit", "s");
      hdf5::write_attribute(g.time.dataset.get(), "rate", rate_text(spec.rate));
      for (const SignalSpec& s : spec.signals) add(g, s, chunk_rows, links.get());
      margin += 1024 * (spec.signals.size() + 1);
      groups.push_back(std::move(g));
    }
    if (groups.empty()) return;
    margin += 64 * 1024;
    make_room(0);
  }

  /// Removes the rows that are not kept; shortening is not possible while others read.
  void cut(const ResultLayout& layout, std::span<const std::uint64_t> rows) {
    const Handle access = hdf5::file_access(lock.descriptor(), false);
    const Handle whole(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose, "cannot open");
    for (std::size_t n = 0; n < layout.groups.size(); ++n) {
      shorten(open_column(whole.get(), path_of_time(n), Scalar::real, 1, false), rows[n]);
      for (const SignalSpec& s : layout.groups[n].signals)
        shorten(
            open_column(whole.get(), group_path(s.path) + "/value", s.scalar, s.count, s.count > 1),
            rows[n]);
    }
  }

  void open_again(const ResultLayout& layout, std::span<const std::uint64_t> rows) {
    const Handle access = hdf5::file_access(lock.descriptor(), false);
    file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access.get()), H5Fclose,
                  "cannot open");
    for (std::size_t n = 0; n < layout.groups.size(); ++n) {
      const GroupSpec& spec = layout.groups[n];
      Group g{
          RowLayout(spec), open_column(file.get(), path_of_time(n), Scalar::real, 1, false), {}, 0};
      g.chunk_rows = g.time.chunk.size() / g.time.row_bytes;
      for (const SignalSpec& s : spec.signals)
        g.values.push_back(
            open_column(file.get(), group_path(s.path) + "/value", s.scalar, s.count, s.count > 1));
      g.held = g.stored = rows[n] % g.chunk_rows;
      g.first = rows[n] - g.held;
      if (g.held > 0) {
        g.time.load(g.first);
        for (Column& c : g.values) c.load(g.first);
      }
      margin += 1024 * (spec.signals.size() + 1);
      groups.push_back(std::move(g));
    }
    if (groups.empty()) return;
    margin += 64 * 1024;
    make_room(0);
  }

  void add(Group& g, const SignalSpec& s, hsize_t chunk_rows, hid_t links) {
    const std::string place = group_path(s.path);
    Column c = make_column(file.get(), place + "/value", s.scalar, s.count, s.count > 1, chunk_rows,
                           links);
    const hid_t d = c.dataset.get();
    hdf5::write_attribute(d, "signal", s.path);
    hdf5::write_attribute(d, "unit", s.unit);
    hdf5::write_attribute(d, "frame", s.frame);
    hdf5::write_attribute(d, "description", s.description);
    hdf5::write_attribute(d, "interpolation",
                          s.held || s.scalar != Scalar::real ? "hold" : "linear");
    check(H5Olink(g.time.dataset.get(), file.get(), (place + "/time").c_str(), links, H5P_DEFAULT),
          "cannot link the time");
    g.values.push_back(std::move(c));
  }
};

namespace {

[[noreturn]] void refuse_to_continue(const fs::path& file, const std::string& why) {
  throw ConfigurationError("V7136", file.string() + " cannot be continued: " + why);
}

std::string dotted(std::string_view group) {
  std::string path(group.substr(9));
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

/// Refuses signals whose names collide in the file: "a.value" as a signal besides "a".
void refuse_clashes(const ResultLayout& layout) {
  std::set<std::string> taken;
  for (const GroupSpec& g : layout.groups) {
    for (const SignalSpec& s : g.signals) {
      require(!s.path.empty() && s.count > 0);
      if (!taken.insert(group_path(s.path)).second) {
        throw ConfigurationError("V7105", "signal " + s.path + " is recorded twice");
      }
    }
  }
  for (const std::string& path : taken) {
    for (const char* name : {"/value", "/time"}) {
      const auto below = taken.lower_bound(path + name);
      if (below != taken.end() &&
          (*below == path + name || below->starts_with(path + name + "/"))) {
        Diagnostics problems;
        problems
            .error("V7105",
                   "signals " + dotted(path) + " and " + dotted(*below) +
                       " would take the same place in the results",
                   {})
            .notes.push_back("rename one of them, or record only one: --record, <record>");
        throw ConfigurationError(std::move(problems));
      }
    }
  }
}

}  // namespace

ResultWriter::ResultWriter(const fs::path& file, const ResultLayout& layout) {
  refuse_clashes(layout);
  if (fs::exists(file)) {
    throw ConfigurationError("V7104", "cannot write " + file.string() + ": it exists already");
  }
  state_ = std::make_unique<State>(file);
  const auto lock = hdf5::locked();
  // the file gets its final name only when it is readable
  const fs::path draft = file.string() + ".new";
  try {
    fs::remove(draft);
    state_->make(draft, layout);
    check(H5Fstart_swmr_write(state_->file.get()), "cannot begin");
    fs::rename(draft, file);
  } catch (const hdf5::Error& e) {
    const std::string why = e.reason;
    state_->groups.clear();
    state_->file.reset();
    std::error_code ignored;
    fs::remove(draft, ignored);
    state_->lock.release();
    throw ConfigurationError("V7104", "cannot write " + file.string() + ": " + why);
  } catch (const fs::filesystem_error& e) {
    throw ConfigurationError("V7104", "cannot write " + file.string() + ": " + e.code().message());
  }
}

ResultWriter::ResultWriter(const fs::path& file, const ResultLayout& layout,
                           std::span<const std::uint64_t> rows) {
  state_ = std::make_unique<State>(file, true);
  const auto lock = hdf5::locked();
  try {
    if (rows.size() != layout.groups.size())
      throw hdf5::Error("it has another number of groups than this run records");
    if (hdf5::marked_open(file) && !mend(file, state_->lock.descriptor()))
      throw hdf5::Error("it cannot be repaired");
    state_->cut(layout, rows);
    state_->open_again(layout, rows);
  } catch (const hdf5::Error& e) {
    const std::string why = e.reason;
    state_->groups.clear();
    state_->file.reset();
    state_->lock.release();
    refuse_to_continue(file, why);
  }
}

ResultWriter::~ResultWriter() {
  if (!state_) return;
  const auto lock = hdf5::locked();
  try {
    close();
  } catch (const ConfigurationError&) {
    // already reported by append() or flush()
  }
  state_.reset();
}

const RowLayout& ResultWriter::row(std::size_t group) const noexcept {
  return state_->groups[group].row;
}

std::uint64_t ResultWriter::rows(std::size_t group) const noexcept {
  const Group& g = state_->groups[group];
  return g.first + g.held;
}

std::uint64_t ResultWriter::lost() const noexcept { return state_->lost; }

std::vector<std::byte> ResultWriter::read_back(std::size_t group, std::uint64_t first,
                                               std::uint64_t count) const {
  const Group& g = state_->groups[group];
  const auto lock = hdf5::locked();
  const std::uint64_t there = g.first + g.stored;
  count = std::min(count, there - std::min(first, there));
  std::vector<std::byte> rows(count * g.row.bytes), column;
  if (count == 0) return rows;
  const auto take = [&](const Column& c, std::size_t to) {
    column.resize(count * c.row_bytes);
    const hsize_t offset[2] = {first, 0}, size[2] = {count, c.elements};
    const Handle type(H5Dget_type(c.dataset.get()), H5Tclose, "type");
    const Handle from(H5Dget_space(c.dataset.get()), H5Sclose, "dataspace");
    const Handle memory(H5Screate_simple(c.rank, size, nullptr), H5Sclose, "dataspace");
    check(H5Sselect_hyperslab(from.get(), H5S_SELECT_SET, offset, nullptr, size, nullptr), "rows");
    check(
        H5Dread(c.dataset.get(), type.get(), memory.get(), from.get(), H5P_DEFAULT, column.data()),
        "cannot read");
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(rows.data() + i * g.row.bytes + to, column.data() + i * c.row_bytes, c.row_bytes);
  };
  try {
    take(g.time, 0);
    for (std::size_t i = 0; i < g.values.size(); ++i) take(g.values[i], g.row.columns[i].offset);
  } catch (const hdf5::Error& e) {
    refuse_to_continue(state_->path, e.reason);
  }
  return rows;
}

std::vector<std::uint64_t> recorded_rows(const fs::path& file) {
  const auto lock = hdf5::locked();
  std::vector<std::uint64_t> rows;
  try {
    const Handle access = hdf5::file_access();
    const Handle h(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "cannot open");
    const auto there = [&h](const std::string& path) {
      return H5Lexists(h.get(), path.c_str(), H5P_DEFAULT) > 0;
    };
    while (there("/groups") && there("/groups/" + std::to_string(rows.size())) &&
           there(path_of_time(rows.size()))) {
      const Handle d(H5Dopen2(h.get(), path_of_time(rows.size()).c_str(), H5P_DEFAULT), H5Dclose,
                     "time");
      rows.push_back(rows_in(d.get()));
    }
  } catch (const hdf5::Error& e) {
    refuse_to_continue(file, e.reason);
  }
  return rows;
}

void ResultWriter::append(std::size_t group, std::span<const std::byte> row) {
  require(group < state_->groups.size());
  Group& g = state_->groups[group];
  require(row.size() == g.row.bytes);
  std::memcpy(g.time.chunk.data() + g.held * sizeof(double), row.data(), sizeof(double));
  for (std::size_t i = 0; i < g.values.size(); ++i) {
    const RowLayout::Column& c = g.row.columns[i];
    std::memcpy(g.values[i].chunk.data() + g.held * c.bytes, row.data() + c.offset, c.bytes);
  }
  if (++g.held < g.chunk_rows) return;
  state_->guarded([&] { state_->store(g); });
}

void ResultWriter::flush() {
  state_->guarded([&] {
    hdf5::check_linked(state_->file.get());
    for (Group& g : state_->groups) state_->store(g);
    check(H5Fflush(state_->file.get(), H5F_SCOPE_LOCAL), "cannot flush");
  });
}

void ResultWriter::close() {
  if (!state_->file) return;
  state_->guarded([&] {
    for (Group& g : state_->groups) state_->store(g);
    hdf5::check_linked(state_->file.get());
    state_->close();
  });
}

}  // namespace vernier::record
